"""Every number of a system: in which array and table it is, what it means, its unit, and who writes it.

A system is three flat arrays, so that a kernel call passes three pointers and no more:

- `I`, integers: a header, then one table after another, saying what is where (topology);
- `P`, reals: the parameters;
- `W`, scalars of the run: the workspace. Every entry is written before it is read.

A row's place is the table's place (in the header) plus the row's number times the row's width; the tables of bodies come
first. Row 0 of the body tables is the inertial frame N; row i is body i, and a parent's row comes before its children's. A
speed k is one column of the partial velocities; its row in the column tables has the same number.

From this follow `offsets.py` and docs/tables.md, which scripts/make-layout writes, the views by name of `tables.py`, and
what `checked.py` holds kernels to.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

# Numbers for the letters of shapes, from all tables, the row of the table `per`, and its number; None where there is no row
Counts = Callable[[Any, Any, int], dict[str, int] | None]


class Field(NamedTuple):
    """One or more numbers in a row, and the constant that says where they begin."""

    name: str
    meaning: str
    shape: str = ""  # sizes, one after the other: "3 3" is a matrix by rows, "6 m" six vectors of m entries; "" one number
    unit: str = ""
    writers: str = "plan"  # of W: kernels that write it, in themselves or in what they call; "start": set in a new workspace
    within: str = ""  # field in whose room it lies, at another time


class Table(NamedTuple):
    """Rows of one kind in one array. Tables of one name, in several arrays, are about the same things.

    A table `per` row of another one has rows whose lengths differ; letters in their shapes stand for `counts`. Offsets in
    such a row are functions named after `block`.
    """

    name: str
    array: str
    about: str  # what a row is of
    fields: tuple[Field, ...]
    width: str = ""  # constant: numbers in a row
    place: str = ""  # word of the header, or field of the table `per`, that says where it begins; "" where the array does
    rows: str = ""  # word of the header with their number,
    until: str = ""  # or with the place of what follows
    prefix: str = ""  # of the names of constants, which views leave out
    codes: tuple[tuple[str, int, str], ...] = ()  # values that fields take: name, value, meaning
    per: str = ""
    counts: Counts | None = None
    block: str = ""
    vectors: str = ""  # constant: numbers before the vectors of m entries, which are then counted as such


def numbers(
    name: str, place: str, meaning: str, unit: str = "", writers: str = "plan", *, rows: str = "", until: str = ""
) -> Table:
    """A table of single numbers."""
    return Table(name, place[0], meaning, (Field("", meaning, "", unit, writers),), place=place, rows=rows, until=until)


def words(names: str, meaning: str) -> tuple[Field, ...]:
    """Single numbers of one meaning."""
    return tuple(Field(name, meaning) for name in names.split())


def tiles(numbers: int) -> int:
    """How many tiles of TILE numbers hold so many."""
    return -(-numbers // TILE)


def shape_counts(m: int, row: Any) -> dict[str, int]:
    """Modes of a body, tiles of its forms of c_k and d, and of those of its residual inertia."""
    return {"m": m, "f": tiles(row.rate_forms * m), "r": tiles((row.forms - row.rate_forms) * m)}


def node_counts(m: int, row: Any) -> dict[str, int]:
    """Modes of a node's body, and tiles of its forms."""
    return {"m": m, "f": tiles(row.forms * m)}


F = Field
DIRECT, UPDATE, TILE = 1, 2, 8
MODES: Counts = lambda t, row, n: {"m": t.body[row.body].modes}
SHAPE: Counts = lambda t, row, n: shape_counts(t.body[row.body].modes, row) if row.sections == 0 else None
STEPS: Counts = lambda t, row, n: {"m": t.body[row.body].modes, "n": row.sections} if row.sections > 0 else None
SECTIONS: Counts = lambda t, row, n: {"m": t.body[row.body].modes, "n": row.sections + 1} if row.sections > 0 else None
NODE_MODES: Counts = lambda t, row, n: node_counts(t.body[t.flexible[row.of].body].modes, row)
NODE_DATA: Counts = lambda t, row, n: NODE_MODES(t, row, n) if row.section == 0 else None
LOAD = "begin_loops carry_loops"  # writers of a load that is carried


def pivoted(fill: str, solve: str) -> tuple[Field, ...]:
    """A matrix of no symmetry that is solved with exchange of rows, with the writers of it and of its right-hand side."""
    return (
        F("matrix", "of no symmetry, then its factors", "n n", "", fill),
        F("order", "of its rows", "n", "", "factor_rows"),
        F("b", "right-hand side", "n", "", solve),
        F("x", "solution", "n", "", "solve_rows"),
    )


