"""Valid calls of what runs a system and of what a run gives."""

import functools
import inspect
import re
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from fuzz.calls_model import fixed, system
from fuzz.junk import (
    FLAG,
    FUNCTION,
    LISTED,
    MAPPING,
    NAME,
    NOTHING,
    NUMBER,
    OPTIONAL,
    POSITIVE,
    RESULT,
    SEQUENCE,
    TEXT,
    Call,
    Given,
    Kind,
    kind,
)

import kaneflex as kf
from kaneflex.gallery import Check, Example
from kaneflex.gallery import examples as gallery_examples
from kaneflex.simulate.changes import Change
from kaneflex.view.live import Show, live

V = Given

KINDS = {"formulation": V("dense"), "speeds": V("efficient")}
INPUTS = V({"motor": 0.0}, MAPPING | OPTIONAL)
STATE = V({"cart.q": 0.0, "rod.q": 0.1, "arm.q": 0.0}, OPTIONAL | MAPPING)
DURATION = V(0.01, POSITIVE)
EVENT = kf.Event(lambda t: t - 5.0)
CONTROL = kf.Sampled(0.005, lambda t, x: 0.0, sees=["rod.q"], drives=["motor"])
PATH = V("page.html", NAME - {"long"})


@functools.cache
def shared() -> kf.System:
    """A system that no call changes."""
    return system()


@functools.cache
def run() -> kf.Run:
    return shared().simulate(0.01, output=0.005)


@functools.cache
def dynamics() -> kf.Dynamics:
    return shared().dynamics()


def of(thing: Any, method: str, /, **arguments: Given) -> Call:
    return Call(lambda: getattr(thing(), method), arguments)


def result(thing: Any) -> Call:
    """The constructor of a result, with the fields of one: they accept what is of the annotated kind."""
    made = thing()
    arguments = {}
    for name, p in inspect.signature(type(made)).parameters.items():
        if not name.startswith("_"):
            words = re.findall(
                r"\w+", str(p.annotation if isinstance(p.annotation, str) else inspect.formatannotation(p.annotation))
            )
            accepts: Kind = NOTHING
            for word in words:
                accepts |= RESULT.get(word, NOTHING)
            if {"tuple", "list"} & set(words):
                accepts |= {w for inner in set(words) & set(LISTED) for w in LISTED[inner]}
            arguments[name] = V(getattr(made, name), accepts)
    return Call(lambda: type(made), arguments)


