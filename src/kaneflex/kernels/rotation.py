"""Rotations by a rotation vector theta, whose series run on any scalar, at zero as well: to rounding up to a radian.

With q = theta.theta, a = (1 - cos |theta|)/q and b = (|theta| - sin |theta|)/|theta|^3,

    R = exp(theta~) = 1 + (1 - q b) theta~ + a theta~ theta~ ,     turned axes to fixed ones                              (1)
    omega = G theta' ,   G = 1 - a theta~ + b theta~ theta~ ,     angular velocity, in turned axes                        (2)
    omega' = [the same of theta''] + b theta' x (theta x theta') - a' theta x theta' + b' theta x (theta x theta') .      (3)
"""

from kaneflex.kernels.algebra import add, cross, dot, scale, sub


def turn_factors(q):
    """a and b, seven terms each."""
    a = 1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90 * (1 - q / 132 * (1 - q / 182)))))
    b = 1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156 * (1 - q / 210)))))
    return a / 2, b / 6


def turn_slopes(q):
    """Derivatives of a and b with respect to q."""
    a = 1 - q / 15 * (1 - 3 * q / 112 * (1 - 2 * q / 135 * (1 - 5 * q / 528 * (1 - 3 * q / 455))))
    b = 1 - q / 21 * (1 - q / 48 * (1 - 2 * q / 165 * (1 - 5 * q / 624 * (1 - q / 175))))
    return -a / 24, -b / 120


def turn_matrix(theta, a, b):
    """R of (1), with `turn_factors`."""
    x, y, z = theta
    s, c = 1 - dot(theta, theta) * b, 1 - dot(theta, theta) * a
    return (
        (c + a * x * x, a * x * y - s * z, a * x * z + s * y),
        (a * x * y + s * z, c + a * y * y, a * y * z - s * x),
        (a * x * z - s * y, a * y * z + s * x, c + a * z * z),
    )


def rate_matrix(theta, a, b):
    """G of (2), with `turn_factors`."""
    x, y, z = theta
    c = 1 - dot(theta, theta) * b
    return (
        (c + b * x * x, b * x * y + a * z, b * x * z - a * y),
        (b * x * y - a * z, c + b * y * y, b * y * z + a * x),
        (b * x * z + a * y, b * y * z - a * x, c + b * z * z),
    )


def turn_bias(theta, rate, b):
    """What (3) has besides theta'', theta' being `rate`."""
    a_slope, b_slope = turn_slopes(dot(theta, theta))
    across, change = cross(theta, rate), 2 * dot(theta, rate)
    inner = sub(scale(b_slope * change, cross(theta, across)), scale(a_slope * change, across))
    return add(scale(b, cross(rate, across)), inner)
