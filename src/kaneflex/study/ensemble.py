"""What came of a study, read from its store: also while it runs, and long after."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, known, shown, whole
from kaneflex.model.typed import typed
from kaneflex.study.importance import Importance, elementary_effects, rank_correlations, sobol_indices
from kaneflex.study.store import DONE, FAILED, Store


@typed
class Ensemble:
    """All runs of a study.

    Args:
        path: folder of the store.

    Attributes:
        data: an xarray Dataset over `run`: parameters as coordinates, what was kept under its names, `status` (0 not run
            yet, 1 done, 2 failed), `message` (why a run failed, or what it warned of) and `seconds`.
    """

    def __init__(self, path: str | Path) -> None:
        self.store = Store.open(Path(path))
        self.path = self.store.path
        self.data: Any = self.store.dataset().load()

    def __repr__(self) -> str:
        counts = f"{self.done.sum()} done, {self.failed.sum()} failed, {(self.status == 0).sum()} to do"
        return f"Ensemble({str(self.path)!r}, {self.store.runs} runs: {counts})"

    @cached_property
    def status(self) -> np.ndarray:
        """By run: 0 not run yet, 1 done, 2 failed."""
        return np.asarray(self.data["status"])

    @property
    def done(self) -> np.ndarray:
        """Whether each run succeeded."""
        return self.status == DONE

    @property
    def failed(self) -> np.ndarray:
        """Whether each run failed."""
        return self.status == FAILED

    @property
    def complete(self) -> bool:
        """Whether there is something of every run."""
        return bool((self.status != 0).all())

    @property
    def parameters(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.store.head["parameters"])

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of what was kept."""
        return tuple(self.store.kept)

    @property
    def description(self) -> dict[str, Any]:
        """What was studied: system, parameters, design, seed, options."""
        return dict(self.store.head["description"])

    def messages(self) -> dict[int, str]:
        """What runs have to say, by their number: why they failed, what they warned of."""
        words = np.asarray(self.data["message"])
        return {int(k): str(words[k]) for k in np.flatnonzero(words != "")}

    def values_of(self, run: int) -> dict[str, Any]:
        """Values of the parameters in a run, as `simulate(parameters=...)` takes them."""
        if whole(run, "run") >= self.store.runs:
            raise ModelError(f"run is {run}: there are {self.store.runs}, numbered from 0")
        return {name: np.asarray(self.data[name])[run].item() for name in self.parameters}

    def unit(self, name: str) -> str:
        """Unit of what was kept under `name`, "" where there is none."""
        return str(self.data[known(name, (*self.kept, *self.parameters), "value kept")].attrs.get("units", ""))

    def __getitem__(self, name: str) -> np.ndarray:
        """Something kept, or a parameter, of the runs that are done: the first axis is the run."""
        known(name, (*self.kept, *self.parameters), "value kept")
        return np.asarray(self.data[name])[self.done]

    def numbers(self, output: str) -> np.ndarray:
        """One number for each run, NaN where there is none.

        Args:
            output: something kept that is one number, or "name[k]" for one of several.
        """
        name, k = _split(output, self.kept)
        values = np.asarray(self.data[known(name, self.kept, "value kept")], float)
        values = np.where(self.done.reshape(-1, *[1] * (values.ndim - 1)), values, np.nan)
        if values.ndim == 1 and k is None:
            return values
        flat = values.reshape(len(values), -1)
        if values.ndim != 2 or "t" in self.data[name].dims or k is None or not 0 <= k < flat.shape[1]:
            raise ModelError(f'"{output}" is no single number: its shape is {values.shape[1:]}; e.g. "max {name}[0]"')
        return np.asarray(flat[:, k])

    def outputs(self) -> list[str]:
        """All single numbers that were kept, as `numbers` and others take them."""
        found = []
        for name, sizes in self.store.kept.items():
            if sizes == ():
                found.append(name)
            elif len(sizes) == 1 and "t" not in self.data[name].dims:
                found += [f"{name}[{k}]" for k in range(sizes[0])]
        return found

    def title(self, output: str) -> str:
        """An output, a history or a parameter in words: which of several numbers it is, and its unit.

        Args:
            output: as of `numbers`.
        """
        if output in self.parameters:
            return output
        name, k = self._placed(output)
        words, data = name, self.data[name]
        if k is not None:
            axis = data.dims[-1]
            label = np.asarray(data[axis])[k] if axis in data.coords else k
            words = f"{name}, {label}" if not axis.endswith(".time") else f"{name.partition(' at ')[0]} at {label:g} s"
        unit = self.unit(name)
        return f"{words}, {unit}" if unit else words

    def percentiles(self, output: str, levels: Sequence[float] = (5, 25, 50, 75, 95)) -> np.ndarray:
        """Percentiles over the runs that are done; of a history one row of times for each level.

        Args:
            output: something kept, or "name[k]".
            levels: from 0 to 100.
        """
        if not all(0 <= level <= 100 for level in levels):
            raise ModelError(f"levels are {shown(levels)}: give numbers from 0 to 100")
        values = self._several(output)
        if not len(values):
            raise ModelError("no run is done: there are no percentiles")
        with np.errstate(all="ignore"):
            return np.asarray(np.nanpercentile(values, list(levels), axis=0))

    def _placed(self, output: str) -> tuple[str, int | None]:
        """Name of something kept, and which of its numbers is meant; None for all."""
        name, k = _split(output, self.kept)
        sizes = self.store.kept[known(name, self.kept, "value kept")]
        if k is not None and not (sizes and k < sizes[-1]):
            raise ModelError(f'"{output}": "{name}" has the shape {sizes}: there is no number {k}')
        return name, k

    def _several(self, output: str) -> np.ndarray:
        name, k = self._placed(output)
        values = np.asarray(self[name], float)
        return values if k is None else values[..., k]

    def importance(self, output: str, by: str | None = None) -> Importance:
        """How much each parameter matters for a number.

        Args:
            output: something kept that is one number, or "name[k]".
            by: "sobol" (design "saltelli"), "morris" (design "morris") or "correlation" (any design); None for what the
                design is made for.
        """
        design = self.store.head["design"]
        usual = {"saltelli": "sobol", "morris": "morris"}.get(design, "correlation")
        by = usual if by is None else known(by, ("sobol", "morris", "correlation"), "importance by")
        y = self.numbers(output)
        if by == "correlation":
            return rank_correlations(self.parameters, [np.asarray(self.data[n]) for n in self.parameters], y)
        if by != usual:
            raise ModelError(f'importance by="{by}" needs design="{"saltelli" if by == "sobol" else by}", not "{design}"')
        if by == "sobol":
            return sobol_indices(self.parameters, y)
        return elementary_effects(self.parameters, np.asarray(self.data["shares"]), y)

    def plot(self, *outputs: str, path: str | Path | None = None) -> Any:
        """A Matplotlib figure: of histories the envelope with percentiles, of numbers how they are spread.

        Args:
            outputs: names; none for all that was kept.
            path: file to save it to, or None.
        """
        from kaneflex.study.plots import plot_outputs

        return plot_outputs(self, outputs, path)

    def scatter(self, output: str, path: str | Path | None = None) -> Any:
        """A Matplotlib figure: a number over each of the parameters.

        Args:
            output: one number, as of `numbers`.
            path: file to save it to, or None.
        """
        from kaneflex.study.plots import plot_scatter

        return plot_scatter(self, output, path)

    def tornado(self, output: str, by: str | None = None, path: str | Path | None = None) -> Any:
        """A Matplotlib figure: a bar for each parameter, the most important on top.

        Args:
            output, by: as of `importance`.
            path: file to save it to, or None.
        """
        from kaneflex.study.plots import plot_tornado

        return plot_tornado(self, output, by, path)

    def report(self, path: str | Path, title: str | None = None, command: str | None = None) -> Path:
        """Write one self-contained page: envelopes, distributions, importance, failures, how to get it again.

        Args:
            path: the file; its folder is made when missing.
            title: heading; None for the system's name.
            command: what to type to get the same study.
        """
        from kaneflex.study.report import write_report

        return write_report(self, Path(path), title, command)


def _split(output: str, kept: Sequence[str]) -> tuple[str, int | None]:
    """Name and number of "name[k]"; of a name alone None."""
    if output in kept or not output.endswith("]"):
        return output, None
    name, _, number = output[:-1].rpartition("[")
    return (name, int(number)) if number.isdigit() else (output, None)


__all__ = ["Ensemble"]
