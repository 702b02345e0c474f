"""Statuses, phases, and where every number of a run lies in the arrays N and C."""

# What a call of `advance_...` returns, see stepper.Status
RK_DONE = 0
RK_BUDGET = 1
RK_EVENT = 2
RK_STEP_TOO_SMALL = 3
RK_NOT_FINITE = 4
RK_NO_VALUE = 5
RK_STEP = 6  # the caller makes the step, or asked for a slope: see own_steps.py
RK_FILL = 7  # the caller makes room for Newton's matrix with all of its entries
RK_GO = -1  # inside the loop only: to the next phase,
RK_SLOPE = -2  # the right-hand side is wanted,
RK_VALUES = -3  # the event functions are wanted

# Phases of a run
RK_BEGIN = 0  # of a call
RK_CHECK = 1  # the slope at (t, y) is there
RK_GUESS = 2  # the event functions at a start are there
RK_GUESSED = 3  # the slope after an Euler step is there
RK_PLAN = 4  # the next step
RK_RUN = 5  # explicit: the stages from INDEX to END
RK_RESULT = 6  # explicit: new state and error
RK_JUDGE = 7  # accept or reject
RK_LOOK = 8  # the event functions at the end of the step are there: is a search or a sample due?
RK_DENSE = 9  # make the dense output
RK_PROBED = 10  # event functions early in the step are there
RK_BRACKET = 11  # the next trial in the search for an event
RK_TRIED = 12  # its event functions are there
RK_SCAN = 13  # the next event functions of a part of the step are there
RK_SIFT = 14  # is that part short enough?
RK_CROSS = 15  # is there a zero in it?
RK_FINISH = 16  # fill samples and move on
RK_DIFFERENCE = 17  # implicit: a new Jacobian?
RK_COLUMN = 18  # implicit: the slope for its next column is there
RK_FACTOR = 19  # implicit: Newton's matrix
RK_SOLVE = 20  # implicit: the next stage
RK_SWEEP = 21  # implicit: the slope for a Newton correction is there
RK_FAILED = 22  # implicit: Newton did not converge
RK_OUTCOME = 23  # implicit: error
RK_DEFECT = 24  # implicit: the slope within the dense output is there
RK_STAGE = 25  # coupled: the slope of the next stage is wanted
RK_CORRECT = 26  # coupled: those of all stages are there
RK_REFINE = 27  # coupled: the slope for a better estimate of the error is there
RK_OUTSIDE = 28  # the caller makes the step
RK_ASKED = 29  # the caller wants a slope
RK_WEIGH = 30  # tree: the slope beside the state, by the error, is there,
RK_WEIGHED_UP = 31  # and that on its other side
RK_LATE = 32  # linear: the slope a little later is there
RK_SHAPE = 33  # linear, alpha: the dense output is wanted

# Kinds of methods
RK_EXPLICIT = 0
RK_DIAGONAL = 1  # implicit stages, one after the other
RK_COUPLED = 2  # implicit stages, all at once
RK_OWN = 3  # the caller makes the steps
RK_LINEAR = 4  # linearly implicit stages, one after the other, without iteration
RK_ALPHA = 5  # Newmark's method and generalized-alpha

# Newton's matrices
RK_FULL = 0  # all entries of the Jacobian, by differences
RK_TREE = 1  # what joints do of themselves, see formulations/tree_matrix.py

