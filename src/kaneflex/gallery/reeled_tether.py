"""A satellite let out from the Shuttle on a tether with mass, which leaves its reel rod by rod; and kept by tension.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), sections 2.1 and 2.3; A. K. Banerjee and T. R. Kane,
Tether Deployment Dynamics, J. Astronautical Sciences 30 (1982), 347; C. C. Rupp, NASA TM X-64963 (1975), for the law of
tension; M. L. Cosmo and E. C. Lorenzini, Tethers in Space Handbook (1997), for data of the TSS-1 class. `tethered-satellite`
has the same with a straight massless tether.

The tether is a chain of rods in the plane of the orbit, W its rate, that runs off a reel over a sheave which turns freely on
the orbiter. What is in the reel is mass on the orbiter. With a light tether the satellite's length l and angle th obey

    l'' = l [(th' + W)^2 + W^2 (3 cos^2 th - 1)] - T/m ,   th'' = -2 (th' + W) l'/l - 3 W^2 sin th cos th .              (1)

- Deployment by l' = c W l. The tether has mass d per length and bows: what is on its way is left behind by 2 W l', and what
  attracts it grows with the distance. With s along it from the orbiter, p its direction, and places as complex numbers, up
  and ahead, in a frame that turns with the orbit,

    r = -int e^(i p) ds ,   A = D^2 r + 2 i W D r - W^2 r ,   D = d/dt + l' d/ds ,                                   (2)

  and for every change of p, with g what attracts it less what attracts the orbiter,

    int d (A - g) . dr ds + m (A - g) . dr at l = 0 ,   T = (int d (A - g) ds + m (A - g)) . e^(i p) at 0 .          (3)

  p is taken as a polynomial in s/l (Galerkin's method) and found by SciPy: of degree zero it is a straight tether's, of
  degree three the angle of the satellite is known to 3e-6 rad where the tether weighs 1.6 times as much as that.

- Rupp's law of tension in the exit, T = m W^2 [K1 l + K2 l'/W - (K1 - 3) l_c], seen by the reel as its own length and rate:
  it lets the satellite out to ten times the length, which was pushed off, and keeps it there.

The picture's run deploys from 2 km to 20 km. All is checked closer on a tether of 20 m with a thousandth of the satellite's
mass, in few rods, so that it is straight and its mass hardly counts in (1): a rate of deployment that is wrong by 1e-4 would
be seen in angle and tension.
Units: SI, rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, legend, panels, title
from kaneflex.gallery.tethered_satellite import PUSHED_OFF, kept_by_hand
from kaneflex.model.blocks import LocalVertical
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive, whole
from kaneflex.model.forces import OrbitGravity
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Revolute
from kaneflex.model.orbits import EARTH_MU, EARTH_RADIUS, KeplerOrbit
from kaneflex.model.profiles import Motion
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable
from kaneflex.model.shapes import Box, Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 518.0, "density": 8.2e-3, "altitude": 296e3, "start": 2e3, "length": 20e3, "rate": 0.3, "n": 21}
SHORT, LIGHT = 1e-3, 1e-3  # for the numbers of (1): of the length, and of the satellite's mass
K1, K2 = 5.0, 4.0


def orbit(p: Parameters) -> KeplerOrbit:
    """The orbiter's."""
    return KeplerOrbit(EARTH_MU, EARTH_RADIUS + positive(p["altitude"], "altitude"))


def reeled(p: Parameters, angle: float, **feed: Any) -> System:
    """The satellite below the orbiter at an angle, on what of the tether is out."""
    path, n = orbit(p), whole(p["n"], "n", least=4)
    system = System("reeled tether")
    # the sheave and what runs over it turn with the orbit at first
    turns = 1e-9 * p["mass"] * p["start"] ** 2
    system.add("sheave", Rigid(1.0, inertia=(turns,) * 3), Revolute("z"), q=angle, rates=path.rate)
    cable = Cable(p["length"] * n / (n - 1), positive(p["density"], "density"), n=n, plane="xy")
    system.add_rod("tether", cable, parent="sheave", at=Frame((0, 0, 0), (("z", math.pi),)))
    system.add("satellite", PointMass(positive(p["mass"], "mass")), Fixed(), parent="tether", at="tip")
    system.add_feed("reel", "tether", reel=Reel(), **feed)
    system.apply("earth", OrbitGravity(path))
    system.add_block("local", LocalVertical(path, "satellite", down=True))
    system.show("satellite", Sphere(0.02 * p["length"]))
    system.show("N", Box((0.03 * p["length"],) * 3))
    return system


