"""Parameters from measurements: least squares of a run's channels against data, with the run's derivatives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import least_squares

from kaneflex.analysis.sensitivities import Sensitivities
from kaneflex.analysis.variations import AnySystem, names_of
from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.results.run import Run
from kaneflex.view.page import listing, number, section, table, write_page
from kaneflex.view.plots import COLOURS, STYLE, titled
from kaneflex.view.sections import figure_section

Array = np.ndarray


@dataclass(frozen=True)
class Fit:
    """Parameters that fit measurements best.

    Attributes:
        values: of the parameters, by name.
        errors: standard errors, by name.
        covariance: of the parameters, in the order of `values`.
        residuals: run less measurement, by channel, in the channel's unit; NaN where nothing was measured.
        sigma: standard deviation of the measurements by channel: as given, or as the residuals have it.
        freedom: number of measured values less that of the parameters.
        run: the run at these values; `system` is the system at them.
        evaluations: how many runs were made.
        message: how the search ended.
        times, data: the measurements.
    """

    values: dict[str, float]
    errors: dict[str, float]
    covariance: Array
    residuals: dict[str, Array]
    sigma: dict[str, float]
    freedom: int
    run: Run
    system: Any
    evaluations: int
    message: str
    times: Array
    data: dict[str, Array]

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Intervals of confidence of the parameters, of a model that is linear within them, by Student's distribution.

        Args:
            confidence: probability that an interval has the true value in it.
        """
        wide = float(stats.t.ppf((1 + confidence) / 2, self.freedom))
        return {n: (v - wide * self.errors[n], v + wide * self.errors[n]) for n, v in self.values.items()}

    def __str__(self) -> str:
        return "\n".join(f"{n} = {self.values[n]:.6g}, {a:.6g} to {b:.6g}" for n, (a, b) in self.intervals().items())

    def report(self, path: str | Path, title: str | None = None) -> Path:
        """Write a page with the values, their intervals, and the residuals over time.

        Args:
            path: the file; its folder is made when missing.
            title: heading; the system's name when None.
        """
        heading = f"{self.system.name}: fit" if title is None else title
        known, between = self.run.parameters, self.intervals()
        rows = [
            (
                escape(n),
                number(v),
                escape(known[n].unit if n in known else ""),
                number(self.errors[n], ".2g"),
                *map(number, between[n]),
            )
            for n, v in self.values.items()
        ]
        facts = {
            "measured values": str(self.freedom + len(self.values)),
            "runs": str(self.evaluations),
            **{f"deviation of {name}": f"{s:.4g}" for name, s in self.sigma.items()},
            "search": self.message,
        }
        pieces = [
            f"<header>\n<h1>{escape(heading)}</h1>\n</header>",
            section(
                "Parameters", table(("parameter", "value", "unit", "standard error", "95 % from", "to"), rows, (1, 3, 4, 5))
            ),
            figure_section([(self._figure(), "Measurements, fitted run and residuals over time")]),
            section("Fit", listing(facts)),
        ]
        return write_page(path, heading, pieces)

    def _figure(self) -> Any:
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context(STYLE):  # type: ignore[arg-type, unused-ignore]
            figure = Figure(figsize=(8.0, 3.9 * len(self.data)), layout="constrained")
            heights = [2, 1] * len(self.data)
            axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
            for k, (name, measured) in enumerate(self.data.items()):
                axes[2 * k].plot(self.times, measured, ".", color=COLOURS[1], markersize=3, label="measured")
                axes[2 * k].plot(self.times, measured + self.residuals[name], color=COLOURS[0], label="fitted", zorder=1)
                axes[2 * k].set_title(titled(self.run, name), loc="left", parse_math=False)
                axes[2 * k].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
                axes[2 * k + 1].plot(self.times, self.residuals[name], ".", color=COLOURS[1], markersize=3)
                axes[2 * k + 1].axhline(0.0, color=COLOURS[0], linewidth=0.8)
                axes[2 * k + 1].set_title("fitted less measured", loc="left")
            axes[-1].set_xlabel("t, s")
        return figure