# N: the problem and the method
RK_SIZE = 0  # length n of y
RK_CHECKED = 1  # entries of y, the first ones, whose error counts
RK_EVENTS = 2
RK_STAGES = 3
RK_SLOTS = 4  # number of stage vectors kept, see methods/contract.py
RK_FIRST = 5  # slot of the slope at the step's start
RK_LAST = 6  # slot of the slope at the step's end
RK_FSAL = 7
RK_ESTIMATES = 8  # rows of E
RK_TERMS = 9  # rows of D
RK_EXTRA = 10  # extra stages of the dense output
RK_ADAPTIVE = 11
RK_IMPLICIT = 12
# N: places in T
RK_A = 13
RK_B = 14
RK_NODES = 15
RK_E = 16
RK_D = 17
# N: places in S
RK_Y = 18
RK_NEW = 19  # y at the end of the step
RK_TRY = 20  # argument of the right-hand side
RK_K = 21  # stage vectors
RK_F = 22  # coefficients of the dense output; scratch before they are made
RK_ATOL = 23
RK_G0 = 24  # event functions at the start of the step,
RK_G1 = 25  # at its end,
RK_GX = 26  # in between
RK_SIDE = 27  # sign that each event function has, 0 when unknown
RK_DIRECTION = 28
RK_WAITING = 29  # events that happened at this instant and are not yet reported
RK_FIRED = 30  # events that happened at this instant
RK_J = 31  # implicit: Jacobian, by rows
RK_MEMORY = 32  # what a method keeps that makes its steps itself
RK_BASE = 33  # diagonal: y + h sum a_ij k_j over the stages before; a slope that was asked for
RK_DELTA = 34  # Newton correction
RK_Z = (
    35  # coupled: Y_i - y of the stages, then the same in the axes of the eigenvectors; linear: the state one step before,
)
# the rate of slopes in time; alpha: the state one step before, a, what is known of a_1, v_1 and s, see alpha.py
# N: counters and flags
RK_STEPS = 36
RK_REJECTED = 37
RK_EVALUATIONS = 38
RK_FILLED = 39  # samples filled
RK_TIMES = 40  # samples wanted
RK_WHICH = 41  # event that happened, or -1
RK_FRESH = 42  # 1 before the first step from a start; 2 when only the right-hand side has jumped
RK_VALID = 43  # 1 when the slope at (t, y) is known
RK_SHRUNK = 44  # 1 after a rejected step
RK_BAD = 45  # 1 after a step with numbers that are not finite
RK_JACOBIAN = 46  # 0: to be made, 1: of an earlier step, 2: of this step
RK_FACTORED = 47
RK_PHASE = 48
RK_ASK_Y = 49  # place in S of the state where a slope or event functions are wanted,
RK_ASK_OUT = 50  # and of the answer
RK_LEFT = 51  # attempts left in this call
RK_INDEX = 52  # stage or column that comes next
RK_COUNT = 53  # Newton corrections, or trials in the search
RK_MOVED = 54  # search: which end of the bracket moved last
RK_SEARCH = 55  # 1: this step is searched for an event, 2: it has one
RK_END = 56  # explicit: stage before which to stop
RK_PROBE = 57  # place in T: implicit: weights of the dense output and its slope at one place in the step
RK_PROJECTION_FAILURES = 58  # steps after which the constraints could not be met
RK_CONSTRAINED = 59  # 1 when motions or constraints are to be kept
RK_SPARE = 60  # place in S: a slope that nobody reads
RK_LOST = 61  # tries of this step after which the constraints could not be met
RK_SCANNED = 62  # events, the first ones, that are followed within steps
RK_WATCHED = 63  # 1 when multipliers are event functions
RK_WEIGHED = 64  # 1 when the last two entries of y are work, whose error counts relative to the kinetic energy too
RK_RATED = 65  # scan: 1 when D0 is known
RK_DIPS = 66  # scan: minima looked at in this step
RK_BLIND = 67  # scan: parts of this step, too short to be divided, in which an event function was not followed
RK_UNSEEN = 68  # such parts in the run,
RK_UNSEEN_EVENT = 69  # and the event of the first of them
RK_GM = 70  # places in S: scan: event functions in the middle of a part,
RK_D0 = 71  # their rates at its start,
RK_D1 = 72  # at its end,
RK_DM = 73  # and in the middle
RK_SUMS = 74  # place in S: kinetic energy
RK_RANK = 75  # most constraint equations that were independent after a step
RK_PAUSE = 76  # evaluations near a singular position that are still to be taken as they are,
RK_FAILS = 77  # and how often in a row they could not be made from neighbours
RK_LEAST_ROW = 78  # equation with the least share in this step,
RK_BEFORE_ROW = 79  # in the step before
RK_PASSED = 80  # singular positions passed and not yet told,
RK_PASSES = 81  # and their place in S: time, equation, share of each
RK_NEIGHBOURS = 82  # place in S: vectors for evaluations near a singular position
RK_TIED = 83  # 1 when there are constraint equations, whose independence the kernels tell
RK_KIND = 84  # of method
RK_COORDINATES = 85  # entries of y, the first ones, whose rates are W(q) u and so not stiff
RK_WORKS = 86  # entries of y, the last ones, that no slope depends on
RK_JACOBIANS = 87  # made
RK_GAMMA = 88  # place in T: implicit: gamma; mu of a coupled method, real and imaginary; where PROBE is in the step
RK_AXES = (
    89  # place in T: coupled: matrices E, E^-1, A^-1; linear: c_ij and gamma_i; alpha: alpha_m, alpha_f, beta, gamma, g/h
)
RK_SMOOTH = 90  # 1 when the present state is the end of a step: coupled: of the polynomial in F; else: from the state in Z
RK_MATRIX = 91  # implicit: Newton's matrix
RK_POINT = 92  # place in S: state that it belongs to
RK_CORRECTIONS = 93  # Newton corrections made
RK_MIXED = 94  # place in S: tree: corrections that are mixed, see mixing.py,
RK_DOUBT = 95  # tree: how much there is to say against it
RK_PAIRS = 96  # and how many there have been
RK_SEEN = 97  # tree: rejected steps at the last look
RK_TIMED = 98  # linear: 1 when slopes depend on time itself
RK_SPEEDS = (
    99  # alpha: speeds, after the coordinates, that are rates of a tree's joints; 0: coordinates are states like others
)
RK_WORKED = 100  # place in S of the state at which the last slope was evaluated; -1 where W holds something else since
RK_GIVEN_UP = 101  # linear: steps at which the matrix of the tree was given up, and one; 0 where it was not, or for good
RK_INTS = 102
RK_ROOM = 64  # singular positions that are noted before they must be told
RK_ZONE = 10_000  # one over the part of the usual share below which a position counts as singular at most,
RK_CORE = 10_000_000  # and at least
RK_TRIES = 6  # of a step whose end does not find back to the constraints,
RK_TOO_LONG = 100  # and the error that it is given
RK_SWEEPS = 7  # coupled: most Newton corrections
RK_LARGE = 60  # length of y from which factors cost more than steps
RK_PATIENT = 12  # most corrections by the matrix of the tree,
RK_DEPTH = 4  # of which this many are mixed
RK_DOUBTS = 12  # doubt at which the tree is given up, and what is added by
RK_DOUBT_FAILED = 4  # an iteration that fails,
RK_DOUBT_LARGE = 4  # and an error estimate that is too large, or many rejected steps
RK_LOOKS = 8  # steps from one look at the latter to the next,
RK_TRUST = 2  # and what one that finds nothing takes away
RK_FILLABLE = 800  # length of y up to which a matrix with all entries is worth while, where the tree's does not serve
RK_TRIAL = 12  # linear: steps by a matrix with all entries, after which it is seen whether they are as much longer
RK_TREE_COST = 9  # as they cost more: evaluations of a step with the matrix of the tree,
RK_FULL_COST = 6  # and with all entries, besides one for each entry of y
RK_FOR_GOOD = -1_000_000  # doubt that is never enough

