"""Damping of a rod's modes, in the joints of its segments: what every mode loses by itself.

A mode k of frequency w_k is a set of turns a_jk in the joints j, with stiffness k_j there, for unit modal mass. Its share
of a motion with the rates r_j is h_k = sum k_j a_jk r_j/w_k^2, for M a_k = K a_k/w_k^2. Moments that lose c_k h_k^2 are

    tau_j = - sum_k B_jk sum_i B_ik r_i ,    B_jk = sqrt(c_k) k_j a_jk/w_k^2 ,                                       (1)

so that a small motion of the mode has the ratio c_k/(2 w_k), and no other mode sees it. They are in the joints alone,
for modes have no momentum: nothing is lost of a motion as a rigid body.

Rows: one for each column, FORCE_ROWS of them one after the other; the first one has their number, the others none.
Parameters: B of the column for the modes, zero for those that are not there.
"""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

ROD_MODES = 15
MOST_MODES = 13
FACTS = LoadFacts(ROD_MODES, spatial=False)


def rod_modes(I, P, W, m, z):
    """(1), by its first row."""
    lost = z
    for k in range(MOST_MODES if I[force_row(I, m) + FORCE_ROWS] > 0 else 0):
        share = z
        for r in range(m, m + I[force_row(I, m) + FORCE_ROWS]):
            share += P[force_par(I, r) + FORCE_LAW + k] * W[column_work(I, I[force_row(I, r) + FORCE_COLUMN]) + RATE]
        for r in range(m, m + I[force_row(I, m) + FORCE_ROWS]):
            c = column_work(I, I[force_row(I, r) + FORCE_COLUMN])
            W[c + TAU] -= P[force_par(I, r) + FORCE_LAW + k] * share
        lost += share * share
    record_energy(I, W, m, z, z, -lost)
