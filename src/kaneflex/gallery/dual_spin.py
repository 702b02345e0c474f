"""A dual-spin spacecraft with a nutation damper on its platform: the energy sink beside the exact decay of the wobble.

Source: P. W. Likins, Attitude stability criteria for dual spin spacecraft, Journal of Spacecraft and Rockets 4 (1967) 1638;
P. C. Hughes, Spacecraft Attitude Dynamics (Wiley, 1986), chapters 5 to 7.

A platform, of inertia I about all axes across z, carries a rotor of momentum h along z, and a mass m on a spring k and a
damper c that slides parallel to z at the distance b from the axis. The platform does not turn about z; its wobble goes
round at

    l = h/I .                                                                                                          (1)

With n = m M/(m + M), M the mass of the platform, and s the mass's way, small motions obey

    I u' + h v = 0 ,    (I + n b^2) v' - h u - n b s'' = 0 ,    n (s'' - b v') + c s' + k s = 0 .                      (2)

The energy sink shakes the mass with the wobble as it is without it, and lets what the damper then loses slow the wobble
down, w = sqrt(u^2 + v^2):

    w'/w = -c n^2 b^2 l^4 / (2 I |k - n l^2 + i c l|^2) .                                                              (3)

It is the first order in n b^2/I of the exact rate, the real part of a root of (2). The motor of the rotor may hold the
platform's angle about z, in which it has the inertia 0.8 I + n b^2 less the rotor's own; the wobble does not feel that.
Units: SI.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, drum, legend, panels, poles_off, title
from kaneflex.model.blocks import StateFeedback
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import positive
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Free, Prismatic
from kaneflex.model.parts import ReactionWheel
from kaneflex.model.shapes import Box
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"inertia": 400.0, "mass": 600.0, "momentum": 200.0, "damper": 0.4, "arm": 1.0, "stiffness": 0.12, "damping": 0.1}
WHEEL = 2.0  # kg m^2, of the rotor
WOBBLE = 0.01  # rad/s at the start
DESPUN = (-0.05 + 0.05j, -0.05 - 0.05j)  # 1/s, poles of the platform's angle


def build(p: Parameters) -> System:
    """In space, the wobble about x at the start."""
    I, M, m = (positive(p[name], name) for name in ("inertia", "mass", "damper"))
    s = System("dual spin")
    body = Rigid(M, inertia=(I, I, 0.8 * I))
    s.add("platform", body, Free(), q=(0, 0, 0, 1, 0, 0, 0), rates=(0, 0, 0, WOBBLE, 0, 0))
    s.add_part("rotor", ReactionWheel((0, 0, 1), WHEEL, rate=p["momentum"] / WHEEL), on="platform")
    s.add("mass", Rigid(m), Prismatic("z"), parent="platform", at=(p["arm"], 0, 0), q=0.0)
    s.apply("spring", JointSpring("mass", p["stiffness"], p["damping"]))
    s.show("platform", drum(1.0, 1.2), drum(0.8, 0.3, position=(0, 0, 1.0), color="grey"))
    s.show("mass", Box((0.1, 0.1, 0.2)))
    return s


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the wobble has fallen to a few parts of what it was."""
    end = 2.0 / abs(exact(p).real)
    fine: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
    return system.simulate(end, output=end / 500, formulation=formulation, speeds=speeds, **fine)


def exact(p: Parameters) -> complex:
    """The root of (2) of the wobble."""
    I, h, b, c, k = (float(p[name]) for name in ("inertia", "momentum", "arm", "damping", "stiffness"))
    n = p["damper"] * p["mass"] / (p["damper"] + p["mass"])
    left = np.array([[I, 0, 0, 0], [0, I + n * b * b, 0, -n * b], [0, 0, 1, 0], [0, -n * b, 0, n]])
    right = np.array([[0, -h, 0, 0], [h, 0, 0, 0], [0, 0, 0, 1], [0, 0, -k, -c]])
    roots = np.linalg.eigvals(np.linalg.solve(left, right))
    return complex(roots[np.abs(roots - 1j * h / I).argmin()])


