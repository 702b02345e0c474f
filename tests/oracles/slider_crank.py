"""A slider-crank with an offset guide, turned at constant rate: closed-form motion, driving torque and pin forces.

Crank pin A, wrist pin B; the guide is the line y = e. With plane vectors as complex numbers, gravity -i g, t = w time
the crank angle, f the rod's angle and x the slide of the slider,

    r e^{it} + l e^{if} = x + i e ,   sin f = (e - r sin t) / l ,   x = r cos t + l cos f ,                       (1)

and with ' = d/dt of the crank angle

    f' = -r cos t / (l cos f) ,            f'' = (r sin t + l sin f f'^2) / (l cos f) ,
    x' = -r sin t - l sin f f' ,           x'' = -r cos t - l cos f f'^2 - l sin f f'' .                          (2)

The wrist force on the slider has the component X along the guide; moments about A for the rod (mass m, mass centre
z = A + p e^{if}, inertia J) give the other, Y:

    X = m_s w^2 x'' ,   l (X sin f - Y cos f) = J f'' w^2 + Im(conj(z - A) m (z'' w^2 + i g)).                    (3)

The rest follows one body after the other: force of the crank on the rod at A, F = m (z'' w^2 + i g) + X + iY; guide
force N = m_s g - Y and guide moment about B, m_s (c_x g - c_y w^2 x''), c the slider's mass centre from B; driving torque
Im(conj(A) F) + m_c g p_c cos t, p_c the distance of the crank's mass centre from the bearing; bearing force
F + m_c (i g - p_c w^2 e^{it}).                                                                                  (4)

The torque must also be dT/dt + dV/dt by the kinetic and potential energy of (1), which is how `energy` checks (4).

Source: textbook slider-crank kinematics and Newton-Euler equations, derived here; data of a small engine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SliderCrank:
    """Data in SI units; centres are distances along crank and rod from their inner pins, and (x, y) from the wrist pin."""

    crank: float = 0.05
    rod: float = 0.18
    offset: float = 0.01
    rate: float = 150.0
    gravity: float = 9.81
    crank_mass: float = 1.2
    crank_centre: float = 0.01
    crank_inertia: float = 2.0e-3
    rod_mass: float = 0.6
    rod_centre: float = 0.06
    rod_inertia: float = 2.5e-3
    slider_mass: float = 0.8
    slider_centre: tuple[float, float] = (0.015, 0.005)


SLIDER_CRANK = SliderCrank()


def motion(t: ArrayLike, s: SliderCrank = SLIDER_CRANK) -> dict[str, Array]:
    """Rod angle f and slide x with their derivatives by the crank angle: f, f1, f2, x, x1, x2 of (1)-(2)."""
    t = np.asarray(t, float)
    f = np.arcsin((s.offset - s.crank * np.sin(t)) / s.rod)
    reach = s.rod * np.cos(f)
    f1 = -s.crank * np.cos(t) / reach
    f2 = (s.crank * np.sin(t) + s.rod * np.sin(f) * f1**2) / reach
    x = s.crank * np.cos(t) + reach
    x1 = -s.crank * np.sin(t) - s.rod * np.sin(f) * f1
    x2 = -s.crank * np.cos(t) - reach * f1**2 - s.rod * np.sin(f) * f2
    return {"f": f, "f1": f1, "f2": f2, "x": x, "x1": x1, "x2": x2}


def loads(t: ArrayLike, s: SliderCrank = SLIDER_CRANK) -> dict[str, Array]:
    """Loads at crank angles t by (3)-(4), N and N m.

    "bearing" on the crank at O, "crank_pin" on the rod at A, "wrist" on the slider at B: complex, x + i y. "guide" is the
    force on the slider along y, "guide_moment" its moment about B, "torque" that on the crank.
    """
    t = np.asarray(t, float)
    k, w, g = motion(t, s), s.rate, s.gravity
    A, along = s.crank * np.exp(1j * t), np.exp(1j * k["f"])
    z2 = -A + s.rod_centre * (1j * k["f2"] - k["f1"] ** 2) * along
    inertia_force = s.rod_mass * (z2 * w**2 + 1j * g)
    X = s.slider_mass * w**2 * k["x2"]
    moment = s.rod_inertia * k["f2"] * w**2 + ((s.rod_centre * along).conj() * inertia_force).imag
    Y = (X * np.sin(k["f"]) - moment / s.rod) / np.cos(k["f"])
    F = inertia_force + X + 1j * Y
    cx, cy = s.slider_centre
    return {
        "bearing": F + s.crank_mass * (1j * g - s.crank_centre * w**2 * np.exp(1j * t)),
        "crank_pin": F,
        "wrist": X + 1j * Y,
        "guide": s.slider_mass * g - Y,
        "guide_moment": s.slider_mass * (cx * g - cy * w**2 * k["x2"]),
        "torque": (A.conj() * F).imag + s.crank_mass * g * s.crank_centre * np.cos(t),
    }


def energy(t: ArrayLike, s: SliderCrank = SLIDER_CRANK) -> tuple[Array, Array]:
    """Kinetic and potential energy at crank angles t, J; the zero of the potential is that of the heights."""
    t = np.asarray(t, float)
    k, w, g = motion(t, s), s.rate, s.gravity
    along = np.exp(1j * k["f"])
    z1 = 1j * s.crank * np.exp(1j * t) + s.rod_centre * 1j * k["f1"] * along
    crank = s.crank_inertia + s.crank_mass * s.crank_centre**2
    kinetic = (crank + s.rod_mass * abs(z1) ** 2 + s.rod_inertia * k["f1"] ** 2 + s.slider_mass * k["x1"] ** 2) * w**2 / 2
    height = (s.crank * np.exp(1j * t) + s.rod_centre * along).imag
    potential = g * (
        s.crank_mass * s.crank_centre * np.sin(t) + s.rod_mass * height + s.slider_mass * (s.offset + s.slider_centre[1])
    )
    return kinetic, potential
