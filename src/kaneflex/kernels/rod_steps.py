"""Step by step along a rod: sections of a `strain_rod` and their partial velocities, with zeros in sight of the compiler
where the rod stays in a plane. What follows from what is in `strain_rod` and `twists`.
"""

from kaneflex.kernels.algebra import add, cross, dot, load3, load33, mul, scale, store3, store33
from kaneflex.kernels.layout import *
from kaneflex.kernels.modal_products import modal_three
from kaneflex.kernels.twists import (
    arm_factors,
    arm_rates,
    arm_slope,
    carried_image,
    factor_rates,
    magnus,
    magnus_along,
    turn_rates,
    turned_rows,
)


def strain_of(I, P, W, i, j, axis):
    """a1, a2, a3 of `twists`, then their rates, of the strain `axis` of body i in step j."""
    f, m = flexible_row(I, i), I[body_row(i) + MODES]
    eta, sigma = modal_work(I, i, ETA), modal_work(I, i, SIGMA)
    given, B = section_par(I, i, j + 1) + STEP_GIVEN + axis, rod_step_par(I, i, j)
    z = 0 * W[sigma]
    x, y, v, dx, dy, dv = z + P[given], z + P[given + 6], z + P[given + 12], z, z, z
    for k in range(I[f + FLEXIBLE_START + axis], I[f + FLEXIBLE_START + axis + 1]):
        a, b, c, value, rate_of = P[B + k], P[B + m + k], P[B + 2 * m + k], W[eta + k], W[sigma + k]
        x, y, v = x + a * value, y + b * value, v + c * value
        dx, dy, dv = dx + a * rate_of, dy + b * rate_of, dv + c * rate_of
    return x, y, v, dx, dy, dv


def space_step(I, P, W, i, j):
    """From section j of body i to the next one."""
    a, b, c = strain_of(I, P, W, i, j, 0), strain_of(I, P, W, i, j, 1), strain_of(I, P, W, i, j, 2)
    d, e, g = strain_of(I, P, W, i, j, 3), strain_of(I, P, W, i, j, 4), strain_of(I, P, W, i, j, 5)
    a1, a2, a3 = ((a[0], b[0], c[0]), (d[0], e[0], g[0])), ((a[1], b[1], c[1]), (d[1], e[1], g[1])), (
        (a[2], b[2], c[2]), (d[2], e[2], g[2]))  # fmt: skip
    r1, r2, r3 = ((a[3], b[3], c[3]), (d[3], e[3], g[3])), ((a[4], b[4], c[4]), (d[4], e[4], g[4])), (
        (a[5], b[5], c[5]), (d[5], e[5], g[5]))  # fmt: skip
    z, R = 0 * a[0], load33(W, section_work(I, i, j) + SECTION_R)
    value, first, second, Q, S, D = magnus(a1, a2, a3, r1, r2, r3)
    f1, f2, Rp = carry_section(I, W, i, j, R, value, first, second)
    slope = arm_slope(value[0], value[1], f1, f2)
    for axis in range(6):
        if I[flexible_row(I, i) + FLEXIBLE_START + axis] < I[flexible_row(I, i) + FLEXIBLE_START + axis + 1]:
            d1, d2, d3 = magnus_along(a1, a2, Q, S, D, unit_twist(z, axis))
            one = carried_image(R, value[0], value[1], f1[0], f2[0], slope, d1)
            two = carried_image(R, value[0], value[1], f1[0], f2[0], slope, d2)
            three = carried_image(R, value[0], value[1], f1[0], f2[0], slope, d3)
            space_columns(I, P, W, i, j, axis, one, two, three, Rp)


def unit_twist(z, axis):
    """The unit twist of a strain; z is a zero."""
    turn, shift = (z, z, z), (z, z, z)
    if axis == 0:
        turn = (1 + z, z, z)
    elif axis == 1:
        turn = (z, 1 + z, z)
    elif axis == 2:
        turn = (z, z, 1 + z)
    elif axis == 3:
        shift = (1 + z, z, z)
    elif axis == 4:
        shift = (z, 1 + z, z)
    else:
        shift = (z, z, 1 + z)
    return turn, shift


def space_columns(I, P, W, i, j, axis, one, two, three, Rp):
    """Eq. (2) of `strain_rod` for the coefficients of the strain `axis` of body i, from section j to the next one."""
    f, m, B = flexible_row(I, i), I[body_row(i) + MODES], rod_step_par(I, i, j)
    here = section_columns_work(I, i, j)
    there = here + 6 * m
    for k in range(I[f + FLEXIBLE_START + axis], I[f + FLEXIBLE_START + axis + 1]):
        a, b, c, turn = P[B + k], P[B + m + k], P[B + 2 * m + k], modal_three(W, here + k, m)
        swept = cross(turn, Rp)
        for n in range(3):
            W[there + n * m + k] = turn[n] + a * one[0][n] + b * two[0][n] + c * three[0][n]
            shift = W[here + (3 + n) * m + k] + swept[n]
            W[there + (3 + n) * m + k] = shift + a * one[1][n] + b * two[1][n] + c * three[1][n]


