"""Bending of a rod in a joint near the exit that it is fed out of, in a plane: a joint spring whose compliance grows with
the length of the rod outside.

The rod outside the exit is s long up to the innermost joint, and half a segment more up to the middle of the segment beyond
it, whose axes are those of the rod there. Of two segments beyond, of length h, the compliances of the joints

    c1 = 3 s/(2 h) ,    c2 = 3/2 - s/(2 h)                                                                              (1)

of h/EI add up to what the rod has from its exit to the middle of the second one at every s. Both are continuous where the
next joint passes the exit, which begins rigid: nothing is set ringing. With c linear in the length outside l,
c = a + b l, the potential and the loads along the angle and along the length are

    V = k x^2/(2 c) ,    -k (x + T x')/c ,    k x^2 b/(2 c^2) .                                                          (2)

The last is the force of a sleeve on a bent rod, EI kappa^2/2.

A joint that is let go has no angle yet, but held the moment M in the exit. With the angle y = -M c_0/k that the spring
would have had at the compliance c_0 with which it begins, in the place of x^2 the potential has

    x (x + 2 y g) ,    g = (3/2 - c)/(3/2 - c_0) ,                                                                       (3)

so that the moment is M from the start and nothing jumps; g fades to zero until the next joint passes.
Ref: Bigoni, Dal Corso, Bosi and Misseroni, Eshelby-like forces acting on elastic structures, Mechanics of Materials 80
(2015) 368.
"""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *

EXIT_SPRING = 61
FACTS = LoadFacts(EXIT_SPRING, spatial=False, apart=("exit_spring",))
EXIT_A = 5  # of the parameters from FORCE_LAW on: a and b, behind those of the spring that it is elsewhere
EXIT_B = 6
EXIT_HELD = 7  # y of (3), up to three
STIFFER = 100  # 1/c_0: how much stiffer than in the rod a joint begins


def exit_compliance(I, P, m, q):
    """c of row m, whose body is the one that slides."""
    g = force_par(I, m) + FORCE_LAW
    return P[g + EXIT_A] + P[g + EXIT_B] * q[I[body_row(I[force_row(I, m) + FORCE_BODY]) + Q0]]


def fading(c):
    """g of (3)."""
    return (3 - 2 * c) * STIFFER / (3 * STIFFER - 2)


def push_out(I, P, W, m, energy, held, c):
    """The last of (2), with (3): energy is V, and `held` k x y/c."""
    slide = column_work(I, I[body_row(I[force_row(I, m) + FORCE_BODY]) + U0])
    W[slide + TAU] += (energy / c + held * 2 * STIFFER / (3 * STIFFER - 2)) * P[force_par(I, m) + FORCE_LAW + EXIT_B]


def exit_spring(I, P, W, m, q):
    """(2) and (3). Parameters: k, k T, ..., a, b, y."""
    b, g = force_row(I, m), force_par(I, m)
    c, x = column_work(I, I[b + FORCE_COLUMN]), q[I[b + FORCE_COORDINATE]]
    w, share = W[c + RATE], exit_compliance(I, P, m, q)
    k, drag = P[g + FORCE_LAW] / share, P[g + FORCE_LAW + 1] / share
    y = P[g + FORCE_LAW + EXIT_HELD]
    energy = k * x * (x + 2 * y * fading(share)) / 2
    W[c + TAU] -= k * (x + y * fading(share)) + drag * w
    push_out(I, P, W, m, energy, k * x * y, share)
    record_energy(I, W, m, energy, 0 * w, -drag * w * w)
