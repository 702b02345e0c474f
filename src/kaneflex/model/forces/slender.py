"""What loads on slender elements of bodies have in common: the elements, and their rows."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.forces.contract import Array, Load, LoadTable, Row

if TYPE_CHECKING:
    from kaneflex.model.model import Model

GAUSS = (0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0))  # points of the rule with two, between 0 and 1


class Element(NamedTuple):
    """A straight piece of a body, as its joint sees it."""

    body: int  # row
    points: Array  # (2, 3) Gauss's points from the origin of M, in axes of M, m
    axis: Array  # unit vector along it
    length: float


class SlenderLoad(Load):
    """A load on straight slender elements, one or more on each of its bodies."""

    bodies: Any
    element: Any
    pieces: int

    def settle(self) -> None:
        """Check bodies, ends and pieces."""
        object.__setattr__(self, "bodies", body_names(self.bodies, type(self).__name__))
        if self.element is not None:
            given = checks.items(self.element, "element")
            if len(given) != 2:
                raise ModelError(f"element is {checks.shown(self.element)}: give its two ends in body axes")
            a, b = (checks.vector(p, "end of an element") for p in given)
            if a == b:
                raise ModelError(f"element begins and ends at {a}: give two ends apart")
            object.__setattr__(self, "element", (a, b))
        object.__setattr__(self, "pieces", checks.whole(self.pieces, "pieces", 1))

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where the model lacks one of the bodies, or one has no element; `what` names the load."""
        for name in self.bodies:
            checks.known(name, model.parts, f"{what}: body")
            if model.parts[name].body.is_flexible:
                raise ModelError(f'{what}: body "{name}" bends: fix a small rigid body to one of its nodes and name that')
            if self.element is None and name not in segment_lengths(model):
                raise ModelError(f'{what}: give the two ends of the element of "{name}" in body axes, element=(a, b)')

    def _elements(self, table: LoadTable) -> Iterator[Element]:
        """The pieces of all elements."""
        lengths = segment_lengths(table.model) if self.element is None else {}
        for name in self.bodies:
            body, frame = table.end(name)
            ends = self.element or ((0.0, 0.0, 0.0), (lengths[name], 0.0, 0.0))
            a, b = (frame.p + frame.R @ np.array(end) for end in ends)
            along = (b - a) / self.pieces
            length = float(np.linalg.norm(along))
            for n in range(self.pieces):
                points = np.array([a + (n + s) * along for s in GAUSS])
                yield Element(body, points, along / length, length)


def element_row(table: LoadTable, kind: LoadFacts, element: Element, parameters: Sequence[float], **integers: int) -> Row:
    """A row for an element, with its points and axis."""
    row = table.row(kind, FORCE_BODY=element.body, **integers)
    row.reals[L.POINT : L.POINT + 3], row.reals[L.POINT_OTHER : L.POINT_OTHER + 3] = element.points
    row.reals[L.FRAME : L.FRAME + 9 : 3] = element.axis
    row.reals[L.FORCE_LAW : L.FORCE_LAW + len(parameters)] = parameters
    return row


def segment_lengths(model: "Model") -> dict[str, float]:
    """Lengths of the segments of all rods, by body, m."""
    return {name: l for rod in model.rods.values() for name, l in zip(rod.segments, rod.lengths, strict=True)}


def body_names(bodies: Any, load: str) -> tuple[str, ...]:
    """Names of the bodies that a load acts on, given as one or several."""
    names = checks.names((bodies,) if isinstance(bodies, str) else bodies, "bodies")
    if not all(names) or not names:
        raise ModelError(f"bodies of {load} is {checks.shown(bodies)}: name some")
    return names


def skew(p: Array) -> Array:
    """p~, with p~ x = p x x."""
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
