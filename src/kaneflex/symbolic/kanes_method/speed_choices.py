"""Choices of generalized speeds, and what the equations of each cost.

Speeds u = Y(q) q' may be chosen freely; components of angular velocities, and of velocities where bodies slide, make shorter
equations than rates of coordinates do. Candidates are taken component by component, as long as each is new.
Ref: Mitiguy and Kane, Int. J. Robotics Research 15 (1996) 522; Banerjee (2016), appendix 1.A.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.physics.mechanics import RigidBody
from sympy.physics.vector import ReferenceFrame, dynamicsymbols

from kaneflex.model.checks import ModelError, shown
from kaneflex.symbolic.calculus import Probe
from kaneflex.symbolic.kanes_method.method import KanesMethod
from kaneflex.symbolic.speed_choice import SpeedChoice, operations
from kaneflex.symbolic.translate import ZERO

Expr = Any
Row = list[Expr]
Component = tuple[Row, tuple[int, int, int] | None]  # coefficients of q'; frame, axes and number of an angular component


def choices_of_method(
    frame: ReferenceFrame, q: Iterable[Any], bodies: Sequence[Any], loads: Sequence[Any]
) -> list[SpeedChoice]:
    """Choices of speeds for frames and points; arguments as for `compare_speeds`."""
    coordinates, t = list(q), dynamicsymbols._t
    if not coordinates:
        raise ModelError("there are no coordinates to choose speeds for")
    for one in coordinates:
        if not isinstance(one, sympy.Basic):
            raise ModelError(f"{shown(one)} is no coordinate: give functions of time, by dynamicsymbols")
    n = len(coordinates)
    plain = dynamicsymbols(f"u1:{n + 1}")
    base = KanesMethod(frame, coordinates, plain, kd_eqs=[s.diff(t) - u for s, u in zip(coordinates, plain, strict=True)])
    base.kanes_equations(bodies, loads)
    found: list[SpeedChoice] = []
    for name, rows in _candidates(base, bodies).items():
        chosen = _independent([*rows, *_rates(n)], n)
        definitions = [
            sympy.Add(*(base.symbols.sympy(c) * s.diff(t) for c, s in zip(row, coordinates, strict=True) if c != 0))
            for row, _ in chosen
        ]
        method = KanesMethod(frame, coordinates, plain, kd_eqs=[u - d for u, d in zip(plain, definitions, strict=True)])
        method._components = _held(chosen, method.native.u)
        method.kanes_equations(bodies, loads)
        if definitions not in [c.definitions for c in found]:
            found.append(SpeedChoice(name, plain, definitions, operations_of(method), method))
    return sorted(found, key=lambda c: c.operations["total"])


def operations_of(method: KanesMethod) -> dict[str, int]:
    """Operations of q', M and F of a method, common parts counted once."""
    native = method.native
    return operations(native.qdot, native.mass_matrix, native.forcing)


def _held(chosen: list[Component], u: Sequence[Expr]) -> list[tuple[int, int, list[Expr | None]]]:
    """The angular components that speeds stand for, frame by frame in the order of the choice."""
    found: dict[tuple[int, int], list[Expr | None]] = {}
    for (_, tag), s in zip(chosen, u, strict=True):
        if tag is not None:
            found.setdefault(tag[:2], [None, None, None])[tag[2]] = s
    return [(frame, axes, speeds) for (frame, axes), speeds in found.items()]


def _rates(n: int) -> list[Component]:
    return [([1 + ZERO if i == j else ZERO for j in range(n)], None) for i in range(n)]


def _candidates(base: KanesMethod, bodies: Sequence[Any]) -> dict[str, list[Component]]:
    """Rows of components, in the order in which they are to be tried, by the name of the choice."""
    frames = base.mechanics.frames

    def angular(axes_of: Callable[[int], int]) -> list[Component]:
        rows: list[Component] = []
        for body in bodies:
            if isinstance(body, RigidBody):
                k, home = frames.turning(body.frame)
                axes = axes_of(home)
                components = _components(base, frames.angular(k, axes).partials)
                rows += [(row, (k, axes, i)) for i, row in enumerate(components)]
        return rows

    def sliding(in_body: bool) -> list[Component]:
        rows: list[Component] = []
        for body in bodies:
            rigid = isinstance(body, RigidBody)
            parts = base.mechanics.points.motion(body.masscenter if rigid else body.point)
            axes = frames.turning(body.frame)[1] if rigid and in_body else 0
            partials: dict[int, Any] = {}
            for r, v in base.mechanics.partials(parts).items():
                shown = [frames.expressed(e, axes) for e in v]
                partials[r] = tuple(sum((c[k] for c in shown), ZERO) for k in range(3))
            rows += [(row, None) for row in _components(base, partials)]
        return rows

    own, outer = angular(lambda k: k), angular(lambda k: frames.parent(k))
    return {
        "rates of the coordinates": [],
        "angular velocities, body axes": own,
        "angular velocities, axes before the last turn": outer,
        "angular velocities and velocities, body axes": own + sliding(True),
        "angular velocities, and velocities in inertial axes": own + sliding(False),
        "velocities in inertial axes": sliding(False) + own,
    }


def _components(base: KanesMethod, partials: dict[int, Any]) -> list[Row]:
    n = len(base.native.u)
    return [[partials[r][k] if r in partials else ZERO for r in range(n)] for k in range(3)]


def _independent(rows: list[Component], n: int) -> list[Component]:
    """The first n components of which none depends on those before it, at a random point."""
    probe, numbers = Probe(), np.zeros((0, n))
    kept: list[Component] = []
    for row, tag in rows:
        values = np.array([[probe(e).real for e in row]])
        size = np.linalg.norm(values)
        if size > 1e-9 and np.linalg.matrix_rank(np.vstack([numbers, values / size]), tol=1e-7) > len(kept):
            kept.append((row, tag))
            numbers = np.vstack([numbers, values / size])
        if len(kept) == n:
            break
    return kept
