"""Where every number lives. A system is three flat arrays, so that a kernel call passes three pointers and no more:

- `I`, integers: a header, then one table after another, saying what is where (topology);
- `P`, reals: the parameters;
- `W`, scalars of the run: the workspace. Every entry is written before it is read.

A row's place is the table's place (in the header) plus the row's number times the row's width; the tables of bodies
come first. Row 0 of the body tables is the inertial frame N; row i is body i, and a parent's row comes before its
children's. A speed k is one column of the partial velocities; its row in the column tables has the same number.
"""

# I: header
BODIES = 0  # rows of the body tables, the inertial frame included
COORDINATES = 1  # length of q
SPEEDS = 2  # length of u
TREE = 3  # address of the tables I of the tree, in those of an integration in other coordinates, see `other_coordinates`
PLACED = 4  # 1 when velocities of origins and places in inertial axes are wanted: loads in space, user functions
ROTORS = 5  # number of rows
FORCES = 6
LAWS = 7
INPUTS = 8  # number of named inputs: the first entries of the signal
I_COLUMN = 9  # place of the tables in I
I_ROTOR = 10
I_FORCE = 11
I_LAW = 12
I_SENSOR = 13
P_GRAVITY = 14  # place of the tables in P
P_ROTOR = 15
P_FORCE = 16
P_SENSOR = 17
W_COLUMN = 18  # place of the tables in W
W_LAW_OUTPUT = 19  # inputs, then what the user functions returned
W_LAW_INPUT = 20  # what the user functions see
W_ENERGY = 21  # one row per applied load
W_PARTIAL = 22  # dense: partial velocities, bodies x speeds x 6
W_RATIO = 23  # dense: d w / d u, speeds x speeds
W_MASS = 24  # dense: mass matrix, overwritten by its factors
W_TAU = 25  # generalized forces given from outside, conjugate to the rates w
W_SIZE = 26  # length of W
EVENTS = 27  # number of event functions, the last laws
PRESCRIBED_SPEEDS = 28  # number of prescribed speeds
QUATERNIONS = 29  # number of unit quaternions in q
I_QUATERNION = 30  # place in I of the list of their first coordinates
FIRST_EVENT = 31  # law of the first event function
CONSTRAINTS = 32  # number of constraints
ROWS = 33  # number of their equations
CLUSTERS = 34  # number of groups of equations that are solved together
MOTIONS = 35  # number of coordinates that follow a given function of time
I_CONSTRAINT = 36  # place of the tables in I
I_ROW = 37
I_CLUSTER = 38
I_PATH = 39
I_ATTACHMENT = 40
I_TERM = 41
P_CONSTRAINT = 42
P_TERM = 43
W_ROW = 44
W_PATH = 45
W_WRENCH = 46  # wrenches of the equations, one per attachment
W_DELASSUS = 47  # J M^-1 J^T of each cluster, its factor, the order of its pivots
W_ZERO = 48  # a vector of u that stays zero
W_JACOBIAN = 49  # dense: the equations' derivatives by u, then M^-1 J^T
W_TERM = 50  # coefficients of the terms
WATCHES = 51  # number of multipliers that are event functions, after those of the user
I_WATCH = 52  # place in I of their list: equation, and 1 for one with friction
W_STATE = 53  # place in W of z
W_OWN = 54  # room of the formulation itself
I_FLEXIBLE = 55  # place of the tables in I
I_NODE = 56
FLEXIBLES = 57  # number of flexible bodies
W_FLEXIBLE = 58  # place of their workspace in W
ALL_BODIES = 59  # rows of the body tables with nodes that only channels look at, after all others
STAGES = 60  # address of the table of addresses of compiled stages, see `backend`
I_WIRE = 61  # place in I of the wires
FRICTIONS = 62  # number of points that slide with friction
I_FRICTION = 63  # place in I of their table
W_FRICTION = 64  # their rows, then the matrix of their normal forces, the order of its rows, right-hand side and solution
P_WATCH = 65  # place in P of their coefficients of friction
W_RANK = 66  # how independent the constraint equations are, see RANK_LEAST
STATES = 67  # number of states z of blocks, which follow the speeds in y
I_STATE = 68  # place in I of the list of where the rates of z stand in the law outputs
I_OWN = 69  # place in I of integers of the formulation itself, where it integrates other coordinates
GROUPS = 70  # number of groups of bodies, the first being the whole system
I_GROUP = 71  # place of their table in I, and in W
W_GROUP = 72
SUMMED = 73  # 1 when user functions see sums over groups
HEADER = 74

