"""The registry of what can be read by name: one row per quantity, and whose it is.

A channel is the owner's name, a dot and the quantity's word ("arm.position", "spring.power"); quantities of the whole system
stand alone ("energy.total"). Everything that is said of channels comes from these rows: what a name means and which sensor
measures it (`plan.channels`), its unit, what must have been computed before, which words are no names for anything else,
and the table in docs/channels.md.

Each word has one meaning: "body.word" is a channel, or a coordinate or rate of the body's joint, or a frame of the body, so
that nothing that stands beside a word may be called by it.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from kaneflex.kernels import layout as L
from kaneflex.kernels import sensors as S
from kaneflex.model.checks import ModelError, name

# owners
SYSTEM = "system"
GROUP = "system, group"
PLACE = "body, frame"
JOINT = "joint"
COORDINATE = "coordinate"
ROTOR = "rotor"
FLEXIBLE = "flexible body"
MODE = "mode"
NODE = "node"
VARIABLE = "variable mass"
ROD = "rod"
LOAD = "load"
CONSTRAINT = "constraint"
INPUT = "input"
BLOCK = "block"
FEED = "feed"

# what must have been computed: the motion, which user functions may see; the forces; the solution of Kane's equations
MOTION, FORCES, SOLUTION = range(3)
STAGES = ("motion", "forces", "solution")

# units that depend on the owner: x stands for rad or m of a coordinate, F for N m or N along it
X, X_RATE, X_SECOND, F, OWN = "x", "x/s", "x/s²", "F", ""


class Quantity(NamedTuple):
    """A row of the registry.

    Args:
        word: what stands after the owner's name; "<...>" for a name of the owner's own.
        owner: whose it is.
        unit: SI; X, X_RATE, X_SECOND and F by the coordinate; OWN where it has none, or one that only the user knows.
        sensor: kind of the sensor that measures it, see `kernels.sensors`.
        size: how many numbers; 0 for as many as the owner has.
        stage: what must have been computed before.
        about: what it is, in few words.
        at: entry of the row of a group, or of the energies of a load, that it begins with.
        listed: False for what is there, but not among all channels of a run, since others tell the same.
    """

    word: str
    owner: str
    unit: str
    sensor: int
    size: int
    stage: int
    about: str
    at: int = 0
    listed: bool = True


_Q = Quantity
QUANTITIES = (
    _Q("t", SYSTEM, "s", -1, 1, MOTION, "time"),
    _Q("energy.kinetic", GROUP, "J", S.SENSE_SUM, 1, MOTION, "kinetic energy in N", L.KINETIC),
    _Q("energy.potential", SYSTEM, "J", S.SENSE_SUM, 1, FORCES, "of gravity, springs and strain", L.GRAVITY_POTENTIAL),
    _Q("energy.total", SYSTEM, "J", S.SENSE_SUM, 1, FORCES, "the sum of both", L.KINETIC),
    _Q("momentum.linear", GROUP, "kg m/s", S.SENSE_SUM, 3, MOTION, "linear momentum", L.LINEAR_MOMENTUM),
    _Q("momentum.angular", GROUP, "kg m²/s", S.SENSE_SUM, 3, MOTION, "about the inertial origin", L.ANGULAR_MOMENTUM),
    _Q("momentum.central", GROUP, "kg m²/s", S.SENSE_SUM, 3, MOTION, "about the mass centre", L.CENTRAL_MOMENTUM),
    _Q("mass_centre.mass", GROUP, "kg", S.SENSE_SUM, 1, MOTION, "mass", L.TOTAL_MASS),
    _Q("mass_centre.position", GROUP, "m", S.SENSE_SUM, 3, MOTION, "mass centre, inertial axes", L.CENTRE),
    _Q("mass_centre.velocity", GROUP, "m/s", S.SENSE_SUM, 3, MOTION, "its rate, inertial axes", L.CENTRE_VELOCITY),
    _Q("mass_centre.acceleration", GROUP, "m/s²", S.SENSE_SUM, 3, SOLUTION, "the rate of that", L.CENTRE_ACCELERATION),
    _Q("mass_centre.inertia", GROUP, "kg m²", S.SENSE_SUM, 9, MOTION, "inertia about it, inertial axes", L.CENTRAL_INERTIA),
    _Q("q", JOINT, X, S.SENSE_Q, 0, MOTION, "coordinates"),
    _Q("<coordinate>", COORDINATE, X, S.SENSE_Q, 1, MOTION, "one of them"),
    _Q("rate", JOINT, X_RATE, S.SENSE_RATE, 0, MOTION, "relative rates"),
    _Q("<coordinate>.rate", COORDINATE, X_RATE, S.SENSE_RATE, 1, MOTION, "one of them; `wx`, `vx` … of ball, free joints"),
    _Q("rate_dot", JOINT, X_SECOND, S.SENSE_WDOT, 0, SOLUTION, "derivatives of the rates"),
    _Q("<coordinate>.rate_dot", COORDINATE, X_SECOND, S.SENSE_WDOT, 1, SOLUTION, "one of them; `wx_dot`, `vx_dot` …"),
    _Q("u", JOINT, X_RATE, S.SENSE_SPEED, 0, FORCES, "generalized speeds of the run"),
    _Q("<coordinate>.u", COORDINATE, X_RATE, S.SENSE_SPEED, 1, FORCES, "one of them; `wx.u`, `vx.u` …", listed=False),
    _Q("load", JOINT, F, S.SENSE_TAU, 0, SOLUTION, "forces and torques along the rates, all active ones and drives"),
    _Q("drive", JOINT, F, S.SENSE_DRIVE, 0, SOLUTION, "those that hold a prescribed motion"),
    _Q("position", PLACE, "m", S.SENSE_POSITION, 3, MOTION, "of the origin, inertial axes"),
    _Q("velocity", PLACE, "m/s", S.SENSE_VELOCITY, 3, MOTION, "of the origin, inertial axes"),
    _Q("acceleration", PLACE, "m/s²", S.SENSE_ACCELERATION, 3, SOLUTION, "of the origin, inertial axes"),
    _Q("omega", PLACE, "rad/s", S.SENSE_OMEGA, 3, MOTION, "angular velocity, own axes"),
    _Q("alpha", PLACE, "rad/s²", S.SENSE_ALPHA, 3, SOLUTION, "angular acceleration, own axes"),
    _Q("rotation", PLACE, OWN, S.SENSE_ROTATION, 9, MOTION, "matrix: own components to inertial components"),
    _Q("rotation_rate", PLACE, "1/s", S.SENSE_ROTATION_RATE, 9, MOTION, "its rate", listed=False),
    _Q("modes", FLEXIBLE, X, S.SENSE_Q, 0, MOTION, "modal coordinates"),
    _Q("modes_rate", FLEXIBLE, X_RATE, S.SENSE_RATE, 0, MOTION, "their rates"),
    _Q("modes_rate_dot", FLEXIBLE, X_SECOND, S.SENSE_WDOT, 0, SOLUTION, "the derivatives of these"),
    _Q("<mode>", MODE, X, S.SENSE_Q, 1, MOTION, "one modal coordinate: `mode1`, `mode2` …"),
    _Q("<mode>.rate", MODE, X_RATE, S.SENSE_RATE, 1, MOTION, "its rate"),
    _Q("<mode>.rate_dot", MODE, X_SECOND, S.SENSE_WDOT, 1, SOLUTION, "the derivative of that"),
    _Q("<mode>.u", MODE, X_RATE, S.SENSE_SPEED, 1, FORCES, "its generalized speed", listed=False),
    _Q("strain_energy", FLEXIBLE, "J", S.SENSE_ENERGY, 1, FORCES, "of all modes", L.POTENTIAL),
    _Q("strain_energies", FLEXIBLE, "J", S.SENSE_MODE_ENERGY, 0, FORCES, "of each mode"),
    _Q("dissipation", FLEXIBLE, "W", S.SENSE_ENERGY, 1, FORCES, "power lost to modal damping", L.POWER_DISSIPATED),
    _Q("section_loads", FLEXIBLE, OWN, S.SENSE_Q, 0, FORCES, "section loads, stresses; `run.labels` names them"),
    _Q("<recovery>", FLEXIBLE, OWN, -1, 0, SOLUTION, "rows of a recovery; `<recovery>.<label>` is one of them"),
    _Q("deflection", NODE, "m", S.SENSE_DEFLECTION, 3, MOTION, "from the undeformed body, its axes"),
    _Q("slope", NODE, "rad", S.SENSE_SLOPE, 3, MOTION, "rotation vector against the body, its axes"),
    _Q("current_mass", VARIABLE, "kg", S.SENSE_SIGNAL, 1, SOLUTION, "mass of the instant"),
    _Q("outlet_power", VARIABLE, "W", S.SENSE_ENERGY, 1, SOLUTION, "what outlets put into the system", L.POWER_APPLIED),
    _Q("shape", ROD, "m", S.SENSE_POSITION, 0, MOTION, "places of joints and tip, inertial axes: (n + 1, 3)"),
    _Q("curvature", ROD, "rad/m", S.SENSE_Q, 0, MOTION, "at the joints, about the plane's normal: (n,); in space (n, 3)"),
    _Q("strain", ROD, OWN, S.SENSE_Q, 0, MOTION, "stretch at the joints over the length it stands for: (n,)"),
    _Q("tension", ROD, "N", -1, 0, SOLUTION, "what each joint carries along the segment beyond it: (n,)"),
    _Q("moment", ROD, "N m", -1, 0, SOLUTION, "what each joint carries, as the curvature; axes of that segment"),
    _Q("tension", FEED, "N", -1, 1, SOLUTION, "of a rod that is fed, in its exit"),
    _Q("rate", ROTOR, "rad/s", S.SENSE_RATE, 1, MOTION, "spin in its body"),
    _Q("rate_dot", ROTOR, "rad/s²", S.SENSE_WDOT, 1, SOLUTION, "its derivative"),
    _Q("u", ROTOR, "rad/s", S.SENSE_SPEED, 1, FORCES, "generalized speed of the run"),
    _Q("<input>", INPUT, OWN, S.SENSE_SIGNAL, 1, MOTION, "value of an input, by its name alone"),
    _Q("z", BLOCK, OWN, S.SENSE_STATE, 0, MOTION, "all states"),
    _Q("<state>", BLOCK, OWN, S.SENSE_STATE, 1, MOTION, "one of them"),
    _Q("<output>", BLOCK, OWN, S.SENSE_SIGNAL, 1, MOTION, "an output"),
    _Q("multipliers", CONSTRAINT, OWN, S.SENSE_MULTIPLIER, 0, SOLUTION, "N or N m, one per equation"),
    _Q("potential", LOAD, "J", S.SENSE_ENERGY, 1, FORCES, "potential energy", L.POTENTIAL),
    _Q("power", LOAD, "W", S.SENSE_ENERGY, 1, SOLUTION, "what it adds to the system's energy", L.POWER_APPLIED),
    _Q("dissipation", LOAD, "W", S.SENSE_ENERGY, 1, FORCES, "what is lost in it", L.POWER_DISSIPATED),
)
ROWS = {(q.owner, q.word): q for q in QUANTITIES}


def suffixes(*owners: str) -> tuple[str, ...]:
    """Suffixes of the channels of these owners, but for those with names of their own."""
    return tuple(dict.fromkeys(q.word for q in QUANTITIES if q.owner in owners and "<" not in q.word))


#: Words that nothing beside a body's channels may be called by; a body whose joint is driven is a load too.
OF_A_BODY = frozenset(suffixes(JOINT, PLACE, FLEXIBLE, NODE, VARIABLE, ROD, LOAD))
#: Words that nothing in a system may be called by.
OF_THE_SYSTEM = tuple(dict.fromkeys(word.partition(".")[0] for word in suffixes(SYSTEM, GROUP)))

_MODE = re.compile(r"mode\d+")  # coordinates of flexible bodies


def free(value: str, what: str, taken: Iterable[str] = ()) -> str:
    """A name that may stand after that of a body: usable, no channel's word, and none of those taken already.

    Args:
        value: the name.
        what: says in an error whose it is.
        taken: names of the coordinates and rates of the body's joint.
    """
    word = name(value, what).partition("[")[0]
    if word in OF_A_BODY or _MODE.fullmatch(word):
        raise ModelError(f'{what} is "{value}", which names a channel of every body: choose another name')
    if value in taken:
        raise ModelError(f'{what} is "{value}", which names a coordinate or rate of its joint: choose another name')
    return value


__all__ = ["OF_A_BODY", "OF_THE_SYSTEM", "QUANTITIES", "ROWS", "STAGES", "Quantity", "free", "suffixes"]
