"""Kane's equations body by body: partial velocities, F_r, F*_r, and the loads that joints carry, read off the workspace.

With P_r the partial velocities of a body's frame M, s its mass moment, c_k the coupling of mode k (`kernels.bodies.modal`),

    F_r = P_r . (applied load + weight) ,       F*_r = -P_r . (I a + sum c_k sigma_k' + products of speeds) ,
    F_k = c_k . g - k eta - C eta' ,            F*_k = -(c_k . a + sum M_kl sigma_l' + products of speeds)

for any speed r and the body's own modal speeds k. Loads on a node of a flexible body are those of the body.
"""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels.node import NODE_JOINT
from kaneflex.kernels.tables import Tables
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.calculus import Rows, total
from kaneflex.symbolic.linear_motion import Share
from kaneflex.symbolic.system.axes import Axes
from kaneflex.symbolic.system.parameters import exact
from kaneflex.symbolic.translate import ONE, ZERO

Expr = Any
Wrench = tuple[list[Expr], list[Expr]]  # torque, force


class BodyByBody:
    """What the stages have left in the workspace, by body.

    Args:
        plan: whose tables these are.
        tables: I, P and W in symbols, after `forward_pass`, before the loads are applied.
        kernels: the plain twin.
        short: what brings an expression to its form.
    """

    def __init__(
        self, plan: Plan, tables: tuple[Any, Any, Any], kernels: SimpleNamespace, short: Callable[[Any], Expr]
    ) -> None:
        self.plan, self.kernels, self.short = plan, kernels, short
        self.I, self.P, self.W = tables
        self.tables, self.work = Tables(self.I, {"I": self.I, "P": self.P}), Tables(self.I, {"W": self.W})
        self.names = {joint.row: name for name, joint in plan.index.joints.items()}
        rows = range(1, plan.header.bodies)
        self.nodes = [i for i in rows if self.tables.body[i].joint == NODE_JOINT]
        self._inertial = {i: self._wrench(i) for i in rows}
        self.axes = Axes(
            {i: (self.tables.body[i].parent, self._three_by_three(i, "r_mp")) for i in rows},
            {name: i for i, name in self.names.items()},
            {name: self._to_body(name) for name in self.names.values()},
        )
        self._loads: dict[int, Wrench] = {}  # on each body, inertia forces among them, by `forces`
        self._on_modes: dict[int, Expr] = {}  # by modal speed, besides what partial velocities bring
        self._on_rotors: list[Expr] = []

    def _at(self, i: int, name: str) -> list[Expr]:
        """What the row of body i in the workspace has under a name."""
        return [symengine.sympify(x) for x in getattr(self.work.body[i], name).ravel()]

    def _wrench(self, i: int) -> Wrench:
        """Inertia torque and force of body i, less what is applied, as they are in the workspace."""
        return self._at(i, "torque"), self._at(i, "force")

    def _modes(self, i: int) -> range:
        """Numbers of the modal speeds of body i."""
        body = self.tables.body[i]
        first = self.tables.flexible[body.flexible].u if body.modes else 0
        return range(first, first + body.modes)

    def _coupling(self, i: int, k: int) -> Wrench:
        """Coupling of the k-th mode of body i with its own motion."""
        turn, shift = self.kernels.coupling_column(self.I, self.W, i, k)
        return [symengine.sympify(x) for x in turn], [symengine.sympify(x) for x in shift]

    def _mass(self, i: int) -> tuple[Expr, list[Expr]]:
        """Mass and mass moment of body i as it is deformed, in axes of M; without fluid that it moves along."""
        mass, moment, _ = self.kernels.mass_properties(self.I, self.P, self.W, i)
        return symengine.sympify(mass), [symengine.sympify(x) for x in moment]

    def _centre(self, i: int) -> list[Expr]:
        """Mass centre of body i from the origin of M, in axes of M; that origin where there is no mass."""
        mass, moment = (ZERO, []) if i in self.nodes else self._mass(i)
        if mass == 0:
            return [ZERO] * 3
        c = [x / mass for x in moment]
        return c if self._modes(i) else [symengine.expand(x) for x in c]

    # -- partial velocities --------------------------------------------------------------------------------------------

    def _partial(self, i: int, r: int) -> Wrench:
        """Partial angular velocity, and partial velocity of M's origin, of body i for speed r, in axes of M."""
        partial = self.work.partial[i * self.plan.nu + r]
        return [symengine.sympify(x) for x in partial.omega], [symengine.sympify(x) for x in partial.v]

    def partials(self) -> dict[str, Any]:
        """Partial velocities of mass centres and partial angular velocities, in axes of M, and what turns them.

        Rotors, whose mass is their body's, have partial angular velocities.
        """
        found = {}
        for i, name in self.names.items():
            mass, _ = self._mass(i)
            if mass == 0:
                continue
            c = self._centre(i)
            angular, velocity = [], []
            for r in range(self.plan.nu):
                w, v = self._partial(i, r)
                if r in self._modes(i):
                    v = [a + b / mass for a, b in zip(v, self._coupling(i, r - self._modes(i)[0])[1], strict=True)]
                angular.append(tuple(w))
                velocity.append(tuple(a + b for a, b in zip(v, _cross(w, c), strict=True)))
            found[name] = self._seen_from(i) | {"velocity": velocity, "angular": angular}
        ratios = self.ratios()
        for name, rotor in zip(self.plan.index.rotors, self.tables.rotor, strict=True):
            i, angular = rotor.body, []
            for r, rate in enumerate(ratios[rotor.u]):
                angular.append(tuple(x + rate * a for x, a in zip(self._partial(i, r)[0], rotor.axis, strict=True)))
            found[name] = self._seen_from(i) | {"angular": angular}
        return found

    def _seen_from(self, i: int) -> dict[str, Any]:
        """The row of body i, and what turns components in its M."""
        return {"row": i, "to_inertial": self._three_by_three(i, "r_nm"), "to_body": self._to_body(self.names[i])}

    def _to_body(self, name: str) -> Rows:
        own = self.plan.index.own_frame[name].R
        return [[exact(own[j, k]) for j in range(3)] for k in range(3)]

    # -- generalized forces --------------------------------------------------------------------------------------------

    def forces(self, udot: Sequence[Expr]) -> tuple[dict[str, list[Expr]], dict[str, list[Expr]], dict[str, Any]]:
        """F_r and F*_r by body ("joints" for the loads in joints), and the loads that joints carry.

        Args:
            udot: symbols of the rates of the speeds.
        """
        n = self.plan.nu
        gravity = [symengine.sympify(x) for x in self.tables.gravity.value]
        self.work.body[0].a[:] = ZERO  # accelerations in N, the weight being an active force here
        self.kernels.accelerate(self.I, self.W, np.array(udot, object))
        active, inertia, outward = {}, {}, {}
        for i, name in self.names.items():
            R = self._at(i, "r_nm")
            g = [total([R[3 * m + j] * gravity[m] for m in range(3) if gravity[m] != 0]) for j in range(3)]
            applied, star = self._applied(i, g), self._inertia_load(i, udot)
            active[name] = [self._along(i, r, applied) for r in range(n)]
            inertia[name] = [self._along(i, r, star) for r in range(n)]
            for k, r in enumerate(self._modes(i)):
                pull, resist = self._modal(i, k, r, g, udot)
                self._on_modes[r] = pull + resist
                active[name][r], inertia[name][r] = self.short(active[name][r] + pull), self.short(inertia[name][r] + resist)
            outward[i] = _plus(applied, star)
        for i in self.nodes:
            outward[i] = applied = self._applied(i)
            rows = active[self.names[self.tables.body[i].parent]]
            if any(x != 0 for x in (*applied[0], *applied[1])):
                rows[:] = [self.short(e + self._along(i, r, applied)) for r, e in enumerate(rows)]
        self._loads = dict(outward)
        self._add_rotors(inertia, outward, udot)
        in_joints = self._joint_loads()
        if any(e != 0 for e in in_joints):
            active["joints"] = [self.short(e) for e in in_joints]
        return active, inertia, self._carried(outward)

    def _applied(self, i: int, g: Sequence[Expr] = (ZERO, ZERO, ZERO)) -> Wrench:
        """Applied load on body i, its weight under gravity g (axes of M) among it, about M. Gravity acts on all inertia, and
        loads take it off from what is without weight."""
        turned, pulled = self.kernels.inertia_times(self.W, self.kernels.body_work(i), (ZERO, ZERO, ZERO), tuple(g))
        (n0, f0), (n1, f1) = self._inertial[i], self._wrench(i)
        torque = [w + a - b for w, a, b in zip(turned, n0, n1, strict=True)]
        return torque, [w + a - b for w, a, b in zip(pulled, f0, f1, strict=True)]

    def _inertia_load(self, i: int, udot: Sequence[Expr]) -> Wrench:
        """Inertia torque and force of body i on itself, accelerations being in the workspace."""
        w = self.kernels.body_work(i)
        load = self.kernels.inertia_times(self.W, w, tuple(self._at(i, "alpha")), tuple(self._at(i, "a")))
        found = _plus((list(load[0]), list(load[1])), self._inertial[i])
        for k, r in enumerate(self._modes(i)):
            turn, shift = self._coupling(i, k)
            found = _plus(found, ([x * udot[r] for x in turn], [x * udot[r] for x in shift]))
        return [-x for x in found[0]], [-x for x in found[1]]

    def _modal(self, i: int, k: int, r: int, g: Sequence[Expr], udot: Sequence[Expr]) -> tuple[Expr, Expr]:
        """Active and inertia force on the k-th mode of body i, speed r, besides those by partial velocities."""
        turn, shift = self._coupling(i, k)
        elastic = symengine.sympify(self.work.column[r].tau)
        bias = symengine.sympify(self.work.modal[self.tables.body[i].flexible].modal_bias[k])
        carried = _dot(turn, self._at(i, "alpha")) + _dot(shift, self._at(i, "a"))
        masses = [self.kernels.modal_mass_entry(self.I, self.W, i, j, k) for j in range(len(self._modes(i)))]
        own = total([mass * udot[s] for mass, s in zip(masses, self._modes(i), strict=True)])
        return elastic + _dot(shift, g), -(carried + own + bias)

    def _along(self, i: int, r: int, load: Wrench) -> Expr:
        w, v = self._partial(i, r)
        return self.short(_dot([*w, *v], [*load[0], *load[1]]))

    def _joint_loads(self) -> list[Expr]:
        """What springs, motors and the like in joints contribute to F_r."""
        shares = self._shares_of_joints()
        return [total([s.partials[r][0] * s.load[0] for s in shares if r in s.partials]) for r in range(self.plan.nu)]

    def ratios(self) -> Rows:
        """dw/du: relative rates of joints and rotors by speeds."""
        n = self.plan.nu
        return [[symengine.sympify(e) for e in row] for row in self.work.ratio.value.reshape(n, n)]

    def _shares_of_joints(self) -> list[Share]:
        """The load along each relative rate w_s, with dw_s/du_r."""
        n, tau = self.plan.nu, self.work.column.tau
        modal = {r for i in self.names for r in self._modes(i)}
        found = []
        for s in range(n):
            load = symengine.sympify(tau[s])
            if s not in modal and load != 0:
                ratios = self.ratios()[s]
                found.append(Share("joints", {r: (e,) for r, e in enumerate(ratios) if e != 0}, (load,)))
        return found

    def shares(self, axes: str = "body") -> list[Share]:
        """All that does virtual work, after `forces`, inertia forces with the rates of the speeds in them.

        The loads on a body are one force, at the mass centre of a rigid and the joint of a flexible one, and one torque.

        Args:
            axes: those that vectors are written in: "inertial", each "body"'s joint axes M, or those of a body by its name.
        """
        found, n = [], self.plan.nu
        for i, (torque, force) in self._loads.items():
            turn, c = self._turn(i, axes), [ZERO] * 3 if self._modes(i) else self._centre(i)
            partials = {}
            for r in range(n):
                w, v = self._partial(i, r)
                if any(x != 0 for x in (*w, *v)):
                    v = [a + b for a, b in zip(v, _cross(w, c), strict=True)]
                    partials[r] = (*_turned(turn, w), *_turned(turn, v))
            torque = [a - b for a, b in zip(torque, _cross(c, force), strict=True)]
            name = self.names.get(i) or self.names[self.tables.body[i].parent]
            found.append(Share(name, partials, (*_turned(turn, torque), *_turned(turn, force))))
        found += [Share("modes", {r: (ONE,)}, (load,)) for r, load in self._on_modes.items()]
        for m, moment in enumerate(self._on_rotors):
            spins = [symengine.sympify(self.kernels.rotor_partial(self.I, self.P, self.W, m, r)) for r in range(n)]
            found.append(Share("rotors", {r: (e,) for r, e in enumerate(spins) if e != 0}, (moment,)))
        return found + self._shares_of_joints()

    def _turn(self, i: int, axes: str) -> Rows:
        """What turns components in M of body i into those along `axes`."""
        if axes == "body":
            return [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]]
        return self._three_by_three(i, "r_nm") if axes == "inertial" else self.axes.turn(i, axes)

    def _three_by_three(self, i: int, name: str) -> Rows:
        R = self._at(i, name)
        return [R[0:3], R[3:6], R[6:9]]

    def _add_rotors(self, inertia: dict[str, list[Expr]], outward: dict[int, Wrench], udot: Sequence[Expr]) -> None:
        """-J s' of each rotor: to its own speed, and as a torque on its body."""
        I, P, W, n = self.I, self.P, self.W, self.plan.nu
        for m, rotor in enumerate(self.tables.rotor):
            i, a, spin = rotor.body, list(rotor.axis), udot[rotor.u]
            if self.tables.column[rotor.u].total == 0:
                spin = spin + _dot(a, self._at(i, "alpha"))
            moment, rows = rotor.inertia * spin, inertia[self.names[i]]
            self._on_rotors.append(-moment)
            for r in range(n):
                partial = symengine.sympify(self.kernels.rotor_partial(I, P, W, m, r))
                rows[r] = self.short(rows[r] - partial * moment)
            outward[i] = ([x - moment * y for x, y in zip(outward[i][0], a, strict=True)], outward[i][1])

    def _carried(self, outward: dict[int, Wrench]) -> dict[str, Any]:
        """Force and torque of each joint on its body: what an auxiliary speed there would find missing, inertial axes.

        The auxiliary speed moves the body and all that hangs on it; its partial velocities are the direction itself (a
        slide) or direction x distance (a turn), so that its equation is the sum of forces, or of moments about the joint.
        """
        found: dict[int, Wrench] = {}
        nothing = ([ZERO] * 3, [ZERO] * 3)
        for i in sorted(outward, reverse=True):
            R = self._at(i, "r_nm")
            torque, force = ([_dot(R[3 * m : 3 * m + 3], x) for m in range(3)] for x in outward[i])
            found[i] = torque, force = _plus(found.get(i, nothing), (torque, force))
            parent = self.tables.body[i].parent
            if parent:
                arm = [a - b for a, b in zip(self._at(i, "p_nm"), self._at(parent, "p_nm"), strict=True)]
                moved = ([a + b for a, b in zip(torque, _cross(arm, force), strict=True)], force)
                found[parent] = _plus(found.get(parent, nothing), moved)
        return {name: (tuple(-x for x in found[i][1]), tuple(-x for x in found[i][0])) for i, name in self.names.items()}


def _turned(turn: Rows, v: Sequence[Expr]) -> list[Expr]:
    return [_dot(row, v) for row in turn]


def _plus(a: Wrench, b: Wrench) -> Wrench:
    torque, force = ([x + y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True))
    return torque, force


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return total([x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0])


def _cross(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


__all__ = ["BodyByBody"]