# I: row of body i, from HEADER on
PARENT = 0  # row of the parent, 0 for the inertial frame
JOINT = 1  # code of the joint type, see joints/dispatch.py
Q0 = 2  # first coordinate of the joint in q
U0 = 3  # first speed of the joint in u
NQ = 4  # number of coordinates
NU = 5  # number of joint speeds
CUSTOM = 6  # law of a custom joint's pose, the next one being its bias, else -1
PATH0 = 7  # first path_entry: a constraint equation whose loop passes through this body's joint
PATHS = 8  # number of path_entries
CLOSE0 = 9  # first cluster whose loops all close on this body
CLOSES = 10  # number of such clusters
MODES = 11  # number of internal speeds, modal ones, which follow the joint's in u; their coordinates follow the joint's in q
FLEXIBLE = 12  # row of a flexible body, or of a node, in its table; -1 for a rigid body
KIND = 13  # code of the kind of body, see bodies/dispatch.py
BODY_LAW = 14  # law of the body's own properties, else -1
BODY_INTS = 15

# P: row of body i; mass properties are those of a rigid body, or of another kind at rest and at the time 0
R_PF = 0  # 9: orientation of the joint's inboard frame F in the parent's axes
P_PF = 9  # 3: origin of F from the parent's origin, in the parent's axes, m
MASS = 12  # kg
MASS_MOMENT = 13  # 3: mass times mass centre, from the origin of M, kg m
INERTIA = 16  # 6: about the origin of M, less the axial inertia of the body's rotors, kg m^2
JOINT_PAR = 22  # 2: parameters of the joint (screw: advance per radian, m)
BODY_REALS = 24

# I: row of speed k
BODY = 0  # the body whose joint or rotor has this speed
AXIS = 1  # 0-2 turns about, 3-5 slides along an axis of M; GENERAL: the column changes with q; ROTOR: a rotor's spin
TOTAL = 2  # 1: u is the total angular velocity component along the axis (efficient); 0: the relative one (customary)
PRESCRIBED = 3  # 1: the rate of this speed is given, its equation gives the load instead
COLUMN_INTS = 4
GENERAL = 6
ROTOR = 7
MODE = 8  # a modal speed of a flexible body

# I and P: rows of rotors, axisymmetric wheels on bodies
ROTOR_BODY = 0
ROTOR_U = 1
ROTOR_INTS = 2
ROTOR_AXIS = 0  # 3: unit vector in body axes
ROTOR_INERTIA = 3  # about the axis, kg m^2
ROTOR_REALS = 4

# I and P: rows of applied loads, see forces/
FORCE_KIND = 0
FORCE_BODY = 1  # body that carries the load
FORCE_OTHER = 2  # second body of a line element
FORCE_COLUMN = 3  # speed that a joint load acts on
FORCE_COORDINATE = 4  # coordinate that a joint spring stretches
FORCE_AXES = 5  # 0: components in the frame's axes, 1: in inertial axes
FORCE_MODE = 6  # how the value is made: CONSTANT, VECTOR, ALONG
FORCE_LAW_OUTPUT = 7  # first entry of the value in the signal
FORCE_INTS = 8
CONSTANT = 0  # the row's own VALUE
VECTOR = 1  # three (joint load: one) entries of the signal
ALONG = 2  # VALUE times one entry of the signal
POINT = 0  # 3: point of application from the origin of M, in body axes, m
POINT_OTHER = 3  # 3: the other body's end
FRAME = 6  # 9: orientation of the named frame in body axes
VALUE = 15  # 3: constant value, or direction
FORCE_LAW = 18  # 6: parameters of the load, as its file says
FORCE_REALS = 24

