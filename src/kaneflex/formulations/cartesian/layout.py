"""Places in the tables of the formulation: its integers, from I_OWN on, and its numbers, in memory of its own."""

# Header of the integers of the formulation: the address of its numbers, counts, and where tables begin
C_MEMORY, C_FREE, C_EQUATIONS = 0, 1, 2
C_BODY_TABLE, C_REF_TABLE, C_FEATURE_TABLE, C_EQUATION_TABLE, C_COLUMN_TABLE, C_PAIR_TABLE, C_MAP_TABLE = 3, 4, 5, 6, 7, 8, 9
C_POSITIONS, C_SIGNS, C_SUPERNODES, C_SUPERNODE_TABLE = 10, 11, 12, 13
C_BODY_NUMBERS, C_FEATURE_NUMBERS, C_CONSTANTS, C_EQUATION_NUMBERS = 14, 15, 16, 17
C_BODY_COLUMNS, C_GRADIENTS, C_RESULTS, C_FACTOR, C_DIAGONAL, C_SIDE, C_SCRATCH = 18, 19, 20, 21, 22, 23, 24
C_GIVEN, C_FOUND, C_SIZES, C_MULTIPLIERS, C_ROW, C_FACTOR_SIZE = 25, 26, 27, 28, 29, 30
C_PLACE_TABLE, C_DIAGONAL_TABLE, C_INERTIA_TIMES, C_JOINT_TABLE, C_NORMAL_TABLE, C_HEADER = 31, 32, 33, 34, 35, 36
C_NO_FEATURE = -1  # the zero vector, first of the constants

# A body: point, head and tail of both directions, number of its points and vectors, the first of them; then frame and c
C_ORIGIN, C_HEAD1, C_TAIL1, C_HEAD2, C_TAIL2, C_REFS, C_REF0, C_BODY_PLACES, C_BODY_INTS = 0, 1, 2, 3, 4, 5, 6, 7, 8
C_ARM, C_BODY_REALS = 9, 12
C_REF_INTS = 4  # coordinate; how often in the point and the two directions
C_BIAS, C_LOAD, C_COLUMNS_WIDTH = 90, 96, 102  # six rows of up to fifteen columns; what is not linear in y''; applied load
C_MOST = 15

# An equation: kind, four integers, its points and vectors, its bodies; what is found of it
C_KIND, C_A, C_B, C_C, C_D, C_COLUMNS, C_COLUMN0, C_PAIRS, C_PAIR0, C_PLACES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
C_EQUATION_INTS = 10
C_EQUATION_REALS = 25
C_RIGID_ROW, C_TIE_ROW, C_DRIVE_ROW, C_USER_ROW, C_JOINT_ROW = 0, 1, 2, 3, 4
C_VALUE, C_GAMMA, C_EXPLICIT, C_WEIGHT, C_RESULT_WIDTH = 0, 1, 2, 3, 4

# A joint that has columns alone, its place by body, 0 where a body has none: six rows of six numbers, what works along every
# speed alone and then what it does not let move; its factor R; how far the bodies are off its pose, a turn and a way
C_FACTOR_OF_COLUMNS, C_OFF, C_JOINT_WIDTH = 36, 72, 78

# A supernode: first pivot, pivots, columns in all, and in whole vectors; where its rows of U are; where the list of its
# columns is, as if it began with the pivots; and that of the rows beyond: place of the row, of the columns that it has there
SN_FIRST, SN_PIVOTS, SN_SIZE, SN_WIDTH, SN_ROWS, SN_INDEX, SN_TARGETS, SN_INTS = 0, 1, 2, 3, 4, 5, 6, 7
