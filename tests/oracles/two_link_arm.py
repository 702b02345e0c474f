"""Two flexible links in a plane, hinged together and to the ground, both hinge angles prescribed: a chain of rigid rods.

Each link is n rods of length l with springs EI/l between them; half such a joint, 2 EI/l, ties the first rod to the
shoulder, whose angle is prescribed, and two halves in a row, EI/l, tie the links at the elbow, whose rest angle is the
prescribed one. With absolute angles of all N = 2n rods the kinetic energy is sum A_ij cos(t_i - t_j) t_i' t_j'/2, and

    sum_j A_ij [cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2] = spring torques ,
    A_ij = m l^2 (N - 1 - max(i, j) + 1/2) ,   A_ii = m l^2 (N - 1 - i + 1/3) ,   m the mass of a rod.             (1)

Large deflections are in it; nothing of modes or finite elements is. Time steps: average acceleration, second order. The
error of the chain falls with 1/n^2 and is taken out by two n.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LENGTH, EI, MASS = 8.0, 6.8952e10 * 8.2189e-9, 2766.7 * 7.2968e-5
COLUMNS = ("d1", "d2", "X", "Y", "shoulder", "elbow")


def ramp(t: float, time: float) -> float:
    """From 0 to 1 by a full sine of acceleration."""
    share = min(t, time) / time
    return share - math.sin(2 * math.pi * share) / (2 * math.pi)


def fold(t: float, time: float = 40.0) -> tuple[float, float]:
    """Angles of shoulder and elbow: a quarter turn there, a quarter turn back here."""
    turned = math.pi / 2 * ramp(t, time)
    return turned, -turned


def spin(t: float, rate: float = 1.0, time: float = 60.0) -> tuple[float, float]:
    """Angles of shoulder and elbow: the rate of the straight arm grows as `ramp` does, and stays."""
    if t >= time:
        return rate * (t - time / 2), 0.0
    return rate * (t**2 / (2 * time) + time * (math.cos(2 * math.pi * t / time) - 1) / (4 * math.pi**2)), 0.0


class Chain:
    """Rods whose hinges have the angles `angles` of the time."""

    def __init__(self, n: int, angles: Callable[[float], tuple[float, float]] = fold) -> None:
        self.n, self.angles, self.l = n, angles, LENGTH / n
        N = 2 * n
        i = np.arange(N)
        beyond = N - 1 - np.maximum.outer(i, i)
        self.A = MASS * self.l**3 * (beyond + np.where(np.eye(N) > 0, 1 / 3, 1 / 2))
        k = np.full(N, EI / self.l)
        k[0] *= 2
        self.D = np.eye(N) - np.eye(N, k=-1)  # bends of the joints
        self.k, self.K = k, self.D.T @ (k[:, None] * self.D)

    def bends(self, theta: Array, t: float) -> Array:
        given = np.zeros(2 * self.n)
        given[0], given[self.n] = self.angles(t)
        return self.D @ theta - given

    def outputs(self, theta: Array, t: float) -> Array:
        """Elbow across the first link, tip across the second link's root tangent, tip, torques on the links."""
        bend = self.bends(theta, t)
        e = self.l * np.exp(1j * theta)
        elbow, rest = e[: self.n].sum(), e[self.n :].sum()
        tangent = theta[self.n] - bend[self.n] / 2
        first = (elbow * np.exp(-1j * self.angles(t)[0])).imag
        tip = elbow + rest
        torques = -self.k[[0, self.n]] * bend[[0, self.n]]
        return np.array([first, (rest * np.exp(-1j * tangent)).imag, tip.real, tip.imag, *torques])

    def run(self, duration: float, step: float) -> tuple[Array, Array]:
        """Times, and the columns of `outputs`, from rest, straight along x."""
        theta, rate, acceleration = (np.zeros(2 * self.n) for _ in range(3))
        rows = [self.outputs(theta, 0.0)]
        count = round(duration / step)
        for k in range(1, count + 1):
            t = k * step
            new = acceleration.copy()
            inverse = None
            for _ in range(30):
                moved = theta + step * rate + step**2 / 4 * (acceleration + new)
                speed = rate + step / 2 * (acceleration + new)
                apart = moved[:, None] - moved
                M = self.A * np.cos(apart)
                rest = M @ new + (self.A * np.sin(apart)) @ speed**2 + self.D.T @ (self.k * self.bends(moved, t))
                if inverse is None:
                    inverse = np.linalg.inv(M + step**2 / 4 * self.K)
                change = inverse @ rest
                new = new - change
                if np.abs(change).max() < 1e-11:
                    break
            theta, rate, acceleration = moved, speed, new
            rows.append(self.outputs(theta, t))
        return step * np.arange(count + 1), np.array(rows)


def motion(
    n: int = 8, duration: float = 50.0, step: float = 0.02, angles: Callable[[float], tuple[float, float]] = fold
) -> tuple[Array, Array]:
    """Times and outputs, the chains of n and 2n rods per link and steps of two lengths extrapolated to none."""
    t, coarse = Chain(n, angles).run(duration, step)
    _, fine = Chain(2 * n, angles).run(duration, step)
    _, often = Chain(n, angles).run(duration, step / 2)
    return t, coarse + (fine - coarse) * 4 / 3 + (often[::2] - coarse) * 4 / 3
