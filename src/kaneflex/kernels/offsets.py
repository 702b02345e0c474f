"""Where every number lives. Written by scripts/make-layout from `schema`: change that and run it."""

# I: the system
BODIES = 0  # rows of the body tables that are used, the inertial frame included
ALL_BODIES = 1  # rows of the body tables with nodes that only channels look at, after all others
STORED = 2  # first body that sweeps pass over: rods in a reel, at rest on what slides out of it,
STORED_END = 3  # and the one after the last; 0 and 0 for none
COORDINATES = 4  # length of q
SPEEDS = 5  # length of u
PRESCRIBED_SPEEDS = 6  # number of prescribed speeds
STATES = 7  # number of states z of blocks, which follow the speeds in y
QUATERNIONS = 8  # number of unit quaternions in q
MOTIONS = 9  # number of coordinates that follow a given function of time
INPUTS = 10  # number of named inputs: the first entries of the law outputs
ROTORS = 11  # number of rows
FORCES = 12  # number of rows
LAWS = 13  # number of rows
FLEXIBLES = 14  # number of rows
CONSTRAINTS = 15  # number of rows
MEDIA = 16  # number of rows
EVENTS = 17  # number of event functions, the last laws
FIRST_EVENT = 18  # law of the first event function
ROWS = 19  # number of equations of the constraints
GROUPS = 20  # number of groups of bodies, the first being the whole system
SUMMED = 21  # 1 when user functions see sums over groups
LOOKING = 22  # 1 when user functions see more than coordinates, rates of joints that are speeds, states and one another
CLUSTERS = 23  # number of groups of equations that are solved together
WATCHES = 24  # number of multipliers that are event functions, after those of the user
FRICTIONS = 25  # number of points that slide with friction
PLACED = 26  # 1 when velocities of origins and places in inertial axes are wanted: loads in space, user functions
STAGES = 27  # address of the table of addresses of compiled stages, see `backend`,
COMPLEX_STAGES = 28  # and of that of stages on complex numbers
TREE = 29  # address of the tables I of the tree, in those of an integration in other coordinates
I_OWN = 30  # place in I of integers of the formulation itself, where it integrates other coordinates
W_OWN = 31  # place in W of the room of the formulation itself
I_COLUMN = 32  # place of the table in I
I_ROTOR = 33  # place of the table in I
I_FORCE = 34  # place of the table in I
I_LAW = 35  # place of the table in I
I_SENSOR = 36  # place of the table in I
I_STATE = 37  # place of the table in I
I_GROUP = 38  # place of the table in I
I_MEMBER = 39  # place of the table in I
I_WIRE = 40  # place of the table in I
I_QUATERNION = 41  # place of the table in I
I_CONSTRAINT = 42  # place of the table in I
I_ROW = 43  # place of the table in I
I_CLUSTER = 44  # place of the table in I
I_OPEN = 45  # place of the table in I
I_PATH = 46  # place of the table in I
I_ATTACHMENT = 47  # place of the table in I
I_TERM = 48  # place of the table in I
I_FLEXIBLE = 49  # place of the table in I
I_NODE = 50  # place of the table in I
I_WATCH = 51  # place of the table in I
I_FRICTION = 52  # place of the table in I
I_MEDIUM = 53  # place of the table in I
P_GRAVITY = 54  # place of the table in P
P_ROTOR = 55  # place of the table in P
P_FORCE = 56  # place of the table in P
P_SENSOR = 57  # place of the table in P
P_CONSTRAINT = 58  # place of the table in P
P_TERM = 59  # place of the table in P
P_WATCH = 60  # place of the table in P
P_SPARE = 61  # place of the table in P
W_COLUMN = 62  # place of the table in W
W_LAW_OUTPUT = 63  # place of the table in W
W_LAW_INPUT = 64  # place of the table in W
W_ENERGY = 65  # place of the table in W
W_TAU = 66  # place of the table in W
W_ROW = 67  # place of the table in W
W_PATH = 68  # place of the table in W
W_WRENCH = 69  # place of the table in W
W_DELASSUS = 70  # place of the table in W
W_TERM = 71  # place of the table in W
W_ZERO = 72  # place of the table in W
W_JACOBIAN = 73  # place of the table in W
W_FLEXIBLE = 74  # place of the table in W
W_FRICTION = 75  # place of the table in W
W_NORMAL = 76  # place of the table in W
W_STATE = 77  # place of the table in W
W_GROUP = 78  # place of the table in W
W_RANK = 79  # place of the table in W
W_PARTIAL = 80  # place of the table in W
W_RATIO = 81  # place of the table in W
W_MASS = 82  # place of the table in W
W_SIZE = 83  # length of W
HEADER = 84