def plane_step(I, P, W, i, j):
    """The same for a rod that bends about z alone, and may be stretched and sheared in its plane."""
    c, d, e = strain_of(I, P, W, i, j, 2), strain_of(I, P, W, i, j, 3), strain_of(I, P, W, i, j, 4)
    z, at = 0 * c[0], section_work(I, i, j)
    cosine, sine = W[at + SECTION_R], W[at + SECTION_R + 3]
    R = ((cosine, -sine, z), (sine, cosine, z), (z, z, 1 + z))
    a1, a2, a3 = ((z, z, c[0]), (d[0], e[0], z)), ((z, z, c[1]), (d[1], e[1], z)), ((z, z, c[2]), (d[2], e[2], z))
    r1, r2, r3 = ((z, z, c[3]), (d[3], e[3], z)), ((z, z, c[4]), (d[4], e[4], z)), ((z, z, c[5]), (d[5], e[5], z))
    value, first, second, Q, S, D = magnus(a1, a2, a3, r1, r2, r3)
    f1, f2, Rp = carry_section(I, W, i, j, R, value, first, second)
    slope = arm_slope(value[0], value[1], f1, f2)
    bending, stretch, shear = ((z, z, 1 + z), (z, z, z)), ((z, z, z), (1 + z, z, z)), ((z, z, z), (z, 1 + z, z))
    plane_columns(I, P, W, i, j, 2, R, value, f1, f2, slope, magnus_along(a1, a2, Q, S, D, bending), Rp)
    plane_columns(I, P, W, i, j, 3, R, value, f1, f2, slope, magnus_along(a1, a2, Q, S, D, stretch), Rp)
    plane_columns(I, P, W, i, j, 4, R, value, f1, f2, slope, magnus_along(a1, a2, Q, S, D, shear), Rp)


def plane_columns(I, P, W, i, j, axis, R, value, f1, f2, slope, along, Rp):
    """Eq. (2) of `strain_rod` in a plane, where columns turn about z and shift along x and y."""
    f, m, B = flexible_row(I, i), I[body_row(i) + MODES], rod_step_par(I, i, j)
    here = section_columns_work(I, i, j)
    there, z = here + 6 * m, 0 * Rp[0]
    one = carried_image(R, value[0], value[1], f1[0], f2[0], slope, along[0])
    two = carried_image(R, value[0], value[1], f1[0], f2[0], slope, along[1])
    three = carried_image(R, value[0], value[1], f1[0], f2[0], slope, along[2])
    for k in range(I[f + FLEXIBLE_START + axis], I[f + FLEXIBLE_START + axis + 1]):
        a, b, c, turn = P[B + k], P[B + m + k], P[B + 2 * m + k], W[here + 2 * m + k]
        W[there + k] = z
        W[there + m + k] = z
        W[there + 2 * m + k] = turn + a * one[0][2] + b * two[0][2] + c * three[0][2]
        x, y = W[here + 3 * m + k] - turn * Rp[1], W[here + 4 * m + k] + turn * Rp[0]
        W[there + 3 * m + k] = x + a * one[1][0] + b * two[1][0] + c * three[1][0]
        W[there + 4 * m + k] = y + a * one[1][1] + b * two[1][1] + c * three[1][1]
        W[there + 5 * m + k] = z


def carry_section(I, W, i, j, R, value, first, second):
    """Pose, velocity and acceleration without rates of speeds of the section after j, from the exponent of the step and its
    derivatives; gives the factors with derivatives by x, and R p."""
    at, theta, rho = section_work(I, i, j), (value[0], first[0], second[0]), (value[1], first[1], second[1])
    x, dx = dot(theta[0], theta[0]), 2 * dot(theta[0], theta[1])
    ddx = 2 * (dot(theta[1], theta[1]) + dot(theta[0], theta[2]))
    f1, f2 = arm_factors(x)
    c1, c2 = factor_rates(f1, dx, ddx), factor_rates(f2, dx, ddx)
    p, spin = arm_rates(theta, rho, c1, c2), turn_rates(theta, c1, c2)
    om, al = load3(W, at + SECTION_OMEGA), load3(W, at + SECTION_ALPHA)
    Rp, Rdp, turn = mul(R, p[0]), mul(R, p[1]), mul(R, spin[0])
    next_ = at + SECTION_WIDTH
    store33(W, next_ + SECTION_R, turned_rows(R, theta[0], x, f1[0], f2[0]))
    store3(W, next_ + SECTION_P, add(load3(W, at + SECTION_P), Rp))
    store3(W, next_ + SECTION_OMEGA, add(om, turn))
    store3(W, next_ + SECTION_V, add(load3(W, at + SECTION_V), add(Rdp, cross(om, Rp))))
    store3(W, next_ + SECTION_ALPHA, add(al, add(mul(R, spin[1]), cross(om, turn))))
    swept = add(cross(al, Rp), cross(om, add(scale(2, Rdp), cross(om, Rp))))
    store3(W, next_ + SECTION_A, add(load3(W, at + SECTION_A), add(mul(R, p[2]), swept)))
    store3(W, next_ + SECTION_TURN, add(load3(W, at + SECTION_TURN), theta[0]))
    return f1, f2, Rp
