"""Twists: pairs of 3-vectors (turn, shift), and the exponential that carries a section of a rod to the next one.

Along a rod the section's turn rate kappa and tangent eps, in its own axes, make R' = R kappa~, r' = R eps. Over a step of
length h with the strain xi = (kappa, eps) at its three Gauss points, a1 = h xi_2, a2 = h sqrt(15)/3 (xi_3 - xi_1) and
a3 = h 10/3 (xi_3 - 2 xi_2 + xi_1), and with [a, b] = (b_w x a_w, b_w x a_v + b_v x a_w),

    (theta, rho) = a1 + a3/12 + [Q, S]/240 ,                                                                           (1)
        Q = C - 20 a1 - a3 ,   S = a2 - [a1, D]/60 ,   D = 2 a3 + C ,   C = [a1, a2] ,
    R <- R exp(theta~) ,   r <- r + R p ,   p = A rho ,   A = 1 + c1 theta~ + c2 theta~^2 .                              (2)

The error of a step is of order h^7, and there is none where the strain is constant. c1 = (1 - cos |theta|)/x and
c2 = (1 - sin |theta|/|theta|)/x are entire in x = theta.theta: power series, without branch or singular angle, to rounding
up to half a turn in one step.
Ref: Blanes, Casas, Oteo and Ros, Physics Reports 470 (2009) 151, for (1); Simo and Vu-Quoc (1986) for R' and r'.
"""

from kaneflex.kernels.algebra import add, cross, dot, mul, scale, sub

SERIES_TERMS = 12


def blend(x, a, y, b):
    """x a + y b of vectors."""
    return x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2]


def twist_blend(x, a, y, b):
    """x a + y b of twists."""
    return blend(x, a[0], y, b[0]), blend(x, a[1], y, b[1])


def twist_part(a, n):
    """a/n."""
    return (a[0][0] / n, a[0][1] / n, a[0][2] / n), (a[1][0] / n, a[1][1] / n, a[1][2] / n)


def twist_add(a, b):
    """a + b."""
    return add(a[0], b[0]), add(a[1], b[1])


def bracket(a, b):
    """[a, b]."""
    return cross(b[0], a[0]), add(cross(b[0], a[1]), cross(b[1], a[0]))


def magnus(a1, a2, a3, r1, r2, r3):
    """(theta, rho) of (1) and its first and second derivative where a1, a2, a3 have the rates r1, r2, r3 and these none; and
    Q, S, D, of which `magnus_along` is made."""
    C, C1, C2 = bracket(a1, a2), twist_add(bracket(r1, a2), bracket(a1, r2)), twist_blend(2, bracket(r1, r2), 0, r1)
    D, D1 = twist_blend(2, a3, 1, C), twist_blend(2, r3, 1, C1)
    E, E1 = bracket(a1, D), twist_add(bracket(r1, D), bracket(a1, D1))
    E2 = twist_blend(2, bracket(r1, D1), 1, bracket(a1, C2))
    S, S1 = twist_blend(1, a2, -1, twist_part(E, 60)), twist_blend(1, r2, -1, twist_part(E1, 60))
    Q, Q1 = twist_blend(1, C, -1, twist_blend(20, a1, 1, a3)), twist_blend(1, C1, -1, twist_blend(20, r1, 1, r3))
    F, F1 = bracket(Q, S), twist_add(bracket(Q1, S), bracket(Q, S1))
    F2 = twist_add(bracket(C2, S), twist_blend(2, bracket(Q1, S1), -1, twist_part(bracket(Q, E2), 60)))
    value = twist_add(twist_add(a1, twist_part(a3, 12)), twist_part(F, 240))
    first = twist_add(twist_add(r1, twist_part(r3, 12)), twist_part(F1, 240))
    return value, first, twist_part(F2, 240), Q, S, D


def magnus_along(a1, a2, Q, S, D, e):
    """Derivatives of (theta, rho) by a1, a2 and a3 along the twist e."""
    C1, C2 = bracket(e, a2), bracket(a1, e)
    S1 = twist_part(twist_add(bracket(e, D), bracket(a1, C1)), -60)
    S2 = twist_blend(1, e, -1, twist_part(bracket(a1, C2), 60))
    d1 = twist_add(bracket(twist_blend(1, C1, -20, e), S), bracket(Q, S1))
    d2 = twist_add(bracket(C2, S), bracket(Q, S2))
    d3 = twist_add(bracket(e, S), twist_part(bracket(Q, C2), 30))
    by_third = twist_blend(1, twist_part(e, 12), -1, twist_part(d3, 240))
    return twist_add(e, twist_part(d1, 240)), twist_part(d2, 240), by_third