def sink(p: Parameters) -> float:
    """The rate of (3)."""
    I, b, c, k = (float(p[name]) for name in ("inertia", "arm", "damping", "stiffness"))
    n, l = p["damper"] * p["mass"] / (p["damper"] + p["mass"]), p["momentum"] / p["inertia"]
    return -c * n**2 * b**2 * l**4 / (2 * I * abs(k - n * l**2 + 1j * c * l) ** 2)


def checks(run: Run, p: Parameters) -> list[Check]:
    """Roots, the wobble of the run, the sink and its order, momentum."""
    still = {"platform.q": (0.0, 0, 0, 1, 0, 0, 0), "platform.rate": (0.0,) * 6}
    root, poles = exact(p), build(p).linearize(still).eigenvalues()
    found = poles[np.abs(poles - root).argmin()]
    wobble = np.linalg.norm(run["platform.omega"][:, :2], axis=1)
    half = len(run.t) // 2
    slope = math.log(wobble[half:].max() / wobble[: half // 2].max())
    times = [run.t[np.argmax(wobble[: half // 2])], run.t[half + np.argmax(wobble[half:])]]
    small = {**p, "damper": p["damper"] / 2, "stiffness": p["stiffness"] / 2, "damping": p["damping"] / 2}
    order = math.log2(abs(sink(p) / root.real - 1) / abs(sink(small) / exact(small).real - 1))
    H = run["momentum.central"]
    return [
        Check("root of the wobble, real part, 1/s", found.real, root.real, 1e-12, "equations (2)"),
        Check("root of the wobble, imaginary part, 1/s", found.imag, root.imag, 1e-11, "equations (2)"),
        Check("decay of the wobble in the run, 1/s", slope / (times[1] - times[0]), root.real, 0.02 * abs(root.real), "(2)"),
        Check("energy sink over the exact rate", sink(p) / root.real, 1.0, 0.01, "equation (3), first order"),
        Check("order of the sink's error in the damper's mass", order, 1.0, 0.1, "closed form: first order"),
        Check("change of angular momentum, relative", float(np.abs(H - H[0]).max() / p["momentum"]), 0.0, 1e-11, "identity"),
        _despun(p, still),
    ]


def _despun(p: Parameters, still: dict[str, Any]) -> Check:
    """Poles with the platform held by the rotor's motor: its own, and the wobble's."""
    n = p["damper"] * p["mass"] / (p["damper"] + p["mass"])
    effective = 0.8 * p["inertia"] + n * p["arm"] ** 2 - WHEEL
    kd, kp = effective * np.poly(DESPUN)[1:].real
    system = build(p)
    system.add_block("hold", StateFeedback([[-2 * kp, -kd]], sees=["platform.e3", "platform.wz"], drives="rotor"))
    off = poles_off(system.linearize(still).eigenvalues(), [*DESPUN, exact(p)], relative=True)
    return Check("platform held: poles, relative", off, 0.0, 1e-8, "closed form: as placed, and (2)")


def figure(run: Run, p: Parameters) -> Figure:
    """The wobble and the mass."""
    picture, (left, right) = panels(1, 2, size=(9.6, 3.8))
    wobble = np.linalg.norm(run["platform.omega"][:, :2], axis=1)
    left.semilogy(run.t, wobble, label="run")
    left.semilogy(run.t, WOBBLE * np.exp(sink(p) * run.t), "--", color=COLOURS[1], label="energy sink, (3)")
    left.set(xlabel="time, s", ylabel="wobble, rad/s")
    legend(left, loc="upper right")
    right.plot(run.t, 1000 * run["mass.q"], color=GREY, lw=0.8)
    right.set(xlabel="time, s", ylabel="way of the mass, mm")
    title(picture, "Dual-spin spacecraft with a nutation damper")
    return picture


EXAMPLE = Example(
    name="dual-spin",
    title="Dual-spin spacecraft with a nutation damper",
    document="Classics",
    chapter="spacecraft",
    source="Likins 1967; Hughes, Spacecraft Attitude Dynamics",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
