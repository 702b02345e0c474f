"""The inertia force of a body, whatever its kind, and the balance of its rotors.

About the origin of M, with h = m c and J the inertia there (the axial inertia of rotors taken out),

    force  = m a + alpha x h + [omega x (omega x h)]                                                 (1)
    torque = J alpha + h x a + [omega x (J omega + sum J_s s a_s)] + sum J_s s-dot a_s               (2)

s = a_s . omega + (rotor's rate in the body) is a rotor's total spin about its axis a_s, and J_s s-dot is the motor
torque on it. A rotor needs no coordinate and no rotation matrix: being axisymmetric, it looks the same at every angle.
The brackets and the inertia itself are written by the body's kind, see `bodies`.
"""

from kaneflex.kernels.algebra import (
    accumulate3,
    add,
    cross,
    dot,
    load3,
    load6,
    load33,
    mul,
    scale,
    sym_mul,
    tmul,
)
from kaneflex.kernels.layout import *


def add_rotor_momenta(I, P, W):
    """Gyroscopic torque of the rotors on their bodies."""
    for m in range(I[ROTORS]):
        w, a = body_work(I[rotor_row(I, m) + ROTOR_BODY]), load3(P, rotor_par(I, m) + ROTOR_AXIS)
        accumulate3(W, w + TORQUE, cross(load3(W, w + OMEGA), scale(rotor_momentum(I, P, W, m), a)))


def rotor_momentum(I, P, W, m):
    """J_s s of rotor m: its total axial angular momentum, kg m^2/s."""
    b, g = rotor_row(I, m), rotor_par(I, m)
    omega = load3(W, body_work(I[b + ROTOR_BODY]) + OMEGA)
    spin = W[column_work(I, I[b + ROTOR_U]) + RATE] + dot(load3(P, g + ROTOR_AXIS), omega)
    return P[g + ROTOR_INERTIA] * spin


def inertia_times(W, w, alpha, a):
    """(J alpha + H a, H^T alpha + M a) with the inertia held in row w."""
    H = load33(W, w + H_)
    return (
        add(sym_mul(load6(W, w + J_), alpha), mul(H, a)),
        add(tmul(H, alpha), sym_mul(load6(W, w + M_), a)),
    )


def balance(W, w):
    """Inertia torque and force less the applied ones of body row w, with its own inertia and its acceleration."""
    n, f = inertia_times(W, w, load3(W, w + ALPHA), load3(W, w + A_))
    return add(n, load3(W, w + TORQUE)), add(f, load3(W, w + FORCE))