# C: the clock and step control
RK_T = 0
RK_H = 1  # step to try next
RK_H_TRY = 2  # step being tried
RK_T_NEW = 3  # its end
RK_STOP = 4
RK_RTOL = 5
RK_MAX_STEP = 6
RK_ERROR_OLD = 7  # error of the step before
RK_POWER = 8  # one over the order of the error estimate
RK_BETA = 9  # share of the step before in the PI control
RK_GROW = 10
RK_SHRINK = 11
RK_ETA = 12  # Newton: expected error over last correction
RK_RATE = 13  # Newton: slowest convergence in this step
RK_H_LU = 14  # step that the factors belong to
RK_ASK_T = 15
RK_ERROR = 16  # error of the step being tried
RK_LOW = 17  # search: no event before this part of the step,
RK_HIGH = 18  # one before this
RK_X = 19  # and the trial
RK_NORM = 20  # Newton: last correction
RK_MIDDLE = 21  # scan: where the middle of the part is
RK_SPACING = 22  # scan: length of the parts, s; 0 when steps need no division
RK_UNSEEN_T = 23  # when an event function was first not followed
RK_USUAL = 24  # largest share that the least independent constraint equation had after a step
RK_APART = 25  # time between the neighbours of an evaluation near a singular position
RK_LEAST = 26  # least share, over the usual one, of a constraint equation in this step,
RK_LEAST_T = 27  # and when;
RK_BEFORE = 28  # in the step before,
RK_BEFORE_T = 29
RK_EARLIER = 30  # and in the one before that
RK_REACH = 31  # part of the usual share below which a position counts as singular
RK_H_OLD = 32  # coupled: length of the step before
RK_POINT_T = 33  # time that Newton's matrix belongs to
RK_NORM_FIRST = 34  # Newton: first correction
RK_ASIDE = 35  # tree: displacement over the error's estimate, where slopes are looked at
RK_H_TREE = 36  # linear: step when the matrix of the tree was given up
RK_REALS = 37