# fmt: off
TABLES = (
  Table("header", "I", "the system", width="HEADER", rows="1", fields=(
    F("BODIES", "rows of the body tables that are used, the inertial frame included"),
    F("ALL_BODIES", "rows of the body tables with nodes that only channels look at, after all others"),
    F("STORED", "first body that sweeps pass over: rods in a reel, at rest on what slides out of it,"),
    F("STORED_END", "and the one after the last; 0 and 0 for none"),
    F("COORDINATES", "length of q"),
    F("SPEEDS", "length of u"),
    F("PRESCRIBED_SPEEDS", "number of prescribed speeds"),
    F("STATES", "number of states z of blocks, which follow the speeds in y"),
    F("QUATERNIONS", "number of unit quaternions in q"),
    F("MOTIONS", "number of coordinates that follow a given function of time"),
    F("INPUTS", "number of named inputs: the first entries of the law outputs"),
    *words("ROTORS FORCES LAWS FLEXIBLES CONSTRAINTS MEDIA", "number of rows"),
    F("EVENTS", "number of event functions, the last laws"),
    F("FIRST_EVENT", "law of the first event function"),
    F("ROWS", "number of equations of the constraints"),
    F("GROUPS", "number of groups of bodies, the first being the whole system"),
    F("SUMMED", "1 when user functions see sums over groups"),
    F("LOOKING", "1 when user functions see more than coordinates, rates of joints that are speeds, states and one another"),
    F("CLUSTERS", "number of groups of equations that are solved together"),
    F("WATCHES", "number of multipliers that are event functions, after those of the user"),
    F("FRICTIONS", "number of points that slide with friction"),
    F("PLACED", "1 when velocities of origins and places in inertial axes are wanted: loads in space, user functions"),
    F("STAGES", "address of the table of addresses of compiled stages, see `backend`,"),
    F("COMPLEX_STAGES", "and of that of stages on complex numbers"),
    F("TREE", "address of the tables I of the tree, in those of an integration in other coordinates"),
    F("I_OWN", "place in I of integers of the formulation itself, where it integrates other coordinates"),
    F("W_OWN", "place in W of the room of the formulation itself"),
    *words("I_COLUMN I_ROTOR I_FORCE I_LAW I_SENSOR I_STATE I_GROUP I_MEMBER I_WIRE I_QUATERNION I_CONSTRAINT I_ROW "
           "I_CLUSTER I_OPEN I_PATH I_ATTACHMENT I_TERM I_FLEXIBLE I_NODE I_WATCH I_FRICTION I_MEDIUM",
           "place of the table in I"),
    *words("P_GRAVITY P_ROTOR P_FORCE P_SENSOR P_CONSTRAINT P_TERM P_WATCH P_SPARE", "place of the table in P"),
    *words("W_COLUMN W_LAW_OUTPUT W_LAW_INPUT W_ENERGY W_TAU W_ROW W_PATH W_WRENCH W_DELASSUS W_TERM W_ZERO W_JACOBIAN "
           "W_FLEXIBLE W_FRICTION W_NORMAL W_STATE W_GROUP W_RANK W_PARTIAL W_RATIO W_MASS",
           "place of the table in W"),
    F("W_SIZE", "length of W"),
  )),

  Table("body", "I", "body i", width="BODY_INTS", rows="ALL_BODIES", fields=(
    F("PARENT", "row of the parent, 0 for the inertial frame"),
    F("JOINT", "code of the joint type, see joints/dispatch.py"),
    F("Q0", "first coordinate of the joint in q"),
    F("U0", "first speed of the joint in u"),
    F("NQ", "number of coordinates"),
    F("NU", "number of joint speeds"),
    F("CUSTOM", "law of a custom joint's pose, the next one being its bias, else -1"),
    F("PATH0", "first path entry: a constraint equation whose loop passes through this body's joint"),
    F("PATHS", "number of path entries"),
    F("CLOSE0", "first cluster of equations whose loops close on this body"),
    F("CLOSES", "number of such clusters"),
    F("MODES", "number of internal speeds, modal ones, which follow the joint's in u, as their coordinates do in q"),
    F("FLEXIBLE", "row of a flexible body, or of a node, in its table; -1 for a rigid body"),
    F("KIND", "code of the kind of body, see bodies/dispatch.py"),
    F("BODY_LAW", "law of the body's own properties, else -1"),
    F("ADDED", "place in P of the body's added inertia, 0 for none"),
    F("SLIDER", "of a reel: row of the body that slides out of it, see bodies/reel.py; else 0"),
  )),
  Table("body", "P", "body i; mass properties are those of a rigid body, or of another kind at rest and at the time 0",
        width="BODY_REALS", rows="ALL_BODIES", fields=(
    F("R_PF", "orientation of the joint's inboard frame F in the parent's axes", "3 3"),
    F("P_PF", "origin of F from the parent's origin, in the parent's axes", "3", "m"),
    F("MASS", "mass", "", "kg"),
    F("MASS_MOMENT", "mass times mass centre, from the origin of M", "3", "kg m"),
    F("INERTIA", "about the origin of M, less the axial inertia of the body's rotors", "6", "kg m^2"),
    F("JOINT_PAR", "parameters of the joint (screw: advance per radian, m)", "2"),
  )),
  Table("body", "W", "body i", width="BODY_WIDTH", rows="ALL_BODIES", fields=(
    F("R_MP", "components in the parent's axes to components in M", "3 3", "", "joint_pose"),
    F("P_PM", "origin of M from the parent's origin, in the parent's axes", "3", "m", "joint_pose"),
    F("OMEGA", "angular velocity in N, axes of M", "3", "rad/s", "rest move"),
    F("V_", "velocity of the origin of M in N, axes of M, where PLACED", "3", "m/s", "rest move origin_velocities"),
    F("REL", "angular velocity and velocity of M in F, axes of M", "6", "rad/s, m/s", "move"),
    F("BIAS_A", "angular acceleration that does not contain rates of speeds", "3", "rad/s^2",
      "move forward_pass_at_rest set_residuals"),
    F("BIAS_L", "acceleration of the origin that does not contain rates of speeds", "3", "m/s^2",
      "move forward_pass_at_rest set_residuals"),
    F("J_", "inertia of the body alone, then with what hangs on it", "6", "kg m^2", "body_inertia eliminate"),
    F("H_", "upper right block, mass moment~ of a single body", "3 3", "kg m", "body_inertia eliminate"),
    F("M_", "mass, which is a matrix with what hangs on the body", "6", "kg", "body_inertia eliminate"),
    F("TORQUE", "inertia torque about the origin of M less applied torque", "3", "N m",
      "body_inertia add_rotor_momenta apply_forces drive_rotors eliminate gather add_constraint_wrenches call_respond "
      "call_load_in_place"),
    F("FORCE", "inertia force less applied force", "3", "N",
      "body_inertia apply_forces eliminate gather add_constraint_wrenches call_respond call_load_in_place"),
    F("ALPHA", "angular acceleration in N, axes of M", "3", "rad/s^2", "rest accelerate back_substitute blur"),
    F("A_", "acceleration of the origin of M in N less uniform gravity, axes of M", "3", "m/s^2",
      "rest accelerate back_substitute evaluate_unloaded set_residuals"),
    F("R_NM", "components in M to inertial components", "3 3", "", "rest place"),
    F("P_NM", "origin of M, inertial axes", "3", "m", "rest place"),
    F("", "none: a row's length is a multiple of four", "", "", ""),
  )),
  Table("added", "P", "body that moves fluid along: inertia without weight, in axes of M about its origin", place="ADDED",
        per="body", counts=lambda t, row, n: {} if row.added else None, block="added", fields=(
    F("J", "torque by angular acceleration", "6", "kg m^2"),
    F("H", "torque by acceleration of the origin", "3 3", "kg m"),
    F("M", "force by acceleration of the origin", "6", "kg"),
  )),

  Table("column", "I", "speed k", width="COLUMN_INTS", place="I_COLUMN", rows="SPEEDS", fields=(
    F("BODY", "the body whose joint or rotor has this speed"),
    F("AXIS", "0-2 turns about, 3-5 slides along an axis of M; GENERAL, ROTOR or MODE"),
    F("TOTAL", "1: u is the total angular velocity component along the axis (efficient); 0: the relative one (customary)"),
    F("PRESCRIBED", "1: the rate of this speed is given, its equation gives the load instead"),
  ), codes=(("GENERAL", 6, "the column changes with q"), ("ROTOR", 7, "a rotor's spin"),
            ("MODE", 8, "a modal speed of a flexible body"))),
  Table("column", "W", "speed k", width="COLUMN_WIDTH", place="W_COLUMN", rows="SPEEDS", fields=(
    F("S_", "the column, in M (only where AXIS is GENERAL)", "6", "", "joint_pose"),
    F("U_", "articulated inertia times the column", "6", "", "eliminate"),
    F("D_", "one over the column's articulated inertia", "", "", "eliminate"),
    F("TAU_REDUCED", "what is left of the generalized force", "", "N m or N",
      "eliminate push_columns prescribed_loads drives_after_elimination drives_of_single_bodies"),
    F("RATE", "w: relative rate of the joint (customary speed) or of the rotor", "", "rad/s or m/s",
      "move rotor_rates rates_seen"),
    F("TAU", "generalized active force conjugate to w", "", "N m or N", "apply_forces evaluate_unloaded inverse"),
    F("PRESCRIBED_RATE", "the given w-dot of a prescribed speed", "", "rad/s^2 or m/s^2",
      "start joint_drive evaluate_unloaded call_respond"),
    F("WDOT", "rate of w", "", "rad/s^2 or m/s^2", "accelerate back_substitute_modes relative_accelerations"),
  )),

  Table("rotor", "I", "rotor m, an axisymmetric wheel on a body", width="ROTOR_INTS", place="I_ROTOR", rows="ROTORS",
        prefix="ROTOR_", fields=(
    F("ROTOR_BODY", "its body"),
    F("ROTOR_U", "its speed"),
  )),
  Table("rotor", "P", "rotor m", width="ROTOR_REALS", place="P_ROTOR", rows="ROTORS", prefix="ROTOR_", fields=(
    F("ROTOR_AXIS", "unit vector in body axes", "3"),
    F("ROTOR_INERTIA", "about the axis", "", "kg m^2"),
  )),

  Table("force", "I", "applied load m, see forces/", width="FORCE_INTS", place="I_FORCE", rows="FORCES", prefix="FORCE_",
        fields=(
    F("FORCE_KIND", "code of the kind of load, see forces/dispatch.py"),
    F("FORCE_BODY", "body that carries the load"),
    F("FORCE_OTHER", "second body of a line element"),
    F("FORCE_COLUMN", "speed that a joint load acts on"),
    F("FORCE_COORDINATE", "coordinate that a joint spring stretches, or -1"),
    F("FORCE_AXES", "0: components in the frame's axes, 1: in inertial axes"),
    F("FORCE_MODE", "how the value is made: CONSTANT, VECTOR, ALONG"),
    F("FORCE_LAW_OUTPUT", "first entry of the value in the law outputs"),
    F("FORCE_MEDIUM", "row of the medium that the load comes from"),
    F("FORCE_ROWS", "of rows that act together: their number in the first one, 0 in the others"),
  ), codes=(("CONSTANT", 0, "the row's own VALUE"), ("VECTOR", 1, "three (joint load: one) entries of the law outputs"),
            ("ALONG", 2, "VALUE times one entry of the law outputs"))),
  Table("force", "P", "applied load m", width="FORCE_REALS", place="P_FORCE", rows="FORCES", prefix="FORCE_", fields=(
    F("POINT", "point of application from the origin of M, in body axes", "3", "m"),
    F("POINT_OTHER", "the other body's end", "3", "m"),
    F("FRAME", "orientation of the named frame in body axes", "3 3"),
    F("VALUE", "constant value, or direction", "3", "N or N m"),
    F("FORCE_LAW", "parameters of the load, as its file says", "13"),
    F("FRICTION_PAR", "of sliding friction: mu, w, t0, six coefficients of the angle", "9", within="VALUE"),
  )),
  Table("energy", "W", "applied load m; power is that of the load on the system", width="ENERGY_WIDTH", place="W_ENERGY",
        rows="FORCES", fields=(
    F("POTENTIAL", "potential energy", "", "J", "apply_forces unit_frictions"),
    F("POWER_APPLIED", "power of what is applied", "", "W", "apply_forces unit_frictions prescribed_loads"),
    F("POWER_DISSIPATED", "power of dampers and friction", "", "W", "apply_forces unit_frictions friction_powers"),
  )),
  Table("medium", "I", "medium n, water or air", width="MEDIUM_INTS", place="I_MEDIUM", rows="MEDIA", prefix="MEDIUM_",
        fields=(
    F("MEDIUM_P", "place of its data in P"),
    F("MEDIUM_SURFACE", "1: it ends at a surface; 0: it is everywhere"),
    F("MEDIUM_DEEP", "1: its waves do not reach the bed"),
    F("MEDIUM_BENDS", "number of bends of its velocity's profile"),
    F("MEDIUM_WAVES", "number of its waves"),
  )),
  Table("medium_data", "P", "medium n with b bends and c waves", place="MEDIUM_P", per="medium", block="medium",
        counts=lambda t, row, n: {"b": row.bends, "c": row.waves}, fields=(
    F("density", "density", "", "kg/m^3"),
    F("level", "height of the surface at rest", "", "m"),
    F("up", "unit vector, inertial axes", "3"),
    F("east", "horizontal unit vector from which headings of waves count", "3"),
    F("north", "up x east", "3"),
    F("velocity", "below all bends", "3", "m/s"),
    F("bends", "height (m), and change of the velocity's slope there (1/s)", "b 4"),
    F("waves", "as `medium` says", "c 8"),
  )),

  Table("group", "I", "group m of bodies", width="GROUP_INTS", place="I_GROUP", until="I_MEMBER", prefix="GROUP_", fields=(
    F("GROUP_BODY", "place of the list of its bodies, from I_MEMBER on,"),
    F("GROUP_BODIES", "and their number"),
    F("GROUP_ROTOR", "place of the list of its rotors, from I_MEMBER on,"),
    F("GROUP_ROTORS", "and their number"),
  )),
  numbers("member", "I_MEMBER", "body or rotor of a group", until="I_WIRE"),
  Table("group", "W", "group m of bodies, inertial axes", width="GROUP_WIDTH", place="W_GROUP", until="W_RANK", fields=(
    F("KINETIC", "kinetic energy", "", "J", "totals"),
    F("GRAVITY_POTENTIAL", "potential energy of uniform gravity", "", "J", "totals"),
    F("LINEAR_MOMENTUM", "linear momentum", "3", "kg m/s", "totals"),
    F("ANGULAR_MOMENTUM", "about the inertial origin", "3", "kg m^2/s", "totals"),
    F("TOTAL_MASS", "mass", "", "kg", "totals"),
    F("TOTAL_MOMENT", "mass times mass centre", "3", "kg m", "totals"),
    F("CENTRE", "mass centre", "3", "m", "centre"),
    F("CENTRE_VELOCITY", "its rate", "3", "m/s", "centre"),
    F("CENTRAL_MOMENTUM", "angular momentum about the mass centre", "3", "kg m^2/s", "centre"),
    F("CENTRAL_INERTIA", "inertia about the mass centre, rotors included", "3 3", "kg m^2", "centre"),
    F("CENTRE_ACCELERATION", "rate of CENTRE_VELOCITY", "3", "m/s^2", "accelerate_centre"),
  )),

  Table("law", "I", "user function m, out = f(t, x)", width="LAW_INTS", place="I_LAW", rows="LAWS", prefix="LAW_", fields=(
    F("LAW_ADDRESS", "where its code is"),
    F("LAW_SENSOR", "first sensor row it sees"),
    F("LAW_SENSORS", "number of sensor rows it sees; -1 for a function that other kernels call"),
    F("LAW_X", "first entry of x in the law inputs"),
    F("LAW_OUT", "first entry of out in the law outputs"),
    F("LAW_WIRE", "first wire: an output of a block that an input follows,"),
    F("LAW_WIRES", "and their number"),
  )),
  Table("wire", "I", "wire m", width="WIRE_INTS", place="I_WIRE", until="I_QUATERNION", prefix="WIRE_", fields=(
    F("WIRE_FROM", "entry of the law outputs"),
    F("WIRE_TO", "entry that follows it"),
  )),
  Table("sensor", "I", "measured quantity m of the user functions, in tables of their own those of channels",
        width="SENSOR_INTS", place="I_SENSOR", until="I_STATE", prefix="SENSOR_", fields=(
    F("SENSOR_KIND", "code of the quantity, see sensors.py"),
    F("SENSOR_BODY", "its body"),
    F("SENSOR_INDEX", "first coordinate, speed or law output"),
    F("SENSOR_SIZE", "how many numbers it is"),
    F("SENSOR_OUT", "first entry of the value"),
  )),
  Table("sensor", "P", "measured quantity m of the user functions", width="SENSOR_REALS", place="P_SENSOR",
        until="P_CONSTRAINT", prefix="SENSOR_", fields=(
    F("SENSOR_POINT", "origin of the frame from the origin of M, in body axes", "3", "m"),
    F("SENSOR_FRAME", "orientation of the frame in body axes", "3 3"),
  )),
  numbers("state", "I_STATE", "entry of the law outputs that is the rate of a state of a block", rows="STATES"),
  numbers("quaternion", "I_QUATERNION", "first coordinate of a unit quaternion", rows="QUATERNIONS"),
  numbers("gravity", "P_GRAVITY", "uniform gravity in inertial axes", "m/s^2", until="P_ROTOR"),
  numbers("law_output", "W_LAW_OUTPUT", "value of an input, or what a user function returned", "",
          "start custom_pose custom_bias evaluate_laws variable_mass_inertia drained_force call_channels call_loads",
          until="W_LAW_INPUT"),
  numbers("law_input", "W_LAW_INPUT", "what a user function sees", "",
          "custom_pose custom_bias evaluate_laws drained_inertia drained_force",
          until="W_ENERGY"),
  numbers("tau", "W_TAU", "generalized force given from outside, conjugate to w", "N m or N", "start", rows="SPEEDS"),
  numbers("state", "W_STATE", "state z of a block", "", "start load_states", rows="STATES"),

  Table("constraint", "I", "constraint e, see constraints/", width="CONSTRAINT_INTS", place="I_CONSTRAINT",
        rows="CONSTRAINTS", prefix="CONSTRAINT_", fields=(
    F("CONSTRAINT_KIND", "code of the kind of constraint, see constraints/dispatch.py"),
    F("CONSTRAINT_ROW", "first equation"),
    F("CONSTRAINT_ROWS", "number of equations"),
    F("CONSTRAINT_WRENCH", "place of its wrenches from W_WRENCH on: equation by equation, attachment by attachment"),
    F("ATTACHMENT0", "first attachment: a body that the equations contain the motion of"),
    F("ATTACHMENTS", "number of attachments"),
    F("TERM0", "first term: a joint rate that an equation contains"),
    F("TERMS", "number of terms"),
    F("CONSTRAINT_LAW_OUTPUT", "written by the user, or a distance that changes: first entry in the law outputs,"),
    F("CONSTRAINT_SEEN", "number of entries it sees; of a distance 1 where there is a law,"),
    F("CONSTRAINT_SENSOR", "first of the sensors that it sees,"),
    F("CONSTRAINT_SENSORS", "and their number"),
  )),
  Table("constraint", "P", "constraint e", width="CONSTRAINT_REALS", place="P_CONSTRAINT", rows="CONSTRAINTS",
        prefix="CONSTRAINT_", fields=(
    F("POINT_A", "origin of frame A from its body's M, in body axes", "3", "m"),
    F("FRAME_A", "orientation of frame A in body axes", "3 3"),
    F("POINT_B", "the same of frame B", "3", "m"),
    F("FRAME_B", "and its orientation", "3 3"),
    F("CONSTRAINT_PAR", "parameters, as the constraint's file says", "3"),
    F("CONSTRAINT_ROUNDING", "what rounding may leave of an equation in the coordinates, near the inertial origin"),
    F("CONSTRAINT_ARM", "square of a lever arm as they are in the system", "", "m^2"),
  )),
  Table("equation", "I", "equation r", width="ROW_INTS", place="I_ROW", rows="ROWS", prefix="ROW_", fields=(
    F("ROW_CODE", "which equation of its kind it is"),
    F("ROW_HOLONOMIC", "1 when it is the time derivative of an equation in the coordinates"),
    F("ROW_CONSTRAINT", "its constraint"),
  )),
  Table("equation", "W", "equation r, then of the points that slide with friction", width="ROW_WIDTH", place="W_ROW",
        until="W_PATH", fields=(
    F("CLOSING_WRENCH", "load that a unit multiplier leaves on the body where the loop closes", "6", "", LOAD),
    F("BETA", "rate with the loads that are there, without multipliers", "", "",
      LOAD + " close_loops dense_udot independent_udot"),
    F("REDUCED_WRENCH", "L^-1 of CLOSING_WRENCH, of the pivot that the equation is,", "6", "", "close_loops"),
    F("REDUCED_BETA", "and of BETA", "", "", "close_loops solve_friction"),
    F("VALUE_", "how far the equation in the coordinates is from being satisfied", "", "m or rad", "constraint_equations"),
    F("SPEED_", "and that of the speeds", "", "m/s or rad/s", "equation_speeds"),
    F("GAMMA", "what the rate of the latter has besides rates of speeds", "", "",
      "constraint_equations set_residuals call_respond"),
    F("EXPLICIT", "what it has besides speeds: the part that depends on time alone", "", "", "constraint_equations"),
    F("SIZE_", "what J M^-1 J^T would be without any cancelling: the measure for a redundant equation", "", "",
      LOAD + " constraint_jacobian"),
    F("MULTIPLIER", "Lagrange multiplier", "", "N or N m",
      "find_multipliers spread_multipliers dense_udot embedded_udot call_hold"),
    F("SHIFT", "what least norm changes of the multiplier", "", "N or N m", "spread_multipliers solve_friction"),
    F("ARM", "CONSTRAINT_ARM, for SIZE_", "", "m^2", "constraint_equations begin_friction"),
    F("REACH", "square of the load of a unit multiplier, as a moment, before any of it cancels", "", "", "begin_loops"),
  )),
  Table("rank", "W", "the constraint equations, after a solution", width="RANK_WIDTH", place="W_RANK", until="W_PARTIAL",
        prefix="RANK_", fields=(
    F("RANK_LEAST", "least share of an equation, 0 to 1, that is left of it after those before it,", "", "",
      "begin_rank note_pivot"),
    F("RANK_ROW", "among the independent ones; the equation that has it,", "", "", "begin_rank note_pivot"),
    F("RANK_COUNT", "and how many are independent", "", "", "begin_rank note_pivot"),
    F("RANK_DROP", "given: share below which an equation counts as redundant; 0 for that of rounding", "", "", "start"),
  )),
  Table("attachment", "I", "attachment a", width="ATTACHMENT_INTS", place="I_ATTACHMENT", until="I_TERM", fields=(
    F("ATTACHED", "the body"),
    F("ATTACHED_AT", "place in W of the carried load of the constraint's first equation there"),
    F("ATTACHED_STRIDE", "and how much further that of the next equation is"),
  )),
  Table("wrench", "W", "an equation and an attachment: load of a unit multiplier, about M in axes of M",
        width="WRENCH_WIDTH", place="W_WRENCH", until="W_DELASSUS", prefix="WRENCH_", fields=(
    F("WRENCH_TORQUE", "torque", "3", "", "constraint_equations"),
    F("WRENCH_FORCE", "force", "3", "", "constraint_equations"),
  )),
  Table("term", "I", "term m", width="TERM_INTS", place="I_TERM", until="I_FLEXIBLE", prefix="TERM_", fields=(
    F("TERM_ROW", "equation, counted within the constraint"),
    F("TERM_COLUMN", "speed whose rate w is meant"),
    F("TERM_COORDINATE", "its coordinate, or -1"),
    F("TERM_AT", "place in W of the carried T of that equation and speed"),
    F("TERM_SEEN", "written by the user: entry of what the constraint sees that is this coordinate, else -1"),
  )),
  numbers("term", "P_TERM", "coefficient of a term", until="P_WATCH"),
  numbers("term", "W_TERM", "coefficient of a term, now", "", "constraint_equations", until="W_ZERO"),
  Table("cluster", "I", "cluster c", width="CLUSTER_INTS", place="I_CLUSTER", rows="CLUSTERS", prefix="CLUSTER_", fields=(
    F("CLUSTER_BODY", "where its loops close"),
    F("CLUSTER_ROW", "first equation that closes"),
    F("CLUSTER_ROWS", "number of equations that close"),
    F("CLUSTER_OPEN", "first of the equations that share joints with these and are still open,"),
    F("CLUSTER_OPENS", "and their number"),
    F("CLUSTER_NEXT", "cluster further in that has the open ones, else -1"),
    F("CLUSTER_DELASSUS", "place of its matrix in W"),
    F("CLUSTER_FRICTION", "first of its points that slide with friction,"),
    F("CLUSTER_FRICTIONS", "and their number"),
  )),
  Table("delassus", "W", "cluster c: m equations that close, h with those that are open and with sliding points",
        place="CLUSTER_DELASSUS", per="cluster", block="delassus",
        counts=lambda t, row, n: {"m": row.rows, "h": row.rows + row.opens + row.frictions}, fields=(
    F("matrix", "J M^-1 J^T, of which the lower half counts; then the squares that least norm sums", "h h", "",
      LOAD + " close_loops dense_udot embedded_udot spread_multipliers solve_friction"),
    F("factor", "L, with a column for each independent equation", "h m", "", "factor_cluster embedded_udot"),
    F("order", "of pivots, then of the others", "h", "", "factor_cluster"),
    F("rank", "number of independent equations", "", "", "factor_cluster"),
    F("left", "what is left of the diagonal", "m", "", "factor_cluster"),
    F("slope", "of half the sum of squares that least norm makes least", "h", "", "spread_multipliers solve_friction"),
  )),
  Table("open", "I", "an equation that is open where a cluster closes", width="OPEN_INTS", place="I_OPEN", until="I_PATH",
        prefix="OPEN_", fields=(
    F("OPEN_ROW", "the equation"),
    F("OPEN_AT", "place in W of its carried load on the body where the cluster closes"),
    F("OPEN_SLOT", "its number within the next cluster"),
  )),
  Table("path", "I", "path entry j", width="PATH_INTS", place="I_PATH", until="I_ATTACHMENT", prefix="PATH_", fields=(
    F("PATH_ROW", "the equation"),
    F("PATH_ON", "place in W of its carried load on the parent"),
    F("PATH_SLOT", "number of the equation within the next cluster that closes further in,"),
    F("PATH_DELASSUS", "place in W of that cluster's matrix"),
    F("PATH_SIZE", "and the length of its rows"),
    F("PATH_AT", "place in W of its own row"),
  )),
  Table("path_load", "W", "path entry j of a body with s speeds, modal ones counted twice", place="PATH_AT", per="path",
        counts=lambda t, row, n: {"s": sum((b.nu + 2 * b.modes) * (b.path0 <= n < b.path0 + b.paths) for b in t.body)},
        prefix="PATH_", fields=(
    F("PATH_P", "load of a unit multiplier, on this body", "6", "", LOAD + " close_loops"),
    F("PATH_T", "what it leaves of the generalized force of each speed: joint, modes, A^-1 of `modal_elimination` of these",
      "s", "", LOAD),
  )),
  Table("watch", "I", "watch n", width="WATCH_INTS", place="I_WATCH", rows="WATCHES", prefix="WATCH_", fields=(
    F("WATCH_ROW", "equation whose multiplier it is"),
    F("WATCH_FRICTION", "1: with friction, in the two equations before"),
  )),
  numbers("watch", "P_WATCH", "coefficient of friction", rows="WATCHES"),
  Table("friction", "I", "point n that slides with friction", width="FRICTION_INTS", place="I_FRICTION", rows="FRICTIONS",
        prefix="FRICTION_", fields=(
    F("FRICTION_LOAD", "its load"),
    F("FRICTION_NORMAL", "equation whose multiplier is the normal force"),
    F("FRICTION_ROW", "its own row, for the friction of a unit normal force is carried like an equation"),
    F("FRICTION_AT", "place in W of its carried load on the point's body,"),
    F("FRICTION_OTHER_AT", "and on the plane's"),
  )),
  Table("friction", "W", "point n that slides with friction", width="FRICTION_WIDTH", place="W_FRICTION", rows="FRICTIONS",
        prefix="FRICTION_", fields=(
    F("FRICTION_WRENCH", "torque and force of friction under a unit normal force on the point's body, in its axes about M,",
      "6", "", "unit_frictions unload_friction"),
    F("FRICTION_OTHER", "and on the plane's", "6", "", "unit_frictions unload_friction"),
    F("FRICTION_POWER", "power of friction under a unit normal force", "", "m/s", "unit_frictions unload_friction"),
  )),
  Table("normal_forces", "W", "n points that slide: Eq. (2) of `sliding_friction`", place="W_NORMAL", per="header",
        counts=lambda t, row, n: {"n": row.frictions}, block="pivoted",
        fields=pivoted("solve_friction", "solve_friction")),

  Table("flexible", "I", "flexible body", width="FLEXIBLE_INTS", place="I_FLEXIBLE", rows="FLEXIBLES", prefix="FLEXIBLE_",
        fields=(
    F("FLEXIBLE_BODY", "its body"),
    F("FLEXIBLE_P", "place of its stiffness in P,"),
    F("FLEXIBLE_SHAPE", "of its shape"),
    F("FLEXIBLE_W", "place of its row in W"),
    F("FLEXIBLE_ZERO", "bits: which forms are left out; DIAGONAL_DAMPING: C is diagonal"),
    F("FLEXIBLE_SOLVER", "how the modal mass matrix is solved: DIRECT or UPDATE"),
    F("FLEXIBLE_NODE", "first of its nodes that carry bodies,"),
    F("FLEXIBLE_NODES", "and their number"),
    F("FLEXIBLE_Q", "first modal coordinate in q"),
    F("FLEXIBLE_U", "first modal speed in u"),
    F("FLEXIBLE_SOLVE", "place in W of the solver's matrix"),
    F("FLEXIBLE_SPEEDS", "how the body moves: RATES, CONSTANT_MASS or UNDEFORMED"),
    F("FLEXIBLE_LOCKED", "1: the modal speeds do not change, whatever acts on them"),
    F("FLEXIBLE_MASS", "place in W of the modal mass matrix (DIRECT)"),
    F("FLEXIBLE_POINTS", "number of points that stand for the affine part of the motion"),
    F("FLEXIBLE_LINEAR", "number of their columns that have no form"),
    F("FLEXIBLE_FORMS", "number of quadratic forms that are not left out,"),
    F("FLEXIBLE_RATE_FORMS", "of those, which come first, that are needed with modal speeds as well,"),
    F("FLEXIBLE_SECOND", "and of those again, which come first, of c_k,"),
    F("FLEXIBLE_MIXED", "whose last ones are of columns that have a linear part too"),
    F("FLEXIBLE_TURNING", "mean axes are wanted where more bodies than this are used: 0 (RATES), or row of its first node"),
    F("FLEXIBLE_SLOT", "which of COLUMNS is that of each form,", "21"),
    F("FLEXIBLE_FORM", "and of which form each of them is", "21"),
    F("FLEXIBLE_ROD", "place in W of the sections of a strain rod"),
    F("FLEXIBLE_SECTIONS", "number of its sections after the root; 0 for a modal body"),
    F("FLEXIBLE_PLANE", "1: it bends about z alone, and is strained in its plane alone"),
    F("FLEXIBLE_SPINS", "1: its sections have rotary inertia"),
    F("FLEXIBLE_START", "first coefficient of twist, bending about y, z, stretch, shear along y, z; their number", "7"),
  ), codes=(
    ("RATES", 0, "as `bodies.modal` and `bodies.strain_rod` have it"),
    ("CONSTANT_MASS", 1, "with efficient modal speeds, see `constant_mass`"),
    ("UNDEFORMED", 2, "with the undeformed shape in everything but the places of nodes"),
    ("DIAGONAL_DAMPING", 21, "bit of FLEXIBLE_ZERO"),
    ("FORMS", 21, "3 of the residual angular momentum d, 12 of c_k, 6 of the residual inertia"),
    ("TILE", TILE, "columns of forms that stand together: all rows of one tile, then all of the next; zeros behind"),
    ("RIGHT_SIDES", 7, "of the modal mass matrix: six of COUPLING, and MODAL_FORCE"),
    ("DIRECT", DIRECT, "the matrix and its factors, m rows of m + RIGHT_SIDES"),
    ("UPDATE", UPDATE, "the unit matrix and rows of the forms, by a small matrix of theirs, n rows of n + RIGHT_SIDES"),
    ("SECTION_R", 0, "places in a section: axes of the section to axes of the root,"),
    ("SECTION_P", 9, "place from the root,"),
    ("SECTION_OMEGA", 12, "angular velocity in M,"),
    ("SECTION_V", 15, "velocity in M,"),
    ("SECTION_ALPHA", 18, "angular acceleration"),
    ("SECTION_A", 21, "and acceleration in M without rates of speeds,"),
    ("SECTION_TURN", 24, "sum of the turns of all steps, the angle where all are about one axis,"),
    ("SECTION_WIDTH", 27, "and all of these"),
    ("STEP_MASS", 0, "places in a step, in P: mass of the section it leads to,"),
    ("STEP_SPIN", 1, "rotary inertia about its axes,"),
    ("STEP_GIVEN", 4, "a1, a2, a3 of the unstrained rod, six numbers each,"),
    ("STEP_WIDTH", 22, "and all of these"),
  )),
  Table("modal", "P", "flexible body with m modes", place="FLEXIBLE_P", per="flexible", counts=MODES, block="modal", fields=(
    F("k", "modal stiffness", "m", "1/s^2"),
    F("C", "modal damping", "m m", "1/s"),
  )),
  Table("modal", "P", "flexible body with m modes, and tiles of its forms: f of c_k and d, r of the residual inertia",
        place="FLEXIBLE_SHAPE", per="flexible", counts=SHAPE, block="shape", fields=(
    F("root", "the root, about which the body turns, from the origin of M", "3", "m"),
    F("root_mass", "square root of the mass"),
    F("inertia", "of the undeformed body about the origin of M, rotors included", "6", "kg m^2"),
    F("places", "c_k of the undeformed body", "12"),
    F("T", "mean rotation by modal coordinates", "3 m"),
    F("c1", "columns of c_k, those without a form first; zeros behind them", "24 m"),
    F("E", "modal mass of the residual modes and of columns without a form", "m m"),
    F("forms", "of c_k and d", "f m 8"),
    F("residual", "forms of the residual inertia", "r m 8"),
  )),
  Table("rod", "P", "strain rod with m coefficients and n sections after the root; begins as that of a shape",
        place="FLEXIBLE_SHAPE", per="flexible", counts=STEPS, block="rod", fields=(
    F("root", "the root from the origin of M", "3", "m"),
    F("root_mass", "square root of the mass"),
    F("inertia", "of the unstrained rod about the origin of M, rotors included", "6", "kg m^2"),
    F("axes", "components in axes of the root to components in M", "3 3"),
    F("steps", "mass and rotary inertia of a section, a1, a2, a3 of the step to it", "n 22"),
    F("B", "a1, a2, a3 by coefficients, for each step", "n 3 m"),
  )),
  Table("modal", "W", "flexible body with m modes", place="FLEXIBLE_W", per="flexible", counts=MODES, vectors="MODAL",
        width="MODAL_VECTORS", fields=(
    F("OWN_S", "s(eta), mass moment", "3", "kg m", "modal_inertia strain_rod_inertia"),
    F("OWN_J", "J(eta)", "6", "kg m^2", "modal_inertia strain_rod_inertia"),
    F("OWN_R", "rotation of the mean axes (of a rod its root's): components there to components in M", "9", "",
      "modal_rates strain_rod_inertia"),
    F("OWN_OMEGA", "angular velocity of the mean axes in M, there,", "3", "rad/s", "modal_rates"),
    F("OWN_CHANGE", "and its rate without rates of the modal speeds", "3", "rad/s^2", "modal_rates"),
    F("OWN_C", "c_k", "12", "", "modal_inertia"),
    F("OWN_B", "accelerations of c_k (of a rod: of its mass centre, as c_0) that do not contain rates of speeds", "12", "",
      "modal_inertia strain_rod_inertia"),
    F("OWN_PLACE", "in the order of COLUMNS: displacement of c_k, inertia of the residual modes in mean axes,", "24", "",
      "modal_inertia"),
    F("OWN_RATE", "rates of both, and angular momentum D sigma of the residual modes,", "24", "", "modal_inertia"),
    F("OWN_SQUARE", "second derivatives of c_k along the modal speeds", "24", "", "modal_inertia"),
    F("OWN_FACTOR", "of columns of d and c_k in MODAL_BIAS, and in MOMENTUM", "15 4", "", "modal_inertia"),
    F("OWN_SPIN", "2 w, and with a minus of what J has in w . J w/2", "9", "", "modal_inertia"),
    F("OWN_LEFT", "inertia and load in six rows, from which the modal speeds are eliminated", "6 8", "", "eliminate_modes"),
    F("COUPLING", "angular, linear coupling of the modal speeds with the body's motion, with all that hangs on it",
      "6 m", "", "begin_modes pass_to_modes"),
    F("OWN_COUPLING", "of the body alone", "6 m", "", "modal_inertia strain_rod_inertia"),
    F("J_SLOPE", "dJ/d eta", "6 m", "", "apply_forces"),
    F("SOLVED_FORCE", "modal mass matrix solved for what multipliers exert", "m", "", "eliminate_modes push_columns"),
    F("MODAL_FORCE", "what drives the modal speeds", "m", "", "begin_modes pass_to_modes"),
    F("MODAL_BIAS", "what the modal equations have besides rates of speeds", "m", "", "modal_inertia strain_rod_inertia"),
    F("ETA", "modal coordinates", "m", "", "modal_rates"),
    F("SIGMA", "modal speeds", "m", "", "modal_rates"),
    F("SCRATCH", "in between", "2 m", "", "modal_force accelerate_centre back_substitute_modes"),
    F("TURN_COLUMNS", "angular velocity of the mean axes, there, per modal speed", "3 m", "", "modal_rates"),
    F("MOMENTUM", "Y of (5): angular momentum per modal speed, half of that of TURN_COLUMNS; of a rod that of a section",
      "3 m", "", "modal_inertia strain_rod_inertia"),
    F("COLUMNS", "by eta: of c_k, without and with a form, of d, of the residual inertia; then zeros", "24 m", "",
      "modal_inertia"),
    F("BY_SIGMA", "forms of c_k and d times the modal speeds, then zeros", "15 m", "", "modal_inertia"),
    F("FIRST", "linear parts of those of c_k that have a form (UPDATE)", "12 m", "", "modal_inertia"),
  )),
  Table("rod", "W", "strain rod with m coefficients and n sections, the root being the first", place="FLEXIBLE_ROD",
        per="flexible", counts=SECTIONS, block="rod", fields=(
    F("sections", "pose and motion in axes of the root", "n 27", "", "strain_rod_rates"),
    F("columns", "partial velocities of each section in axes of the root: angular, linear", "n 6 m", "", "strain_rod_rates"),
  )),
  Table("modal_mass", "W", "flexible body with m modes whose solver is DIRECT", place="FLEXIBLE_SOLVE", per="flexible",
        counts=lambda t, row, n: {"m": t.body[row.body].modes * (row.solver == DIRECT)}, block="modal_mass", fields=(
    F("matrix", "modal mass matrix, then its factors", "m m", "", "eliminate_modes"),
    F("right_sides", "room for those behind its rows", "7 m", "", "eliminate_modes"),
  )),
  Table("own_mass", "W", "flexible body with m modes whose solver is DIRECT", place="FLEXIBLE_MASS", per="flexible",
        counts=lambda t, row, n: {"m": t.body[row.body].modes * (row.solver == DIRECT)}, block="own_mass", fields=(
    F("matrix", "modal mass matrix of the body alone, upper half", "m m", "", "modal_inertia strain_rod_inertia"),
  )),
  Table("modal_update", "W", "flexible body whose solver is UPDATE, of n rows", place="FLEXIBLE_SOLVE", per="flexible",
        counts=lambda t, row, n: {"n": (row.second + row.mixed) * (row.solver == UPDATE)}, block="modal_update", fields=(
    F("matrix", "products of the rows, then its factors", "n n", "", "eliminate_modes"),
    F("right_sides", "room for those behind its rows", "7 n", "", "eliminate_modes"),
    F("solution", "of the rows", "n", "", "back_substitute_modes solve_modes"),
  )),
  Table("node", "I", "node: a frame that moves with the material of a flexible body, a massless body of the tree",
        width="NODE_INTS", place="I_NODE", until="I_WATCH", prefix="NODE_", fields=(
    F("NODE_OF", "row of its flexible body"),
    F("NODE_P", "place of its data in P"),
    F("NODE_W", "place of its row in W"),
    F("NODE_LOADED", "place in W of the inertia of what hangs on it times its columns"),
    F("NODE_FORMS", "number of forms H, G that are not zero"),
    F("NODE_SLOT", "which of the slopes is that of each component of theta and r^", "6"),
    F("NODE_SECTION", "section of a strain rod that it is; 0 for a node of a modal body"),
  ), codes=(
    ("NODE_THETA", 0, "places in W after the vectors: theta,"),
    ("NODE_MOVED", 3, "deflection,"),
    ("NODE_RATE", 6, "rate,"),
    ("NODE_BIAS", 12, "bias"),
  )),
  Table("node_data", "P", "node of a flexible body with m modes, f tiles", place="NODE_P", per="node", counts=NODE_DATA,
        block="node", fields=(
    F("p", "place in the undeformed body", "3", "m"),
    F("first", "theta and r^ by modal coordinates, Psi and Phi, those without a form first", "6 m"),
    F("forms", "H and G, second derivatives", "f m 8"),
  )),
  Table("rod_node", "P", "node of a strain rod, as it is where that is not strained", place="NODE_P", per="node",
        counts=lambda t, row, n: {} if row.section > 0 else None, block="rod_node", fields=(
    F("place", "from the origin of M, axes of M", "3", "m"),
    F("axes", "components in axes of the section to components in M", "3 3"),
    F("turn", "sum of the turns of all steps, axes of M", "3", "rad"),
  )),
  Table("node_motion", "W", "node of a flexible body with m modes", place="NODE_W", per="node", counts=NODE_MODES,
        block="node", fields=(
    F("columns", "of the modal speeds: angular first, in axes of the node", "6 m", "", "node_pose"),
    F("slopes", "of theta and r^ by modal coordinates, as `first` has them", "6 m", "", "node_pose"),
    F("rates", "forms times the modal speeds, then zeros", "7 m", "", "node_pose"),
    F("theta", "its rotation vector", "3", "rad", "node_pose"),
    F("deflection", "of its origin, axes of the flexible body's M", "3", "m", "node_pose"),
    F("rate", "its angular velocity and velocity in the flexible body's M,", "6", "", "node_pose"),
    F("bias", "and their rates without rates of modal speeds", "6", "", "node_pose"),
  )),
  Table("node_load", "W", "node of a flexible body with m modes", place="NODE_LOADED", per="node", counts=NODE_MODES,
        block="node_load", fields=(
    F("loaded", "inertia of what hangs on the node times its columns", "6 m", "", "pass_to_modes"),
  )),

  numbers("spare", "P_SPARE", "zeros behind all that rows of `compiled_rows` are taken from", rows="8"),

  Table("projection", "W", "the system, with n speeds and c coordinates", place="W_ZERO", per="header",
        counts=lambda t, row, n: {"n": row.speeds, "c": row.coordinates}, block="projection", fields=(
    F("zero", "stays zero", "n", "", "start"),
    F("change", "of the speeds in a step", "n", "", "project"),
    F("rates", "of the coordinates in a step", "c", "", "project"),
  )),
  Table("jacobian", "W", "the system, dense, with m equations, n speeds and k sliding points", place="W_JACOBIAN",
        per="header",
        counts=lambda t, row, n: {"m": row.rows, "n": row.speeds * (row.w_own > row.w_jacobian), "k": row.frictions},
        block="jacobian", fields=(
    F("J", "derivatives of the equations by u", "m n", "", "constraint_jacobian embedded_udot"),
    F("Z", "M^-1 J^T", "m n", "", "constrain_dense"),
    F("friction", "M^-1 times generalized forces of friction under unit normal forces", "k n", "", "friction_columns"),
  )),
  Table("embedded", "W", "the system with n speeds in the embedded formulation", place="W_OWN", per="header",
        counts=lambda t, row, n: {"n": row.speeds * (row.w_flexible > row.w_own)}, block="embedded", fields=(
    F("MT", "M T; then the rates", "n n", "", "embedded_udot"),
    F("TMT", "T^T M T, then its factors", "n n", "", "embedded_udot"),
    F("h", "rates with those of the independent speeds zero", "n", "", "embedded_udot"),
    F("kind", "of each speed the equation that it is dependent by, or -1", "n", "", "embedded_udot"),
    F("x", "rates of the independent speeds", "n", "", "embedded_udot"),
  )),
  Table("partial", "W", "bodies and speeds, dense: that of body i and speed r is row i SPEEDS + r", width="PARTIAL_WIDTH",
        place="W_PARTIAL", until="W_RATIO", prefix="PARTIAL_", fields=(
    F("PARTIAL_OMEGA", "partial angular velocity", "3", "", "partial_velocities"),
    F("PARTIAL_V", "partial velocity of the origin of M", "3", "", "partial_velocities"),
  )),
  numbers("ratio", "W_RATIO", "dense: d w_k / d u_s, by rows", "", "partial_velocities rotor_ratios", until="W_MASS"),
  numbers("mass", "W_MASS", "dense: mass matrix, then its factors", "", "mass_matrix dense_udot", until="W_SIZE"),
)
# fmt: on


def shape_of(field: Field, counts: Mapping[str, Any]) -> tuple[Any, ...]:
    """Shape of a field's numbers, with numbers (or symbols) for its letters."""
    return tuple(counts[size] if size in counts else int(size) for size in field.shape.split())


def places(table: Table, counts: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Where every field begins in a row, and the row's length."""
    found: dict[str, Any] = {}
    end: Any = 0
    for field in table.fields:
        found[field.name] = found[field.within] if field.within else end
        end = end if field.within else end + prod(shape_of(field, counts))
    return found, end