VERBS = {
    "System.simulate": of(
        shared,
        "simulate",
        duration=DURATION,
        initial=STATE,
        method=V("dopri5", OPTIONAL),
        **KINDS,
        rtol=V(1e-6, POSITIVE),
        atol=V(1e-6, POSITIVE),
        step=V(1e-3, OPTIONAL | POSITIVE),
        max_step=V(1.0, POSITIVE | kind("inf")),
        max_steps=V(1000),
        output=V(0.01, OPTIONAL | POSITIVE),
        times=V(None, OPTIONAL | kind("zero")),
        inputs=V({}, MAPPING | OPTIONAL),
        controllers=V([CONTROL], SEQUENCE),
        events=V([EVENT], SEQUENCE),
        equations=V(None, OPTIONAL),
        parameters=V({}, MAPPING | OPTIONAL),
        progress=V(False, OPTIONAL | FLAG),
    ),
    "System.simulate_each": of(shared, "simulate_each", each=V([{"duration": 0.01}], SEQUENCE), threads=V(1, OPTIONAL)),
    "System.dynamics": of(shared, "dynamics", **KINDS),
    "System.state": of(shared, "state", initial=STATE, t=V(0.0, NUMBER)),
    "System.assemble": of(shared, "assemble", initial=STATE, keep=V(["rod"], SEQUENCE), t=V(0.0, NUMBER)),
    "System.linearize": of(shared, "linearize", state=STATE, outputs=V(["rod.q"], SEQUENCE), inputs=INPUTS, **KINDS),
    "System.channels": of(shared, "channels", state=STATE, inputs=INPUTS, **{"*names": V(("rod.q",))}),
    "System.matrices": of(shared, "matrices", state=STATE, inputs=INPUTS, **KINDS),
    "System.equilibrium": of(
        shared, "equilibrium", guess=STATE, inputs=INPUTS, tolerance=V(1e-9, POSITIVE), iterations=V(20)
    ),
    "System.equilibrium_path": of(
        shared,
        "equilibrium_path",
        input=V("motor"),
        value=V(0.1, NUMBER),
        guess=STATE,
        inputs=INPUTS,
        longest=V(0.5, POSITIVE),
        points=V(3),
    ),
    "EquilibriumPath": result(lambda: kf.EquilibriumPath("motor", np.zeros(1), (run().final,), np.ones(1, bool), True)),
    "System.steady_motion": of(
        shared,
        "steady_motion",
        moving=V({"wheel.rate": 1.0}),
        guess=STATE,
        inputs=INPUTS,
        tolerance=V(1e-9, POSITIVE),
        iterations=V(20),
    ),
    "System.modes": of(shared, "modes", state=STATE, outputs=V(["rod.q"], SEQUENCE), inputs=INPUTS, **KINDS),
    "System.show_modes": of(shared, "show_modes", path=PATH, state=STATE, title=V("Modes", OPTIONAL | TEXT), inputs=INPUTS),
    "State": Call(
        lambda: kf.State,
        {
            "index": V(run().plan.index),
            "given": V(None, OPTIONAL),
            "t": V(0.0, NUMBER),
            "q": V(np.zeros(3), kind("nan vector")),  # refused where the state is used, as that of a run that failed may be
            "rates": V(np.zeros(4)),
            "z": V(np.zeros(0), OPTIONAL | SEQUENCE),
        },
    ),
    "Dynamics": Call(lambda: kf.Dynamics, {"plan": V(run().plan)}),
}

BOUND = V(np.zeros(3), kind("nan vector"))  # an array of the right kind and size, whose numbers cost a check each time
Q, U, Y = V(np.zeros(3)), V(np.zeros(4)), V(np.zeros(9))
T = V(0.5, NUMBER)
TIMES, STATES = V(np.array([0.5])), V(np.zeros((1, 9)))
GIVEN = V(np.zeros((1, 1)), OPTIONAL)
DYNAMICS = {
    f"Dynamics.{name}": of(dynamics, name, **arguments)
    for name, arguments in {
        "set_inputs": {"values": V(np.zeros(1))},
        "set_states": {"z": V(np.zeros(0), SEQUENCE)},
        "udot": {"q": BOUND, "u": U, "tau": V(np.zeros(4), OPTIONAL), "out": V(np.zeros(4), OPTIONAL)},
        "bind": {"q": BOUND, "u": U, "tau": U, "out": U},
        "derivative": {"t": T, "y": Y, "tau": V(np.zeros(4), OPTIONAL)},
        "inverse_dynamics": {"q": Q, "u": U, "udot": U, "t": T},
        "mass_matrix": {"q": Q, "t": T},
        "bias": {"q": Q, "u": U, "t": T},
        "udot_at": {"t": T, "q": Q, "u": U},
        "coordinate_rates": {"q": Q, "u": U},
        "equations": {"t": T, "q": Q, "u": U},
        "multipliers": {"t": T, "q": Q, "u": U},
        "loads": {"times": TIMES, "states": STATES, "inputs": GIVEN},
        "rounding": {"t": T, "q": Q},
        "project": {"t": T, "y": Y, "sweeps": V(3, kind("zero")), "limit": V(0.5, POSITIVE)},
        "follow": {"t": T, "y": Y},
        "respond": {
            "t": T,
            "q": Q,
            "impulses": V(None, OPTIONAL),
            "given": V(np.zeros(4), OPTIONAL),
            "defects": V(None, OPTIONAL | SEQUENCE),
        },
        "sample": {"times": TIMES, "states": STATES, "inputs": GIVEN},
        "kinetic_energy": {"q": Q, "u": U, "t": T},
        "potential_energy": {"q": Q, "u": V(np.zeros(4), OPTIONAL), "t": T},
        "momentum": {"q": Q, "u": U, "t": T},
        "speeds_from_rates": {"q": Q, "rates": U},
        "rates_from_speeds": {"q": Q, "u": U},
        "check_regular": {"t": T, "q": Q, "u": U},
        "check_inertia": {"t": T, "q": Q},
    }.items()
}
DYNAMICS["Dynamics.minimal"] = of(functools.cache(lambda: shared().dynamics("embedded")), "minimal", t=T, q=Q, u=U)


