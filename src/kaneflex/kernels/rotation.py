"""Rotations by a rotation vector theta, whose series run on any scalar, at zero as well: to rounding up to a radian.

With q = theta.theta, a = (1 - cos |theta|)/q and b = (|theta| - sin |theta|)/|theta|^3,

    R = exp(theta~) = 1 + (1 - q b) theta~ + a theta~ theta~ ,     turned axes to fixed ones                              (1)
    omega = theta' - a theta x theta' + b theta x (theta x theta') ,     angular velocity, in turned axes                 (2)
    omega' = [the same of theta''] + b theta' x (theta x theta') - a' theta x theta' + b' theta x (theta x theta') .      (3)
"""

from kaneflex.kernels.algebra import add, cross, dot, scale, sub

TURN_TERMS = 6


def turn_factors(q):
    """a, b and their derivatives with respect to q."""
    a, a_slope, b, b_slope = 1 + 0 * q, 0 * q, 1 + 0 * q, 0 * q
    for k in range(TURN_TERMS, 0, -1):
        even, odd = (2 * k + 1) * (2 * k + 2), (2 * k + 2) * (2 * k + 3)
        a_slope, b_slope = -(a + q * a_slope) / even, -(b + q * b_slope) / odd
        a, b = 1 - q * a / even, 1 - q * b / odd
    return a / 2, b / 6, a_slope / 2, b_slope / 6


def turn_matrix(theta, a, b):
    """R of (1), with the first two of `turn_factors`."""
    x, y, z = theta
    s, c = 1 - dot(theta, theta) * b, 1 - dot(theta, theta) * a
    return (
        (c + a * x * x, a * x * y - s * z, a * x * z + s * y),
        (a * x * y + s * z, c + a * y * y, a * y * z - s * x),
        (a * x * z - s * y, a * y * z + s * x, c + a * z * z),
    )


def turn_rate(theta, a, b, rate):
    """omega of (2) for theta' = rate."""
    across = cross(theta, rate)
    return add(sub(rate, scale(a, across)), scale(b, cross(theta, across)))


def turn_bias(theta, rate, b, a_slope, b_slope):
    """What (3) has besides theta''."""
    across, change = cross(theta, rate), 2 * dot(theta, rate)
    inner = sub(scale(b_slope * change, cross(theta, across)), scale(a_slope * change, across))
    return add(scale(b, cross(rate, across)), inner)