def build(p: Parameters) -> System:
    """The deployment of the parameters."""
    if not 0 < p["start"] < p["length"] or not 0 < p["rate"] < 0.75:
        raise ModelError("start, length, rate: give 0 < start < length, and a rate of deployment below 0.75")
    k, l = p["rate"] * orbit(p).rate, p["start"]
    way = Motion(lambda t: l * np.exp(k * t), lambda t: k * l * np.exp(k * t), lambda t: k * k * l * np.exp(k * t))
    return reeled(p, 0.0, length=way)


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Until the whole tether is out."""
    until = math.log(p["length"] / p["start"]) / (p["rate"] * orbit(p).rate)
    return system.simulate(until, formulation=formulation, speeds=speeds, output=until / 300, rtol=1e-7)


def short(p: Parameters) -> Parameters:
    """The parameters of a short, light tether."""
    own = {**p, **{word: SHORT * p[word] for word in ("start", "length")}, "n": 6}
    return {**own, "density": LIGHT * p["mass"] / own["length"]}


def deployed_by_hand(p: Parameters, t: np.ndarray, angle: float = 0.0, shapes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Angle of the satellite, rad, and T, N, by (3) with so many terms of p, at the times t, of a tether that is let out by
    l' = c W l and is straight and at rest in the orbit at first."""
    path = orbit(p)
    forces = _balance(p, shapes)

    def law(x: float, y: Any) -> Any:
        return np.concatenate([y[shapes:], forces(x, y)[0]])

    start = [angle] + [0.0] * (2 * shapes - 1)
    found = solve_ivp(law, (0, path.rate * t[-1]), start, "LSODA", t_eval=path.rate * t, rtol=1e-8, atol=1e-9)
    ends = [forces(x, y) for x, y in zip(found.t, found.y.T, strict=True)]
    return np.array([np.angle(-r) for _, r, _ in ends]), path.rate**2 * np.array([pull for _, _, pull in ends])


def _balance(p: Parameters, shapes: int) -> Callable[[float, np.ndarray], tuple[np.ndarray, complex, float]]:
    """A function of W t and of the coefficients of p with their rates: their second rates by (3), the place of the
    satellite, and T/W^2. Integrals are Gauss's, from the exit to each of its points and to the satellite."""
    a, c, m, d = orbit(p).semi_major_axis, p["rate"], p["mass"], p["density"]
    points, weights = legendre.leggauss(4 * shapes)
    x = np.append(points, 1.0)
    inverse = np.linalg.inv(legendre.legvander(points, len(points) - 1))
    along = np.array([legendre.legval(x, legendre.legint(one, lbnd=-1)) for one in inverse.T]).T / 2
    P = legendre.legvander(x, shapes - 1)
    slopes = np.array([legendre.legval(x, 2 * legendre.legder(one)) for one in np.eye(shapes)]).T
    flows, at_exit = c * (1 - x) / 2, (-1.0) ** np.arange(shapes)  # D (s/l), and P there

    def balance(time: float, y: np.ndarray) -> tuple[np.ndarray, complex, float]:
        b, l = y[:shapes], p["start"] * math.exp(c * time)
        e, turns, mass = np.exp(1j * (P @ b)), 1j * (P @ y[shapes:]), np.append(d * l * weights / 2, m)
        shape, first, second = (along @ part[:-1] for part in (e, turns * e, turns**2 * e))  # r/l, rates at a given s/l
        first = first + flows * e
        second = second + flows * e * (2 * turns + 1j * flows * (slopes @ b) - c)
        r, v, bends = -l * shape, -l * (c * shape + first), -l * (c * c * shape + 2 * c * first + second)
        far = a + r
        left = bends + 2j * v - r + far * (a / abs(far)) ** 3 - a  # A - g but for second rates
        moves = -l * (along @ (1j * P * e[:, None])[:-1])
        weighed = moves.conj().T * mass
        rates = np.linalg.solve((weighed @ moves).real, -(weighed @ left).real)
        pull = mass @ (left + moves @ rates) * np.exp(-1j * (at_exit @ b))
        return rates, complex(r[-1]), float(pull.real)

    return balance


