"""Kane's equations of a system, in symbols: the package's own kernels run on SymEngine expressions.

    q' = W(q) u ,    M(q) u' = F(q, u, z, t) + J^T lambda ,    J u' = -beta ,    z' = f(q, u, z, t)       (1)

z being the states of blocks, with F_r and F*_r body by body, partial velocities as the books print them, and constraint
forces by auxiliary speeds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels import backend
from kaneflex.kernels.tables import Tables
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import SlidingFriction
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.calculus import total
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.system.bodies import BodyByBody
from kaneflex.symbolic.system.derivation import ConstraintRow, Drive, Equations, PartialVelocities
from kaneflex.symbolic.system.parameters import Parameters
from kaneflex.symbolic.system.signals import Signals
from kaneflex.symbolic.translate import ZERO

Expr = Any
LARGEST_SIMPLIFIED = 4  # speeds up to which equations are simplified unless asked otherwise


@typed
def derive(
    model: Model,
    speeds: str = "customary",
    symbols: Mapping[str, Any] | None = None,
    simplify: bool | None = None,
    modal: str = "numbers",
) -> Equations:
    """Kane's equations of a model in symbols.

    Args:
        model: a tree of rigid and flexible bodies, with constraints and prescribed motions or without.
        speeds: "customary" (relative rates), "efficient" (total components along hinge axes) or "constant-mass" (these, and
            modal speeds with which a flexible body's mass matrix is constant: an approximation).
        symbols: names or expressions to put for parameters, for coordinates and for speeds: {"m_bob": "m", "q1": "theta"}.
            Parameters are named by `kaneflex.symbolic.system.parameters`; coordinates are q1, q2, ..., speeds u1, ...,
            states of blocks z1, ...
        simplify: bring the equations to a short form; None for systems of up to four speeds without flexible bodies only.
        modal: data of flexible bodies as "numbers", or as "symbols" (see `symbolic.system.modal_bodies`) for a mode or two.
    """
    return Derivation(model, speeds, symbols, simplify, modal).equations()


class Derivation:
    """The stages of the dense formulation, run on expressions; arguments are those of `derive`."""

    def __init__(
        self,
        model: Model,
        speeds: str = "customary",
        given: Mapping[str, Any] | None = None,
        simplify: bool | None = None,
        modal: str = "numbers",
    ) -> None:
        symbols = dict(given or {})
        self.plan: Plan = build(model, "dense", speeds)
        plan = self.plan
        if plan.header.frictions:
            sliding = ", ".join(f'"{x.contact}"' for x in model.loads.values() if isinstance(x, SlidingFriction))
            raise ModelError(
                f"contact {sliding} slides with friction, whose normal force is not written in symbols: derive the "
                "equations of the system before its run"
            )
        counts = {"q": plan.nq, "u": plan.nu, "z": plan.layout.nz}
        own = {letter: [f"{letter}{k + 1}" for k in range(count)] for letter, count in counts.items()}
        renamed = {name: str(symbols.pop(name)) for names in own.values() for name in names if name in symbols}
        self.q, self.u, self.z = ([symengine.Symbol(renamed.get(n, n)) for n in names] for names in own.values())
        self.udot = [symengine.Symbol(f"{s}'") for s in self.u]
        self.t = symengine.Symbol("t")
        self.parameters = Parameters(plan, symbols, modal)
        self.signals = Signals(plan)
        self.named = [symengine.Symbol(name) for name in model.inputs]
        self.inputs = self.named + self.signals.symbols
        self._check_names()
        small = plan.nu <= LARGEST_SIMPLIFIED and not plan.index.modes
        self.shorter = simplified if (small if simplify is None else simplify) else _same
        self.kernels = backend.plain()
        self.I = np.array(plan.with_header(placed=1).tolist(), object)  # Python's integers, which symbols take
        self.P, self.W = self.parameters.P, np.full(plan.header.w_size, None, object)
        self.tables, self.work = Tables(self.I, {"I": self.I, "P": self.P}), Tables(self.I, {"W": self.W})
        self._fill_workspace()

    def _check_names(self) -> None:
        taken: dict[str, str] = {}
        groups = {"coordinate": self.q, "speed": self.u, "state of a block": self.z, "rate": self.udot}
        groups |= {"input": self.inputs, "time": [self.t]}
        for what, group in (*groups.items(), ("parameter", list(self.parameters.values))):
            for s in group:
                if str(s) in taken:
                    raise ModelError(f'"{s}" is both a {taken[str(s)]} and a {what}: rename one of them in symbols=')
                taken[str(s)] = what

    def _fill_workspace(self) -> None:
        for zeros in (self.work.tau.value, self.work.projection[0].zero, self.work.column.prescribed_rate):
            zeros[:] = ZERO
        self.work.law_output.value[: len(self.named)] = self.named
        self.work.state.value[:] = self.z

    def equations(self) -> Equations:
        """Run the stages and gather what they leave; `bodies` then has it body by body."""
        with self.signals.filed(self.tables):
            return self._equations()

    def _equations(self) -> Equations:
        I, P, W, k, plan, tied = self.I, self.P, self.W, self.kernels, self.plan, bool(self.plan.equations)
        q, u, n = np.array(self.q, object), np.array(self.u, object), plan.nu
        k.forward_pass(I, P, W, self.t, q, u)
        self.bodies = bodies = BodyByBody(plan, (I, P, W), k, self._short)
        k.placed(I, P, W, self.t, q)
        k.apply_forces(I, P, W, self.t, q)
        if tied:
            k.constraint_equations(I, P, W, q)
        k.partial_velocities(I, W)
        k.rotor_ratios(I, P, W)
        k.mass_matrix(I, P, W)
        if tied:
            k.constraint_jacobian(I, W)
            k.equation_speeds(I, W)
        k.accelerate(I, W, np.array([ZERO] * n, object))
        F = np.array([symengine.sympify(k.dense_force(I, P, W, r)) for r in range(n)], object)
        if tied:
            k.equation_rates(I, W)
        given = [r for r in range(n) if r not in plan.free_speeds]
        drives = {r: Drive(self._mass_row(r), self._short(F[r])) for r in given}
        k.hold_prescribed(I, W, F)
        qdot = np.full(plan.nq, None, object)
        k.coordinate_rates(I, W, q, qdot)
        names = dict(zip([*self.q, *self.u, *self.z], plan.state_names, strict=True))
        zdot = [self.work.law_output[m].value for m in self.tables.state.value]
        M, constraints = [self._mass_row(r) for r in range(n)], self._constraints()
        power = self._power(self.work.energy.power_applied), self._power(self.work.energy.power_dissipated)
        active, inertia, joints = bodies.forces(self.udot)
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
            drives,
            self.signals.places,
            bodies.partials(),
            joints,
            plan.numbers,
            self.z,
            [self._short(e) for e in zdot],
            bodies.axes,
        )

    def kinetic_energy(self) -> Expr:
        """T(q, u) of all bodies and rotors, J; after `equations`."""
        self.kernels.totals(self.I, self.P, self.W, 0)
        return symengine.sympify(self.work.group[0].kinetic)

    def rates_of(self, w: list[Expr]) -> list[Expr]:
        """q' of relative rates w; after `equations`."""
        self.work.column.rate[:] = w
        qdot = np.full(self.plan.nq, None, object)
        self.kernels.coordinate_rates(self.I, self.W, np.array(self.q, object), qdot)
        return [symengine.sympify(e) for e in qdot]

    def _mass_row(self, r: int) -> list[Expr]:
        return [self._short(e) for e in self.work.mass.value.reshape(self.plan.nu, -1)[r]]

    def _short(self, e: Any) -> Expr:
        return self.shorter(symengine.sympify(e))

    @staticmethod
    def _power(booked: np.ndarray) -> Expr:
        """Power of the loads as they are booked, which that of prescribed motions is not: it is known after the solve."""
        return symengine.sympify(total([symengine.sympify(e) for e in booked]))

    def _constraints(self) -> list[ConstraintRow]:
        found = []
        for r, (name, k) in enumerate(self.plan.equations):
            own = self.work.equation[r]
            row = [self._short(e) for e in self.work.jacobian[0].J[r]]
            value = self._short(own.value) if self.tables.equation[r].holonomic else None
            speed, beta, drift = self._short(own.speed), self._short(own.beta), self._short(own.explicit)
            size = symengine.sympify(own.size)
            found.append(ConstraintRow(f"{name}[{k}]", value, speed, row, beta, drift, size))
        return found


def _same(e: Expr) -> Expr:
    return e


__all__ = ["ConstraintRow", "Derivation", "Equations", "PartialVelocities", "derive"]