@typed
def fit(
    system: AnySystem,
    data: Any,
    parameters: Sequence[str],
    *,
    sigma: float | Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    **arguments: Any,
) -> Fit:
    """The values of parameters and initial values with which runs of a system are nearest to measurements: least squares, by
    SciPy's trust region method with the runs' own derivatives, within the bounds of the parameters.

    Args:
        system: the system.
        data: measurements: a mapping, or a pandas DataFrame, with times "t" (s) and values by channel; NaN for none.
        parameters: names of parameters, and of initial values as `initial=` takes them.
        sigma: standard deviation of the measurements, one for all, or by channel; None for one channel, whose deviation is
            then taken from the residuals.
        start: values that the search begins with; None for the system's own.
        arguments: of `simulate`: initial, inputs, rtol, ...
    """
    names = names_of(parameters)
    times, measured = _measurements(data)
    deviations = _deviations(sigma, list(measured))
    known = system.parameters
    bounds = [_bounds(known.get(n)) for n in names]
    initial = dict(arguments.pop("initial", None) or {})
    arguments.setdefault("rtol", 1e-9)
    taken: dict[bytes, tuple[Array, Array]] = {}
    last: dict[str, Any] = {}

    def evaluate(x: Array) -> tuple[Array, Array]:
        key = np.asarray(x, float).tobytes()
        if key not in taken:
            at = dict(zip(names, map(float, x), strict=True))
            own = {n: v for n, v in at.items() if n in known}
            begins = initial | {n: v for n, v in at.items() if n not in known}
            run = system.simulate(float(times[-1]), times=times, initial=begins or None, parameters=own, **arguments)
            found = Sensitivities(run, names)
            errors, rows = [], []
            for name, values in measured.items():
                there = np.isfinite(values)
                errors.append((found.values(name)[there] - values[there]) / deviations.get(name, 1.0))
                rows.append(found.channel(name)[there] / deviations.get(name, 1.0))
            taken.clear()
            taken[key] = np.concatenate(errors), np.concatenate(rows)
            last.update(run=run, found=found, runs=last.get("runs", 0) + 1)
        return taken[key]

    first = np.array([_first(system, n, start or {}, initial, known) for n in names])
    found = least_squares(
        lambda x: evaluate(x)[0],
        first,
        lambda x: evaluate(x)[1],
        bounds=np.array(bounds).T,
        x_scale=np.where(first == 0, 1.0, np.abs(first)),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    errors, rows = evaluate(found.x)
    freedom = len(errors) - len(names)
    return _outcome(names, found, errors, rows, freedom, deviations, last, (times, measured), system)


def _outcome(
    names: list[str],
    found: Any,
    errors: Array,
    rows: Array,
    freedom: int,
    deviations: dict[str, float],
    last: dict[str, Any],
    measurements: tuple[Array, dict[str, Array]],
    system: Any,
) -> Fit:
    if freedom <= 0:
        raise ModelError(
            f"{len(errors)} measured values are too few for {len(names)} parameters: measure more, or fit fewer"
        )
    scaled = rows * np.where(found.x == 0, 1.0, np.abs(found.x))
    values = np.linalg.svd(scaled, compute_uv=False)
    if values[-1] <= 1e-10 * values[0]:
        weak = names[int(np.argmin(np.linalg.norm(scaled, axis=0)))]
        raise ModelError(
            f'the measurements do not tell the parameters apart, "{weak}" least of all: fit fewer, or measure more'
        )
    times, measured = measurements
    left = float(errors @ errors) / freedom
    covariance = np.linalg.inv(rows.T @ rows) * (1.0 if deviations else left)
    residuals = {n: last["found"].values(n) - v for n, v in measured.items()}
    sigma = deviations or {next(iter(measured)): float(np.sqrt(left))}
    at = dict(zip(names, map(float, found.x), strict=True))
    own = {n: v for n, v in at.items() if n in system.parameters}
    spread = dict(zip(names, map(float, np.sqrt(np.diag(covariance))), strict=True))
    return Fit(
        at,
        spread,
        covariance,
        residuals,
        sigma,
        freedom,
        last["run"],
        system.at(own),
        last["runs"],
        found.message,
        times,
        measured,
    )


def _measurements(data: Any) -> tuple[Array, dict[str, Array]]:
    """Times and values by channel."""
    try:
        columns = {str(name): np.asarray(data[name], float) for name in data}
    except (TypeError, ValueError, LookupError) as e:
        raise ModelError(
            f'data is {checks.shown(data)}: give times "t" and values by channel, e.g. {{"t": t, "arm.q": q}}'
        ) from e
    if "t" not in columns or len(columns) < 2:
        raise ModelError('data has no times, or no channel: give "t" (s) and values by channel')
    t = columns.pop("t")
    for name, values in columns.items():
        if values.shape != t.shape or t.ndim != 1:
            raise ModelError(f'"{name}" has {values.shape} values for {t.shape} times: give one number for each time')
    if len(t) < 2 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0) or t[0] < 0:
        raise ModelError("times of the data must be finite, ascending, and not before 0")
    return t, columns


def _deviations(sigma: Any, names: list[str]) -> dict[str, float]:
    if sigma is None and len(names) > 1:
        raise ModelError(f"there are {len(names)} channels: give sigma=, the standard deviation of each, by name")
    if sigma is None:
        return {}
    given = sigma if isinstance(sigma, Mapping) else dict.fromkeys(names, sigma)
    for name in names:
        checks.known(name, given, "sigma: channel")
    return {name: checks.positive(given[name], f'sigma of "{name}"') for name in names}


def _bounds(parameter: Any) -> tuple[float, float]:
    if parameter is None:
        return -np.inf, np.inf
    return -np.inf if parameter.low is None else parameter.low, np.inf if parameter.high is None else parameter.high


def _first(
    system: Any, name: str, start: Mapping[str, float], initial: Mapping[str, Any], known: Mapping[str, Any]
) -> float:
    if name in start:
        return checks.number(start[name], f'start: "{name}"')
    if name in known:
        return float(known[name].value)
    if name in initial:
        return checks.number(initial[name], f'initial value "{name}"')
    return float(np.ravel(system.channels(None, name)[name])[0])


__all__ = ["Fit", "fit"]
