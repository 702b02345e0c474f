"""A study: one system with many values of its parameters."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from kaneflex.model.checks import ModelError, known, positive, shown, whole
from kaneflex.model.codec import encode, model_to_data
from kaneflex.model.typed import typed
from kaneflex.plan.state import State
from kaneflex.study.cluster import Cluster, check_place
from kaneflex.study.designs import DESIGNS, Design, design, given_table
from kaneflex.study.distributions import distribution
from kaneflex.study.drive import block_size, drive, progress_of, scout
from kaneflex.study.ensemble import Ensemble
from kaneflex.study.keep import RESERVED, keeps
from kaneflex.study.one_run import GRACE, Work
from kaneflex.study.processes import Processes
from kaneflex.study.sending import pickled
from kaneflex.study.store import DONE, FAILED, Store, arrays_on_disk
from kaneflex.study.workers import Here, Workers
from kaneflex.system import System

WORTH_LANES = 20.0  # s that all runs would take alone, from which on kernels are compiled for runs side by side


@typed
class Study:
    """Many runs of one system, with parameters that differ; see docs/studies.md.

    The values of all runs follow from the seed before anything is run, and each run depends on nothing but its values: the
    results are the same bit for bit, in whatever order, on however many workers.

    Args:
        subject: a system with parameters; or a function that makes a system, or a run, from values by name, for what
            parameters cannot say.
        parameters: by name: a distribution (`normal`, `uniform`, `lognormal`, `triangular`, `choice`), values to choose
            from, or one value; with design="table" a column of values, or a pandas DataFrame.
        duration: of each run, s; not needed where a function returns runs.
        runs: how many; a grid says it itself.
        design: "random", "latin" (hypercube), "sobol" (sequence), "grid", "factorial", "saltelli" (for Sobol's indices),
            "morris" (for elementary effects), "table".
        seed: of the random numbers.
        keep: what is kept of each run: channels over time ("arm.q"), numbers ("final arm.q", "max ...", "min ...",
            "peak ..." (largest size), "mean ...", "rms ...", "arm.q at 1.0, 2.5"), or functions of the run; a list, or a
            mapping from names.
        store: folder of the results, "slew.zarr" say; None for one that lasts as long as the study.
        points: of a grid, levels of each parameter, or by name.
        limit: longest time of a run, s, compiling not counted; None for none.
        audit: look at the audit of each run, and note where it fails.
        lanes: let runs be side by side in the vectors of the processor, where their steps are explicit and nothing in them
            compares numbers (loops, friction): several times faster, the same to rounding. None for where all runs together
            would take more than 20 s, for kernels have to be compiled for it once.
        options: as for `System.simulate`, but for parameters and progress.
    """

    def __init__(
        self,
        subject: System | Callable[[dict[str, Any]], Any],
        parameters: Any,
        *,
        duration: float | None = None,
        runs: int | None = None,
        design: str = "random",
        seed: int = 0,
        keep: Any = (),
        store: str | Path | None = None,
        points: int | Mapping[str, int] | None = None,
        limit: float | None = None,
        audit: bool = True,
        lanes: bool | None = None,
        **options: Any,
    ) -> None:
        self.subject = subject
        self.seed = whole(seed, "seed")
        self.design, self._said = _designed(parameters, known(design, DESIGNS, "design"), runs, self.seed, points)
        self.kept = keeps(keep)
        self._check_names()
        for word in ("parameters", "progress"):
            if word in options:
                raise ModelError(f"{word}= is said by the study itself: leave it out")
        self.limit = None if limit is None else positive(limit, "limit")
        grid = self._grid(duration, options)
        self.work = Work(subject, options, self.kept, grid, self.limit, audit, GRACE, lanes=lanes)
        self.path = Path(store) if store is not None else self._own_folder() / "study.zarr"
        self.description = self._described()

    def _own_folder(self) -> Path:
        """A folder that goes when the study goes."""
        folder = tempfile.mkdtemp(prefix="kaneflex-study-")
        finalize(self, _remove, folder, os.getpid())
        return Path(folder)

    def __repr__(self) -> str:
        names = ", ".join(self.design.table)
        return f"Study({self.name!r}, {self.runs} runs, {self.design.name}: {names})"

    @property
    def name(self) -> str:
        """Of the system or function."""
        return self.subject.name if isinstance(self.subject, System) else getattr(self.subject, "__name__", "study")

    @property
    def runs(self) -> int:
        """How many there are."""
        return self.design.runs

    @property
    def table(self) -> dict[str, np.ndarray]:
        """Values of the parameters, one for each run."""
        return self.design.table

    def run(self, on: Any = None, *, workers: int | None = None, progress: bool | None = None) -> Ensemble:
        """Do all runs that the store does not have yet.

        May be interrupted, killed and started again at any time: at most what is under way is lost.

        Args:
            on: a Client of `distributed` or the address of a Dask scheduler, "tcp://host:8786"; None for this machine.
            workers: processes on this machine; None for one per processor, 0 for none but this one.
            progress: show a bar with the time left; None for on a terminal.
        """
        if workers is not None and on is not None:
            raise ModelError("workers= is for this machine: a cluster has its own")
        workers = None if workers is None else whole(workers, "workers")
        check_place(on)
        arrays_on_disk()  # says what to install before anything is run
        store = Store.open(self.path) if self.path.exists() else None
        if store is not None:
            store.check(self.description)
            if not store.missing():
                return Ensemble(self.path)
        crew = self._crew(on, workers)
        try:
            if store is None:
                seen = scout(crew, self.table)
                worth = self.work.lanes or self.runs * seen.seconds > WORTH_LANES
                seen = replace(seen, lanes=seen.lanes and worth)
                size = block_size(self.runs, seen.seconds, crew.slots, seen.lanes)
                store = Store.create(self.path, self.description, self.design, seen, size)
            status = store.status()
            done, failed = int((status == DONE).sum()), int((status == FAILED).sum())
            with progress_of(self.name, self.runs, done, failed, progress) as tell:
                drive(store, crew, store.grid(), tell)
        finally:
            crew.close()
        return Ensemble(self.path)

    @property
    def results(self) -> Ensemble:
        """What is in the store, also while another process is at work."""
        return Ensemble(self.path)

    def _crew(self, on: Any, workers: int | None) -> Workers:
        if on is None and workers == 0:
            return Here(self.work)
        payload = pickled(self.work)
        if on is not None:
            return Cluster(payload, on)
        count = _processors() if workers is None else workers
        return Processes(payload, min(count, self.runs))

    def _check_names(self) -> None:
        taken = {one.name for one in self.kept} | set(RESERVED)
        for name in self.table:
            if name in taken or "/" in name or not name:
                raise ModelError(f'parameter "{name}": the name is taken by something kept, or has a "/": choose another')
        if isinstance(self.subject, System):
            for name, column in self.table.items():
                known(name, self.subject.parameters, "parameter of the system")
                if column.dtype.kind not in "fi":
                    raise ModelError(f'parameter "{name}" of a system takes numbers, not {shown(column[0])}')

    def _grid(self, duration: float | None, options: dict[str, Any]) -> np.ndarray | None:
        """Times of the samples of all runs, put into the options; None where a function returns runs."""
        extra = [t for one in self.kept for t in one.times]
        if duration is None:
            if isinstance(self.subject, System):
                raise ModelError("duration= is missing: how long shall a run last, s?")
            return None
        options["duration"] = duration = positive(duration, "duration")
        initial, output = options.get("initial"), options.pop("output", None)
        t0 = initial.t if isinstance(initial, State) else 0.0
        if options.get("times") is not None:
            times = np.asarray(options["times"], float).ravel()
        else:
            count = 500 if output is None else max(1, round(duration / positive(output, "output")))
            times = t0 + duration * np.arange(count + 1) / count
        if extra and not t0 <= min(extra) <= max(extra) <= t0 + duration:
            asked = f"{min(extra):g} to {max(extra):g} s"
            raise ModelError(f"keep has values at {asked}, the runs last from {t0:g} to {t0 + duration:g} s")
        options["times"] = grid = np.unique(np.concatenate([times, extra]))
        return grid

    def _described(self) -> dict[str, Any]:
        """What the study is, by which its store is known again."""
        subject = model_to_data(self.subject) if isinstance(self.subject, System) else encode(self.subject, self.name)
        table = {name: column.tolist() for name, column in self.table.items()}
        return {
            "system": self.name,
            "subject": _digest(subject),
            "parameters": self._said,
            "values": _digest(table),
            "design": self.design.name,
            "seed": self.seed,
            "keep": {one.name: [one.how, one.channel, list(one.times), encode(one.function, "")] for one in self.kept},
            "options": {name: _digest(encode(value, name)) for name, value in self.work.options.items()},
            "duration": self.work.options.get("duration"),
            "limit": self.limit,
            "audit": self.work.audit,
        }


def _designed(given: Any, name: str, runs: int | None, seed: int, points: Any) -> tuple[Design, dict[str, str]]:
    """The design, and what was said of each parameter in words."""
    if name == "table":
        found = given_table(given)
        if runs not in (None, found.runs):
            raise ModelError(f"the table has {found.runs} rows, not {runs}: leave runs= out")
        return found, dict.fromkeys(found.table, "as given")
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f'parameters are {shown(given)}: give distributions by name, e.g. {{"mass": kf.normal(10, 1)}}')
    distributions = {str(n): distribution(value, str(n)) for n, value in given.items()}
    return design(name, distributions, runs, seed, points), {n: str(d) for n, d in distributions.items()}


def _remove(folder: str, process: int) -> None:
    """A process that was forked from the study's own has the study too, but not its folder."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _digest(data: Any) -> str:
    """A short word for data; what has no place in a file counts by its type."""
    text = json.dumps(data, sort_keys=True, default=lambda value: type(value).__qualname__)
    return sha256(text.encode()).hexdigest()[:16]


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


__all__ = ["Study"]
