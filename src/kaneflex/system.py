"""System: a model with its verbs."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.analysis.equilibrium import equilibrium
from kaneflex.analysis.equilibrium_path import EquilibriumPath, equilibrium_path
from kaneflex.analysis.iosys import to_control
from kaneflex.analysis.linearize import LinearModel, linearize
from kaneflex.analysis.modes import Mode, modes
from kaneflex.analysis.steady import steady_motion
from kaneflex.assembled import Assembled
from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import Assembly, assemble
from kaneflex.formulations.named_arrays import Matrices, matrices
from kaneflex.model import checks
from kaneflex.model.description import describe
from kaneflex.model.inputs import input_values
from kaneflex.model.said import at_values
from kaneflex.model.typed import typed
from kaneflex.plan.build import build
from kaneflex.plan.plan import Event
from kaneflex.plan.state import State, state_of
from kaneflex.results.run import Run
from kaneflex.running import begin, check_words, run_alone, run_each
from kaneflex.simulate.alpha_method import AlphaMethod
from kaneflex.simulate.choice import AUTO, EXPLICIT, STIFF, usual_method
from kaneflex.simulate.sampled import Sampled
from kaneflex.simulate.simulate import Options
from kaneflex.simulate.steps import Simulation

if TYPE_CHECKING:
    from kaneflex.symbolic.system.system_equations import Equations


@typed
class System(Assembled):
    """Bodies on joints, with loads and inputs; simulate, linearise, or evaluate it.

    Args:
        name: of the system.
        gravity: uniform gravity in inertial axes, m/s^2.
        base: a MovingBase, or None for an inertial base.
    """

    @at_values
    def simulate(
        self,
        duration: float,
        *,
        initial: Mapping[str, Any] | State | None = None,
        method: str | AlphaMethod | None = None,
        formulation: str = "recursive",
        speeds: str = "customary",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        step: float | None = None,
        max_step: float = math.inf,
        max_steps: int = 5_000_000,
        output: float | None = None,
        times: Any = None,
        inputs: Mapping[str, Any] | None = None,
        controllers: Sequence[Sampled] = (),
        events: Sequence[Event] = (),
        equations: "Equations | None" = None,
        parameters: Mapping[str, float] | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Integrate over `duration` seconds.

        Args:
            duration: s.
            initial: values by name ("arm.q", "arm.rate", ...), or a State; None for those given in `add`.
            method: "dopri5", "dop853" (explicit, adaptive), "rk4" (fixed step), "radau5" (implicit, for stiff
                springs, dampers and controllers), "ros34pw2" (linearly implicit, for stiff chains and cables),
                "ros34pw2-exact" (the same with the exact tangent, for long cables on stiff ground), "sdirk4" (implicit,
                order 4), "cvode" (SUNDIALS, needs the extra); with a fixed step, implicit, Newmark(...) and
                GeneralizedAlpha(...), or "newmark" and "generalized-alpha". "auto" tries "dopri5" and, where that would take
                many steps, "ros34pw2", and goes on with the one that costs less: `run.method`, `run.method_choice`. None
                is "auto" where there are rods, which may be stiff however slowly they move, else "dopri5".
            formulation: "recursive" (order n), "dense" (the reference), or "embedded" (dense, with dependent speeds
                eliminated instead of multipliers): the motion is the same. "ruthless" drops all products of speeds and
                gives flexible bodies their undeformed shape: for slow articulation only. One that was registered (see
                `kaneflex.plan.formulation`) by its name.
            speeds: "customary" (relative rates) or "efficient" (total components along hinge axes): the motion is the same.
                "constant-mass": efficient, with modal speeds that make a flexible body's mass matrix constant, which is an
                approximation where a body turns near its lowest frequency and its modes do not span their own rotation.
            rtol, atol: tolerances of the local error.
            step: fixed step of rk4, first step of the others, s.
            max_step: longest step, s; what a function does in a shorter time may be stepped over, but for breaks of
                profiles, and for jumps and pulses of functions of time alone that last a ten-thousandth of the run.
            max_steps: most steps to try before the run gives up.
            output: interval of the samples, s (default: duration/500); times: sample times instead.
            inputs: values of named inputs: numbers, functions of t, profiles, tables (times, values) or pandas Series over
                t (straight lines, held beyond their ends), or (function of t and x, channels it sees).
            controllers: Sampled controllers.
            events: Events to find.
            equations: equations in symbols of this system, to be integrated in the place of the kernels' own.
            parameters: values of Parameters by name, in the place of their own.
            progress: show a bar (default: on a terminal, when the run takes long).
        """
        begun = begin(
            self,
            duration,
            initial=initial,
            method=method,
            formulation=formulation,
            speeds=speeds,
            rtol=rtol,
            atol=atol,
            step=step,
            max_step=max_step,
            max_steps=max_steps,
            output=output,
            times=times,
            inputs=inputs,
            controllers=controllers,
            events=events,
            equations=equations,
            progress=progress,
        )
        return run_alone(begun)

    def simulate_each(
        self, each: Sequence[Mapping[str, Any]], *, threads: int | None = None, **words: Any
    ) -> Iterator[tuple[int, Run | Exception]]:
        """Many runs, which are under way side by side in the vectors of the processor: each is the run that it would be
        alone, at a fraction of the time. Gives the number of each and the Run, or the exception that ended it, as they end.

        Where runs have loops, implicit steps, closed contacts or functions in the interpreter, they go one by one.

        Args:
            each: for each run what `simulate` takes beside what is the same for all: {"parameters": {"mass": 3.0}},
                {"initial": {"arm.q": 0.2}}, ...
            threads: how many take steps at the same time, each with runs of its own; None for as many as there are
                processors.
            words: what `simulate` takes, for all.
        """
        threads = (os.cpu_count() or 1) if threads is None else checks.whole(threads, "threads")
        if threads < 1:
            raise checks.ModelError(f"threads is {threads}: give 1 or more, or None for as many as there are processors")
        return run_each(self, check_words(each, words), words, threads)

    @at_values
    def start(
        self,
        initial: Mapping[str, Any] | State | None = None,
        *,
        method: str | AlphaMethod | None = None,
        inputs: Mapping[str, Any] | None = None,
        controllers: Sequence[Sampled] = (),
        events: Sequence[Event] = (),
        **options: Any,
    ) -> Simulation:
        """A simulation that is stepped from outside, `sim.step(dt, inputs)`; see docs/steps.md.

        Args:
            initial: values by name, or a State; None for those given in `add`.
            method: as for `simulate`, but "auto"; None is "ros34pw2" where there are rods, else "dopri5".
            inputs: values by name, as for `simulate`; those that are numbers hold until `step` gives others.
            controllers: Sampled controllers, which act within steps.
            events: Events to find within steps.
            options: `formulation`, `speeds`, `rtol`, `atol`, `step`, `max_step` and `max_steps` as for `simulate`; the last
                for one step.
        """
        names = [field.name for field in fields(Options)]
        for name in options:
            checks.known(name, names, "option of start")
        if method is None:
            method = STIFF if usual_method(self) == AUTO else EXPLICIT
        return Simulation(self, Options(method, **options), initial, inputs, controllers, events)

    @at_values
    def dynamics(self, formulation: str = "recursive", speeds: str = "customary") -> Dynamics:
        """The equations of motion of the system as it is now, as numbers: u-dot, mass matrix, energy, momentum, ...

        Args:
            formulation, speeds: as for `simulate`.
        """
        return Dynamics(build(self, formulation, speeds))

    @at_values
    def state(self, initial: Mapping[str, Any] | None = None, t: float = 0.0) -> State:
        """The initial state at time t (s), with initial values by name put in."""
        return state_of(build(self), initial, "initial state", checks.number(t, "t"))

    @at_values
    def assemble(
        self, initial: Mapping[str, Any] | State | None = None, *, keep: Sequence[str] = (), t: float = 0.0
    ) -> Assembly:
        """Coordinates and rates that satisfy motions and constraints, near the initial ones, and what was moved.

        Args:
            initial: values by name, or a State; None for those given in `add`.
            keep: coordinates ("joint.coordinate" or "joint") that stay as they are; rates are kept where they are given.
            t: time, s.
        """
        dynamics = self.dynamics()
        state = state_of(dynamics.plan, initial, "initial state", checks.number(t, "t"))
        return assemble(dynamics, state, keep)

    @at_values
    def linearize(self, state: Mapping[str, Any] | State | None = None, **arguments: Any) -> LinearModel:
        """The exact linear model about a state.

        Where motions or constraints hold the system, the states are independent ones, chosen by pivoting.

        Args:
            state: about which: a State, or values by name; the initial one when None. A warning tells when it is no
                equilibrium, so that the motion has the rate `f0` besides what the matrices say.
            arguments: `outputs`, names of channels (none: all of q and u); `inputs`, as for `simulate`, taken at the
                time of the state; `formulation` and `speeds` as for `simulate`.
        """
        return linearize(self, state, **arguments)

    @at_values
    def equilibrium(self, guess: Mapping[str, Any] | State | None = None, **arguments: Any) -> State:
        """A state at rest without accelerations, by Newton's method, with the loads applied by degrees where that fails; an
        error tells the best residual where there is none.

        Args:
            guess: near which it is looked for: a State, or values by name; the initial state when None.
            arguments: `inputs`, as for `simulate`, taken at the time of the guess; `tolerance`, largest acceleration
                that passes, as a part of those that gravity, the loads and the products of rates cause one by one (1e-10);
                `iterations`, most of them.
        """
        return equilibrium(self, guess, **arguments)

    @at_values
    def equilibrium_path(
        self, input: str, value: float, guess: Mapping[str, Any] | State | None = None, **arguments: Any
    ) -> EquilibriumPath:
        """Equilibria as an input grows to a value, by arc length: past folds, where a structure snaps through.

        Args:
            input: name of the input.
            value: that it shall reach, from its value in `inputs=`, or 0.
            guess: near which the first equilibrium is looked for; None for the initial state.
            arguments: `inputs`, as for `equilibrium`; `longest`, step along the path (0.5 rad or m); `points`, most of them
                (200); `branch`, one of the `bifurcations` of a path, to begin there along the path that crosses it, and
                `side`, 1 or -1, in which direction.
        """
        return equilibrium_path(self, input, value, guess, **arguments)

    @at_values
    def steady_motion(
        self, moving: Mapping[str, float | None], guess: Mapping[str, Any] | State | None = None, **arguments: Any
    ) -> State:
        """A state of steady motion: constant rates, zero accelerations, now and as the motion goes on.

        A steady spin, a descent at constant speed, a precession, a steady turn of a body on a Free joint, whose velocities
        are in its own axes. `linearize` and `modes` take the state.

        Args:
            moving: the rates that are not zero, by name: the number that a rate shall have (rad/s or m/s), or None where the
                motion decides on it, beginning at the guess. All others are zero, but for those of given motions.
            guess: near which it is looked for: a State, or values by name; the initial state when None.
            arguments: `inputs`, `tolerance`, `iterations`, as for `equilibrium`.
        """
        return steady_motion(self, moving, guess, **arguments)

    @at_values
    def modes(self, state: Mapping[str, Any] | State | None = None, **arguments: Any) -> list[Mode]:
        """Modes of the linear model about a state; arguments as for `linearize`."""
        return modes(linearize(self, state, **arguments))

    @at_values
    def show_modes(
        self, path: str | Path, state: Mapping[str, Any] | State | None = None, *, title: str | None = None, **arguments: Any
    ) -> Path:
        """Write a page that shows the modes about a state in motion, with frequencies and damping.

        Args:
            path: the file; its folder is made when missing.
            state: about which the system is linear; None for the initial one.
            title: heading; the system's name when None.
            arguments: as for `linearize`, without outputs.
        """
        from kaneflex.view.modes import system_page

        plan = build(self)
        at = state_of(plan, state, "state")
        linear = linearize(self, state, **arguments)
        reduced = linear.reduced() if linear.quaternions else linear
        found = modes(linear)
        at = self.assemble(at).state if plan.is_constrained else at
        changes = np.array([(reduced.C @ mode.shape)[: plan.nq] for mode in found]).reshape(len(found), plan.nq)
        return system_page(plan, at.q, at.t, found, changes, path, title)

    @at_values
    def equations(self, **arguments: Any) -> "Equations":
        """Kane's equations in symbols; arguments as for `kaneflex.symbolic.derive`."""
        from kaneflex.symbolic.system.system_equations import derive  # brings SymPy, which takes half a second

        return derive(self, **arguments)

    @at_values
    def to_fmu(
        self,
        path: str | Path,
        *,
        version: str = "3.0",
        initial: Mapping[str, Any] | State | None = None,
        compiler: str = "cc",
    ) -> Path:
        """Write a functional mock-up unit for co-simulation and model exchange: the equations in C, with a solver of
        Dormand and Prince's; see docs/exchange.md for what it cannot hold.

        Args:
            path: the file; its folder is made when missing.
            version: of FMI: "2.0" or "3.0".
            initial: where it starts: values by name, or a State; None for those given in `add`.
            compiler: command of a C compiler; "" for an FMU of sources alone.
        """
        from kaneflex.symbolic.export import of_equations
        from kaneflex.symbolic.fmu import write_fmu

        plan = build(self)
        at = state_of(plan, initial, "initial state")
        start = np.concatenate([at.q, at.rates, at.z])
        return write_fmu(plan, of_equations(self.equations()), start, Path(path), version, compiler)

    @at_values
    def to_control(self, outputs: Sequence[str] = ()) -> Any:
        """The equations as a nonlinear input/output system of python-control, with customary speeds.

        States are coordinates, rates and states of blocks, inputs those that no block drives; names as of
        `LinearModel.to_control`. Contacts, constraints and given motions are refused by name.

        Args:
            outputs: channels; the states when there are none.
        """
        return to_control(self, outputs)

    def _repr_html_(self) -> str:
        """The tree with masses and freedoms, for notebooks."""
        from kaneflex.view.notebook import system_html

        return system_html(self)

    @at_values
    def channels(
        self, state: Mapping[str, Any] | State | None = None, *names: str, inputs: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Values of channels at a state, by name: numbers, or arrays.

        Args:
            state: a State, values by name, or None for the initial state.
            names: of channels, as of a run: "arm.tip.position", "arm.acceleration", "spring.power", ...
            inputs: values of the inputs, as for `linearize`.
        """
        plan = build(self)
        dynamics, at = Dynamics(plan), state_of(plan, state, "state")
        dynamics.set_inputs(input_values(self.inputs, inputs, at.t))
        dynamics.set_states(at.z)
        x = np.concatenate([at.q, at.rates, at.z])
        return ChannelReader(plan, names).read_one(dynamics, at.t, x)

    @at_values
    def matrices(
        self,
        state: Mapping[str, Any] | State | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        formulation: str = "recursive",
        speeds: str = "customary",
    ) -> Matrices:
        """Mass matrix M, bias and u-dot at a state by name: `s.matrices(state).M["arm.angle", "bus.wx"]`.

        M u-dot + bias = 0 where nothing but the applied loads acts; constraints and prescribed motions add what holds them.

        Args:
            state: a State, values by name, or None for the initial state.
            inputs: values of the inputs, as for `linearize`.
            formulation, speeds: as for `simulate`.
        """
        dynamics = self.dynamics(formulation, speeds)
        at = state_of(dynamics.plan, state, "state")
        dynamics.set_inputs(input_values(self.inputs, inputs, at.t))
        dynamics.set_states(at.z)
        return matrices(dynamics, at.t, at.q, dynamics.speeds_from_rates(at.q, at.rates))

    def describe(self) -> str:
        """The tree, joint by joint, in plain words."""
        return describe(self)
