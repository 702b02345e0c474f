"""The result of a simulation."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.initial_conditions import Assembly
from kaneflex.model.checks import ModelError, known, rotation, shown
from kaneflex.model.extras import optional
from kaneflex.model.files import atomic_write, write_text
from kaneflex.model.recipes import parameters_in
from kaneflex.model.typed import typed
from kaneflex.plan.channels import Channel
from kaneflex.plan.state import State
from kaneflex.results.audit import Audit, audit, exchange_error, joined, scales, warn_unseen, warn_unstiffened
from kaneflex.results.joining import together
from kaneflex.results.loads import Loads, loads, nothing
from kaneflex.results.orientation import angles_about, turned_by
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.simulate import Options, Trajectory, simulate

if TYPE_CHECKING:
    from kaneflex.analysis.sensitivities import Sensitivities
    from kaneflex.model.model import Model
    from kaneflex.model.parameters import Parameter
    from kaneflex.model.said import Asked
    from kaneflex.view.live import Player


@typed
class Run:
    """Time histories of a simulation, by name.

    Args:
        trajectory: what the integrator left.
        quiet: give no warning about the physics of the run (the audit has it in any case).

    Attributes:
        t: times, s.
        segments: the parts of the run before the system last changed (see Change); channels run through all of them.
        impacts: collisions and other jumps of the speeds, with momentum and energy before and after.
        status: "done", "event", "interrupted" or "failed"; `message` says more.
        statistics: steps, rejected, evaluations (those for Jacobians included), jacobians, corrections (Newton's, of
            implicit stages), seconds, compile_seconds; with method="auto" also tried, evaluations before it chose.
        events: (time, name) of the events that happened.
    """

    def __init__(self, trajectory: Trajectory, quiet: bool = False):
        self.trajectory = trajectory
        self.plan = trajectory.plan
        self.model: Model = trajectory.plan.model
        self.segments = tuple(
            Run(replace(segment, segments=()), quiet=True) for segment in trajectory.segments
        )  # before the system last changed
        parts = [*trajectory.segments, trajectory]
        self.t = np.concatenate([p.t for p in parts]) if self.segments else trajectory.t
        self.status, self.message = trajectory.status, trajectory.message
        self.statistics = {k: sum(p.statistics.get(k, 0) for p in parts) for k in trajectory.statistics}
        self.events = [e for p in parts for e in p.events]
        self.impacts: list[Impact] = [i for p in parts for i in p.impacts]
        self._cache: dict[str, np.ndarray] = {}
        self.asked: Asked | None = None  # how the run was asked for, where it was by `System.simulate`
        if not quiet:
            warn_unstiffened(parts)
            warn_unseen(parts)

    @property
    def method(self) -> str:
        """The method that the run was integrated by; with method="auto" the one that was chosen, last."""
        choice = self.trajectory.choice
        return str(self.trajectory.options.method) if choice is None else choice.method

    @property
    def method_choice(self) -> str:
        """Why method="auto" chose what it did; empty where a method was given."""
        return "" if self.trajectory.choice is None else self.trajectory.choice.why

    @property
    def parameters(self) -> "dict[str, Parameter]":
        """The parameters of the run by name, with the values that they had."""
        if self.asked is None:
            return (*self.segments, self)[0].model.parameters
        asked = self.asked
        found = asked.system.parameters | parameters_in((asked.arguments, asked.words))
        return {name: parameter.at(asked.values) for name, parameter in found.items()}

    def sensitivities(self, names: Any, tolerance: float | None = None) -> "Sensitivities":
        """Derivatives of this run by parameters and initial values, integrated along the motion; see docs/derivatives.md.

        Args:
            names: of parameters, and of initial values as `initial=` takes them ("arm.q").
            tolerance: relative, of their integration; None for a tenth of the run's, or better.
        """
        from kaneflex.analysis.sensitivities import Sensitivities

        return Sensitivities(self, names, tolerance)

    def gradient(self, cost: Any, names: Any, tolerance: float | None = None) -> np.ndarray:
        """Derivatives of a cost by parameters and initial values, in the order of the names.

        Args:
            cost: a channel's name for its last value, an Integral, an EventTime, or a function of a run that looks at
                channels (`lambda run: np.sum(run["arm.q"] ** 2)`).
            names: of parameters, and of initial values as `initial=` takes them.
            tolerance: as for `sensitivities`.
        """
        from kaneflex.analysis.gradients import gradient

        return gradient(self, cost, names, tolerance)[1]

    def __repr__(self) -> str:
        s = self.statistics
        return (
            f"Run({self.model.name!r}, t = {self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} samples, {self.status}, "
            f"{s['steps']} steps, {s['seconds']:.3g} s)"
        )

    @cached_property
    def last(self) -> "Run":
        """The part of the run since the system last changed; the run itself when it never did."""
        return Run(replace(self.trajectory, segments=()), quiet=True) if self.segments else self

    def _rows(self, place: slice, what: str) -> np.ndarray:
        parts = [*self.trajectory.segments, self.trajectory]
        sizes = {p.plan.layout for p in parts}
        if len(sizes) > 1:
            raise ModelError(
                f"the number of coordinates or speeds changes during this run: take {what} of run.segments and run.last, "
                'or channels by name, e.g. run["body.q"]'
            )
        return np.concatenate([p.y[:, place] for p in parts]) if self.segments else self.trajectory.y[:, place]

    @cached_property
    def q(self) -> np.ndarray:
        """Coordinates, one row per time."""
        return self._rows(self.plan.layout.q, "q")

    @cached_property
    def u(self) -> np.ndarray:
        """Generalized speeds, one row per time."""
        return self._rows(self.plan.layout.u, "u")

    @cached_property
    def z(self) -> np.ndarray:
        """States of blocks, one row per time."""
        return self._rows(self.plan.layout.z, "z")

    @cached_property
    def audit(self) -> Audit:
        """Energy balance, momentum, constraints and quaternions of this run."""
        whole = audit(self.trajectory)
        if not self.segments and not self.impacts:
            return whole
        first = self.trajectory.segments[0] if self.segments else self.trajectory
        last = self.trajectory.y[-1, self.plan.layout.works]
        applied, done = (float(x) for x in last - first.y[0, first.plan.layout.works])
        parts = [*(segment.audit for segment in self.segments), whole]
        error = exchange_error([*self.trajectory.segments, self.trajectory])
        return joined(parts, tuple(self.impacts), (applied, 0.0 - done), error)

    @property
    def assembly(self) -> Assembly | None:
        """How the start was made to satisfy motions and constraints; None where there are none."""
        return self.trajectory.assembly

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel over `t`: shape (n,) for one number, (n, k) for k, (n, 3, 3) for rotations. See `channels`."""
        return self.read(name)[name]

    def read(self, *names: str) -> dict[str, np.ndarray]:
        """Channels by their `names`, as `run[name]` gives each, in one pass; NaN in segments that do not have one."""
        missing = [name for name in dict.fromkeys(names) if name not in self._cache]
        if missing and self.segments:
            self._cache.update(self._joined(missing))
        elif missing:
            tr, reader = self.trajectory, ChannelReader(self.plan, missing)
            reader.solves |= self.model.base is not None
            self._cache.update(reader.read(tr.dynamics, tr.t, tr.y, tr.inputs))
        return {name: self._cache[name] for name in names}

    def _joined(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Channels through all segments."""
        parts = (*self.segments, self.last)
        for name in names:
            self._channel(name)
        found = [part.read(*(name for name in names if name in part.plan.channels)) for part in parts]
        joined = {}
        for name in names:
            shapes = {values[name].shape[1:] for values in found if name in values}
            if len(shapes) > 1:
                raise ModelError(f'channel "{name}" changes its size during this run: take it of run.segments and run.last')
            shape = shapes.pop()
            each = zip(parts, found, strict=True)
            joined[name] = np.concatenate([v.get(name, np.full((len(p.t), *shape), np.nan)) for p, v in each])
        return joined

    def _channel(self, name: str) -> Channel:
        """What a channel's name stands for, in the last segment that has it."""
        plans = [part.plan for part in (*self.segments, self.last)]
        return next((plan for plan in reversed(plans) if name in plan.channels), self.plan).channels.known(name)

    def unit(self, name: str) -> str:
        """Unit of channel `name`, e.g. "m" of "arm.tip.position"; "" where its numbers have none, or different ones, or only
        you know it: see `System.set_unit`."""
        return self._channel(name).unit

    def components(self, name: str) -> tuple[str, ...]:
        """What the numbers of channel `name` are called: by coordinates, axes, labels, or their numbers."""
        return self._channel(name).components

    def labels(self, name: str) -> tuple[str, ...]:
        """What the numbers of channel `name` are called, e.g. "beam-0.start.Mz" of "arm.section_loads", "e0" of "bus.q"; ()
        without names.

        Each is a channel of its own: "arm.section_loads.beam-0.start.Mz", and of coordinates and rates "bus.e0".
        """
        return self._channel(name).parts

    def angles(self, name: str, sequence: str = "zyx") -> np.ndarray:
        """Orientation of a body or frame as three turns about its own axes one after the other, (n, 3), rad, without jumps.

        Args:
            name: "body" or "body.frame".
            sequence: the axes, e.g. "zyx" or "zxz".
        """
        return angles_about(self[f"{name}.rotation"], sequence)

    def rotation_error(self, name: str, target: Any = None) -> np.ndarray:
        """Angle by which a body or frame is turned from a target, 0 to pi, (n,), rad.

        Args:
            name: "body" or "body.frame".
            target: a rotation matrix, another "body" or "body.frame", or None for the inertial axes.
        """
        if isinstance(target, str):
            return turned_by(self[f"{name}.rotation"], self[f"{target}.rotation"])
        return turned_by(self[f"{name}.rotation"], np.eye(3) if target is None else rotation(target, "target"))

    def loads(self, name: str, axes: str = "inertial", at: Any = None, body: str | None = None) -> Loads:
        """Force, torque and power that a joint or a constraint puts on its outboard body.

        A joint of the tree is named like its body; its load includes its springs, dampers, motors and drives. Of redundant
        constraints the loads are those with multipliers of least norm: the motion does not tell them apart.

        Args:
            name: of a body (its inboard joint) or of a constraint (a closing joint, a rod, a contact).
            axes: "inertial", "body" (the loaded body's own) or a frame's name, "body.frame".
            at: point of the torque: a frame's name, or a point of N, m; None for the joint's own frame on that body.
            body: of a constraint's bodies the one whose load is meant; None for the outboard one.
        """
        if not self.segments:
            return loads(self, name, axes, at, body)
        parts = []
        for segment in (*self.segments, self.last):
            known = name in segment.plan.index.joints or name in segment.plan.index.constraints
            parts.append(loads(segment, name, axes, at, body) if known else nothing(segment.t))
        if all(np.isnan(p.force).all() for p in parts):
            return loads(self.last, name, axes, at, body)
        return Loads(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Loads)))

    @cached_property
    def all_loads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What joints and constraints carry at every sample: see `Dynamics.loads`."""
        tr = self.trajectory
        return tr.dynamics.loads(tr.t, tr.y, tr.inputs)

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """Names of all channels; docs/channels.md tells what they are."""
        return tuple(self.plan.channels)

    def state(self, k: int = -1) -> State:
        """The state at sample k."""
        if self.segments:
            k = k + len(self.t) if k < 0 else k
            for segment in (*self.segments, self.last):
                if k < len(segment.t):
                    return segment.state(k)
                k -= len(segment.t)
        rates = self.trajectory.dynamics.rates_from_speeds(self.q[k], self.u[k])
        return State(self.plan.index, float(self.t[k]), self.q[k], rates, z=self.z[k])

    @property
    def final(self) -> State:
        """The last state."""
        return self.state(-1)

    def extend(self, duration: float, *, joined: bool = False, **arguments: Any) -> "Run":
        """Go on for `duration` seconds as if the run had not stopped.

        Inputs, controllers and events are those of the run unless given anew (`inputs` by name, None for one that a
        controller is to drive from now on; `controllers`, `events`);
        sampled controllers keep their clock. Without events and controllers the integrator's own state is taken up, step
        size and stored slopes included, unless a setting of the integrator is given anew.

        Args:
            duration: s.
            joined: return this run and what follows as one, see `joined`; False for what follows alone.
            arguments: as for `simulate`: `method`, `rtol` and other settings, which are those of the run unless given;
                `output`, `times`; `initial`, values by name that are put into the last state, or a State.
        """
        tr = self.trajectory
        missing = [what for what in tr.lost if not _is_given(what, arguments)]
        if missing:
            raise ModelError(f"the run was driven by functions that its file does not hold: give {', '.join(missing)} again")
        given = {f.name: arguments.pop(f.name) for f in fields(Options) if f.name in arguments}
        options = replace(arguments.pop("options", tr.options), **given)
        if "equations" in arguments:
            equations = arguments.pop("equations")
            arguments["rates"] = None if equations is None else equations.rates()
        given_inputs = arguments.pop("inputs", None)
        if given_inputs is not None and not isinstance(given_inputs, Mapping):
            raise ModelError(f'inputs is {shown(given_inputs)}: give values by name, e.g. inputs={{"motor": 2.0}}')
        for name in given_inputs or ():
            known(name, self.model.inputs, "input")
        inputs = dict(tr.driven_by.get("inputs", {})) | dict(given_inputs or {})
        inputs = {name: value for name, value in inputs.items() if value is not None}
        arguments = tr.driven_by | arguments | {"inputs": inputs}
        on = simulate(self.model, duration, options=options, resume=tr, **arguments)
        before = tuple(max(x) for x in zip(*(scales(p) for p in (*tr.segments, tr)), strict=True))
        for part in (*on.segments, on):
            part.before = before
        return self.joined(Run(on)) if joined else Run(on)

    def joined(self, other: "Run") -> "Run":
        """This run and the `other` that `extend` gave from it, as one: one time axis, channels, events and audit over the
        whole, which may be saved and extended."""
        return Run(together(self.trajectory, other.trajectory), quiet=True)

    # -- to other forms ----------------------------------------------------------------------------------------------

    def _columns(self, names: Sequence[str] | None) -> tuple[dict[str, np.ndarray], dict[str, str]]:
        """Columns of a table by name, and their units."""
        columns, units = dict[str, np.ndarray](), dict[str, str]()
        for name, values in self.read(*(n for n in (names or self.channels) if n != "t")).items():
            flat, channel = values.reshape(len(self.t), -1), self._channel(name)
            called = [f"{name}.{label}" for label in channel.parts]
            if not called or called[0] not in self.plan.channels:
                called = [f"{name}[{k}]" for k in range(flat.shape[1])]
            called = [name] if values.ndim == 1 else called
            columns.update(zip(called, flat.T, strict=True))
            units.update(zip(called, channel.units if len(channel.units) > 1 else channel.units * len(called), strict=True))
        return columns, units

    def to_pandas(self, names: Sequence[str] | None = None) -> Any:
        """A pandas DataFrame indexed by t; all channels, or those of these names. `attrs["units"]` has units by column."""
        pd = optional("pandas", "to_pandas needs pandas", "frames")
        columns, units = self._columns(names)
        frame = pd.DataFrame(columns, index=pd.Index(self.t, name="t"))
        frame.attrs["units"] = {"t": "s"} | units
        return frame

    def to_xarray(self, names: Sequence[str] | None = None) -> Any:
        """An xarray Dataset over t; all channels, or those of these names. `attrs["units"]` of each has its unit."""
        xr = optional("xarray", "to_xarray needs xarray", "frames")
        variables = {}
        for name, values in self.read(*(n for n in (names or self.channels) if n != "t")).items():
            axes = ("row", "column") if values.ndim == 3 else tuple(f"axis{n}" for n in values.shape[1:])
            variables[name] = (("t", *axes), values, {"units": self.unit(name)})
        times = ("t", self.t, {"units": "s"})
        return xr.Dataset(variables, coords={"t": times}, attrs={"system": self.model.name, "status": self.status})

    def to_csv(self, path: str | Path, names: Sequence[str] | None = None) -> Path:
        """Write channels over t to the file `path`: a row of names, one of units, then a row for each time.

        Args:
            path: the file; its folder is made when missing.
            names: of channels; None for all.
        """
        columns, units = self._columns(names)
        lines = [["t", *columns], ["s", *units.values()]]
        lines += [[repr(float(x)) for x in row] for row in np.column_stack([self.t, *columns.values()])]
        return write_text(path, "\n".join(",".join(map(_cell, line)) for line in lines) + "\n")

    def to_mat(self, path: str | Path, names: Sequence[str] | None = None) -> Path:
        """Write channels over t to the file `path` for MATLAB and Octave (version 5): a variable for each, with "_" for what
        is no letter or digit, `t`, and `units`, a structure of their units.

        Args:
            path: the file; its folder is made when missing.
            names: of channels; None for all.
        """
        from scipy.io import savemat

        values: dict[str, Any] = {"t": self.t}
        units: dict[str, str] = {"t": "s"}
        for name, found in self.read(*(n for n in (names or self.channels) if n != "t")).items():
            word = _word(name)
            if word in values or word == "units":
                raise ModelError(f'channel "{name}" would be a second "{word}" in MATLAB: name fewer channels')
            values[word], units[word] = found, self.unit(name)
        with atomic_write(path) as partial, partial.open("wb") as file:
            savemat(file, values | {"units": units}, long_field_names=True, oned_as="column")
        return Path(path)

    def save(self, path: str | Path) -> Path:
        """Write the run to the HDF5 file `path`: model, samples, statistics, and all that is needed to go on."""
        from kaneflex.results.store import save

        return save(self, Path(path))

    @staticmethod
    def load(path: str | Path, functions: Mapping[str, Callable[..., Any]] | None = None) -> "Run":
        """Read a run from the file `path`.

        Args:
            path: written by `save`.
            functions: user functions, which are not stored as code and are needed to go on: those of the model by their
                place ("thrust.value"), those given as inputs= by the input's name ("motor").
        """
        from kaneflex.results.store import load

        return load(Path(path), dict(functions or {}))

    def __reduce__(self) -> Any:
        """Pickle what `save` writes; functions by their names in modules, left out, as of a file, where they have none."""
        from kaneflex.results.store import pickled

        return pickled(self)

    def _repr_html_(self) -> str:
        """Plots, audit and the moving picture, for notebooks."""
        from kaneflex.view.notebook import run_html

        return run_html(self)

    def plot(self, *names: str, path: str | Path | None = None) -> Any:
        """A Matplotlib figure of channels over time, by their names; saved to `path` when given."""
        from kaneflex.view.plots import plot_channels

        return plot_channels(self, names, path)

    def report(self, path: str | Path, channels: Sequence[str] | None = None, colour: str | None = None) -> Path:
        """Write one self-contained page: the motion to play, plots, audit, statistics, the model.

        Args:
            path: the file; its folder is made when missing.
            channels: those plotted at first; None for a choice.
            colour: what bodies are coloured by at first: "speed", "turning", of rods "curvature", "moment", "tension",
                "strain", in space also "twist" or "torque", or any channel of bodies by its last word, "strain_energy"
                say; None for their own colours.
        """
        from kaneflex.view.report import write_report

        return write_report(self, Path(path), channels=channels, colour=colour)

    def animate(
        self,
        path: str | Path,
        *,
        fps: float = 25.0,
        speed: float | None = None,
        size: tuple[int, int] = (1280, 720),
        view: str = "iso",
        colour: str | None = None,
        deformation: float = 1.0,
    ) -> Path:
        """Write a film of the motion, without a browser: MP4 (needs the extra `film`) or GIF, as the path ends.

        Args:
            path: the file, ".mp4" or ".gif"; its folder is made when missing.
            fps: frames per second of the film.
            speed: seconds of the run in one of the film; None for 1, or what makes 14 s of a run that is short or long.
            size: width and height, pixels.
            view: "iso", "front", "side", "top", "back" or "bottom".
            colour: what bodies are coloured by, as for `report`.
            deformation: factor on deflections of flexible bodies.
        """
        from kaneflex.view.film import film

        return film(self, path, fps=fps, speed=speed, size=size, view=view, colour=colour, deformation=deformation)

    def view(self, *, host: str = "127.0.0.1", port: int = 8080, block: bool = True) -> "Player":
        """Play the run in a browser; needs the extra `view`.

        Args:
            host: address to serve to; this machine only by default.
            port: to serve at, or the next free one.
            block: wait until interrupted (Ctrl-C); False to go on, and to close what is returned yourself.
        """
        from kaneflex.view.live import view_run

        return view_run(self, host, port, block)


def _is_given(what: str, arguments: Mapping[str, Any]) -> bool:
    """Whether what a file could not hold, 'controllers' or 'inputs for "motor"', is given anew."""
    argument, _, name = what.partition(" for ")
    return argument in arguments and (not name or name.strip('"') in (arguments[argument] or {}))


def _word(name: str) -> str:
    """A name that MATLAB takes, of at most 63 letters."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return (word if word[:1].isalpha() else f"x{word}")[:63]


def _cell(text: str) -> str:
    """A cell of a table of values between commas."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text


__all__ = ["Options", "Run"]
