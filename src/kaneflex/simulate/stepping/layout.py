"""Statuses, phases, and where every number of a run lies in the arrays N and C."""

# What a call of `advance_...` returns, see stepper.Status
RK_DONE = 0
RK_BUDGET = 1
RK_EVENT = 2
RK_STEP_TOO_SMALL = 3
RK_NOT_FINITE = 4
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
RK_FINISH = 13  # fill samples and move on
RK_DIFFERENCE = 14  # implicit: a new Jacobian?
RK_COLUMN = 15  # implicit: the slope for its next column is there
RK_FACTOR = 16  # implicit: Newton's matrix
RK_SOLVE = 17  # implicit: the next stage
RK_SWEEP = 18  # implicit: the slope for a Newton correction is there
RK_FAILED = 19  # implicit: Newton did not converge
RK_OUTCOME = 20  # implicit: error
RK_DEFECT = 21  # implicit: the slope within the dense output is there

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
RK_J = 31  # implicit: Jacobian,
RK_LU = 32  # factors of 1 - h gamma J,
RK_BASE = 33  # y + h sum a_ij k_j over the stages before
RK_DELTA = 34  # Newton correction
RK_PIVOT = 35  # place in N of the pivots
# N: counters and flags
RK_STEPS = 36
RK_REJECTED = 37
RK_EVALUATIONS = 38
RK_FILLED = 39  # samples filled
RK_TIMES = 40  # samples wanted
RK_WHICH = 41  # event that happened, or -1
RK_FRESH = 42  # 1 before the first step from a start
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
RK_PROBE = 57  # place in T: implicit: weights of the dense output and its slope at 3/4 of the step
RK_ASTRAY = 58  # steps after which the constraints could not be met
RK_HELD = 59  # 1 when motions or constraints are to be kept
RK_SPARE = 60  # place in S: a slope that nobody reads
RK_INTS = 61

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
RK_REALS = 21
