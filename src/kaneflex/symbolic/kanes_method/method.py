"""Kane's method on the frames, points and bodies of sympy.physics.mechanics, worked out on SymEngine.

`KanesMethod` takes what SymPy's class of that name takes and has its attributes, which are SymPy matrices made when they are
asked for; `native` has the same as SymEngine expressions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import sympy
from sympy.physics.mechanics import Particle, RigidBody
from sympy.physics.vector import ReferenceFrame, dynamicsymbols

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows, plus, replaced, solve, times, total, transposed
from kaneflex.symbolic.errors import KindError
from kaneflex.symbolic.kanes_method.forces_pair import GeneralizedForces
from kaneflex.symbolic.kanes_method.generalized_forces import Mechanics
from kaneflex.symbolic.kanes_method.inputs import Native
from kaneflex.symbolic.kanes_method.sympy_names import SympyNames
from kaneflex.symbolic.linearizer import Linearizer
from kaneflex.symbolic.translate import ZERO, as_list

Expr = Any


@typed
class KanesMethod(SympyNames):
    """Kane's equations F_r + F*_r = 0 of particles and rigid bodies; in place of SymPy's class of the same name.

    Args:
        frame: the inertial frame.
        q_ind, u_ind: independent coordinates and speeds.
        kd_eqs: kinematical equations, linear in q' and u: expressions that are zero. Those that are left out can be given
            to `_initialize_kindiffeq_matrices` later, as to SymPy's class.
        q_dependent, configuration_constraints: coordinates, and as many equations between coordinates.
        u_dependent, velocity_constraints: speeds, and as many equations linear in the speeds.
        acceleration_constraints: the latter's time derivatives, when they are not to be formed here.
        u_auxiliary: auxiliary speeds, which bring forces into evidence and are zero; one may be among the speeds too.
        bodies, forcelist: the bodies; pairs of point and force, or frame and torque.
        explicit_kinematics: whether the kinematical part of the full matrices is solved for q'.
        kd_eqs_solver, constraint_solver: accepted for SymPy's sake; pivots are always chosen here.
    """

    def __init__(
        self,
        frame: ReferenceFrame,
        q_ind: Iterable[Any],
        u_ind: Iterable[Any],
        kd_eqs: Iterable[Any] | None = None,
        q_dependent: Iterable[Any] | None = None,
        configuration_constraints: Iterable[Any] | None = None,
        u_dependent: Iterable[Any] | None = None,
        velocity_constraints: Iterable[Any] | None = None,
        acceleration_constraints: Iterable[Any] | None = None,
        u_auxiliary: Iterable[Any] | None = None,
        bodies: Iterable[Any] | None = None,
        forcelist: Iterable[Any] | None = None,
        explicit_kinematics: bool = True,
        kd_eqs_solver: Any = "LU",
        constraint_solver: Any = "LU",
    ) -> None:
        if not isinstance(frame, ReferenceFrame):
            raise KindError(f"the inertial frame is {frame!r}: give a ReferenceFrame")
        self._inertial, self.explicit_kinematics, self._constraint_solver = frame, explicit_kinematics, constraint_solver
        self._bodylist = None if bodies is None else _bodies(bodies)
        self._forcelist = None if forcelist is None else _loads(forcelist)
        self._set_symbols(q_ind, q_dependent, u_ind, u_dependent, u_auxiliary)
        self._set_constraints(*map(as_list, (configuration_constraints, velocity_constraints, acceleration_constraints)))
        equations = as_list(kd_eqs)
        if equations or not self._q:
            self._initialize_kindiffeq_matrices(equations)
        self._formed = False
        # components of angular velocities that are speeds, as (frame, axes, three speeds or None): see `speeds`
        self._components: list[tuple[int, int, list[Expr | None]]] = []

    # -- Kane's equations ----------------------------------------------------------------------------------------------

    def kanes_equations(self, bodies: Iterable[Any] | None = None, loads: Iterable[Any] | None = None) -> GeneralizedForces:
        """Form F_r + F*_r = 0; the pair (Fr, Fr*), the auxiliary equations last.

        Args:
            bodies: particles and rigid bodies; those of the constructor when left out.
            loads: pairs of point and force, or frame and torque; likewise.
        """
        bodies = self._bodylist if bodies is None else bodies
        loads = self._forcelist if loads is None else loads
        if bodies is None:
            raise ModelError("there are no bodies: give a list of particles and rigid bodies")
        bodies, loads = _bodies(bodies), _loads(() if loads is None else loads)
        self._need_kinematics()
        native, o, count = self.native, len(self.native.u), len(self._rates.speeds)
        self.mechanics = Mechanics(self._inertial, self.symbols, self._rates)
        for frame, axes, speeds in self._components:
            self.mechanics.frames.hold(frame, axes, speeds)
        fr = self.mechanics.active(loads, count)
        M, n, native.bodies = self.mechanics.inertia(bodies, count)
        self._bodylist, self._forcelist = bodies, loads
        self._unreduced = (fr, M, n)
        p = o - self._dependent
        active, matrix, rest = self._reduced(fr[:o], [row[:o] for row in M[:o]], n[:o], p, self.ties.A_rs)
        native.mass_matrix = matrix + self.ties.k_dnh
        native.forcing = [f - r for f, r in zip(active, rest, strict=True)] + [-e for e in self.ties.f_dnh]
        native.fr = active
        self._inertia_rows = (matrix, rest)
        native.auxiliary = []
        if self._auxiliary:
            self._form_auxiliary(fr, M, n)
        rates = [ZERO if s in self._auxiliary else rate for s, rate in zip(native.u, native.udot, strict=True)]
        native.frstar = [
            -(total([a * s for a, s in zip(row, rates, strict=True) if a != 0]) + r)
            for row, r in zip(*self._inertia_rows, strict=True)
        ]
        native.auxiliary = [f + s for f, s in zip(native.fr[p:], native.frstar[p:], strict=True)]
        self._formed = True
        for name in ("mass_matrix", "forcing"):
            self.__dict__.pop(name, None)
        self._pair = GeneralizedForces(self.symbols, native.fr, native.frstar)
        return self._pair

    def _form_auxiliary(self, fr: list[Expr], M: Rows, n: list[Expr]) -> None:
        """Rows of the auxiliary speeds, with what the dependent speeds that follow them contribute."""
        o, a = len(self.native.u), len(self._auxiliary)
        p = o - self._dependent
        order = [*(self._rates.speeds[s] for s in self._auxiliary), *range(p, o)]
        follow: Rows = []
        if self._dependent:
            constraints = [
                total([*(c * s for c, s in zip(row, self.native.u, strict=True)), f])
                for row, f in zip(self.ties.k_nh, self.ties.f_nh, strict=True)
            ]
            K, _ = self._linear(constraints, [*self._auxiliary, *self.native.u[p:]], "velocity constraint")
            follow = self._dependent_on(K, a)
        active, matrix, rest = self._reduced(
            [fr[k] for k in order], [M[k][:o] for k in order], [n[k] for k in order], a, follow
        )
        self.native.fr = self.native.fr + active
        self._inertia_rows = (self._inertia_rows[0] + matrix, self._inertia_rows[1] + rest)

    @staticmethod
    def _reduced(fr: list[Expr], M: Rows, n: list[Expr], p: int, A: Rows) -> tuple[list[Expr], Rows, list[Expr]]:
        """Rows of the first p speeds, those of the dependent ones added through A_rs."""
        if len(fr) == p:
            return fr, M, n
        T = transposed(A, p)
        columns = [[f, *row, r] for f, row, r in zip(fr, M, n, strict=True)]
        whole = plus(columns[:p], times(T, columns[p:])) if p else []
        return [row[0] for row in whole], [row[1:-1] for row in whole], [row[-1] for row in whole]

    def _need(self) -> None:
        if not self._formed:
            raise ModelError("Kane's equations are not formed yet: call kanes_equations first")

    def _need_explicit(self) -> None:
        """Equations that are formed, and can be solved for u' as M u' = F."""
        self._need()
        held = {s for e in self.native.forcing for s in e.free_symbols}.intersection(self.native.udot)
        if held:
            names = ", ".join(str(self.symbols.atom(s)) for s in sorted(held, key=str))
            raise ModelError(
                f"the loads hold {names}, rates of speeds, so that M u' = F does not give these: write the loads without "
                "them (what follows an acceleration is a mass or an inertia), or use F_r + F*_r of kanes_equations as it is"
            )

    def _form_eoms(self) -> Any:
        fr, frstar = self.kanes_equations(self.bodylist, self.forcelist)
        return fr + frstar

    # -- results in SymPy's form ---------------------------------------------------------------------------------------

    @property
    def fr(self) -> Any:
        """Generalized active forces."""
        self._need()
        return self._pair[0]

    @property
    def frstar(self) -> Any:
        """Generalized inertia forces."""
        self._need()
        return self._pair[1]

    @property
    def auxiliary_eqs(self) -> Any:
        """Equations of the auxiliary speeds: F_r + F*_r, which the forces brought into evidence make zero."""
        self._need()
        if not self._auxiliary:
            raise ModelError("there are no auxiliary speeds: give u_auxiliary")
        return self._column(self.native.auxiliary)

    @cached_property
    def mass_matrix(self) -> Any:
        """M of M u' = F, with the rows of the constraints below."""
        self._need()
        return self.symbols.matrix(self.native.mass_matrix)

    @cached_property
    def forcing(self) -> Any:
        """F of M u' = F."""
        self._need()
        return self._column(self.native.forcing)

    @property
    def mass_matrix_kin(self) -> Any:
        """Coefficients of q' in the kinematical equations; the identity when these are explicit."""
        self._need_kinematics()
        return sympy.eye(len(self.q)) if self.explicit_kinematics else self.symbols.matrix(self._implicit[0])

    @property
    def forcing_kin(self) -> Any:
        """The rest of the kinematical equations, on the right."""
        self._need_kinematics()
        u = self.native.u
        if self.explicit_kinematics:
            return self._column(total([*(c * s for c, s in zip(w, u, strict=True)), x]) for w, x in self._rows_of_q())
        rows = zip(self._implicit[1], self._implicit[2], strict=True)
        plain = dict.fromkeys(self._auxiliary, ZERO)
        return self._column(replaced(-total([*(c * s for c, s in zip(row, u, strict=True)), x]), plain) for row, x in rows)

    def _rows_of_q(self) -> Iterator[tuple[list[Expr], Expr]]:
        return zip(self._W, self._X, strict=True)

    @property
    def mass_matrix_full(self) -> Any:
        """Matrix of the rates of (q, u)."""
        self._need()
        return sympy.diag(self.mass_matrix_kin, self.mass_matrix)

    @property
    def forcing_full(self) -> Any:
        """Right-hand side of the equations for the rates of (q, u)."""
        return sympy.Matrix([self.forcing_kin, self.forcing])

    def rhs(self, inv_method: Any = None) -> Any:
        """Rates of (q, u), solved; `inv_method` is accepted for SymPy's sake."""
        return self._column(self.native_rhs())

    def native_rhs(self) -> list[Expr]:
        """Rates of (q, u), solved, as SymEngine expressions; auxiliary speeds are zero."""
        self._need_explicit()
        native = self.native
        message = "the mass matrix is singular: some speed meets no inertia, or the speeds are not independent"
        solved = solve(native.mass_matrix, [[f] for f in native.forcing], message)
        plain = dict.fromkeys(self._auxiliary, ZERO)
        return [replaced(e, plain) for e in native.qdot] + [row[0] for row in solved]

    def kindiffdict(self) -> dict[Any, Any]:
        """q' in terms of the speeds."""
        self._need_kinematics()
        t = dynamicsymbols._t
        return {s.diff(t): self.symbols.sympy(e) for s, e in zip(self._q, self.native.qdot, strict=True)}

    @property
    def q(self) -> Any:
        """Coordinates, dependent ones last."""
        return self._q

    @property
    def u(self) -> Any:
        """Speeds, dependent ones last."""
        return self._u

    @property
    def bodylist(self) -> Any:
        """The bodies."""
        return self._bodylist

    @property
    def forcelist(self) -> Any:
        """The loads."""
        return self._forcelist

    bodies, loads = bodylist, forcelist

    def constraint_force(self, point: Any, direction: Any, origin: Any = None) -> Any:
        """A component of the force that is put on a point by what holds it, N, with u' in it: an auxiliary speed is made up.

        Args:
            point: where the force acts.
            direction: a vector of unit length.
            origin: the point that everything is located from; None for the one whose velocity is zero.
        """
        from kaneflex.symbolic.kanes_method.constraint_forces import constraint_force

        return constraint_force(self, point, direction, origin)

    # -- code ----------------------------------------------------------------------------------------------------------

    def export_c(self, folder: str | Path, name: str = "system", inputs: Sequence[Any] = ()) -> Any:
        """Write <name>.c and <name>.h to a folder, C99 without dependencies.

        Args:
            folder: where to.
            name: of the files and of the functions in them.
            inputs: functions of time that are given from outside.
        """
        from kaneflex.symbolic import export

        return export.write_c(export.of_method(self, name, inputs), folder)

    def function(self, values: Mapping[Any, float] | None = None, inputs: Sequence[Any] = ()) -> Any:
        """y' = f(t, y), y = (q, u), compiled; `values` are the numbers of all parameters, `inputs` as in `export_c`."""
        from kaneflex.symbolic import export

        return export.RatesFunction(export.of_method(self, "system", inputs), values)

    def common_parts(self) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """Mass matrix and forcing with what they have in common taken out, for SymPy's `lambdify`.

        That takes as long for whole matrices as it does for SymPy's own. With `parts, matrices = method.common_parts()`,

            lambdify(arguments, matrices, cse=lambda reduced: (parts, reduced))

        Returns:
            Pairs of a symbol and the part that it stands for, each in terms of those before; and the two matrices.
        """
        from kaneflex.symbolic.common_parts import common_parts

        self._need()
        n, M = len(self.native.u), self.native.mass_matrix
        parts, found = common_parts(self.symbols, [*(e for row in M for e in row), *self.native.forcing])
        return parts, [sympy.Matrix(n, n, found[: n * n]), sympy.Matrix(found[n * n :])]

    def simulate(
        self, duration: float, initial: Mapping[Any, float], values: Mapping[Any, float] | None = None, **settings: Any
    ) -> Any:
        """Integrate in the compiled loop of the package.

        Args:
            duration: s.
            initial: coordinates and speeds at the start, all of them; dependent ones are projected onto the constraints.
            values: numbers of all parameters, by name or symbol.
            settings: `events`, `outputs`, `integrator`, `rtol`, `atol`, `output`, `max_steps`: see
                `kaneflex.symbolic.kanes_method.motion.simulate`.
        """
        from kaneflex.symbolic.kanes_method.motion import simulate

        return simulate(self, duration, initial, values, **settings)

    # -- linear models -------------------------------------------------------------------------------------------------

    def to_linearizer(self, linear_solver: Any = "LU") -> Any:
        """A Linearizer of these equations; `linear_solver` is accepted for SymPy's sake."""
        return Linearizer.of(self)

    def linearize(self, *, new_method: Any = None, linear_solver: Any = "LU", **arguments: Any) -> tuple[Any, ...]:
        """(M, A, B, r), or (A, B, r) with A_and_B=True.

        Args:
            new_method, linear_solver: accepted for SymPy's sake.
            arguments: of `Linearizer.linearize`.
        """
        linearizer = self.to_linearizer()
        return (*linearizer.linearize(**arguments), linearizer.r)


def _bodies(given: Iterable[Any]) -> list[Any]:
    """Particles and rigid bodies in a list."""
    found = as_list(given)
    for body in found:
        if not isinstance(body, RigidBody | Particle):
            raise KindError(f"{shown(body)} is no Particle or RigidBody: give a list of these")
    return found


def _loads(given: Iterable[Any]) -> list[Any]:
    """Pairs of point and force, or frame and torque, in a list."""
    found = as_list(given)
    for load in found:
        if not isinstance(load, Sequence) or isinstance(load, str) or len(load) != 2:
            raise KindError(f"{shown(load)} is no load: give pairs of point and force, or frame and torque")
    return found


__all__ = ["GeneralizedForces", "KanesMethod", "Native"]
