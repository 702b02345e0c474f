"""Kane's equations of a system as derived, `system_equations` (1): to be read, given numbers, exported and integrated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import symengine

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.symbolic import export
from kaneflex.symbolic import latex as tex
from kaneflex.symbolic.calculus import Rows, replaced, total
from kaneflex.symbolic.compiled_rates import NativeRates
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.system.parameters import exact
from kaneflex.symbolic.translate import ONE, ZERO

Expr = Any
Vector = tuple[Expr, Expr, Expr]


@dataclass
class PartialVelocities:
    """Partial velocities of mass centres and partial angular velocities: one row per speed, one pair per body.

    Rotors are among the bodies, with partial angular velocities only: their mass is that of what carries them.
    """

    speeds: list[Expr]
    bodies: list[str]
    axes: str
    velocity: dict[str, list[Vector]]  # body -> one vector per speed
    angular: dict[str, list[Vector]]

    def latex(self) -> str:
        """The table, as the books print it."""
        return tex.partial_velocities(self)


@dataclass
class ConstraintRow:
    """One constraint equation: value in the coordinates (None for one of speeds only), speeds, row of J, and beta.

    `drift` is the part of `speed` that depends on time alone, by which the constraint does work. `size` is what the row's
    entry of J M^-1 J^T would be if nothing in it cancelled: the measure by which a redundant row is known.
    """

    name: str
    value: Expr | None
    speed: Expr
    row: list[Expr]
    beta: Expr
    drift: Expr = ZERO
    size: Expr = ONE


@dataclass
class Drive:
    """The equation that a prescribed speed had: mass . u' = force + J^T lambda + the load that makes the motion."""

    mass: list[Expr]
    force: Expr


