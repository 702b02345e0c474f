"""Valid calls of parameters, of derivatives by them, and of studies."""

import functools
import warnings

import numpy as np
from fuzz.calls_model import fixed
from fuzz.calls_runs import PATH, STATE, of, result
from fuzz.junk import (
    FLAG,
    FUNCTION,
    MAPPING,
    NAME,
    NAMES,
    NUMBER,
    OPTIONAL,
    POSITIVE,
    SEQUENCE,
    TEXT,
    Call,
    Given,
    kind,
)

import kaneflex as kf

V = Given


@functools.cache
def swing() -> kf.System:
    """A pendulum with two parameters, which no call changes."""
    mass, length = kf.Parameter("mass", 1.0, unit="kg"), kf.Parameter("length", 1.0, 0.5, 2.0, unit="m")
    system = kf.System("swing", gravity=(0, 0, -9.81))
    system.add("rod", kf.Rigid(mass, com=(0, 0, -length)), kf.Revolute("y"), q=0.3)
    return system


@functools.cache
def run() -> kf.Run:
    """One with an event."""
    return swing().simulate(0.02, output=0.01, events=[kf.Event(lambda t: t - 0.01, name="half")])


# ---- parameters

VALUES = V({"mass": 2.0}, MAPPING | kind("numbered", "pairs"))  # which may be those of others, that are left to these
PARAMETERS = {
    "Parameter": fixed(
        kf.Parameter,
        name=V("mass", NAME),
        value=V(1.0, POSITIVE | kind("zero")),
        low=V(-0.5, OPTIONAL | kind("minus", "zero")),
        high=V(2.0, OPTIONAL | kind("real")),
        unit=V("kg", TEXT),
    ),
    "Parameter.at": of(lambda: kf.Parameter("mass", 1.0), "at", values=VALUES),
    "Expression.at": of(lambda: 2 * kf.Parameter("mass", 1.0), "at", values=VALUES),
    "Remembering.at": of(swing, "at", parameters=V({"mass": 2.0}, MAPPING | OPTIONAL)),
}

# ---- derivatives by them

LABELS = V(["mass"])
TIMES = np.array([0.0, 0.01, 0.02])
DERIVATIVES = {
    "Integral": fixed(kf.Integral, function=V(lambda t, x: x, FUNCTION), sees=V(["rod.q"], NAMES)),
    "EventTime": fixed(kf.EventTime, name=V("half", NAME), number=V(0, kind("zero"))),
    "Run.sensitivities": of(run, "sensitivities", names=LABELS, tolerance=V(1e-6, OPTIONAL | POSITIVE)),
    "Run.gradient": of(run, "gradient", cost=V("rod.q"), names=LABELS, tolerance=V(1e-6, OPTIONAL | POSITIVE)),
    "eigenvalue_gradients": fixed(
        kf.eigenvalue_gradients,
        system=V(swing()),
        names=LABELS,
        state=V({"rod.q": 0.1}, STATE.accepts),
        at_equilibrium=V(False, FLAG),
    ),
    "equilibrium_gradients": fixed(
        kf.equilibrium_gradients, system=V(swing()), names=LABELS, guess=V({"rod.q": 0.1}, STATE.accepts)
    ),
    "fit": fixed(
        kf.fit,
        system=V(swing()),
        data=V({"t": TIMES, "rod.q": 0.3 - 4.6 * TIMES**2}),
        parameters=V(["length"]),
        sigma=V(0.1, OPTIONAL | POSITIVE),
        start=V({"length": 1.1}, OPTIONAL | MAPPING),
    ),
    "optimize": fixed(
        kf.optimize,
        system=V(swing()),
        cost=V("rod.q"),
        parameters=V(["length"]),
        constraints=V([("rod.rate", None, 1.0)], SEQUENCE),
        duration=V(0.02, POSITIVE),
        iterations=V(1),
        tolerance=V(1e-3, POSITIVE),
    ),
}

# ---- studies