def arm_factors(x):
    """c1 and c2 of (2), each with its two derivatives by x."""
    a, a1, a2, b, b1, b2 = 1 + 0 * x, 0 * x, 0 * x, 1 + 0 * x, 0 * x, 0 * x
    for k in range(SERIES_TERMS, 0, -1):
        even, odd = (2 * k + 1) * (2 * k + 2), (2 * k + 2) * (2 * k + 3)
        a2, b2 = -(2 * a1 + x * a2) / even, -(2 * b1 + x * b2) / odd
        a1, b1 = -(a + x * a1) / even, -(b + x * b1) / odd
        a, b = 1 - x * a / even, 1 - x * b / odd
    return (a / 2, a1 / 2, a2 / 2), (b / 6, b1 / 6, b2 / 6)


def factor_rates(f, dx, ddx):
    """A factor and its two derivatives in time, from those by x."""
    return f[0], f[1] * dx, f[1] * ddx + f[2] * dx * dx


def arm(theta, c1, c2, a):
    """A a."""
    once = cross(theta, a)
    return add(a, blend(c1, once, c2, cross(theta, once)))


def arm_rates(t, l, c1, c2):
    """p = A rho and its two derivatives in time; t, l, c1, c2 have three entries each, derivatives of theta, rho and the
    factors."""
    once, once1 = cross(t[0], l[0]), add(cross(t[1], l[0]), cross(t[0], l[1]))
    once2 = add(add(cross(t[2], l[0]), cross(t[0], l[2])), scale(2, cross(t[1], l[1])))
    twice, twice1 = cross(t[0], once), add(cross(t[1], once), cross(t[0], once1))
    twice2 = add(add(cross(t[2], once), cross(t[0], once2)), scale(2, cross(t[1], once1)))
    first = add(l[1], add(blend(c1[1], once, c1[0], once1), blend(c2[1], twice, c2[0], twice1)))
    second = add(l[2], add(blend(c1[2], once, c1[0], once2), blend(c2[2], twice, c2[0], twice2)))
    second = add(second, blend(2 * c1[1], once1, 2 * c2[1], twice1))
    return add(l[0], blend(c1[0], once, c2[0], twice)), first, second


def turn_rates(t, c1, c2):
    """Angular velocity A theta' of what exp(theta~) turns, in axes before the turn, and its derivative."""
    once, once1 = cross(t[0], t[1]), cross(t[0], t[2])
    twice, twice1 = cross(t[0], once), add(cross(t[1], once), cross(t[0], once1))
    change = add(t[2], add(blend(c1[1], once, c1[0], once1), blend(c2[1], twice, c2[0], twice1)))
    return add(t[1], blend(c1[0], once, c2[0], twice)), change


def arm_slope(theta, rho, f1, f2):
    """What dp/dtheta has along theta itself: 2 c1' theta x rho + 2 c2' theta x (theta x rho)."""
    once = cross(theta, rho)
    return blend(2 * f1[1], once, 2 * f2[1], cross(theta, once))


def carried_image(R, theta, rho, c1, c2, slope, d):
    """R A b and R (A s + dp/dtheta b) of the twist d = (b, s): what a change of (theta, rho) turns and shifts."""
    b, n = d[0], dot(theta, d[0])
    by_turn = add(blend(n, slope, c1, cross(b, rho)), scale(c2, blend(dot(theta, rho), b, dot(b, rho), theta)))
    by_turn = sub(by_turn, scale(2 * c2 * n, rho))
    return mul(R, arm(theta, c1, c2, b)), mul(R, add(arm(theta, c1, c2, d[1]), by_turn))


def turned_rows(R, theta, x, c1, c2):
    """R exp(theta~), row by row: with s = sin |theta|/|theta|, row + s row x theta + c1 (row x theta) x theta."""
    s = 1 - x * c2
    a, b, c = cross(R[0], theta), cross(R[1], theta), cross(R[2], theta)
    return (
        add(R[0], blend(s, a, c1, cross(a, theta))),
        add(R[1], blend(s, b, c1, cross(b, theta))),
        add(R[2], blend(s, c, c1, cross(c, theta))),
    )