# I: rows of groups of bodies, then the lists of what belongs to them, whose places count from I_GROUP on
GROUP_BODY = 0  # place of the list of its bodies,
GROUP_BODIES = 1  # and their number
GROUP_ROTOR = 2  # place of the list of its rotors,
GROUP_ROTORS = 3  # and their number
GROUP_INTS = 4

# I: rows of user functions out = f(t, x)
LAW_ADDRESS = 0
LAW_SENSOR = 1  # first sensor row it sees
LAW_SENSORS = 2  # number of sensor rows it sees
LAW_X = 3  # first entry of x in the sense
LAW_OUT = 4  # first entry of out in the signal
LAW_WIRE = 5  # first wire: an output of a block that an input follows,
LAW_WIRES = 6  # and their number
LAW_INTS = 7

# I: rows of wires
WIRE_FROM = 0  # entry of the law outputs
WIRE_TO = 1  # entry that follows it
WIRE_INTS = 2

# I and P (or tables of their own): rows of measured quantities
SENSOR_KIND = 0
SENSOR_BODY = 1
SENSOR_INDEX = 2  # first coordinate, speed or signal
SENSOR_SIZE = 3
SENSOR_OUT = 4  # first entry of the value
SENSOR_INTS = 5
SENSOR_POINT = 0  # 3: origin of the frame from the origin of M, in body axes
SENSOR_FRAME = 3  # 9: orientation of the frame in body axes
SENSOR_REALS = 12

# I and P: rows of constraints, see constraints/
CONSTRAINT_KIND = 0
CONSTRAINT_ROW = 1  # first equation
CONSTRAINT_ROWS = 2  # number of equations
CONSTRAINT_WRENCH = 3  # place of its wrenches in W_WRENCH: equation by equation, attachment by attachment
ATTACHMENT0 = 4  # first attachment: a body that the equations contain the motion of
ATTACHMENTS = 5  # number of attachments
TERM0 = 6  # first term: a joint rate that an equation contains
TERMS = 7  # number of terms
CONSTRAINT_LAW_OUTPUT = 8  # written by the user: first entry in the signal,
CONSTRAINT_SEEN = 9  # number of entries it sees,
CONSTRAINT_SENSOR = 10  # first of the sensors that it sees,
CONSTRAINT_SENSORS = 11  # and their number
CONSTRAINT_INTS = 12
POINT_A = 0  # 3: origin of frame A from its body's M, in body axes, m
FRAME_A = 3  # 9: orientation of frame A in body axes
POINT_B = 12
FRAME_B = 15
CONSTRAINT_PAR = 24  # 3: parameters, as the constraint's file says
CONSTRAINT_ROUNDING = 27  # what rounding may leave of an equation in the coordinates, near the inertial origin
CONSTRAINT_ARM = 28  # square of a lever arm as they are in the system, m^2
CONSTRAINT_REALS = 29

# I: rows of equations
ROW_CODE = 0  # which equation of its kind it is
ROW_HOLONOMIC = 1  # 1 when it is the time derivative of an equation in the coordinates
ROW_CONSTRAINT = 2
ROW_INTS = 3

# I: rows of attachments
ATTACHED = 0  # the body
ATTACHED_AT = 1  # place in W of the carried load of the constraint's first equation there
ATTACHED_STRIDE = 2  # and how much further that of the next equation is
ATTACHMENT_INTS = 3

# I and P: rows of terms; P: the coefficient
TERM_ROW = 0  # equation, counted within the constraint
TERM_COLUMN = 1  # speed whose rate w is meant
TERM_COORDINATE = 2  # its coordinate, or -1
TERM_AT = 3  # place in W of the carried T of that equation and speed
TERM_SEEN = 4  # written by the user: entry of what the constraint sees that is this coordinate, else -1
TERM_INTS = 5

# I: rows of clusters
CLUSTER_BODY = 0  # where its loops close
CLUSTER_ROW = 1  # first equation
CLUSTER_ROWS = 2
CLUSTER_DELASSUS = 3  # place in W
CLUSTER_FRICTION = 4  # first of its points that slide with friction,
CLUSTER_FRICTIONS = 5  # and their number
CLUSTER_INTS = 6