LAWS = {"mass": kf.normal(1.0, 0.1), "length": kf.uniform(0.9, 1.1)}
KEPT = {"end": "final rod.q", "angle": "rod.q", "place": "final rod.position"}


@functools.cache
def study() -> kf.Study:
    """One that is done, in a folder of its own."""
    made = kf.Study(swing(), LAWS, duration=0.02, runs=5, keep=KEPT, output=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.run(workers=0)
    return made


@functools.cache
def ensemble() -> kf.Ensemble:
    return study().results


def law() -> kf.Distribution:
    return kf.uniform(1.0, 2.0)


OUTPUT = V("end")
PICTURE = V("plot.png", OPTIONAL | kind("word"))
BY = V("correlation", OPTIONAL)
STUDIES = {
    "normal": fixed(
        kf.normal,
        mean=V(1.0, NUMBER),
        deviation=V(1.0, POSITIVE),
        low=V(-0.5, NUMBER | kind("-inf")),
        high=V(2.0, kind("real", "inf", "zero")),
    ),
    "uniform": fixed(kf.uniform, low=V(0.5, NUMBER), high=V(2.0, POSITIVE)),
    "lognormal": fixed(kf.lognormal, mean=V(1.0, POSITIVE), deviation=V(1.0, POSITIVE)),
    "triangular": fixed(kf.triangular, low=V(0.5, kind("minus", "zero")), mode=V(1.0, POSITIVE), high=V(2.0, POSITIVE)),
    "choice": fixed(kf.choice, values=V([1.0, 2.0], kind("two", "words")), weights=V([1.0, 2.0], OPTIONAL | kind("two"))),
    "Distribution.at": of(law, "at", share=V(np.array([0.0, 0.5]), kind("no numbers", "matrix"))),
    "Distribution.levels": of(law, "levels", count=V(3)),
    "Study": fixed(
        kf.Study,
        subject=V(swing(), FUNCTION),
        parameters=V(LAWS),
        duration=V(0.02, POSITIVE),
        runs=V(5),
        design=V("random"),
        seed=V(0, kind("zero")),
        keep=V(["final rod.q"], SEQUENCE | MAPPING | kind("word", "long", "words", "function")),
        store=V(None, OPTIONAL | kind("word")),
        points=V(None, OPTIONAL),
        limit=V(5.0, OPTIONAL | POSITIVE),
        audit=V(False, FLAG),
        lanes=V(None, OPTIONAL | FLAG),
    ),
    "Study.run": of(
        study,
        "run",
        on=V(None, OPTIONAL),
        workers=V(0, OPTIONAL | kind("zero")),
        progress=V(False, OPTIONAL | FLAG),
    ),
    "Ensemble": Call(lambda: kf.Ensemble, {"path": V(study().path)}),
    "Ensemble.values_of": of(ensemble, "values_of", run=V(0, kind("zero"))),
    "Ensemble.unit": of(ensemble, "unit", name=OUTPUT),
    "Ensemble.numbers": of(ensemble, "numbers", output=OUTPUT),
    "Ensemble.title": of(ensemble, "title", output=OUTPUT),
    "Ensemble.percentiles": of(ensemble, "percentiles", output=OUTPUT, levels=V([5, 95], SEQUENCE | kind("two", "seven"))),
    "Ensemble.importance": of(ensemble, "importance", output=OUTPUT, by=BY),
    "Ensemble.plot": of(ensemble, "plot", **{"*outputs": V(("end",)), "path": PICTURE}),
    "Ensemble.scatter": of(ensemble, "scatter", output=OUTPUT, path=PICTURE),
    "Ensemble.tornado": of(ensemble, "tornado", output=OUTPUT, by=BY, path=PICTURE),
    "Ensemble.report": of(
        ensemble, "report", path=PATH, title=V("Study", OPTIONAL | TEXT), command=V("study", OPTIONAL | TEXT)
    ),
    "Importance": result(lambda: ensemble().importance("end")),
}

CALLS: dict[str, Call] = PARAMETERS | DERIVATIVES | STUDIES