@typed
@dataclass
class Equations:
    """Kane's equations of a system as SymEngine expressions; `system_equations` (1).

    Attributes:
        name: of the system.
        q, u, udot, t: symbols; `names` says what each coordinate, speed and state of a block is in the system.
        qdot: rates of the coordinates.
        z, zdot: states of blocks, and their rates.
        M, F: mass matrix and right-hand side.
        constraints: constraint equations.
        active, inertia: F_r and F*_r by body ("joints" holds the loads in joints), one expression per speed.
        values: the system's numbers for the parameters; they are put in only by `numbers`.
        inputs: symbols of the named inputs, then of values of user functions that do not run on symbols (`f_<load>`).
        speeds: "customary", "efficient" or "constant-mass".
        power: of the applied loads, and of dampers, W; that of prescribed motions is not in it.
        drives: by the number of a speed whose rate is given; its rows of M and F say so, and J^T does not act there.
        signals: which function, and which of its values, each of the latter inputs is.
    """

    name: str
    q: list[Expr]
    u: list[Expr]
    udot: list[Expr]
    t: Expr
    names: dict[Expr, str]
    qdot: list[Expr]
    M: Rows
    F: list[Expr]
    constraints: list[ConstraintRow]
    active: dict[str, list[Expr]]
    inertia: dict[str, list[Expr]]
    values: dict[Expr, float]
    inputs: list[Expr]
    speeds: str = "customary"
    power: tuple[Expr, Expr] = (ZERO, ZERO)
    drives: dict[int, Drive] = field(default_factory=dict)
    signals: list[tuple[str, int]] = field(default_factory=list)
    _partials: dict[str, Any] = field(default_factory=dict, repr=False)
    _joints: dict[str, Any] = field(default_factory=dict, repr=False)
    _numbers: Any = field(default=None, repr=False)  # of the system when they were derived, unless others are asked for
    z: list[Expr] = field(default_factory=list)
    zdot: list[Expr] = field(default_factory=list)
    _axes: Any = field(default=None, repr=False)

    @property
    def prescribed(self) -> list[int]:
        """Numbers of the speeds whose rates are given."""
        return list(self.drives)

    # -- reading -------------------------------------------------------------------------------------------------------

    def partial_velocities(self, axes: str = "inertial", simplify: bool = True) -> PartialVelocities:
        """The table of partial velocities of mass centres and partial angular velocities.

        Args:
            axes: components along "inertial" axes, each "body"'s own, or those of one body, by its name, for all.
            simplify: bring the components to a short form.
        """
        checks.known(axes, ("inertial", "body", *(self._axes.rows if self._axes else ())), "axes")
        shorter = simplified if simplify else lambda e: e
        velocity, angular = {}, {}
        for body, data in self._partials.items():
            turn = data[f"to_{axes}"] if axes in ("inertial", "body") else self._axes.turn(data["row"], axes)
            if "velocity" in data:
                velocity[body] = [_shown(turn, v, shorter) for v in data["velocity"]]
            angular[body] = [_shown(turn, w, shorter) for w in data["angular"]]
        return PartialVelocities(self.u, list(self._partials), axes, velocity, angular)

    def equation(self, r: int) -> Expr:
        """F_r + F*_r of speed r, which is zero (constraint forces left out)."""
        if not 0 <= r < len(self.F):
            raise ModelError(f"there is no speed {r}: they are numbered 0 to {len(self.F) - 1}")
        return self.F[r] - total([m * s for m, s in zip(self.M[r], self.udot, strict=True) if m != 0])

    def constraint_force(self, name: str, simplify: bool = True) -> Expr:
        """A force or torque that a joint carries onto its body, brought into evidence by an auxiliary speed.

        The joint is given one more speed along the direction, which stays zero; its equation F_r + F*_r + (force) = 0 gives
        the force, in N or N m, with the rates `udot` in it.

        Args:
            name: "body.force.x", "body.torque.z", ...: components along inertial axes; the torque is about the joint.
            simplify: bring the result to a short form.
        """
        parts = name.split(".")
        if len(parts) != 3 or parts[1] not in ("force", "torque") or parts[2] not in ("x", "y", "z"):
            raise ModelError(f'"{name}" is no force: give "body.force.x", "body.torque.z" or the like')
        checks.known(parts[0], self._joints, "body")
        pair = self._joints[parts[0]][0 if parts[1] == "force" else 1]
        value = pair["xyz".index(parts[2])]
        return simplified(value) if simplify else value

    def latex(self) -> str:
        """Coordinates, kinematical equations, partial velocities, F_r, F*_r, mass matrix and right-hand side."""
        return tex.report(self)

    def _repr_latex_(self) -> str:
        """Mass matrix and right-hand side, for notebooks."""
        return f"$$ {tex.matrix(self.M)} \\dot u = {tex.matrix([[f] for f in self.F])} $$"

    def report(self, path: str | Path) -> None:
        """Write the derivation to `path`, a Markdown file with formulas in LaTeX."""
        tex.write_markdown(self, path)

    # -- numbers -------------------------------------------------------------------------------------------------------

    def numbers(self, values: Mapping[Any, float] | None = None) -> "Equations":
        """The same equations with numbers in the place of parameters: the system's own, or `values` for some of them."""
        table = dict(self.values)
        for key, value in (values or {}).items():
            symbol = symengine.Symbol(key) if isinstance(key, str) else symengine.sympify(key)
            if symbol not in table:
                raise ModelError(f'there is no parameter "{key}": there are {", ".join(map(str, table))}')
            table[symbol] = checks.number(value, f'parameter "{key}"')
        put = {s: exact(v) for s, v in table.items()}

        def each(e: Expr) -> Expr:
            return replaced(e, put)

        kept = ("q", "u", "z", "udot", "t", "names", "inputs", "values")
        changed = {f.name: _each_in(getattr(self, f.name), each) for f in fields(self) if f.name not in kept}
        return replace(self, **(changed | ({"_numbers": None} if values else {})), values={})

    @property
    def arguments(self) -> list[Expr]:
        """Arguments of exported functions, in order: t, q, u, states of blocks, inputs, parameters by name."""
        return [self.t, *self.q, *self.u, *self.z, *self.inputs, *sorted(self.values, key=str)]

    def program(self, what: str = "all") -> Program:
        """A straight-line program of these `arguments`.

        Args:
            what: "mass" (M by rows, then F), "rates" (q', z'), "all" (q', z', M by rows, F).
        """
        checks.known(what, ("mass", "rates", "all"), "what")
        matrix = [e for row in self.M for e in row] + self.F
        rates = [*self.qdot, *self.zdot]
        outputs = {"mass": matrix, "rates": rates, "all": [*rates, *matrix]}[what]
        return Program(self.arguments, outputs)

    def export_c(self, folder: str | Path) -> tuple[Path, Path]:
        """Write <name>.c and <name>.h to `folder`, C99 alone: q', u' and the rates of block states x of t, q, u,
        x, inputs r, parameters p."""
        return export.write_c(export.of_equations(self), folder)

    def function(self, values: Mapping[Any, float] | None = None) -> export.RatesFunction:
        """y' = f(t, y), y = (q, u, z), as a compiled function; `values` of parameters, else the system's own."""
        return export.RatesFunction(export.of_equations(self), values)

    def rates(self, values: Mapping[Any, float] | None = None) -> NativeRates:
        """The right-hand side for `System.simulate(..., equations=...)`, compiled; `values` as in `function`."""
        return NativeRates(self, values)

    def operations(self) -> dict[str, int]:
        """Operations that M and F take, common parts counted once."""
        return self.program("mass").counts()


def _each_in(value: Any, f: Callable[[Expr], Expr]) -> Any:
    """The same with f of every expression in it."""
    if isinstance(value, symengine.Basic):
        return f(value)
    if isinstance(value, dict):
        return {k: _each_in(v, f) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_each_in(v, f) for v in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{x.name: _each_in(getattr(value, x.name), f) for x in fields(value)})
    return value


def _shown(turn: Sequence[Sequence[Expr]], v: Sequence[Expr], f: Any) -> Vector:
    x, y, z = (f(total([a * b for a, b in zip(row, v, strict=True) if a != 0 and b != 0])) for row in turn)
    return (x, y, z)


__all__ = ["ConstraintRow", "Drive", "Equations", "PartialVelocities"]