# I: row of body i
PARENT = 0  # row of the parent, 0 for the inertial frame
JOINT = 1  # code of the joint type, see joints/dispatch.py
Q0 = 2  # first coordinate of the joint in q
U0 = 3  # first speed of the joint in u
NQ = 4  # number of coordinates
NU = 5  # number of joint speeds
CUSTOM = 6  # law of a custom joint's pose, the next one being its bias, else -1
PATH0 = 7  # first path entry: a constraint equation whose loop passes through this body's joint
PATHS = 8  # number of path entries
CLOSE0 = 9  # first cluster of equations whose loops close on this body
CLOSES = 10  # number of such clusters
MODES = 11  # number of internal speeds, modal ones, which follow the joint's in u, as their coordinates do in q
FLEXIBLE = 12  # row of a flexible body, or of a node, in its table; -1 for a rigid body
KIND = 13  # code of the kind of body, see bodies/dispatch.py
BODY_LAW = 14  # law of the body's own properties, else -1
ADDED = 15  # place in P of the body's added inertia, 0 for none
SLIDER = 16  # of a reel: row of the body that slides out of it, see bodies/reel.py; else 0
BODY_INTS = 17

# P: row of body i; mass properties are those of a rigid body, or of another kind at rest and at the time 0
R_PF = 0  # 3 x 3: orientation of the joint's inboard frame F in the parent's axes
P_PF = 9  # 3: origin of F from the parent's origin, in the parent's axes, m
MASS = 12  # mass, kg
MASS_MOMENT = 13  # 3: mass times mass centre, from the origin of M, kg m
INERTIA = 16  # 6: about the origin of M, less the axial inertia of the body's rotors, kg m^2
JOINT_PAR = 22  # 2: parameters of the joint (screw: advance per radian, m)
BODY_REALS = 24

# W: row of body i
R_MP = 0  # 3 x 3: components in the parent's axes to components in M
P_PM = 9  # 3: origin of M from the parent's origin, in the parent's axes, m
OMEGA = 12  # 3: angular velocity in N, axes of M, rad/s
V_ = 15  # 3: velocity of the origin of M in N, axes of M, where PLACED, m/s
REL = 18  # 6: angular velocity and velocity of M in F, axes of M, rad/s, m/s
BIAS_A = 24  # 3: angular acceleration that does not contain rates of speeds, rad/s^2
BIAS_L = 27  # 3: acceleration of the origin that does not contain rates of speeds, m/s^2
J_ = 30  # 6: inertia of the body alone, then with what hangs on it, kg m^2
H_ = 36  # 3 x 3: upper right block, mass moment~ of a single body, kg m
M_ = 45  # 6: mass, which is a matrix with what hangs on the body, kg
TORQUE = 51  # 3: inertia torque about the origin of M less applied torque, N m
FORCE = 54  # 3: inertia force less applied force, N
ALPHA = 57  # 3: angular acceleration in N, axes of M, rad/s^2
A_ = 60  # 3: acceleration of the origin of M in N less uniform gravity, axes of M, m/s^2
R_NM = 63  # 3 x 3: components in M to inertial components
P_NM = 72  # 3: origin of M, inertial axes, m
BODY_WIDTH = 76

# I: row of speed k
BODY = 0  # the body whose joint or rotor has this speed
AXIS = 1  # 0-2 turns about, 3-5 slides along an axis of M; GENERAL, ROTOR or MODE
TOTAL = 2  # 1: u is the total angular velocity component along the axis (efficient); 0: the relative one (customary)
PRESCRIBED = 3  # 1: the rate of this speed is given, its equation gives the load instead
COLUMN_INTS = 4
GENERAL = 6  # the column changes with q
ROTOR = 7  # a rotor's spin
MODE = 8  # a modal speed of a flexible body