def keep(p: Parameters, goal: float) -> Run:
    """Two orbits under Rupp's law, from a tenth of the length that is wanted."""
    W, m = orbit(p).rate, p["mass"]

    def tension(t: float, x: Any) -> Any:
        return m * W * W * (K1 * x[0] + K2 * x[1] / W - (K1 - 3) * goal)

    (start, angle, _), push = PUSHED_OFF
    system = reeled(p, angle, tension=tension, sees=["reel.length", "reel.rate"], initial=start * goal)
    begin = {"tether_1.slide.rate": push * W * goal}
    return system.simulate(2 * orbit(p).period, initial=begin, rtol=1e-7, output=orbit(p).period / 100)


def checks(run: Run, p: Parameters) -> list[Check]:
    """The picture's angle and tension by (3); a short light tether straight, deployed, and by (1), kept."""
    own = short(p)
    turned, wanted = deployed_by_hand(p, np.asarray(run.t))
    off = float(np.abs(run["reel.tension"][1:] - wanted[1:]).max() / wanted.max())
    aside = float(np.abs(run["local.in_plane"] - turned).max())
    light = simulate(build(own), own)
    angles, pulls = deployed_by_hand(own, np.asarray(light.t), shapes=1)
    angle = float(np.abs(light["local.in_plane"] - angles).max())
    pull = float(np.abs(light["reel.tension"][1:] - pulls[1:]).max() / pulls.max())
    kept = keep(own, own["length"] / 2)
    (start, angle0, _), push = PUSHED_OFF
    wished = kept_by_hand(orbit(p).rate * np.asarray(kept.t), K1, K2, (start, angle0, 0.0), push)[:, :2].T
    let_out = p["start"] * math.exp(p["rate"] * orbit(p).rate * float(run.t[-1]))
    found = np.array((kept["local.distance"] / (own["length"] / 2), kept["local.in_plane"]))
    return [
        balance(run, 1e-8),
        Check("length at the end, m", float(run["reel.length"][-1]), let_out, 1e-10 * let_out, "closed form: l' = c W l"),
        Check(
            "tension at the orbiter, largest difference, relative",
            off,
            0.0,
            4e-3,
            "(3), SciPy's LSODA; rods are of 1 km",
        ),
        Check("angle of the satellite, largest difference, rad", aside, 0.0, 1.5e-5, "(3), SciPy's LSODA"),
        Check("light tether: angle of the deployment, largest difference, rad", angle, 0.0, 2e-7, "(3), straight"),
        Check("light tether: tension at the orbiter, largest difference, relative", pull, 0.0, 2e-5, "(3), straight"),
        Check(
            "light tether, Rupp's law: l/l_c and th, largest difference",
            float(np.abs(found - wished).max()),
            0.0,
            LIGHT,
            "(1), SciPy's DOP853",
        ),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """Shapes of the tether seen from the orbiter, and the tension beside (2)."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.4))
    W, arc = orbit(p).rate, run.model.rods["tether"].arc
    for n, k in enumerate(np.linspace(0, len(run.t) - 1, 7).astype(int)):
        out = arc >= arc[-1] - run["reel.length"][k]
        points = np.vstack([[0, 0, 0], run["tether.shape"][k][out]]) / 1000
        c, s = math.cos(W * run.t[k]), math.sin(W * run.t[k])
        up, ahead = points[:, 0] * c + points[:, 1] * s, -points[:, 0] * s + points[:, 1] * c
        left.plot(ahead, up, color=COLOURS[0] if n == 6 else GREY, lw=1.6 if n == 6 else 0.8)
        left.plot(ahead[-1], up[-1], "o", color=COLOURS[0], ms=4)
    left.plot(0, 0, "s", color=COLOURS[1], ms=9)
    left.set(xlabel="ahead of the orbiter, km", ylabel="above the orbiter, km", aspect="equal")
    left.margins(0.1)
    orbits = run.t / orbit(p).period
    right.plot(orbits, run["reel.tension"], label="run, rods")
    pull = deployed_by_hand(p, np.asarray(run.t))[1]
    right.plot(orbits[::12], pull[::12], "o", color=GREY, mfc="white", ms=4, label="bowed tether, (3)")
    right.set(xlabel="orbits", ylabel="tension at the orbiter, N")
    legend(right, loc="upper left")
    title(picture, "Tether that leaves its reel rod by rod")
    return picture


EXAMPLE = Example(
    name="reeled-tether",
    title="Satellite on a tether that leaves its reel rod by rod",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="Banerjee and Kane 1982; Rupp, NASA TM X-64963",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
