"""Gears and linear couplers: sum of coefficients times joint rates is zero; holonomic when all have coordinates.

Parameter: what the same sum over the coordinates amounts to.
"""

from kaneflex.kernels.constraints.ends import set_equation
from kaneflex.kernels.layout import *


def coupler_row(I, P, W, e, q):
    """The equation of constraint e; its terms are in the table of terms."""
    b = constraint_row(I, e)
    r = I[b + CONSTRAINT_ROW]
    value = 0 * W[OMEGA]
    if I[equation_row(I, r) + ROW_HOLONOMIC] == 1:
        value -= P[constraint_par(I, e) + CONSTRAINT_PAR]
        for m in range(I[b + TERM0], I[b + TERM0] + I[b + TERMS]):
            value += P[I[P_TERM] + m] * q[I[term_row(I, m) + TERM_COORDINATE]]
    set_equation(I, W, r, value, 0 * W[OMEGA])
