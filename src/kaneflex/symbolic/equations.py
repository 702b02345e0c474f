"""Kane's equations of a system, in symbols: the package's own kernels run on SymEngine expressions.

    q' = W(q) u ,    M(q) u' = F(q, u, t) + J^T lambda ,    J u' = -beta                              (1)

with F_r and F*_r body by body, partial velocities as the books print them, and constraint forces by auxiliary speeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels import backend
from kaneflex.kernels import layout as L
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import Plan, build
from kaneflex.symbolic import export
from kaneflex.symbolic import latex as tex
from kaneflex.symbolic.calculus import Rows, replaced, total
from kaneflex.symbolic.native import NativeRates
from kaneflex.symbolic.parameters import Parameters, exact
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.translate import ZERO

Expr = Any
Vector = tuple[Expr, Expr, Expr]
LARGEST_SIMPLIFIED = 4  # speeds up to which equations are simplified unless asked otherwise


@dataclass
class PartialVelocities:
    """Partial velocities of mass centres and partial angular velocities: one row per speed, one pair per body."""

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
    """One constraint equation: value in the coordinates (None for one of speeds only), speeds, row of J, and beta."""

    name: str
    value: Expr | None
    speed: Expr
    row: list[Expr]
    beta: Expr


@dataclass
class Equations:
    """Kane's equations of a system as SymEngine expressions; Eq. (1) of the module.

    Attributes:
        name: of the system.
        names: of coordinates and speeds in the system, by symbol.
        q, u, udot, t: symbols; `names` says what each coordinate and speed is in the system.
        qdot: rates of the coordinates.
        M, F: mass matrix and right-hand side.
        constraints: constraint equations.
        active, inertia: F_r and F*_r by body ("joints" holds the loads in joints), one expression per speed.
        values: the system's numbers for the parameters; they are put in only by `numbers`.
        inputs: symbols of the named inputs.
        speeds: "customary" or "efficient".
        power: of the applied loads, and of dampers, W.
        prescribed: numbers of the speeds whose rates are given; their rows of M and F say so, and J^T does not act there.
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
    prescribed: list[int] = field(default_factory=list)
    _partials: dict[str, Any] = field(default_factory=dict, repr=False)
    _joints: dict[str, Any] = field(default_factory=dict, repr=False)

    # -- reading -------------------------------------------------------------------------------------------------------

    def partial_velocities(self, axes: str = "inertial", simplify: bool = True) -> PartialVelocities:
        """The table of partial velocities of mass centres and partial angular velocities.

        Args:
            axes: components along "inertial" axes or each "body"'s own.
            simplify: bring the components to a short form.
        """
        checks.known(axes, ("inertial", "body"), "axes")
        shorter = simplified if simplify else lambda e: e
        velocity, angular = {}, {}
        for body, data in self._partials.items():
            turn = data["to_inertial"] if axes == "inertial" else data["to_body"]
            velocity[body] = [_shown(turn, v, shorter) for v in data["velocity"]]
            angular[body] = [_shown(turn, w, shorter) for w in data["angular"]]
        return PartialVelocities(self.u, list(self._partials), axes, velocity, angular)

    def equation(self, r: int) -> Expr:
        """F_r + F*_r of speed r, which is zero (constraint forces left out)."""
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

    def report(self, path: Any) -> None:
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

        return Equations(
            self.name,
            self.q,
            self.u,
            self.udot,
            self.t,
            self.names,
            [each(e) for e in self.qdot],
            [[each(e) for e in row] for row in self.M],
            [each(e) for e in self.F],
            [
                ConstraintRow(
                    c.name, None if c.value is None else each(c.value), each(c.speed), [each(e) for e in c.row], each(c.beta)
                )
                for c in self.constraints
            ],
            {b: [each(e) for e in rows] for b, rows in self.active.items()},
            {b: [each(e) for e in rows] for b, rows in self.inertia.items()},
            {},
            self.inputs,
            self.speeds,
            (each(self.power[0]), each(self.power[1])),
            self.prescribed,
            {b: {k: _each_in(v, each) for k, v in data.items()} for b, data in self._partials.items()},
            {b: tuple(tuple(each(e) for e in v) for v in pair) for b, pair in self._joints.items()},
        )

    @property
    def arguments(self) -> list[Expr]:
        """Arguments of exported functions, in order: t, q, u, inputs, parameters by name."""
        return [self.t, *self.q, *self.u, *self.inputs, *sorted(self.values, key=str)]

    def program(self, what: str = "all") -> Program:
        """A straight-line program of these `arguments`.

        Args:
            what: "mass" (M by rows, then F), "rates" (q'), "all" (q', M by rows, F).
        """
        checks.known(what, ("mass", "rates", "all"), "what")
        matrix = [e for row in self.M for e in row] + self.F
        outputs = {"mass": matrix, "rates": self.qdot, "all": [*self.qdot, *matrix]}[what]
        return Program(self.arguments, outputs)

    def export_c(self, folder: Any) -> tuple[Path, Path]:
        """Write <name>.c and <name>.h to a folder, C99 without dependencies: q', u' of t, q, u, inputs r, parameters p."""
        return export.write_c(export.of_equations(self), folder)

    def function(self, values: Mapping[Any, float] | None = None) -> export.RatesFunction:
        """y' = f(t, y), y = (q, u), as a compiled function; `values` of parameters, else the system's own."""
        return export.RatesFunction(export.of_equations(self), values)

    def rates(self, values: Mapping[Any, float] | None = None) -> NativeRates:
        """The right-hand side for `System.simulate(..., equations=...)`, compiled; `values` as in `function`."""
        return NativeRates(self, values)

    def operations(self) -> dict[str, int]:
        """Operations that M and F take, common parts counted once."""
        return self.program("mass").counts()