def change() -> Change:
    return Change(shared(), run().final, dynamics())


def driven() -> Change:
    c = change()
    c.lock("rod")
    return c


def tied() -> Change:
    c = change()
    c.constrain("rope", kf.Distance("rod.tip", "N", 1.0))
    return c


def loaded() -> Change:
    c = change()
    c.apply("pull", kf.Force("rod", (1.0, 0.0, 0.0)))
    return c


COORDINATE = V("angle", OPTIONAL)
ADDED = {"name": V("new", NAME), "body": V(kf.Rigid(0.1, inertia=(1.0, 1.0, 1.0))), "joint": V(kf.Revolute("y"), OPTIONAL)}
CHANGES = {
    "Change": Call(lambda: Change, {"model": V(shared()), "state": V(run().final), "dynamics": V(dynamics())}),
    "Change.lock": of(change, "lock", joint=V("rod"), coordinate=COORDINATE),
    "Change.prescribe": of(change, "prescribe", joint=V("rod"), motion=V(lambda t: 0.1, FUNCTION), coordinate=COORDINATE),
    "Change.release": of(driven, "release", joint=V("rod"), coordinate=COORDINATE),
    "Change.constrain": of(change, "constrain", name=V("new", NAME), constraint=V(kf.PointOnPlane("rod.tip"))),
    "Change.add": of(
        change,
        "add",
        **ADDED,
        parent=V("rod", OPTIONAL),
        at=V("tip", OPTIONAL),
        hinge=V((0.0, 0.1, 0.0), OPTIONAL),
        q=V(0.1, OPTIONAL | NUMBER),
        rates=V(None, OPTIONAL),
        velocity=V((0.0, 0.1, 0.0)),
        omega=V((0.0, 0.1, 0.0), OPTIONAL),
        out_of_parent=V(False),
    ),
    "Change.remove": of(loaded, "remove", name=V("pull"), children=V("refuse"), into_parent=V(False)),
    "Change.replace": of(change, "replace", name=V("rod"), body=V(kf.Rigid(2.0)), keeps=V("velocity")),
    "Change.apply": of(change, "apply", name=V("new", NAME), load=V(kf.Force("rod", (1.0, 0.0, 0.0)))),
    "Change.contact": of(change, "contact", name=V("new", NAME), contact=V(kf.Contact("rod.tip"))),
    "Change.add_block": of(change, "add_block", name=V("new", NAME), block=V(kf.blocks.PID(1.0, sees="rod.q"))),
    "Change.add_rotor": of(change, "add_rotor", name=V("new", NAME), body=V("rod"), rotor=V(kf.Rotor("x", 1e-6))),
    "Change.unconstrain": of(tied, "unconstrain", name=V("rope")),
    "Change.detach": of(change, "detach", body=V("arm")),
    "Change.attach": of(change, "attach", body=V("arm"), to=V("cart"), joint=V(kf.Revolute("y"), OPTIONAL)),
}


def saved() -> type[kf.Run]:
    if not Path("run.h5").exists():
        run().save("run.h5")
    return kf.Run