# W: row of speed k
S_ = 0  # 6: the column, in M (only where AXIS is GENERAL)
U_ = 6  # 6: articulated inertia times the column
D_ = 12  # one over the column's articulated inertia
TAU_REDUCED = 13  # what is left of the generalized force, N m or N
RATE = 14  # w: relative rate of the joint (customary speed) or of the rotor, rad/s or m/s
TAU = 15  # generalized active force conjugate to w, N m or N
PRESCRIBED_RATE = 16  # the given w-dot of a prescribed speed, rad/s^2 or m/s^2
WDOT = 17  # rate of w, rad/s^2 or m/s^2
COLUMN_WIDTH = 18

# I: row of rotor m, an axisymmetric wheel on a body
ROTOR_BODY = 0  # its body
ROTOR_U = 1  # its speed
ROTOR_INTS = 2

# P: row of rotor m
ROTOR_AXIS = 0  # 3: unit vector in body axes
ROTOR_INERTIA = 3  # about the axis, kg m^2
ROTOR_REALS = 4

# I: row of applied load m, see forces/
FORCE_KIND = 0  # code of the kind of load, see forces/dispatch.py
FORCE_BODY = 1  # body that carries the load
FORCE_OTHER = 2  # second body of a line element
FORCE_COLUMN = 3  # speed that a joint load acts on
FORCE_COORDINATE = 4  # coordinate that a joint spring stretches, or -1
FORCE_AXES = 5  # 0: components in the frame's axes, 1: in inertial axes
FORCE_MODE = 6  # how the value is made: CONSTANT, VECTOR, ALONG
FORCE_LAW_OUTPUT = 7  # first entry of the value in the law outputs
FORCE_MEDIUM = 8  # row of the medium that the load comes from
FORCE_ROWS = 9  # of rows that act together: their number in the first one, 0 in the others
FORCE_INTS = 10
CONSTANT = 0  # the row's own VALUE
VECTOR = 1  # three (joint load: one) entries of the law outputs
ALONG = 2  # VALUE times one entry of the law outputs

# P: row of applied load m
POINT = 0  # 3: point of application from the origin of M, in body axes, m
POINT_OTHER = 3  # 3: the other body's end, m
FRAME = 6  # 3 x 3: orientation of the named frame in body axes
VALUE = 15  # 3: constant value, or direction, N or N m
FORCE_LAW = 18  # 13: parameters of the load, as its file says
FRICTION_PAR = 15  # 9: of sliding friction: mu, w, t0, six coefficients of the angle
FORCE_REALS = 31

# W: row of applied load m; power is that of the load on the system
POTENTIAL = 0  # potential energy, J
POWER_APPLIED = 1  # power of what is applied, W
POWER_DISSIPATED = 2  # power of dampers and friction, W
ENERGY_WIDTH = 3

# I: row of medium n, water or air
MEDIUM_P = 0  # place of its data in P
MEDIUM_SURFACE = 1  # 1: it ends at a surface; 0: it is everywhere
MEDIUM_DEEP = 2  # 1: its waves do not reach the bed
MEDIUM_BENDS = 3  # number of bends of its velocity's profile
MEDIUM_WAVES = 4  # number of its waves
MEDIUM_INTS = 5

# I: row of group m of bodies
GROUP_BODY = 0  # place of the list of its bodies, from I_MEMBER on,
GROUP_BODIES = 1  # and their number
GROUP_ROTOR = 2  # place of the list of its rotors, from I_MEMBER on,
GROUP_ROTORS = 3  # and their number
GROUP_INTS = 4

# W: row of group m of bodies, inertial axes
KINETIC = 0  # kinetic energy, J
GRAVITY_POTENTIAL = 1  # potential energy of uniform gravity, J
LINEAR_MOMENTUM = 2  # 3: linear momentum, kg m/s
ANGULAR_MOMENTUM = 5  # 3: about the inertial origin, kg m^2/s
TOTAL_MASS = 8  # mass, kg
TOTAL_MOMENT = 9  # 3: mass times mass centre, kg m
CENTRE = 12  # 3: mass centre, m
CENTRE_VELOCITY = 15  # 3: its rate, m/s
CENTRAL_MOMENTUM = 18  # 3: angular momentum about the mass centre, kg m^2/s
CENTRAL_INERTIA = 21  # 3 x 3: inertia about the mass centre, rotors included, kg m^2
CENTRE_ACCELERATION = 30  # 3: rate of CENTRE_VELOCITY, m/s^2
GROUP_WIDTH = 33

