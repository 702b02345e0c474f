"""Bending of a rod in a joint near the exit that it is fed out of, in a plane, and its stretching: a joint spring whose
compliance grows with the length of the rod outside.

The compliances of the joints near the exit have to add up to that of the rod outside, and so have their moments; and nothing
must be set ringing where a joint is let go or has come out. A joint that is d outside, with segments of length h, has

    c = y^2/2 up to y = 1, then 1 - (2 - y)^2/2 up to y = 2, then 1 ,    y = d/h + 1 ,                                    (1)

of h/EI: the rate of c is a hat, which gives sums and first moments at any d, begins a segment inside the exit, and has no
jumps. A joint is let go at y_0, where c is small but not zero. With y linear in the length outside l, the potential
and the loads along the angle x and along l are

    V = k x^2/(2 c) ,    -k (x + T x')/c ,    k x^2 c'/(2 c^2) .                                                         (2)

The last is the force of a sleeve on a bent rod, EI kappa^2/2.

A joint that is let go has no angle yet, but held the moment M in the exit. With the angle p = -M c(y_0)/k that the spring
would have had, in the place of x^2 the potential has

    x (x + 2 p g) ,    g = (1 + y_0 - y)^2 ,                                                                              (3)

so that the moment is M from the start and nothing jumps; g fades to zero until the next joint is let go, and so does its
rate, for -k x p g'/c is a force along l too.
Ref: Bigoni, Dal Corso, Bosi and Misseroni, Eshelby-like forces acting on elastic structures, Mechanics of Materials 80
(2015) 368.
"""

from kaneflex.kernels.forces.contract import LoadFacts
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import ramp

EXIT_SPRING = 61
FACTS = LoadFacts(EXIT_SPRING, spatial=False, apart=("exit_spring",))
EXIT_A = 5  # of the parameters from FORCE_LAW on: y = a + b l, behind those of the spring that it is elsewhere
EXIT_B = 6
EXIT_HELD = 7  # p of (3), up to three
BEGIN = 8  # 1/y_0


def exit_compliance(I, P, m, q):
    """c of row m, whose body is the one that slides, its rate with l, g, and its rate with l."""
    g = force_par(I, m) + FORCE_LAW
    y = P[g + EXIT_A] + P[g + EXIT_B] * q[I[body_row(I[force_row(I, m) + FORCE_BODY]) + Q0]]
    first, second, third = ramp(y), ramp(y - 1), ramp(y - 2)
    c = first * first / 2 - second * second + third * third / 2
    left, slope = (1 + BEGIN - BEGIN * y) / BEGIN, P[g + EXIT_B]
    return c, (first - 2 * second + third) * slope, left * left, -2 * left * slope


def push_out(I, W, m, energy, held, c, slope):
    """The last of (2), with (3): energy is V, and `held` -k x p g'/c."""
    slide = column_work(I, I[body_row(I[force_row(I, m) + FORCE_BODY]) + U0])
    W[slide + TAU] += energy * slope / c + held


def exit_spring(I, P, W, m, q):
    """(2) and (3). Parameters: k, k T, ..., a, b, p."""
    b, g = force_row(I, m), force_par(I, m)
    c, x = column_work(I, I[b + FORCE_COLUMN]), q[I[b + FORCE_COORDINATE]]
    w, (share, slope, left, fading) = W[c + RATE], exit_compliance(I, P, m, q)
    k, drag, p = P[g + FORCE_LAW] / share, P[g + FORCE_LAW + 1] / share, P[g + FORCE_LAW + EXIT_HELD]
    energy = k * x * (x + 2 * p * left) / 2
    W[c + TAU] -= k * (x + p * left) + drag * w
    push_out(I, W, m, energy, -k * x * p * fading, share, slope)
    record_energy(I, W, m, energy, 0 * w, -drag * w * w)