# I: rows of path_entries
PATH_ROW = 0  # the equation
PATH_ON = 1  # place in W of its carried load on the parent
PATH_SLOT = 2  # number of the equation within its cluster
PATH_DELASSUS = 3  # place in W of the cluster's matrix
PATH_SIZE = 4  # number of equations of the cluster
PATH_AT = 5  # place in W of its own row
PATH_INTS = 6

# I: rows of points that slide with friction. The friction of a unit normal force is carried like an equation, whose row in W
# comes after those of the equations; its multiplier is the normal force
FRICTION_LOAD = 0  # the load
FRICTION_NORMAL = 1  # equation whose multiplier is the normal force
FRICTION_ROW = 2  # its own row
FRICTION_AT = 3  # place in W of its carried load on the point's body,
FRICTION_OTHER_AT = 4  # and on the plane's
FRICTION_INTS = 5

# I: rows of flexible bodies. With m modes, P holds from FLEXIBLE_P on k (m), C (m x m), and then, each matrix by rows,
#   RATES: what begins with SHAPE_ROOT, see below;
#   other speeds: D (3m), B (3m), J1 (6m), d (3 m x m), J2 (6 m x m), see `constant_mass`
FLEXIBLE_BODY = 0
FLEXIBLE_P = 1
FLEXIBLE_W = 2
FLEXIBLE_ZERO = 3  # bits: which of the forms (or matrices d, J2) are zero and left out; DIAGONAL_DAMPING: C is diagonal
FLEXIBLE_SOLVER = 4  # how the modal mass matrix is solved: UNIT, DIRECT or UPDATE
FLEXIBLE_NODE = 5  # first of its nodes that carry bodies,
FLEXIBLE_NODES = 6  # and their number
FLEXIBLE_Q = 7  # first modal coordinate in q
FLEXIBLE_U = 8  # first modal speed in u
FLEXIBLE_SOLVE = 9  # place in W of the solver's matrix
FLEXIBLE_SPEEDS = 10  # what the modal speeds are: RATES, CONSTANT_MASS, or RATES_OF_CONSTANT_MASS
FLEXIBLE_LOCKED = 11  # 1: the modal speeds do not change, whatever acts on them
FLEXIBLE_MASS = 12  # place in W of the modal mass matrix, m x m, upper half (RATES)
FLEXIBLE_POINTS = 13  # number of mass points that stand for the affine part of the motion, 1 to 4
FLEXIBLE_FORMS = 14  # number of quadratic forms that are not zero,
FLEXIBLE_RATE_FORMS = 15  # and of those, which come first, that are needed with modal speeds as well
FLEXIBLE_INTS = 16
RATES = 0  # rates of the modal coordinates
CONSTANT_MASS = 1  # constant mass matrix, see `constant_mass`
RATES_OF_CONSTANT_MASS = 2  # the same body, but u holds the rates, from which the speeds are to be found
UNDEFORMED = 3  # rates, and the undeformed shape in everything but the places of nodes
DIAGONAL_DAMPING = 21  # bit of FLEXIBLE_ZERO
UNIT = 0  # nothing hangs on the nodes: the unit matrix
DIRECT = 1  # the matrix and its factors, m rows of m + RIGHT_SIDES
UPDATE = 2  # a small matrix of six rows per node (Woodbury)
RIGHT_SIDES = 7  # of the modal mass matrix: six of COUPLING, and MODAL_FORCE

# P: a flexible body with RATES, after k and C; letters as in `bodies.modal`
SHAPE_ROOT = 0  # 3: the root, about which the body turns, from the origin of M
SHAPE_MASS = 3  # square root of the mass
SHAPE_INERTIA = 4  # 6: inertia of the undeformed body about the origin of M, rotors included
SHAPE_PLACES = 10  # 12: c_k of the undeformed body
SHAPE_TABLES = 22  # then: T (3m), columns of c_k (12m), residual mass E (m x m), and by rows of all forms: m x forms x m
FORMS = 21  # 3 of the residual angular momentum d, 12 of c_k, 6 of the residual inertia