# I: row of user function m, out = f(t, x)
LAW_ADDRESS = 0  # where its code is
LAW_SENSOR = 1  # first sensor row it sees
LAW_SENSORS = 2  # number of sensor rows it sees; -1 for a function that other kernels call
LAW_X = 3  # first entry of x in the law inputs
LAW_OUT = 4  # first entry of out in the law outputs
LAW_WIRE = 5  # first wire: an output of a block that an input follows,
LAW_WIRES = 6  # and their number
LAW_INTS = 7

# I: row of wire m
WIRE_FROM = 0  # entry of the law outputs
WIRE_TO = 1  # entry that follows it
WIRE_INTS = 2

# I: row of measured quantity m of the user functions, in tables of their own those of channels
SENSOR_KIND = 0  # code of the quantity, see sensors.py
SENSOR_BODY = 1  # its body
SENSOR_INDEX = 2  # first coordinate, speed or law output
SENSOR_SIZE = 3  # how many numbers it is
SENSOR_OUT = 4  # first entry of the value
SENSOR_INTS = 5

# P: row of measured quantity m of the user functions
SENSOR_POINT = 0  # 3: origin of the frame from the origin of M, in body axes, m
SENSOR_FRAME = 3  # 3 x 3: orientation of the frame in body axes
SENSOR_REALS = 12

# I: row of constraint e, see constraints/
CONSTRAINT_KIND = 0  # code of the kind of constraint, see constraints/dispatch.py
CONSTRAINT_ROW = 1  # first equation
CONSTRAINT_ROWS = 2  # number of equations
CONSTRAINT_WRENCH = 3  # place of its wrenches from W_WRENCH on: equation by equation, attachment by attachment
ATTACHMENT0 = 4  # first attachment: a body that the equations contain the motion of
ATTACHMENTS = 5  # number of attachments
TERM0 = 6  # first term: a joint rate that an equation contains
TERMS = 7  # number of terms
CONSTRAINT_LAW_OUTPUT = 8  # written by the user, or a distance that changes: first entry in the law outputs,
CONSTRAINT_SEEN = 9  # number of entries it sees; of a distance 1 where there is a law,
CONSTRAINT_SENSOR = 10  # first of the sensors that it sees,
CONSTRAINT_SENSORS = 11  # and their number
CONSTRAINT_INTS = 12

# P: row of constraint e
POINT_A = 0  # 3: origin of frame A from its body's M, in body axes, m
FRAME_A = 3  # 3 x 3: orientation of frame A in body axes
POINT_B = 12  # 3: the same of frame B, m
FRAME_B = 15  # 3 x 3: and its orientation
CONSTRAINT_PAR = 24  # 3: parameters, as the constraint's file says
CONSTRAINT_ROUNDING = 27  # what rounding may leave of an equation in the coordinates, near the inertial origin
CONSTRAINT_ARM = 28  # square of a lever arm as they are in the system, m^2
CONSTRAINT_REALS = 29

# I: row of equation r
ROW_CODE = 0  # which equation of its kind it is
ROW_HOLONOMIC = 1  # 1 when it is the time derivative of an equation in the coordinates
ROW_CONSTRAINT = 2  # its constraint
ROW_INTS = 3

# W: row of equation r, then of the points that slide with friction
CLOSING_WRENCH = 0  # 6: load that a unit multiplier leaves on the body where the loop closes
BETA = 6  # rate with the loads that are there, without multipliers
REDUCED_WRENCH = 7  # 6: L^-1 of CLOSING_WRENCH, of the pivot that the equation is,
REDUCED_BETA = 13  # and of BETA
VALUE_ = 14  # how far the equation in the coordinates is from being satisfied, m or rad
SPEED_ = 15  # and that of the speeds, m/s or rad/s
GAMMA = 16  # what the rate of the latter has besides rates of speeds
EXPLICIT = 17  # what it has besides speeds: the part that depends on time alone
SIZE_ = 18  # what J M^-1 J^T would be without any cancelling: the measure for a redundant equation
MULTIPLIER = 19  # Lagrange multiplier, N or N m
SHIFT = 20  # what least norm changes of the multiplier, N or N m
ARM = 21  # CONSTRAINT_ARM, for SIZE_, m^2
REACH = 22  # square of the load of a unit multiplier, as a moment, before any of it cancels
ROW_WIDTH = 23

