"""Every public object is documented, parameter by parameter, and no parameter is documented that is not there."""

import inspect
import re

import pytest

import kaneflex
import kaneflex.symbolic
from kaneflex.model import profiles

#: What the reference of the documentation shows.
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (kaneflex, kaneflex.structures, kaneflex.symbolic, profiles)
    for name in module.__all__
}
OURS = {name: thing for name, thing in PUBLIC.items() if getattr(thing, "__module__", "").startswith("kaneflex")}
INLINE = re.compile(r"[.;] (\w+): ")  # "stiffness: N/m. damping: N s/m."


def members(thing):
    """Public methods and properties of a class, those that it inherits from the package's own classes included."""
    found = {}
    for owner in reversed(thing.__mro__):
        if owner.__module__.startswith("kaneflex"):
            found |= {name: value for name, value in vars(owner).items() if not name.startswith("_")}
    return {n: v for n, v in found.items() if inspect.isroutine(v) or isinstance(v, property)}


def blocks(doc):
    """Names and texts of the entries in the blocks Args and Attributes of a docstring, by block."""
    found = {}
    for block in re.finditer(r"^(Args|Attributes):\n((?:    .*\n?|\n)+)", doc, re.M):
        entries = re.findall(r"^    ((?:\*{0,2}\w+, )*\*{0,2}\w+): ((?:.*\n?)(?:      .*\n?|\n)*)", block[2], re.M)
        found[block[1]] = {name.strip("* "): text for names, text in entries for name in names.split(",")}
    return found


def complaints(label, thing):
    """What is wrong with the documentation of the parameters of a function or class."""
    doc = inspect.getdoc(thing) or ""
    try:
        parameters = {p for p in inspect.signature(thing).parameters if p not in ("self", "cls") and p[0] != "_"}
    except (TypeError, ValueError):  # exceptions that take whatever their base class takes
        return []
    found = blocks(doc)
    named = {name for block in found.values() for name in block}
    inline = {name for block in found.values() for text in block.values() for name in INLINE.findall(text)}
    prose = set() if "Args" in found else {p for p in parameters if re.search(rf"(?<![\w.]){p}(?!\w)", doc)}
    missing = parameters - named - inline - prose
    strange = {n for n in found.get("Args", ()) if n not in parameters}
    known = set(dir(thing)) | set(getattr(thing, "__annotations__", ())) | set(re.findall(r"self\.(\w+)", _source(thing)))
    strange |= {n for n in found.get("Attributes", ()) if n not in parameters | known}
    return [f"{label}: no parameter {n}" for n in sorted(strange)] + [f"{label}: {n} undocumented" for n in sorted(missing)]


def _source(thing):
    return inspect.getsource(thing) if inspect.isclass(thing) else ""


@pytest.mark.parametrize("name", OURS)
def test_every_public_object_is_documented(name):
    thing = OURS[name]
    assert inspect.getdoc(thing), name
    if inspect.isclass(thing):
        for member, value in members(thing).items():
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("name", OURS)
def test_documented_parameters_exist_and_all_are_documented(name):
    thing = OURS[name]
    found = complaints(name, thing) if callable(thing) else []
    if inspect.isclass(thing):
        for member, value in members(thing).items():
            if inspect.isroutine(value):
                found += complaints(f"{name}.{member}", getattr(thing, member))
    assert not found, "\n".join(found)


def test_a_wrong_name_and_a_missing_one_are_seen():
    def function(a, b, c):
        """A function.

        Args:
            a: one. c: another, in one line.
            d: nothing.
        """

    class Thing:
        """With attributes.

        Attributes:
            x: a number.
            y: not there.
        """

        def __init__(self, x, z):
            self.x = x

    def plain(angle, rate):
        """The torque at an angle."""

    assert complaints("f", function) == ["f: no parameter d", "f: b undocumented"]
    assert complaints("T", Thing) == ["T: no parameter y", "T: z undocumented"]
    assert complaints("p", plain) == ["p: rate undocumented"]