def served(function: Any) -> Any:
    """A function that shows a page, without waiting for a watcher or for names of other machines; the page is closed."""

    def show(**arguments: Any) -> None:
        def look_up(host: str, *_: Any) -> None:
            if not re.fullmatch(r"[\d.]+", host):
                raise OSError("no such machine")

        def still(self: Show, block: bool) -> None:
            assert isinstance(block, bool)

        with mock.patch.object(Show, "start", still), mock.patch("socket.getaddrinfo", look_up):
            function(**arguments).close()

    return show


SERVED = {"host": V("127.0.0.1"), "port": V(8123, kind("zero")), "block": V(False, FLAG)}
RUNS = {
    "Run": Call(lambda: kf.Run, {"trajectory": V(run().trajectory), "quiet": V(True, FLAG)}),
    "Run.labels": of(run, "labels", name=V("rod.q")),
    "Run.unit": of(run, "unit", name=V("rod.q")),
    "Run.components": of(run, "components", name=V("rod.q")),
    "Run.read": of(run, "read", **{"*names": V(("rod.q",))}),
    "Run.angles": of(run, "angles", name=V("rod"), sequence=V("zyx")),
    "Run.rotation_error": of(run, "rotation_error", name=V("rod"), target=V(np.eye(3), OPTIONAL)),
    "Run.loads": of(run, "loads", name=V("rod"), axes=V("body"), at=V("rod.tip", OPTIONAL), body=V(None, OPTIONAL)),
    "Run.state": of(run, "state", k=V(0, kind("minus", "zero"))),
    "Run.extend": of(
        run,
        "extend",
        joined=V(False, FLAG),
        duration=DURATION,
        inputs=V({}, MAPPING | OPTIONAL),
        events=V([EVENT], SEQUENCE),
        controllers=V([], SEQUENCE),
    ),
    "Run.to_pandas": of(run, "to_pandas", names=V(["rod.q"], OPTIONAL | SEQUENCE)),
    "Run.to_xarray": of(run, "to_xarray", names=V(["rod.q"], OPTIONAL | SEQUENCE)),
    "Run.to_csv": of(run, "to_csv", path=PATH, names=V(["rod.q"], OPTIONAL | SEQUENCE)),
    "Run.save": of(run, "save", path=PATH),
    "Run.load": Call(
        lambda: saved().load, {"path": V("run.h5", kind("word"), missing_file=True), "functions": V({}, OPTIONAL | MAPPING)}
    ),
    "Run.plot": of(run, "plot", **{"*names": V(("rod.q",)), "path": V("plot.png", OPTIONAL | kind("word"))}),
    "Run.report": of(run, "report", path=PATH, channels=V(["rod.q"], OPTIONAL | SEQUENCE), colour=V(None, OPTIONAL)),
    "Run.animate": of(
        run,
        "animate",
        path=V("film.gif", kind("word")),
        fps=V(2.0, POSITIVE),
        speed=V(1.0, POSITIVE | OPTIONAL),
        size=V((32, 24)),
        view=V("front", kind("word")),
        colour=V(None, OPTIONAL),
        deformation=V(1.0, NUMBER),
    ),
    "Run.view": Call(lambda: served(run().view), SERVED),
    "compare": fixed(
        kf.compare,
        runs=V({"one": run(), "two": run()}),
        path=PATH,
        channels=V(["rod.q"], OPTIONAL | SEQUENCE),
        title=V("Two", OPTIONAL | TEXT),
        source=V("here", OPTIONAL | TEXT),
        command=V("run", OPTIONAL | TEXT),
    ),
}


@functools.cache
def linear() -> kf.LinearModel:
    return shared().linearize(shared().equilibrium())


def impact() -> kf.Impact:
    momenta = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    return kf.Impact(0.5, "bump", (1.0,), (2.0, 1.0), momenta, momenta)


RESULTS = {
    "Assembly": result(lambda: shared().assemble()),
    "Audit": result(lambda: run().audit),
    "Impact": result(impact),
    "Exchange": result(lambda: kf.Exchange(0.1, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 2.0, ("new",), ("old",))),
    "LinearModel": result(linear),
    "Loads": result(lambda: run().loads("rod")),
    "Mode": result(lambda: shared().modes(shared().equilibrium())[0]),
    "Check": result(lambda: Check("energy", 1.0, 1.0, 1e-9, "here")),
    "Run.joined": of(run, "joined", other=V(run().extend(0.005))),
}