# W: row of the constraint equations, after a solution
RANK_LEAST = 0  # least share of an equation, 0 to 1, that is left of it after those before it,
RANK_ROW = 1  # among the independent ones; the equation that has it,
RANK_COUNT = 2  # and how many are independent
RANK_DROP = 3  # given: share below which an equation counts as redundant; 0 for that of rounding
RANK_WIDTH = 4

# I: row of attachment a
ATTACHED = 0  # the body
ATTACHED_AT = 1  # place in W of the carried load of the constraint's first equation there
ATTACHED_STRIDE = 2  # and how much further that of the next equation is
ATTACHMENT_INTS = 3

# W: row of an equation and an attachment: load of a unit multiplier, about M in axes of M
WRENCH_TORQUE = 0  # 3: torque
WRENCH_FORCE = 3  # 3: force
WRENCH_WIDTH = 6

# I: row of term m
TERM_ROW = 0  # equation, counted within the constraint
TERM_COLUMN = 1  # speed whose rate w is meant
TERM_COORDINATE = 2  # its coordinate, or -1
TERM_AT = 3  # place in W of the carried T of that equation and speed
TERM_SEEN = 4  # written by the user: entry of what the constraint sees that is this coordinate, else -1
TERM_INTS = 5

# I: row of cluster c
CLUSTER_BODY = 0  # where its loops close
CLUSTER_ROW = 1  # first equation that closes
CLUSTER_ROWS = 2  # number of equations that close
CLUSTER_OPEN = 3  # first of the equations that share joints with these and are still open,
CLUSTER_OPENS = 4  # and their number
CLUSTER_NEXT = 5  # cluster further in that has the open ones, else -1
CLUSTER_DELASSUS = 6  # place of its matrix in W
CLUSTER_FRICTION = 7  # first of its points that slide with friction,
CLUSTER_FRICTIONS = 8  # and their number
CLUSTER_INTS = 9

# I: row of an equation that is open where a cluster closes
OPEN_ROW = 0  # the equation
OPEN_AT = 1  # place in W of its carried load on the body where the cluster closes
OPEN_SLOT = 2  # its number within the next cluster
OPEN_INTS = 3

# I: row of path entry j
PATH_ROW = 0  # the equation
PATH_ON = 1  # place in W of its carried load on the parent
PATH_SLOT = 2  # number of the equation within the next cluster that closes further in,
PATH_DELASSUS = 3  # place in W of that cluster's matrix
PATH_SIZE = 4  # and the length of its rows
PATH_AT = 5  # place in W of its own row
PATH_INTS = 6

# W: row of path entry j of a body with s speeds, modal ones counted twice
PATH_P = 0  # 6: load of a unit multiplier, on this body
PATH_T = 6  # s: what it leaves of the generalized force of each speed: joint, modes, A^-1 of `modal_elimination` of these

# I: row of watch n
WATCH_ROW = 0  # equation whose multiplier it is
WATCH_FRICTION = 1  # 1: with friction, in the two equations before
WATCH_INTS = 2

# I: row of point n that slides with friction
FRICTION_LOAD = 0  # its load
FRICTION_NORMAL = 1  # equation whose multiplier is the normal force
FRICTION_ROW = 2  # its own row, for the friction of a unit normal force is carried like an equation
FRICTION_AT = 3  # place in W of its carried load on the point's body,
FRICTION_OTHER_AT = 4  # and on the plane's
FRICTION_INTS = 5

# W: row of point n that slides with friction
FRICTION_WRENCH = 0  # 6: torque and force of friction under a unit normal force on the point's body, in its axes about M,
FRICTION_OTHER = 6  # 6: and on the plane's
FRICTION_POWER = 12  # power of friction under a unit normal force, m/s
FRICTION_WIDTH = 13