# W: a flexible body, from FLEXIBLE_W on; places after OWN_J are numbers of m entries each
OWN_S = 0  # 3: s(eta), mass moment
OWN_J = 3  # 6: J(eta)
OWN_R = 9  # 9: rotation of the mean axes: components there to components in M
OWN_C = 18  # 12: c_k
OWN_B = 30  # 12: accelerations of c_k that do not contain rates of speeds
OWN_RESIDUAL = 42  # 6: inertia of the residual modes, mean axes
MODAL = 48  # the vectors begin here
COUPLING = 0  # 6: angular, linear coupling of the modal speeds with the body's own motion, all that hangs on it included
OWN_COUPLING = 6  # 6: of the body alone
J_SLOPE = 12  # 6: dJ/d eta
SOLVED_COUPLING = 18  # 6: modal mass matrix solved for COUPLING,
SOLVED_FORCE = 24  # and for MODAL_FORCE
AXIS_COUPLING = 18  # 4, before that, of CONSTANT_MASS speeds: d_a^T eta for each axis a, and omega . d^T sigma
MODAL_FORCE = 25  # what drives the modal speeds
MODAL_BIAS = 26  # what the modal equations have besides rates of speeds
SIGMA = 27  # modal speeds
SCRATCH = 28  # 2
MODAL_VECTORS = 30  # of all modal speeds; those after it of RATES alone
TURNED_MOMENTUM = 30  # 3: residual angular momentum per modal speed, that of TURN_COLUMNS included
TURN_COLUMNS = 33  # 3: angular velocity of the mean axes, there, per modal speed
FORM_COLUMNS = 36  # 21: residual angular momentum per modal speed (3), columns of c_k (12), slope of residual inertia (6)
BY_ETA = 57  # 21: forms times eta,
BY_SIGMA = 78  # 15: and those of RATE_FORMS times the modal speeds
SHAPE_VECTORS = 93

# I: rows of nodes: frames that move with the material of a flexible body, massless bodies of the tree. P holds from
# NODE_P on p (3), Psi (3m), Phi (3m), H (3 m x m), G (3 m x m); with RATES p, Phi and G are those in the mean axes, from
# the root
NODE_OF = 0  # row of its flexible body
NODE_P = 1
NODE_W = 2  # its columns, 6 x m, angular first, in axes of the node; 3 x m: slopes of its rotation vector; then NODE_SCALARS
NODE_LOADED = 3  # 6 x m: inertia of what hangs on it times the columns
NODE_ZERO = 4  # bits 0-5: which of H, G are zero and skipped
NODE_INTS = 5

# W: a node, behind its 9m numbers
NODE_THETA = 0  # 3: its rotation vector
NODE_SQUARE = 3  # 6: H sigma sigma, G sigma sigma
NODE_MOVED = 9  # 3: its deflection, axes of M
NODE_PLACE = 12  # 3: its place in the mean axes, from the root
NODE_TURN = 15  # 3: rotation vector of the mean axes
NODE_SCALARS = 18

# W: row of body i, from 0 on. POSITION: computed by `joint_pose`
R_MP = 0  # 9: R_MP, components in the parent's axes to components in M
P_PM = 9  # 3: origin of M from the parent's origin, in the parent's axes
# VELOCITY: computed by `move`
OMEGA = 12  # 3: angular velocity in N, axes of M
V_ = 15  # 3: velocity of the origin of M in N, axes of M
REL = 18  # 6: angular velocity and velocity of M in F, axes of M
BIAS_A = 24  # 3: angular acceleration that does not contain rates of speeds
BIAS_L = 27  # 3: acceleration of the origin that does not contain rates of speeds
# INERTIA: set by `body_inertia`, then articulated by `eliminate`
J_ = 30  # 6
H_ = 36  # 9: upper right block, mass moment~ of a single body
M_ = 45  # 6
TORQUE = 51  # 3: inertia torque about the origin of M less applied torque
FORCE = 54  # 3: inertia force less applied force
# ACCELERATION: computed by `accelerate` or `back_substitute`
ALPHA = 57  # 3: angular acceleration in N, axes of M
A_ = 60  # 3: acceleration of the origin of M in N less uniform gravity, axes of M
# PLACE: computed by `place`, when asked for
R_NM = 63  # 9: components in M to inertial components
P_NM = 72  # 3: origin of M, inertial axes
BODY_WIDTH = 76

