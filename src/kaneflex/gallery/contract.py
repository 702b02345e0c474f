"""What a gallery system is: one file with a model, its source, its checks and its figure."""

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kaneflex.model.checks import ModelError, known
from kaneflex.model.typed import Measured, Name, typed
from kaneflex.results.run import Run
from kaneflex.system import System

Parameters = Mapping[str, Any]

#: The documents that systems are taken from, in the order in which they are listed.
DOCUMENTS = (
    "Banerjee, Flexible Multibody Dynamics",
    "Roithmayr, applications of Kane's method",
    "Banerjee and Lemak, efficient generalized speeds",
    "Hu, Guan and Hou, fully Cartesian coordinates",
    "Stanescu and Pandrea, Kane's equations",
    "Classics",
)


#: A check can fail where the package is wrong; documentation compares what others have printed with what it should be.
KINDS = ("check", "documentation")


@typed
@dataclass(frozen=True)
class Check:
    """A number of a run beside a number that this project did not make.

    Args:
        name: what is compared.
        value: from the run.
        reference: from `source`.
        tolerance: largest allowed difference of value and reference.
        source: closed form, publication, other program, or identity.
        kind: "check", or "documentation" where value does not come from the run, e.g. what a misprinted equation gives.
    """

    name: str
    value: Measured
    reference: float
    tolerance: float
    source: str
    kind: str = "check"

    def __post_init__(self) -> None:
        known(self.kind, KINDS, "kind of a check")

    @property
    def ok(self) -> bool:
        """True when the difference is finite and within the tolerance."""
        return math.isfinite(self.value) and abs(self.value - self.reference) <= self.tolerance

    def as_dict(self) -> dict[str, Any]:
        """Name, value, reference, tolerance, ok, source, kind."""
        return {
            "name": self.name,
            "value": float(self.value),
            "reference": float(self.reference),
            "tolerance": float(self.tolerance),
            "ok": bool(self.ok),
            "source": self.source,
            "kind": self.kind,
        }

    @property
    def verdict(self) -> str:
        """ "ok", "failed", or "documentation" where it is that and holds."""
        return self.kind if self.ok and self.kind == "documentation" else "ok" if self.ok else "failed"


@typed
@dataclass(frozen=True)
class Example:
    """A system of the literature, runnable by name.

    Args:
        name: as on the command line, words joined by hyphens.
        title: one line.
        document: where it comes from, one of `DOCUMENTS`, or any other title.
        chapter: the document's chapter, "chapter 3" say; "" where it has none.
        source: where the equations or data are from.
        parameters: defaults, changed by `--set key=value`.
        build: parameters -> System.
        simulate: (system, parameters, formulation and speeds as keywords) -> Run.
        checks: (run, parameters) -> list of Check; may start further runs, e.g. of special cases.
        figure: (run, parameters) -> Matplotlib figure.
    """

    name: Name
    title: str
    document: str
    source: str
    build: Callable[[Parameters], System]
    simulate: Callable[..., Run]
    checks: Callable[[Run, Parameters], list[Check]]
    figure: Callable[[Run, Parameters], Any]
    parameters: Parameters = field(default_factory=dict)
    chapter: str = ""

    @property
    def group(self) -> str:
        """Document and chapter in one line."""
        return f"{self.document}, {self.chapter}" if self.chapter else self.document

    @property
    def description(self) -> str:
        """What the file says of the system, at its top: problem, sources, equations and references."""
        return inspect.getdoc(sys.modules[self.build.__module__]) or self.title

    @property
    def about(self) -> str:
        """The first line of the description."""
        return self.description.partition("\n")[0]

    @property
    def place(self) -> tuple[int, str, int, str, str]:
        """Its place in a list: documents in their order, chapters by number, appendices last, then by name."""
        number = re.search(r"\d+", self.chapter.replace("appendix", "99"))
        order = DOCUMENTS.index(self.document) if self.document in DOCUMENTS else len(DOCUMENTS)
        return order, self.document, int(number[0]) if number else 0, self.chapter, self.name

    def settings(self, changes: Mapping[str, str]) -> dict[str, Any]:
        """The parameters with changes (texts from the command line) put in, converted to the type of the default."""
        result = dict(self.parameters)
        for key, text in changes.items():
            if key not in result:
                raise ModelError(f'"{self.name}" has no parameter "{key}": it has {", ".join(result) or "none"}')
            kind = type(result[key])
            try:
                result[key] = _converted(text, kind)
            except (ValueError, OverflowError) as e:
                wanted = {int: "whole number", float: "finite number", bool: "true or false"}.get(kind, kind.__name__)
                raise ModelError(f'parameter "{key}" of "{self.name}" is "{text}": give a {wanted}') from e
        return result


def _converted(text: str, kind: type) -> Any:
    """A text as a value of a parameter's kind: str, float, int or bool."""
    if kind is bool:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ValueError(text)
        return text.lower() in ("true", "1")
    if kind is int:
        if float(text) != int(float(text)):
            raise ValueError(text)
        return int(float(text))
    if kind is float and not math.isfinite(float(text)):
        raise ValueError(text)
    return kind(text)