EXAMPLE = gallery_examples()["double-pendulum"]
URDF = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


def robot_file() -> type[kf.System]:
    Path("robot.urdf").write_text(URDF)
    return kf.System


def robot() -> Any:
    return robot_file().from_urdf("robot.urdf").urdf


MOORING = """------ LINE TYPES ------
TypeName Diam Mass/m EA BA EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s) (N-m^2) (-) (-) (-) (-)
chain 0.05 20 1e9 0 0 1.6 1 0.1 0
------ POINTS ------
ID Attachment X Y Z Mass Volume CdA Ca
(#) (word) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 0 0 -80 0 0 0 0
2 Coupled 90 0 -10 0 0 0 0
------ LINES ------
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (ID) (ID) (m) (-) (-)
1 chain 1 2 130 3 -
------ OPTIONS ------
100 WtrDpth
------ need this line ------
"""


def mooring_file() -> type[kf.System]:
    Path("lines.txt").write_text(MOORING)
    return kf.System


OTHERS = {
    "Example": fixed(
        Example,
        name=V("example", NAME),
        title=V("Title", TEXT),
        document=V("Document", TEXT),
        source=V("source", TEXT),
        build=V(EXAMPLE.build, FUNCTION),
        simulate=V(EXAMPLE.simulate, FUNCTION),
        checks=V(EXAMPLE.checks, FUNCTION),
        figure=V(EXAMPLE.figure, FUNCTION),
        parameters=V({"mass": 1.0}, MAPPING | kind("pairs")),
        chapter=V("", TEXT),
    ),
    "Example.settings": of(lambda: EXAMPLE, "settings", changes=V({"mass": "2.0"}, MAPPING)),
    "Assembled.from_urdf": Call(
        lambda: robot_file().from_urdf,
        {
            "path": V("robot.urdf", missing_file=True),
            "gravity": V((0, 0, 1)),
            "floating": V(False),
            "packages": V(None, OPTIONAL | MAPPING),
            "meshes": V(False, FLAG),
            "bodies": V({"arm": kf.Rigid(1.0, inertia=(1, 1, 1))}, OPTIONAL | MAPPING),
            "locked": V([], SEQUENCE),
            "friction_rate": V(0.1, OPTIONAL | POSITIVE),
        },
    ),
    "Assembled.from_moordyn": Call(
        lambda: mooring_file().from_moordyn,
        {
            "path": V("lines.txt", kind("word"), missing_file=True),  # a file that `to_moordyn` may have written
            "current": V((1, 0, 0)),
            "waves": V([kf.Wave(1.0, 1.0)], SEQUENCE | MAPPING),
            "motions": V({"point2": {"z": kf.profiles.hold(0.0)}}, OPTIONAL | MAPPING),
            "stretch": V(False, FLAG),
            "plane": V(True, FLAG),
        },
    ),
    "Assembled.to_moordyn": Call(
        lambda: mooring_file().from_moordyn("lines.txt").to_moordyn, {"path": V("again.txt", kind("word"))}
    ),
    "live": Call(
        lambda: served(live),
        {
            "system": V(EXAMPLE),
            "settings": V({"mass": 2.0}, OPTIONAL | MAPPING),
            "duration": V(2.0, POSITIVE | OPTIONAL),
            **SERVED,
        },
    ),
    "Robot.body": of(robot, "body", joint=V("hinge")),
    "Robot.initial": of(robot, "initial", values=V({"hinge": 0.3}, MAPPING)),
    "Robot.master": of(robot, "master", joint=V("hinge")),
}

CALLS: dict[str, Call] = VERBS | DYNAMICS | CHANGES | RUNS | RESULTS | OTHERS