# W: row of speed k
S_ = 0  # 6: the column, in M (only where AXIS is GENERAL)
U_ = 6  # 6: articulated inertia times the column
D_ = 12  # one over the column's articulated inertia
TAU_REDUCED = 13  # what is left of the generalized force
RATE = 14  # w: relative rate of the joint (customary speed) or of the rotor
TAU = 15  # generalized active force conjugate to w
PRESCRIBED_RATE = 16  # the given w-dot of a prescribed speed
WDOT = 17  # rate of w
COLUMN_WIDTH = 18

# W: row of an equation
CLOSING_WRENCH = 0  # 6: load that a unit multiplier leaves on the body where the loop closes
BETA = 6  # rate with the loads that are there, without multipliers
SPREAD = 7  # 6: J M^-1 J^T solved for CLOSING_WRENCH,
SOLVED = 13  # and for BETA
VALUE_ = 14  # how far the equation in the coordinates is from being satisfied
SPEED_ = 15  # and that of the speeds
GAMMA = 16  # what the rate of the latter has besides rates of speeds
EXPLICIT = 17  # what it has besides speeds: the part that depends on time alone
SIZE_ = 18  # what J M^-1 J^T would be without any cancelling: the measure for a redundant equation
MULTIPLIER = 19
ARM = 20  # CONSTRAINT_ARM, for SIZE_
REACH = 21  # square of the load of a unit multiplier, as a moment, before any of it cancels
ROW_WIDTH = 22

# W: row of a point that slides with friction
FRICTION_WRENCH = 0  # 6: torque and force of friction under a unit normal force on the point's body, in its axes about M,
FRICTION_OTHER = 6  # 6: and on the plane's
FRICTION_POWER = 12  # power of friction under a unit normal force
FRICTION_WIDTH = 13

# W: from W_RANK on, after a solution with constraints
RANK_LEAST = 0  # least share of an equation that is left of it after those before it, 0 to 1, among the independent ones,
RANK_ROW = 1  # the equation that has it,
RANK_COUNT = 2  # and how many are independent
RANK_DROP = 3  # given: share below which an equation counts as redundant; 0 for what rounding asks for
RANK_WIDTH = 4

# W: row of a path_entry, as long as the body has speeds
PATH_P = 0  # 6: load of a unit multiplier, on this body
PATH_T = 6  # what it leaves of the generalized force of each of the body's speeds: joint, modes; then the modal mass matrix
# solved for the latter

# W: row of an applied load. Power is that of the load on the system
POTENTIAL = 0
POWER_APPLIED = 1
POWER_DISSIPATED = 2
ENERGY_WIDTH = 3

# W: row of a group of bodies, inertial axes. Computed by `totals`
KINETIC = 0  # kinetic energy
GRAVITY_POTENTIAL = 1
LINEAR_MOMENTUM = 2  # 3
ANGULAR_MOMENTUM = 5  # 3, about the inertial origin
TOTAL_MASS = 8
TOTAL_MOMENT = 9  # 3: mass times mass centre
# and by `centre`
CENTRE = 12  # 3: mass centre
CENTRE_VELOCITY = 15  # 3: its rate
CENTRAL_MOMENTUM = 18  # 3: angular momentum about the mass centre
CENTRAL_INERTIA = 21  # 9: inertia about the mass centre, rotors included
CENTRE_ACCELERATION = 30  # 3: computed by `accelerate_centre`
GROUP_WIDTH = 33


def body_row(i):
    """Place in I of body i."""
    return HEADER + i * BODY_INTS


def body_par(i):
    """Place in P of body i."""
    return i * BODY_REALS


def body_work(i):
    """Place in W of body i."""
    return i * BODY_WIDTH


def column_row(I, k):
    """Place in I of speed k."""
    return I[I_COLUMN] + k * COLUMN_INTS


def column_work(I, k):
    """Place in W of speed k."""
    return I[W_COLUMN] + k * COLUMN_WIDTH


def rotor_row(I, m):
    """Place in I of rotor m."""
    return I[I_ROTOR] + m * ROTOR_INTS


def rotor_par(I, m):
    """Place in P of rotor m."""
    return I[P_ROTOR] + m * ROTOR_REALS


