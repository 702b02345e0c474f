"""Values that make no sense for most arguments, by name, and which of them some kind of argument may accept."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

#: Made afresh for every call, since some are used up.
JUNK: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "empty": lambda: "",
    "word": lambda: "abc",
    "long": lambda: "x" * 100_000,
    "minus": lambda: -1,
    "zero": lambda: 0,
    "real": lambda: 1.5,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "huge": lambda: 10**400,
    "true": lambda: True,
    "complex": lambda: 1j,
    "list": lambda: [],
    "tuple": lambda: (),
    "dict": lambda: {},
    "object": lambda: object(),
    "function": lambda: lambda: 0,
    "no numbers": lambda: np.zeros(0),
    "matrix": lambda: np.zeros((2, 2)),
    "two": lambda: [1.0, 2.0],
    "seven": lambda: list(range(7)),
    "ragged": lambda: [[1.0], [2.0, 3.0]],
    "nested": lambda: [[[1.0]]],
    "nan vector": lambda: np.array([math.nan, 0.0, 0.0]),
    "complex vector": lambda: np.array([1j, 0, 0]),
    "texts": lambda: np.array(["a", "b", "c"]),
    "bytes": lambda: b"abc",
    "class": lambda: dict,
    "set": lambda: {1, 2},
    "generator": lambda: (x for x in (1, 2, 3)),
    "words": lambda: ["abc", "def"],
    "nones": lambda: [None, None, None],
    "objects": lambda: [object()] * 3,
    "pairs": lambda: {"abc": None},
    "numbered": lambda: {1: 2},
}

Kind = frozenset[str]


def kind(*names: str) -> Kind:
    """Names of junk that an argument may accept."""
    assert set(names) <= set(JUNK), set(names) - set(JUNK)
    return frozenset(names)


NOTHING = kind()
OPTIONAL = kind("none")
NUMBER = kind("minus", "zero", "real")
NOT_NEGATIVE = kind("zero", "real")
POSITIVE = kind("real")
NOT_ZERO = kind("minus", "real")
FLAG = kind("true")
NAME = kind("word", "long")
TEXT = kind("empty", "word", "long")
FUNCTION = kind("function")
MAPPING = kind("dict")
SEQUENCE = kind("list", "tuple", "no numbers")
NAMES = SEQUENCE | kind("words", "texts")
ANYTHING = kind(*JUNK)
#: of results that the package makes: what is of the annotated kind
RESULT = {
    "float": kind("minus", "zero", "real", "inf", "-inf"),
    "NaN": kind("nan"),
    "int": kind("minus", "zero"),
    "bool": FLAG,
    "str": TEXT,
    "complex": kind("minus", "zero", "real", "inf", "-inf", "complex"),
    "ndarray": kind("no numbers", "matrix", "nan vector", "complex vector"),
    "tuple": SEQUENCE,
    "list": SEQUENCE,
    "dict": MAPPING | kind("numbered", "pairs"),
    "Mapping": MAPPING,
    "None": OPTIONAL,
    "Any": ANYTHING,
}
#: of results that hold several: what is in them
LISTED = {"str": kind("words", "texts"), "float": kind("two", "seven", "ragged"), "int": kind("seven")}


class Given(NamedTuple):
    """A valid value of an argument, and the junk that may stand for it."""

    value: Any
    accepts: Kind = NOTHING
    missing_file: bool = False


class Call(NamedTuple):
    """A valid call: what is called, made afresh each time, and its arguments; "*names" are those by place."""

    make: Callable[[], Any]
    arguments: dict[str, Given]