def _each_in(value: Any, f: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_each_in(v, f) for v in value)
    return f(value)


def _shown(turn: Sequence[Sequence[Expr]], v: Sequence[Expr], f: Any) -> Vector:
    x, y, z = (f(total([a * b for a, b in zip(row, v, strict=True) if a != 0 and b != 0])) for row in turn)
    return (x, y, z)


def derive(
    model: Model,
    speeds: str = "customary",
    symbols: Mapping[str, Any] | None = None,
    simplify: bool | None = None,
) -> Equations:
    """Kane's equations of a model in symbols.

    Args:
        model: a tree of rigid bodies, with constraints or without.
        speeds: "customary" (relative rates) or "efficient" (total components along hinge axes).
        symbols: names or expressions to put for parameters, for coordinates and for speeds: {"m_bob": "m", "q1": "theta"}.
            The names of parameters are those of `kaneflex.symbolic.parameters`; coordinates are q1, q2, ..., speeds u1, ...
        simplify: bring the equations to a short form; None for systems of up to four speeds only.
    """
    return _Derivation(model, speeds, dict(symbols or {}), simplify).equations()


class _Derivation:
    """The stages of the dense formulation, run on expressions."""

    def __init__(self, model: Model, speeds: str, symbols: dict[str, Any], simplify: bool | None) -> None:
        self.plan: Plan = build(model, "dense", speeds)
        plan = self.plan
        own = {f"q{k + 1}" for k in range(plan.nq)} | {f"u{k + 1}" for k in range(plan.nu)}
        renamed = {name: str(symbols.pop(name)) for name in list(symbols) if name in own}
        self.q = [symengine.Symbol(renamed.get(f"q{k + 1}", f"q{k + 1}")) for k in range(plan.nq)]
        self.u = [symengine.Symbol(renamed.get(f"u{k + 1}", f"u{k + 1}")) for k in range(plan.nu)]
        self.udot = [symengine.Symbol(f"{s}'") for s in self.u]
        self.t = symengine.Symbol("t")
        self.parameters = Parameters(plan, symbols)
        self.inputs = [symengine.Symbol(name) for name in model.inputs]
        self._check_names()
        self.shorter = simplified if (plan.nu <= LARGEST_SIMPLIFIED if simplify is None else simplify) else _same
        self.kernels = backend.plain()
        self.I = [int(i) for i in plan.I]
        for row, law in zip(plan.law_rows, plan.laws, strict=True):
            self.I[row + L.LAW_ADDRESS] = law.symbolic_key
        self.I[L.PLACED] = 1
        self.P = np.array(self.parameters.P, object)
        self.W = self._workspace()

    def _check_names(self) -> None:
        taken: dict[str, str] = {}
        groups = {"coordinate": self.q, "speed": self.u, "input": self.inputs, "time": [self.t]}
        for what, group in (*groups.items(), ("parameter", list(self.parameters.values))):
            for s in group:
                if str(s) in taken:
                    raise ModelError(f'"{s}" is both a {taken[str(s)]} and a {what}: rename one of them in symbols=')
                taken[str(s)] = what

    def _workspace(self) -> np.ndarray:
        I, n = self.I, self.plan.nu
        W = np.full(I[L.W_SIZE], None, object)
        W[I[L.W_TAU] : I[L.W_TAU] + n] = [ZERO] * n
        W[I[L.W_ZERO] : I[L.W_ZERO] + n] = [ZERO] * n
        W[I[L.W_SIGNAL] : I[L.W_SIGNAL] + I[L.INPUTS]] = self.inputs
        for k in range(n):
            W[I[L.W_COLUMN] + k * L.COLUMN_WIDTH + L.GIVEN] = ZERO
        return W

    def _at(self, i: int, place: int, size: int = 3) -> list[Expr]:
        first = L.body_work(i) + place
        return [symengine.sympify(x) for x in self.W[first : first + size]]

    def equations(self) -> Equations:
        """Run the stages and gather what they leave."""
        I, P, W, k, plan = self.I, self.P, self.W, self.kernels, self.plan
        q, u, n = np.array(self.q, object), np.array(self.u, object), plan.nu
        k.move_and_load(I, P, W, q, u)
        self.inertial = {i: (self._at(i, L.N_), self._at(i, L.F_)) for i in range(1, I[L.BODIES])}
        k.placed(I, P, W, self.t, q)
        k.apply_forces(I, P, W, q)
        if I[L.CONSTRAINTS]:
            k.constraint_equations(I, P, W, q)
        k.partial_velocities(I, W)
        k.rotor_ratios(I, P, W)
        k.mass_matrix(I, P, W)
        rows = [[symengine.sympify(W[I[L.W_MASS] + r * n + s]) for s in range(n)] for r in range(n)]
        if I[L.CONSTRAINTS]:
            k.constraint_jacobian(I, W)
            k.equation_speeds(I, W)
        k.accelerate(I, W, np.array([ZERO] * n, object))
        F = np.array([symengine.sympify(k.dense_force(I, P, W, r)) for r in range(n)], object)
        if I[L.CONSTRAINTS]:
            k.equation_rates(I, W)
        for r in range(n):
            for s in range(n):
                W[I[L.W_MASS] + r * n + s] = rows[r][s]
        k.hold_prescribed(I, W, F)
        M = [[self._short(W[I[L.W_MASS] + r * n + s]) for s in range(n)] for r in range(n)]
        qdot = np.full(plan.nq, None, object)
        k.coordinate_rates(I, W, q, qdot)
        names = dict(zip(self.q, plan.index.coordinates, strict=True)) | dict(zip(self.u, plan.index.speeds, strict=True))
        constraints = self._constraints()
        power = (self._power(L.POWER_APPLIED), self._power(L.POWER_DISSIPATED))
        active, inertia, joints = self._forces()
        return Equations(
            plan.model.name,
            self.q,
            self.u,
            self.udot,
            self.t,
            names,
            [self._short(e) for e in qdot],
            M,
            [self._short(e) for e in F],
            constraints,
            active,
            inertia,
            dict(self.parameters.values),
            self.inputs,
            plan.speeds,
            power,
            [s for s in range(n) if s not in plan.free_speeds],
            self._partials(),
            joints,
        )

    def _short(self, e: Any) -> Expr:
        return self.shorter(symengine.sympify(e))

    def _power(self, place: int) -> Expr:
        """Power of the loads as they are booked; that of prescribed motions is not known before the solve."""
        I = self.I
        booked = [self.W[I[L.W_ENERGY] + m * L.ENERGY_WIDTH + place] for m in range(I[L.FORCES])]
        return symengine.sympify(total([symengine.sympify(e) for e in booked]))

    def _constraints(self) -> list[ConstraintRow]:
        I, W, n = self.I, self.W, self.plan.nu
        found = []
        for r, (name, k) in enumerate(self.plan.equations):
            place = I[L.W_ROW] + r * L.ROW_WIDTH
            holonomic = I[I[L.I_ROW] + r * L.ROW_INTS + L.ROW_HOLONOMIC]
            row = [self._short(W[I[L.W_JACOBIAN] + r * n + s]) for s in range(n)]
            value = self._short(W[place + L.VALUE_]) if holonomic else None
            found.append(
                ConstraintRow(f"{name}[{k}]", value, self._short(W[place + L.SPEED_]), row, self._short(W[place + L.BETA]))
            )
        return found

    def _partial(self, i: int, r: int) -> tuple[list[Expr], list[Expr]]:
        """Partial angular velocity, and partial velocity of M's origin, of body i for speed r, in axes of M."""
        p = self.I[L.W_PARTIAL] + 6 * (i * self.plan.nu + r)
        values = [symengine.sympify(x) for x in self.W[p : p + 6]]
        return values[:3], values[3:]

    def _centre(self, i: int) -> list[Expr]:
        """Mass centre of body i from M's origin, in axes of M."""
        first = i * L.BODY_REALS
        mass = self.P[first + L.MASS]
        if mass == 0:
            return [ZERO] * 3
        return [symengine.expand(x / mass) for x in self.P[first + L.MASS_MOMENT : first + L.MASS_MOMENT + 3]]

    def _partials(self) -> dict[str, Any]:
        found = {}
        for name, joint in self.plan.index.joints.items():
            i = joint.row
            if self.P[i * L.BODY_REALS + L.MASS] == 0:
                continue
            R = self._at(i, L.R_NM, 9)
            own = self.plan.index.own_frame[name].R
            c = self._centre(i)
            angular, velocity = [], []
            for r in range(self.plan.nu):
                w, v = self._partial(i, r)
                angular.append(tuple(w))
                velocity.append(tuple(a + b for a, b in zip(v, _cross(w, c), strict=True)))
            found[name] = {
                "velocity": velocity,
                "angular": angular,
                "to_inertial": [R[0:3], R[3:6], R[6:9]],
                "to_body": [[exact(own[j, k]) for j in range(3)] for k in range(3)],
            }
        return found

    def _forces(self) -> tuple[dict[str, list[Expr]], dict[str, list[Expr]], dict[str, Any]]:
        """F_r and F*_r by body, and the loads that joints carry; rates of the speeds as symbols."""
        I, P, W, k, n = self.I, self.P, self.W, self.kernels, self.plan.nu
        g = [symengine.sympify(x) for x in P[I[L.P_GRAVITY] : I[L.P_GRAVITY] + 3]]
        after = {i: (self._at(i, L.N_), self._at(i, L.F_)) for i in range(1, I[L.BODIES])}
        first = L.body_work(0) + L.A_
        W[first : first + 3] = [ZERO] * 3
        k.accelerate(I, W, np.array(self.udot, object))
        active, inertia, outward = {}, {}, {}
        for name, joint in self.plan.index.joints.items():
            i, w = joint.row, L.body_work(joint.row)
            R = self._at(i, L.R_NM, 9)
            local = [total([R[3 * m + j] * g[m] for m in range(3) if g[m] != 0]) for j in range(3)]
            par = [symengine.sympify(x) for x in P[i * L.BODY_REALS : (i + 1) * L.BODY_REALS]]
            force = [par[L.MASS] * x for x in local]
            torque = _cross(par[L.MASS_MOMENT : L.MASS_MOMENT + 3], local)
            n0, f0 = self.inertial[i]
            torque = [a + b - c for a, b, c in zip(torque, n0, after[i][0], strict=True)]
            force = [a + b - c for a, b, c in zip(force, f0, after[i][1], strict=True)]
            moved, pushed = k.inertia_times(W, w, tuple(self._at(i, L.ALPHA)), tuple(self._at(i, L.A_)))
            star = ([-(a + b) for a, b in zip(moved, n0, strict=True)], [-(a + b) for a, b in zip(pushed, f0, strict=True)])
            active[name] = [self._along(i, r, torque, force) for r in range(n)]
            inertia[name] = [self._along(i, r, *star) for r in range(n)]
            outward[i] = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip((torque, force), star, strict=True)]
        self._add_rotors(inertia, outward)
        loads = [
            total(
                [
                    symengine.sympify(W[I[L.W_RATIO] + s * n + r]) * W[I[L.W_COLUMN] + s * L.COLUMN_WIDTH + L.TAU]
                    for s in range(n)
                ]
            )
            for r in range(n)
        ]
        if any(e != 0 for e in loads):
            active["joints"] = [self._short(e) for e in loads]
        return active, inertia, self._carried(outward)

    def _along(self, i: int, r: int, torque: Sequence[Expr], force: Sequence[Expr]) -> Expr:
        w, v = self._partial(i, r)
        pairs = [(a, b) for a, b in zip([*w, *v], [*torque, *force], strict=True) if a != 0 and b != 0]
        return self._short(total([a * b for a, b in pairs]))

    def _add_rotors(self, inertia: dict[str, list[Expr]], outward: dict[int, Any]) -> None:
        """-J s' of each rotor: to its own speed, and as a torque on its body."""
        I, P, W, n = self.I, self.P, self.W, self.plan.nu
        rows = {joint.row: name for name, joint in self.plan.index.joints.items()}
        for m in range(I[L.ROTORS]):
            row, par = I[L.I_ROTOR] + m * L.ROTOR_INTS, I[L.P_ROTOR] + m * L.ROTOR_REALS
            i, column = I[row + L.ROTOR_BODY], I[row + L.ROTOR_U]
            a, alpha = list(P[par + L.ROTOR_AXIS : par + L.ROTOR_AXIS + 3]), self._at(i, L.ALPHA)
            spin = self.udot[column]
            if I[I[L.I_COLUMN] + column * L.COLUMN_INTS + L.TOTAL] == 0:
                spin = spin + total([x * y for x, y in zip(a, alpha, strict=True)])
            moment = P[par + L.ROTOR_INERTIA] * spin
            for r in range(n):
                partial = symengine.sympify(self.kernels.rotor_partial(I, P, W, m, r))
                inertia[rows[i]][r] = self._short(inertia[rows[i]][r] - partial * moment)
            outward[i][0] = [x - moment * y for x, y in zip(outward[i][0], a, strict=True)]

    def _carried(self, outward: dict[int, Any]) -> dict[str, Any]:
        """Force and torque of each joint on its body: what an auxiliary speed there would find missing, inertial axes.

        The auxiliary speed moves the body and all that hangs on it; its partial velocities are the direction itself (a
        slide) or direction x distance (a turn), so that its equation is the sum of forces, or of moments about the joint.
        """
        I = self.I
        force: dict[int, list[Expr]] = {}
        torque: dict[int, list[Expr]] = {}
        place = {i: self._at(i, L.P_NM) for i in outward}
        for i in sorted(outward, reverse=True):
            R = self._at(i, L.R_NM, 9)
            own_torque, own_force = (
                [total([R[3 * m + j] * x[j] for j in range(3) if x[j] != 0]) for m in range(3)] for x in outward[i]
            )
            f, m = force.setdefault(i, [ZERO] * 3), torque.setdefault(i, [ZERO] * 3)
            force[i] = f = [a + b for a, b in zip(f, own_force, strict=True)]
            torque[i] = m = [a + b for a, b in zip(m, own_torque, strict=True)]
            parent = I[L.body_row(i) + L.PARENT]
            if parent:
                arm = [a - b for a, b in zip(place[i], place[parent], strict=True)]
                force[parent] = [a + b for a, b in zip(force.get(parent, [ZERO] * 3), f, strict=True)]
                moment = [a + b for a, b in zip(m, _cross(arm, f), strict=True)]
                torque[parent] = [a + b for a, b in zip(torque.get(parent, [ZERO] * 3), moment, strict=True)]
        joints = self.plan.index.joints
        return {name: (tuple(-x for x in force[j.row]), tuple(-x for x in torque[j.row])) for name, j in joints.items()}


def _cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _same(e: Expr) -> Expr:
    return e


__all__ = ["ConstraintRow", "Equations", "PartialVelocities", "derive"]