def force_row(I, m):
    """Place in I of applied load m."""
    return I[I_FORCE] + m * FORCE_INTS


def force_par(I, m):
    """Place in P of applied load m."""
    return I[P_FORCE] + m * FORCE_REALS


def group_row(I, m):
    """Place in I of group m."""
    return I[I_GROUP] + m * GROUP_INTS


def group_work(I, m):
    """Place in W of group m."""
    return I[W_GROUP] + m * GROUP_WIDTH


def law_row(I, m):
    """Place in I of user function m."""
    return I[I_LAW] + m * LAW_INTS


def is_zero(mask, n):
    """1 when bit n is set: that matrix is zero."""
    return (mask >> n) & 1


def flexible_row(I, i):
    """Place in I of the flexible body that is body i."""
    return I[I_FLEXIBLE] + I[body_row(i) + FLEXIBLE] * FLEXIBLE_INTS


def node_row(I, i):
    """Place in I of the node that is body i."""
    return I[I_NODE] + I[body_row(i) + FLEXIBLE] * NODE_INTS


def modal_work(I, i, vector):
    """Place in W of a vector (COUPLING, ...) of the flexible body i."""
    return I[flexible_row(I, i) + FLEXIBLE_W] + MODAL + vector * I[body_row(i) + MODES]


def shape_par(I, i):
    """Place in P of what begins with SHAPE_ROOT, of the flexible body i."""
    m = I[body_row(i) + MODES]
    return I[flexible_row(I, i) + FLEXIBLE_P] + m + m * m


def node_work(I, i):
    """Place in W of the scalars (NODE_THETA, ...) of the node that is body i."""
    return I[node_row(I, i) + NODE_W] + 9 * I[body_row(I[body_row(i) + PARENT]) + MODES]


def rate(W, c, m):
    """w of the m-th speed after the one at c."""
    return W[c + m * COLUMN_WIDTH + RATE]


def sensor_row(I, m):
    """Place in I of sensor m of the user functions."""
    return I[I_SENSOR] + m * SENSOR_INTS


def sensor_par(I, m):
    """Place in P of sensor m of the user functions."""
    return I[P_SENSOR] + m * SENSOR_REALS


def energy_work(I, m):
    """Place in W of the energy row of applied load m."""
    return I[W_ENERGY] + m * ENERGY_WIDTH


def constraint_row(I, e):
    """Place in I of constraint e."""
    return I[I_CONSTRAINT] + e * CONSTRAINT_INTS


def constraint_par(I, e):
    """Place in P of constraint e."""
    return I[P_CONSTRAINT] + e * CONSTRAINT_REALS


def equation_row(I, r):
    """Place in I of equation r."""
    return I[I_ROW] + r * ROW_INTS


def equation_work(I, r):
    """Place in W of equation r."""
    return I[W_ROW] + r * ROW_WIDTH


def attachment_row(I, a):
    """Place in I of attachment a."""
    return I[I_ATTACHMENT] + a * ATTACHMENT_INTS


def term_row(I, m):
    """Place in I of term m."""
    return I[I_TERM] + m * TERM_INTS


def cluster_row(I, c):
    """Place in I of cluster c."""
    return I[I_CLUSTER] + c * CLUSTER_INTS


def path_row(I, j):
    """Place in I of path_entry j."""
    return I[I_PATH] + j * PATH_INTS


def path_work(I, j):
    """Place in W of path_entry j."""
    return I[I[I_PATH] + j * PATH_INTS + PATH_AT]


def friction_row(I, n):
    """Place in I of the n-th point that slides with friction."""
    return I[I_FRICTION] + n * FRICTION_INTS


def friction_work(I, n):
    """Place in W of the n-th point that slides with friction."""
    return I[W_FRICTION] + n * FRICTION_WIDTH


def wrench_work(I, e, n, a):
    """Place in W of the wrench (torque, force; in body axes, about M) of constraint e's n-th equation, a-th attachment."""
    b = constraint_row(I, e)
    return I[W_WRENCH] + I[b + CONSTRAINT_WRENCH] + 6 * (n * I[b + ATTACHMENTS] + a)
