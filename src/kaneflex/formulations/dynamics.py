"""Kane's equations of a system as numbers: u-dot, mass matrix, inverse dynamics, energy and momentum."""

from collections.abc import Callable, Iterator
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import types

from kaneflex.formulations import arguments
from kaneflex.formulations.compiling import Kernels
from kaneflex.formulations.singular_mass import singular_speed
from kaneflex.formulations.totals import Momentum, momentum_of
from kaneflex.formulations.undefined_loads import undefined_load
from kaneflex.kernels import backend, energy, sensors
from kaneflex.kernels.tables import Tables, width, with_header
from kaneflex.model.checks import ModelError, finite, number, positive, shown, whole
from kaneflex.plan.channels import SensorTable
from kaneflex.plan.feed_tables import set_feeds
from kaneflex.plan.plan import Plan

Array = np.ndarray
ENERGIES = width("energy", "W")  # numbers of a load: potential, power applied, power lost


class Minimal(NamedTuple):
    """Independent speeds by name, T with u-dot = T u-dot_I + ..., mass matrix T^T M T and force of M u-dot_I = F."""

    speeds: tuple[str, ...]
    T: Array
    M: Array
    F: Array


class Dynamics:
    """Evaluates the equations of motion of a plan.

    Coordinates q and speeds u are flat arrays in the order of `plan.index`; rates w are relative rates of joints and
    rotors whatever the speeds are, and joint forces tau are conjugate to them. One object, one thread.

    Sizes and types of all arguments are checked, and that they are finite; `udot` and `bind` look at sizes and types only,
    to be quick.
    """

    def __init__(self, plan: Plan):
        if not isinstance(plan, Plan):
            raise ModelError(f"plan is {shown(plan)}: take the Dynamics of a system from system.dynamics()")
        self.plan, self.layout = plan, plan.layout
        self.kernels: Any = Kernels(plan)
        self.I, self.P, self.W = plan.I, plan.P, plan.workspace()
        self._given_tau, self._z, self._inputs = (self.W[places] for places in plan.set_from_outside)
        self._no_tau = np.zeros(plan.nu)
        self._q: Any = None
        self._u: Any = None
        self._tau: Any = None
        self._out: Any = None  # arrays of the last call of udot
        self._again: Callable[[], None] | None = None  # the call on them, once they came twice
        self._sensors: Any = None  # the last sensor table, which was checked

    @cached_property
    def _block(self) -> Array:
        """Addresses of I, P and W."""
        return np.array([self.I.ctypes.data, self.P.ctypes.data, self.W.ctypes.data], np.int64)

    @cached_property
    def _address(self) -> int:
        """Where these are."""
        return int(self._block.ctypes.data)

    @cached_property
    def work(self) -> Tables:
        """The workspace by name: `dynamics.work.body["arm"].omega`."""
        return self.plan.work(self.W)

    def __repr__(self) -> str:
        return f"Dynamics({self.plan.model.name!r}, {self.plan.formulation.name}, {self.plan.speeds}, nu={self.plan.nu})"

    def set_inputs(self, values: Array) -> None:
        """Set the values of all named inputs, in their order."""
        if not (isinstance(values, np.ndarray) and values.shape == self._inputs.shape == (0,)):
            names = ", ".join(self.plan.index.inputs) or "none"
            self._inputs[:] = finite(values, len(self._inputs), f"values of the inputs ({names})")

    @property
    def z(self) -> Array:
        """States of blocks that count where only q and u are given; see `set_states`."""
        return self._z.copy()

    def set_states(self, z: Array) -> None:
        """Set the states `z` of all blocks, in their order, for evaluations at q and u alone."""
        if not (isinstance(z, np.ndarray) and z.shape == (self.layout.nz,) == (0,)):
            names = ", ".join(self.plan.index.states) or "none"
            self._z[:] = finite(z, self.layout.nz, f"states of blocks ({names})")
        if self.plan.index.feeds:
            set_feeds(self.plan, self.W, self._z)

    def _at(self, q: Any, u: Any, t: Any = 0.0) -> tuple[float, Array, Array]:
        """t, q and u, checked."""
        return number(t, "t"), finite(q, self.plan.nq, "q"), finite(u, self.plan.nu, "u")

    def udot(self, q: Array, u: Array, tau: Array | None = None, out: Array | None = None) -> Array:
        """Rates of the speeds at q, u and time 0, with joint forces tau (N m or N, conjugate to the rates).

        `out` is filled and returned when given. Fastest when the same contiguous float64 arrays come again, with new
        numbers in them: they are then bound, see `bind`.
        """
        if out is not None and out is self._out and q is self._q and u is self._u and tau is self._tau:
            if self._again is None:
                self._again = self.bind(q, u, self._no_tau if tau is None else tau, out)
            self._again()
            if backend.noted or self.plan.errors:
                self._raise()
            return out
        given = out
        if out is None:
            out = np.empty(self.plan.nu)
        try:
            refused = self._udot(self._address, q, u, self._no_tau if tau is None else tau, out)
        except (TypeError, ValueError):
            refused = 1
        if refused:
            return self._udot_of_anything(q, u, tau, out)
        if backend.noted or self.plan.errors:
            self._raise()
        self._q, self._u, self._tau, self._out, self._again = q, u, tau, given, None
        return out

    @cached_property
    def _udot(self) -> Any:
        """The fast entry, which many runs never need."""
        return self.kernels.held(_udot_entry(self.kernels.raw.call_udot_at))

    def _raise(self) -> None:
        """Raise what went wrong in compiled code."""
        backend.attend()
        self.plan.raise_errors()

    def _udot_of_anything(self, q: Any, u: Any, tau: Any, out: Array) -> Array:
        """u-dot for arguments that the fast entry refused: lists, other types, gaps, wrong lengths."""
        n = self.plan.nu
        _, q, u = self._at(q, u)
        tau = self._no_tau if tau is None else finite(tau, n, "tau")
        if not isinstance(out, np.ndarray) or out.shape != (n,) or out.dtype.kind != "f" or out.itemsize < 8:
            raise ModelError(f"out is not an array of {n} numbers of type float64")
        values = np.empty(n)
        self._udot(self._address, q, u, tau, values)
        self._raise()
        out[:] = values
        return out

    def bind(self, q: Array, u: Array, tau: Array, out: Array) -> Callable[[], None]:
        """A function without arguments that evaluates u-dot from these very arrays q, u, tau into `out`, at least cost.

        Write new values into the arrays between calls. They must be contiguous float64 arrays, and stay alive with it.
        """
        given = {"q": (q, self.plan.nq), "u": (u, self.plan.nu), "tau": (tau, self.plan.nu), "out": (out, self.plan.nu)}
        for what, (x, n) in given.items():
            if not (isinstance(x, np.ndarray) and x.dtype == float and x.shape == (n,) and x.flags.c_contiguous):
                raise ModelError(f"{what} cannot be bound: give a contiguous float64 array of {n} numbers")
        if not out.flags.writeable:
            raise ModelError("out cannot be bound: it is read-only")
        addresses = [*self._block, *(x.ctypes.data for x, _ in given.values())]
        block = np.array(addresses, np.int64)
        if self.plan.laws:
            return _Bound(self.kernels.call_udot_bound, block, (self, q, u, tau, out))
        values = np.empty(self.plan.nu)  # the first call may compile, which may fail: a bound one does not look at that
        trial = np.append(block[:-1], values.ctypes.data)
        self.kernels.call_udot_bound(int(trial.ctypes.data))
        return _Bound(_bound_entry(self.kernels.raw.call_udot_bound), block, (self, q, u, tau, out))

    def derivative(self, t: float, y: Array, tau: Array | None = None) -> Array:
        """Rate of y = (q, u, z, work of applied loads, work of dampers, which is negative) at time t, with joint forces tau
        (N m or N, conjugate to the rates), whose work is not among the works."""
        y = finite(y, self.layout.size, "y = (q, u, states of blocks, two works)")
        return self._derivative(number(t, "t"), y, None if tau is None else finite(tau, self.plan.nu, "tau"))

    def _derivative(self, t: float, y: Array, tau: Array | None = None) -> Array:
        out = np.empty(self.layout.size)
        self._given_tau[:] = 0 if tau is None else tau
        self.kernels.call_derivative(self.I, self.P, self.W, t, np.ascontiguousarray(y, float), out)
        return out

    def inverse_dynamics(self, q: Array, u: Array, udot: Array, t: float = 0.0) -> Array:
        """Joint forces (beyond the applied ones) that give the motion udot at q, u and time t; conjugate to the rates."""
        t, q, u = self._at(q, u, t)
        udot, tau = finite(udot, self.plan.nu, "udot"), np.empty(self.plan.nu)
        self._given_tau[:] = 0
        self.kernels.call_inverse(self.I, self.P, self.W, t, q, u, udot, tau)
        return tau

    def mass_matrix(self, q: Array, t: float = 0.0) -> Array:
        """M of the chosen speeds at q and time t: M u-dot + ... = ..."""
        q, n, t = finite(q, self.plan.nq, "q"), self.plan.nu, number(t, "t")
        (room, place), I, W = self.plan.mass_room, self.I, self.W
        if room:
            I, W = self.plan.with_header(**room), np.zeros(room["w_size"])
        if len(self.z):  # what a tank holds is a state
            W[I[energy.W_STATE] :][: len(self.z)] = self.z
        self.kernels.call_mass_matrix(I, self.P, W, t, q, np.zeros(n))
        return W[place].reshape(n, n).copy()

    def bias(self, q: Array, u: Array, t: float = 0.0) -> Array:
        """h(q, u, t) with M u-dot + h = (dw/du)^T tau: velocity terms less all applied forces.

        tau are joint forces beyond the applied ones; for customary speeds dw/du = 1.
        """
        n = self.plan.nu
        h = self.inverse_dynamics(q, u, np.zeros(n), t)
        if self.plan.speeds == "customary":
            return h
        return np.array([self.rates_from_speeds(q, e) for e in np.eye(n)]) @ h

    def udot_at(self, t: float, q: Array, u: Array) -> Array:
        """Rates of the speeds at time t, q and u."""
        t, q, u = self._at(q, u, t)
        return self._derivative(t, self.layout.join(q, u, self.z))[self.layout.u]

    def coordinate_rates(self, q: Array, u: Array) -> Array:
        """q-dot = W(q) u."""
        _, q, u = self._at(q, u)
        return self._derivative(0.0, self.layout.join(q, u, self.z))[self.layout.q]

    # -- constraints -------------------------------------------------------------------------------------------------

    def equations(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """How far q and u are at time t from satisfying each constraint equation (m, rad, m/s, rad/s).

        The first is zero for an equation of the speeds alone.
        """
        return self._equations(*self._at(q, u, t))

    def _equations(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        out = np.zeros((len(self.plan.equations), 2))
        self.kernels.call_equations(self.I, self.P, self.W, t, q, u, out)
        return out[:, 0], out[:, 1]

    def rounding(self, t: float, q: Array) -> Array:
        """What rounding may leave of each constraint equation in the coordinates at time t and q (m, rad): more, the farther
        from the inertial origin the bodies are and the more turns their angles count."""
        out = np.zeros(len(self.plan.equations))
        self.kernels.call_rounding(self.I, self.P, self.W, number(t, "t"), finite(q, self.plan.nq, "q"), out)
        return out

    def multipliers(self, t: float, q: Array, u: Array) -> Array:
        """Lagrange multipliers of the constraint equations at t, q, u, of least norm where equations are redundant."""
        t, q, u = self._at(q, u, t)
        return self.loads(np.array([t]), np.concatenate([q, u])[None, :])[2][0]

    def loads(self, times: Array, states: Array, inputs: Array | None = None) -> tuple[Array, Array, Array]:
        """What joints and constraints carry at times, at every row of states (q, u, ...), and of inputs (None: as set).

        Returns torque (N m) and force (N) of every joint on its body, of shape (n, bodies + 1, 6), in axes of M and about
        M's origin; the same of the constraints on their attachments; and the multipliers.
        """
        times, states = arguments.samples(self.plan, times, states)
        n, tables = len(times), self.plan.tables
        self._given_tau[:] = 0
        joints, ties = np.zeros((n, tables.header.bodies, 6)), np.zeros((n, len(tables.attachment), 6))
        multipliers = np.zeros((n, len(self.plan.equations)))
        given = self._given(n, inputs)
        scratch = np.empty(self.plan.nu)
        for k in self._alike(states):
            I = self.plan.reading_tables(self.I)
            rows = (times[k], states[k], given[k], joints[k], ties[k], multipliers[k])
            self.kernels.call_loads(I, self.P, self.W, *rows, scratch)
        return joints, ties, multipliers

    def _alike(self, states: Array) -> Iterator[slice]:
        """Rows of states that one set of tables is right for: all, but where feeds lock and let go joints between them."""
        if not self.plan.index.feeds or states.shape[1] < self.layout.states or not len(states):
            yield slice(None)
            return
        z, before = states[:, self.layout.z], self.z
        own = np.concatenate([z[:, found.z] for found in self.plan.index.feeds.values()], axis=1)
        ends = [*(np.flatnonzero(np.any(np.diff(own, axis=0) != 0, axis=1)) + 1), len(states)]
        for first, end in pairwise([0, *ends]):
            self.set_states(z[first])
            yield slice(first, end)
        self.set_states(before)

    def _given(self, n: int, inputs: Array | None) -> Array:
        """Values of the inputs at n samples: those given, or those that are set."""
        if inputs is not None:
            return arguments.table(inputs, n, len(self._inputs), "inputs")
        return np.tile(self._inputs, (n, 1))

    def project(self, t: float, y: Array, sweeps: int = 8, limit: float = 0.5) -> int:
        """Move y = (q, u, ...) onto motions and constraints, in place; Newton steps taken, -1 without convergence.

        Args:
            t: time, s.
            y: coordinates, speeds, and what else the integrator carries.
            sweeps: most Newton steps.
            limit: longest change of a rate in one of them, rad and m.
        """
        t, y = number(t, "t"), arguments.in_place(y, self.plan.nq + self.plan.nu, "y = (q, u, ...)")
        sweeps, limit = whole(sweeps, "sweeps"), positive(limit, "limit")
        return int(self.kernels.call_project(self.I, self.P, self.W, t, y, sweeps, limit))

    def follow(self, t: float, y: Array) -> None:
        """Set coordinates and speeds that follow motions, in y = (q, u, ...), to their values at t."""
        t, y = number(t, "t"), arguments.in_place(y, self.plan.nq + self.plan.nu, "y = (q, u, ...)")
        self.kernels.call_follow(self.I, self.P, self.W, t, y)

    def respond(
        self, t: float, q: Array, impulses: Array | None = None, given: Array | None = None, defects: Array | None = None
    ) -> Array:
        """Jump of the speeds u by impulses, with the constraints holding.

        Args:
            t: time, s.
            q: coordinates.
            impulses: (bodies + 1, 6), the first row being that of N: torque impulse about M and force impulse on each body,
                in axes of M.
            given: jumps of prescribed speeds.
            defects: what the constraint equations' speeds have before, and shall lose.
        """
        n, rows, bodies = self.plan.nu, len(self.plan.equations), int(self.plan.header.bodies)
        t, q, change = number(t, "t"), finite(q, self.plan.nq, "q"), np.empty(n)
        impulses = np.zeros((0, 6)) if impulses is None else arguments.table(impulses, bodies, 6, "impulses")
        given = np.zeros(n) if given is None else finite(given, n, "given")
        defects = np.zeros(rows) if defects is None else finite(defects, rows, "defects")
        self.kernels.call_respond(self.I, self.P, self.W, t, q, impulses, given, defects, change)
        return change

    def minimal(self, t: float, q: Array, u: Array) -> Minimal:
        """Kane's equations of the independent speeds at t, q, u; needs the formulation "embedded"."""
        plan = self.plan
        if not plan.formulation.eliminates(plan):
            raise ModelError('the minimal equations need formulation="embedded"')
        udot, n = self.udot_at(t, q, u), plan.nu
        dependent = self.work.embedded[0].kind.astype(int) if plan.equations else np.full(n, -1)
        independent = np.array([k for k in plan.free_speeds if dependent[k] < 0], int)
        T = np.zeros((n, len(independent)))
        T[independent, np.arange(len(independent))] = 1
        for k in np.flatnonzero(dependent >= 0):
            T[k] = -self.work.jacobian[0].J[dependent[k], independent]
        M = T.T @ self.mass_matrix(q, t) @ T
        return Minimal(tuple(plan.state_names[plan.nq + k] for k in independent), T, M, M @ udot[independent])

    # -- sums over the system ----------------------------------------------------------------------------------------

    def _totals(self, t: float, q: Array, u: Array) -> tuple[Array, float]:
        t, q, u = self._at(q, u, t)
        sums, potential = self.sample(np.array([t]), np.concatenate([q, u])[None, :])
        return sums[0], float(potential[0])

    def sample(self, times: Array, states: Array, inputs: Array | None = None) -> tuple[Array, Array]:
        """Sums over the system (see kernels.energy) and potential energy of the loads at times, states and inputs (rows)."""
        self._sensors = self._energies[0], self._energies[2]  # which need no check
        out, sums = self.channels(times, states, *self._energies, inputs)
        return sums, out[:, ::ENERGIES].sum(axis=1)

    @cached_property
    def _energies(self) -> tuple[Array, Array, int]:
        """Sensors of the energies of all loads, and the length of a row of their values."""
        table = SensorTable()
        for m in range(self.plan.header.forces):
            table.add(sensors.SENSE_ENERGY, ENERGIES, index=m)
        return *table.arrays(), table.size

    def channels(
        self,
        times: Array,
        states: Array,
        sensor_integers: Array,
        sensor_reals: Array,
        size: int,
        inputs: Array | None = None,
        accelerations: bool = False,
        summed: bool = True,
    ) -> tuple[Array, Array]:
        """Values of a sensor table and the system's totals at every row of states (q, u, ...).

        Args:
            times: s, one for each row.
            states: rows (q, u, ...).
            sensor_integers, sensor_reals, size: the table and the length of a row of its values, see `plan.channels`.
            inputs: values of the named inputs, a row for each time; None for those set.
            accelerations: True where a sensor needs u-dot or loads.
            summed: False where no sensor needs sums over bodies, and the totals, which then are NaN, are not wanted.
        """
        times, states = arguments.samples(self.plan, times, states)
        if self._sensors is None or self._sensors[0] is not sensor_integers or self._sensors[1] != size:
            arguments.check_sensors(self.plan, sensor_integers, size)
            self._sensors = sensor_integers, size
        header = self.plan.header
        groups = header.groups * (summed or header.summed)
        n = len(times)
        out, sums = np.zeros((n, max(size, 1))), np.zeros((n, energy.GROUP_WIDTH))
        given = self._given(n, inputs)
        scratch = np.empty(self.plan.nu)
        reals = finite(sensor_reals, arguments.size_of_reals(sensor_integers), "sensor_reals")
        for k in self._alike(states):
            I = with_header(self.plan.reading_tables(self.I), bodies=header.all_bodies, groups=groups)
            asked = (sensor_integers, reals, times[k], states[k], given[k], int(accelerations))
            self.kernels.call_channels(I, self.P, self.W, *asked, out[k], sums[k], scratch)
        sums[:] = sums if summed else np.nan
        return out[:, :size], sums[:, : energy.CENTRE_ACCELERATION]

    def kinetic_energy(self, q: Array, u: Array, t: float = 0.0) -> float:
        """Kinetic energy in N at q, u and time t, J."""
        return float(self._totals(t, q, u)[0][energy.KINETIC])

    def potential_energy(self, q: Array, u: Array | None = None, t: float = 0.0) -> float:
        """Potential energy of gravity and springs at q (and u) and time t, J; zero of uniform gravity at the inertial
        origin."""
        sums, loads = self._totals(t, q, np.zeros(self.plan.nu) if u is None else u)
        return float(sums[energy.GRAVITY_POTENTIAL]) + loads

    def momentum(self, q: Array, u: Array, t: float = 0.0) -> Momentum:
        """Linear and angular momentum at q, u and time t, inertial axes."""
        return momentum_of(self._totals(t, q, u)[0])

    # -- speeds and rates --------------------------------------------------------------------------------------------

    def speeds_from_rates(self, q: Array, rates: Array) -> Array:
        """u for given relative rates w at q."""
        q, rates = finite(q, self.plan.nq, "q"), finite(rates, self.plan.nu, "rates")
        if self.plan.speeds == "customary":
            return rates.copy()
        u = np.empty(self.plan.nu)
        self.kernels.call_speeds_from_rates(self.I, self.plan.with_relative_speeds(), self.P, self.W, q, rates, u)
        return u

    def rates_from_speeds(self, q: Array, u: Array) -> Array:
        """Relative rates w for given u at q."""
        _, q, u = self._at(q, u)
        if self.plan.speeds == "customary":
            return u.copy()
        w = np.empty(self.plan.nu)
        self.kernels.call_rates_from_speeds(self.I, self.P, self.W, q, u, w)
        return w

    def check_regular(self, t: float, q: Array, u: Array) -> None:
        """Raise an error that names the load which is not defined at t, q, u, or the joint whose speed meets no inertia."""
        udot = self.udot_at(t, q, u)
        if not np.isfinite(udot).all() and (undefined := undefined_load(self, t)):
            raise ModelError(undefined)
        if self.plan.nu <= 80:
            self.check_inertia(t, q)
        elif not np.isfinite(udot).all():
            raise self._unresisted(int(np.argmin(np.isfinite(udot))))
        if not np.isfinite(udot).all():
            k = int(np.argmin(np.isfinite(udot)))
            raise ModelError(
                f'the acceleration of "{self.plan.index.speeds[k]}" is not finite at t = {t:g}: '
                "look for a division by zero in a function, or a singular position"
            )

    def check_inertia(self, t: float, q: Array) -> None:
        """Raise an error that names the joint whose speed meets no inertia at t, q."""
        bad = singular_speed(self.mass_matrix(q, t), self.plan)
        if bad is not None:
            raise self._unresisted(bad)

    def _unresisted(self, k: int) -> ModelError:
        return ModelError(
            f'the mass matrix is singular: nothing resists "{self.plan.index.speeds[k]}" at this state; '
            "give the bodies beyond that joint inertia, or use a joint without that freedom"
        )


class _Bound(partial[None]):
    """A call on bound arrays, which it keeps alive."""

    def __new__(cls, kernel: Any, block: Array, alive: Any) -> "_Bound":
        self = super().__new__(cls, kernel, int(block.ctypes.data))
        self.alive = (block, alive)  # type: ignore[attr-defined]
        return self


@cache
def _bound_entry(entry: Any) -> Any:
    """The code of `call_udot_bound`, which was called before, without a look at the type of its argument, an address."""
    return entry.overloads[(types.int64,)].entry_point


@cache
def _udot_entry(entry: Any) -> Any:
    """`call_udot_at` for contiguous float64 arrays only: other types are refused at once, not compiled for."""
    row = types.Array(types.float64, 1, "C")
    entry.compile((types.int64, row, row, row, row))
    entry.disable_compile()
    return entry