# I: row of flexible body
FLEXIBLE_BODY = 0  # its body
FLEXIBLE_P = 1  # place of its stiffness in P,
FLEXIBLE_SHAPE = 2  # of its shape
FLEXIBLE_W = 3  # place of its row in W
FLEXIBLE_ZERO = 4  # bits: which forms are left out; DIAGONAL_DAMPING: C is diagonal
FLEXIBLE_SOLVER = 5  # how the modal mass matrix is solved: DIRECT or UPDATE
FLEXIBLE_NODE = 6  # first of its nodes that carry bodies,
FLEXIBLE_NODES = 7  # and their number
FLEXIBLE_Q = 8  # first modal coordinate in q
FLEXIBLE_U = 9  # first modal speed in u
FLEXIBLE_SOLVE = 10  # place in W of the solver's matrix
FLEXIBLE_SPEEDS = 11  # how the body moves: RATES, CONSTANT_MASS or UNDEFORMED
FLEXIBLE_LOCKED = 12  # 1: the modal speeds do not change, whatever acts on them
FLEXIBLE_MASS = 13  # place in W of the modal mass matrix (DIRECT)
FLEXIBLE_POINTS = 14  # number of points that stand for the affine part of the motion
FLEXIBLE_LINEAR = 15  # number of their columns that have no form
FLEXIBLE_FORMS = 16  # number of quadratic forms that are not left out,
FLEXIBLE_RATE_FORMS = 17  # of those, which come first, that are needed with modal speeds as well,
FLEXIBLE_SECOND = 18  # and of those again, which come first, of c_k,
FLEXIBLE_MIXED = 19  # whose last ones are of columns that have a linear part too
FLEXIBLE_TURNING = 20  # mean axes are wanted where more bodies than this are used: 0 (RATES), or row of its first node
FLEXIBLE_SLOT = 21  # 21: which of COLUMNS is that of each form,
FLEXIBLE_FORM = 42  # 21: and of which form each of them is
FLEXIBLE_ROD = 63  # place in W of the sections of a strain rod
FLEXIBLE_SECTIONS = 64  # number of its sections after the root; 0 for a modal body
FLEXIBLE_PLANE = 65  # 1: it bends about z alone, and is strained in its plane alone
FLEXIBLE_SPINS = 66  # 1: its sections have rotary inertia
FLEXIBLE_START = 67  # 7: first coefficient of twist, bending about y, z, stretch, shear along y, z; their number
FLEXIBLE_INTS = 74
RATES = 0  # as `bodies.modal` and `bodies.strain_rod` have it
CONSTANT_MASS = 1  # with efficient modal speeds, see `constant_mass`
UNDEFORMED = 2  # with the undeformed shape in everything but the places of nodes
DIAGONAL_DAMPING = 21  # bit of FLEXIBLE_ZERO
FORMS = 21  # 3 of the residual angular momentum d, 12 of c_k, 6 of the residual inertia
TILE = 8  # columns of forms that stand together: all rows of one tile, then all of the next; zeros behind
RIGHT_SIDES = 7  # of the modal mass matrix: six of COUPLING, and MODAL_FORCE
DIRECT = 1  # the matrix and its factors, m rows of m + RIGHT_SIDES
UPDATE = 2  # the unit matrix and rows of the forms, by a small matrix of theirs, n rows of n + RIGHT_SIDES
SECTION_R = 0  # places in a section: axes of the section to axes of the root,
SECTION_P = 9  # place from the root,
SECTION_OMEGA = 12  # angular velocity in M,
SECTION_V = 15  # velocity in M,
SECTION_ALPHA = 18  # angular acceleration
SECTION_A = 21  # and acceleration in M without rates of speeds,
SECTION_TURN = 24  # sum of the turns of all steps, the angle where all are about one axis,
SECTION_WIDTH = 27  # and all of these
STEP_MASS = 0  # places in a step, in P: mass of the section it leads to,
STEP_SPIN = 1  # rotary inertia about its axes,
STEP_GIVEN = 4  # a1, a2, a3 of the unstrained rod, six numbers each,
STEP_WIDTH = 22  # and all of these

