"""How much each parameter matters for a number: Sobol's indices, elementary effects, rank correlations.

Sources: A. Saltelli et al., Variance based sensitivity analysis of model output, Computer Physics Communications 181 (2010)
259; M. D. Morris, Factorial sampling plans for preliminary computational experiments, Technometrics 33 (1991) 161; both as
SALib computes them. Spearman's rank correlation as SciPy does.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.study.designs import MORRIS_LEVELS, problem_of


@typed
@dataclass(frozen=True)
class Importance:
    """Of each parameter, in the order of the study.

    Args:
        parameters: their names.
        measure: what `values` are, in words.
        values: one per parameter.
        errors: half widths of 95 % confidence intervals.
        first: of Sobol's indices those of first order (`values` are the total ones); of Morris mean effects, signed.
        spread: of Morris the standard deviation of the effects: large where a parameter acts nonlinearly or with others.
    """

    parameters: tuple[str, ...]
    measure: str
    values: np.ndarray
    errors: np.ndarray
    first: np.ndarray | None = None
    spread: np.ndarray | None = None

    @property
    def order(self) -> tuple[str, ...]:
        """Names of the parameters, the most important first."""
        return tuple(self.parameters[k] for k in np.argsort(-np.abs(self.values), kind="stable"))

    def __getitem__(self, parameter: str) -> float:
        return float(self.values[self.parameters.index(parameter)])

    def __str__(self) -> str:
        width = max(map(len, self.parameters))
        lines = [self.measure]
        for name in self.order:
            k = self.parameters.index(name)
            lines.append(f"  {name:{width}s}  {self.values[k]: .3f} ± {self.errors[k]:.3f}")
        return "\n".join(lines)


def sobol_indices(names: Sequence[str], y: np.ndarray) -> Importance:
    """Shares of the variance: total, with all that a parameter does together with others, and of first order.

    Args:
        names: of the parameters.
        y: the number in all runs of a "saltelli" design, in order.
    """
    from SALib.analyze import sobol

    _whole(y)
    if np.ptp(y) == 0:
        nothing = np.zeros(len(names))
        return Importance(tuple(names), "Sobol's total indices", nothing, nothing, nothing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sobol.analyze(problem_of(list(names)), y, calc_second_order=False, seed=0)
    return Importance(tuple(names), "Sobol's total indices", found["ST"], found["ST_conf"], found["S1"])


def elementary_effects(names: Sequence[str], shares: np.ndarray, y: np.ndarray) -> Importance:
    """Mean sizes of the elementary effects: change of the number over that of the parameter, from end to end of its range.

    Args:
        names: of the parameters.
        shares: of a "morris" design, a row per run.
        y: the number in all runs, in order.
    """
    from SALib.analyze import morris

    _whole(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = morris.analyze(problem_of(list(names)), shares, y, num_levels=MORRIS_LEVELS, seed=0)
    size, mean, spread = (np.asarray(found[key], float) for key in ("mu_star", "mu", "sigma"))
    return Importance(tuple(names), "mean size of elementary effects", size, np.asarray(found["mu_star_conf"]), mean, spread)


def rank_correlations(names: Sequence[str], columns: Sequence[np.ndarray], y: np.ndarray) -> Importance:
    """Spearman's rank correlation of the number with each parameter, from runs of any design.

    Args:
        names: of the parameters.
        columns: values of each by run; texts count by their place in the alphabet.
        y: the number by run; runs where it is not finite are left out.
    """
    from scipy.stats import spearmanr

    sound = np.isfinite(y)
    n = int(sound.sum())
    if n < 4:
        raise ModelError(f"{n} runs have a value: a correlation needs four or more")
    found = []
    for column in columns:
        x = np.unique(column, return_inverse=True)[1][sound]
        found.append(spearmanr(x, y[sound]).statistic if np.ptp(x) and np.ptp(y[sound]) else 0.0)
    r = np.array(found)
    z = 1.96 / np.sqrt(max(n - 3, 1))  # by Fisher's transformation
    inside = np.clip(r, -1 + 1e-12, 1 - 1e-12)
    errors = (np.tanh(np.arctanh(inside) + z) - np.tanh(np.arctanh(inside) - z)) / 2
    return Importance(tuple(names), "rank correlation", r, errors)


def _whole(y: np.ndarray) -> None:
    lost = int((~np.isfinite(y)).sum())
    if lost:
        raise ModelError(
            f"{lost} of {len(y)} runs have no value: these indices need all of them; correlations do not (importance(..., "
            'by="correlation"))'
        )


__all__ = ["Importance", "elementary_effects", "rank_correlations", "sobol_indices"]
