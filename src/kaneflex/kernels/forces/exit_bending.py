"""Bending and twist of a rod in a joint near the exit that it is fed out of, in space: `rod_bending` with the compliance of
`exit_spring`."""

from kaneflex.kernels.algebra import dot, load3, scale
from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.exit_spring import EXIT_HELD, exit_compliance, push_out
from kaneflex.kernels.forces.rod_bending import along_arc, arc_of_tangent, quarter_moment, quarter_rate, quarter_turn
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

EXIT_BENDING = 62
FACTS = LoadFacts(EXIT_BENDING, spatial=False, apart=("exit_bending",))


def exit_bending(I, P, W, m, q):
    """(3) of `rod_bending`, over c, and the last of (2) of `exit_spring`, with (3). Parameters: those of `rod_bending`, ...,
    a, b, p."""
    b, g = force_row(I, m), force_par(I, m)
    c, (share, steep, left, fading) = column_work(I, I[b + FORCE_COLUMN]), exit_compliance(I, P, m, q)
    k, time = (P[g + FORCE_LAW] / share, P[g + FORCE_LAW + 1] / share, P[g + FORCE_LAW + 2] / share), P[g + FORCE_LAW + 3]
    turn = quarter_turn(q, I[b + FORCE_COORDINATE])
    x = dot(turn, turn)
    G, slope = arc_of_tangent(x)
    w = (W[c + RATE], W[c + COLUMN_WIDTH + RATE], W[c + 2 * COLUMN_WIDTH + RATE])
    phi = scale(4 * G, turn)
    rates = along_arc(turn, G, slope, quarter_rate(turn, x, w))
    y = load3(P, g + FORCE_LAW + EXIT_HELD)
    held = scale(left, y)
    moment = (
        k[0] * (phi[0] + held[0] + time * rates[0]),
        k[1] * (phi[1] + held[1] + time * rates[1]),
        k[2] * (phi[2] + held[2] + time * rates[2]),
    )
    tau = quarter_moment(turn, x, along_arc(turn, G, slope, moment))
    for n in range(3):
        W[c + n * COLUMN_WIDTH + TAU] -= tau[n]
    pull = (k[0] * phi[0], k[1] * phi[1], k[2] * phi[2])
    energy = dot(pull, phi) / 2 + dot(pull, held)
    loss = time * (k[0] * rates[0] * rates[0] + k[1] * rates[1] * rates[1] + k[2] * rates[2] * rates[2])
    push_out(I, W, m, energy, -fading * dot(pull, y), share, steep)
    record_energy(I, W, m, energy, 0 * energy, -loss)