# W: row of flexible body with m modes
OWN_S = 0  # 3: s(eta), mass moment, kg m
OWN_J = 3  # 6: J(eta), kg m^2
OWN_R = 9  # 9: rotation of the mean axes (of a rod its root's): components there to components in M
OWN_OMEGA = 18  # 3: angular velocity of the mean axes in M, there,, rad/s
OWN_CHANGE = 21  # 3: and its rate without rates of the modal speeds, rad/s^2
OWN_C = 24  # 12: c_k
OWN_B = 36  # 12: accelerations of c_k (of a rod: of its mass centre, as c_0) that do not contain rates of speeds
OWN_PLACE = 48  # 24: in the order of COLUMNS: displacement of c_k, inertia of the residual modes in mean axes,
OWN_RATE = 72  # 24: rates of both, and angular momentum D sigma of the residual modes,
OWN_SQUARE = 96  # 24: second derivatives of c_k along the modal speeds
OWN_FACTOR = 120  # 15 x 4: of columns of d and c_k in MODAL_BIAS, and in MOMENTUM
OWN_SPIN = 180  # 9: 2 w, and with a minus of what J has in w . J w/2
OWN_LEFT = 189  # 6 x 8: inertia and load in six rows, from which the modal speeds are eliminated
COUPLING = 0  # 6 x m: angular, linear coupling of the modal speeds with the body's motion, with all that hangs on it
OWN_COUPLING = 6  # 6 x m: of the body alone
J_SLOPE = 12  # 6 x m: dJ/d eta
SOLVED_FORCE = 18  # m: modal mass matrix solved for what multipliers exert
MODAL_FORCE = 19  # m: what drives the modal speeds
MODAL_BIAS = 20  # m: what the modal equations have besides rates of speeds
ETA = 21  # m: modal coordinates
SIGMA = 22  # m: modal speeds
SCRATCH = 23  # 2 x m: in between
TURN_COLUMNS = 25  # 3 x m: angular velocity of the mean axes, there, per modal speed
MOMENTUM = 28  # 3 x m: Y of (5): angular momentum per modal speed, half of that of TURN_COLUMNS; of a rod that of a section
COLUMNS = 31  # 24 x m: by eta: of c_k, without and with a form, of d, of the residual inertia; then zeros
BY_SIGMA = 55  # 15 x m: forms of c_k and d times the modal speeds, then zeros
FIRST = 70  # 12 x m: linear parts of those of c_k that have a form (UPDATE)
MODAL = 237  # numbers before the vectors of m entries, which the constants count
MODAL_VECTORS = 82

# I: row of node: a frame that moves with the material of a flexible body, a massless body of the tree
NODE_OF = 0  # row of its flexible body
NODE_P = 1  # place of its data in P
NODE_W = 2  # place of its row in W
NODE_LOADED = 3  # place in W of the inertia of what hangs on it times its columns
NODE_FORMS = 4  # number of forms H, G that are not zero
NODE_SLOT = 5  # 6: which of the slopes is that of each component of theta and r^
NODE_SECTION = 11  # section of a strain rod that it is; 0 for a node of a modal body
NODE_INTS = 12
NODE_THETA = 0  # places in W after the vectors: theta,
NODE_MOVED = 3  # deflection,
NODE_RATE = 6  # rate,
NODE_BIAS = 12  # bias

# W: row of bodies and speeds, dense: that of body i and speed r is row i SPEEDS + r
PARTIAL_OMEGA = 0  # 3: partial angular velocity
PARTIAL_V = 3  # 3: partial velocity of the origin of M
PARTIAL_WIDTH = 6


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


def energy_work(I, m):
    """Place in W of applied load m."""
    return I[W_ENERGY] + m * ENERGY_WIDTH


def medium_row(I, n):
    """Place in I of medium n."""
    return I[I_MEDIUM] + n * MEDIUM_INTS


def group_row(I, m):
    """Place in I of group m of bodies."""
    return I[I_GROUP] + m * GROUP_INTS


def group_work(I, m):
    """Place in W of group m of bodies."""
    return I[W_GROUP] + m * GROUP_WIDTH


def law_row(I, m):
    """Place in I of user function m."""
    return I[I_LAW] + m * LAW_INTS


def wire_row(I, m):
    """Place in I of wire m."""
    return I[I_WIRE] + m * WIRE_INTS


def sensor_row(I, m):
    """Place in I of measured quantity m of the user functions."""
    return I[I_SENSOR] + m * SENSOR_INTS


def sensor_par(I, m):
    """Place in P of measured quantity m of the user functions."""
    return I[P_SENSOR] + m * SENSOR_REALS


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


def open_row(I, a):
    """Place in I of an equation that is open where a cluster closes."""
    return I[I_OPEN] + a * OPEN_INTS


def path_row(I, j):
    """Place in I of path entry j."""
    return I[I_PATH] + j * PATH_INTS


def watch_row(I, n):
    """Place in I of watch n."""
    return I[I_WATCH] + n * WATCH_INTS


def friction_row(I, n):
    """Place in I of point n that slides with friction."""
    return I[I_FRICTION] + n * FRICTION_INTS


def friction_work(I, n):
    """Place in W of point n that slides with friction."""
    return I[W_FRICTION] + n * FRICTION_WIDTH
