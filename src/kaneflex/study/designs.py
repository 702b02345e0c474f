"""Designs: which values the parameters have in each run, from a seed, before anything is run."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, known, shown, whole
from kaneflex.study.distributions import Distribution

#: Name of a design, and what it is.
DESIGNS = {
    "random": "independent random numbers",
    "latin": "Latin hypercube: every parameter has one value in each of `runs` equal shares",
    "sobol": "Sobol's sequence, scrambled: fills the space evenly; best with a power of two",
    "grid": "every combination of `points` levels of each parameter, and of all values of a choice",
    "factorial": "full factorial: a grid of two levels",
    "saltelli": "for Sobol's indices: a base sample and, for each parameter, the sample with that one exchanged",
    "morris": "for elementary effects: paths that change one parameter at a time",
    "table": "values as given, a row for each run",
}
_MOST = 100_000_000
MORRIS_LEVELS = 4


@dataclass(frozen=True, eq=False)
class Design:
    """Values by run.

    Args:
        name: of the design.
        table: one column per parameter.
        shares: numbers from 0 to 1 that the values come from, a row per run and a column per parameter; None where there
            are none.
        base: size of the base sample of "saltelli", number of paths of "morris", else 0.
    """

    name: str
    table: dict[str, np.ndarray]
    shares: np.ndarray | None = None
    base: int = 0

    @property
    def runs(self) -> int:
        """How many."""
        return len(next(iter(self.table.values())))


def design(
    name: str, parameters: Mapping[str, Distribution], runs: int | None, seed: int, points: int | Mapping[str, int] | None
) -> Design:
    """The design of this name.

    Args:
        name: one of DESIGNS but "table".
        parameters: by name.
        runs: how many; the most, where a design takes whole multiples of something.
        seed: of the random numbers.
        points: levels of each parameter in a grid, or by name.
    """
    known(name, DESIGNS, "design")
    if name in ("grid", "factorial"):
        return _grid(name, parameters, runs, points)
    if points is not None:
        raise ModelError(f'points= is for a grid, not for design="{name}"')
    if runs is None:
        raise ModelError(f'design="{name}" needs runs=')
    whole(runs, "runs", least=1)
    if runs > _MOST:
        raise ModelError(f"{runs} runs are more than a study can hold ({_MOST})")
    shares, base = _shares(name, len(parameters), runs, seed)
    return Design(name, {n: d.at(shares[:, k]) for k, (n, d) in enumerate(parameters.items())}, shares, base)


def _grid(
    name: str, parameters: Mapping[str, Distribution], runs: int | None, points: int | Mapping[str, int] | None
) -> Design:
    default = 2 if name == "factorial" else 5
    if isinstance(points, Mapping):
        for given in points:
            known(given, parameters, "parameter")
    counts = {n: points.get(n, default) if isinstance(points, Mapping) else points or default for n in parameters}
    levels = [d.levels(whole(counts[n], "points", least=1)) for n, d in parameters.items()]
    total = math.prod(map(len, levels))
    if total > _MOST:
        raise ModelError(f"the grid has {total} points, more than a study can hold ({_MOST}): give fewer points=")
    if runs not in (None, total):
        sizes = " x ".join(str(len(x)) for x in levels)
        raise ModelError(f"the grid has {sizes} = {total} runs, not {runs}: leave runs= out")
    columns = np.meshgrid(*levels, indexing="ij")
    return Design(name, {n: x.ravel() for n, x in zip(parameters, columns, strict=True)})


def _shares(name: str, parameters: int, runs: int, seed: int) -> tuple[np.ndarray, int]:
    """Numbers from 0 to 1, a row per run, and the size of the base sample."""
    from scipy.stats import qmc

    if name == "random":
        return np.random.default_rng(seed).random((runs, parameters)), 0
    if name == "latin":
        return qmc.LatinHypercube(parameters, rng=seed).random(runs), 0
    if name == "sobol":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about numbers that are no power of two
            return qmc.Sobol(parameters, rng=seed).random(runs), 0
    problem = problem_of([f"x{k}" for k in range(parameters)])
    if name == "saltelli":
        base = 2 ** int(math.log2(max(runs // (parameters + 2), 1)))
        if base * (parameters + 2) > runs or base < 2:
            raise ModelError(f'design="saltelli" of {parameters} parameters needs {2 * (parameters + 2)} runs or more')
        from SALib.sample import sobol

        return sobol.sample(problem, base, calc_second_order=False, seed=seed), base
    base = runs // (parameters + 1)
    if base < 2:
        raise ModelError(f'design="morris" of {parameters} parameters needs {2 * (parameters + 1)} runs or more')
    from SALib.sample import morris

    return morris.sample(problem, base, num_levels=MORRIS_LEVELS, seed=seed), base


def problem_of(names: list[str]) -> dict[str, Any]:
    """Parameters between 0 and 1, as SALib wants them said."""
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def given_table(table: Any) -> Design:
    """The design of a table.

    Args:
        table: a mapping of columns, or a pandas DataFrame.
    """
    columns = {}
    for name in table:
        column = np.asarray(table[name])
        if column.dtype == object or column.dtype.kind in "TU":
            column = np.array([str(x) for x in column])
        elif column.dtype.kind not in "fiub":
            raise ModelError(f'column "{name}" of the table is {shown(table[name])}: give numbers or texts')
        else:
            column = column.astype(float)
        if column.ndim != 1 or (column.dtype.kind == "f" and not np.isfinite(column).all()):
            raise ModelError(f'column "{name}" of the table is {shown(table[name])}: give one finite value for each run')
        columns[str(name)] = column
    lengths = {name: len(column) for name, column in columns.items()}
    if not columns or len(set(lengths.values())) > 1 or min(lengths.values()) < 1:
        raise ModelError(f"the table has columns of {lengths} values: give one value for each run in every column")
    return Design("table", columns)


__all__ = ["DESIGNS", "MORRIS_LEVELS", "Design", "design", "given_table", "problem_of"]
