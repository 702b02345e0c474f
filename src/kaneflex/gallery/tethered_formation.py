"""Satellites on tethers in formation: a chain along the vertical, a spinning triangle, hub and spokes, a tumbling dumbbell.

Source: A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), appendix 2.B, after A. K. Misra; M. Kim and C. D. Hall,
J. Guidance 27 (2004), 849; M. Pizarro-Chong and A. K. Misra, Acta Astronautica 63 (2008), 1188.

1. Masses m_k on inextensible tethers along the vertical of a circular orbit with rate W hang with the tensions that balance
   3 W^2 m_k z_k, z_k being the height over the mass centre. Small motions across are those of a chain: in the plane
   w^2 = 3 W^2 and more, out of it w^2 = 4 W^2 and more, the first of each the chain as a whole.
2. Three masses on three springs, spinning at w in free space: the springs carry m w^2 s/3, s being the side. In the turning
   frame the frequencies of small plane motions are those of the matrix of the turning system.
3. A hub with n masses on tethers that spin about it: each carries m w^2 R.
4. A dumbbell that turns over in the plane of the orbit, with the rate r relative to the orbit frame at the vertical: at the
   horizontal r_h^2 = r^2 - 3 W^2, and the tension is m l [(r_h + W)^2 - W^2], m the reduced mass. One that turns backwards
   goes slack unless r > sqrt(7) W. On a rope it then flies freely, by the linear equations of motion beside an orbit, where
   m l [(r_h + W)^2 + W^2 (3 cos^2 th - 1)] has become zero.

The run is the triangle, struck a little; the others are runs of the checks. Units: SI, rad.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, balance, legend, panels, title, worst
from kaneflex.model.blocks import LocalVertical
from kaneflex.model.bodies import PointMass, Rigid
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.constraints import Distance
from kaneflex.model.forces import OrbitGravity, SpringDamper
from kaneflex.model.joints import Free, Revolute, Translational, Universal
from kaneflex.model.orbits import EARTH_MU, KeplerOrbit
from kaneflex.model.profiles import constant_rate
from kaneflex.model.shapes import Sphere
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"mass": 100.0, "stiffness": 10.0, "side": 1000.0, "spin": 0.05}
ORBIT = KeplerOrbit(EARTH_MU, 6.8e6)
STRUCK = 0.01  # m/s, of the triangle's first corner
FINE: dict[str, Any] = {"method": "dop853", "rtol": 1e-11, "atol": 1e-11}
#: masses, lengths: tensions over m W^2 l, and squares of the frequencies over W^2 in the plane and out of it
CHAINS = (
    ((1.0, 1.0, 1.0), (1.0, 1.0), (3.0, 3.0), (3.0, 9.0)),
    ((1.0, 2.0, 3.0), (1.0, 2.0), (5.5, 10.5), (3.0, 9.625)),
)


def radius(p: Parameters) -> float:
    """Of the circle through the corners of the spinning triangle, m: m w^2 R = 2 cos 30 deg T, T = k (sqrt(3) R - side)."""
    k, m, w = p["stiffness"], p["mass"], p["spin"]
    return float(math.sqrt(3) * k * p["side"] / (3 * k - m * w**2))


def build(p: Parameters) -> System:
    """The triangle in free space, one corner struck outwards."""
    for name in DEFAULTS:
        positive(p[name], name)
    if p["mass"] * p["spin"] ** 2 >= 3 * p["stiffness"]:
        raise ModelError(f"spin is {p['spin']:g}: the springs do not hold the masses beyond sqrt(3 k/m)")
    R, w = radius(p), p["spin"]
    system = System("triangle")
    for k in range(3):
        c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
        struck = STRUCK if k == 0 else 0.0
        rates = (struck - w * R * s, w * R * c, 0)
        system.add(f"mass{k}", PointMass(p["mass"]), Translational(), q=(R * c, R * s, 0), rates=rates)
        system.show(f"mass{k}", Sphere(0.04 * R))
    for k in range(3):
        line = SpringDamper(f"mass{k}", f"mass{(k + 1) % 3}", p["stiffness"], length=p["side"], slack=True)
        system.apply(f"tether{k}", line)
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Four turns."""
    until = 4 * 2 * math.pi / p["spin"]
    return system.simulate(until, formulation=formulation, speeds=speeds, output=until / 2000, **FINE)


def corners(run: Run, p: Parameters) -> np.ndarray:
    """Places of the corners in the turning frame less those of the triangle that is not struck, m, (n, 6)."""
    R, out = radius(p), []
    for k in range(3):
        x, y = run[f"mass{k}.position"][:, :2].T
        c, s = np.cos(p["spin"] * run.t), np.sin(p["spin"] * run.t)
        angle = 2 * math.pi * k / 3
        out += [c * x + s * y - R * math.cos(angle), c * y - s * x - R * math.sin(angle)]
    return np.column_stack(out)


def turning(p: Parameters) -> np.ndarray:
    """State matrix of small plane motions in the turning frame, written down from springs and masses."""
    R, w, k, m = radius(p), p["spin"], p["stiffness"], p["mass"]
    places = R * np.array([[math.cos(a), math.sin(a)] for a in (0, 2 * math.pi / 3, 4 * math.pi / 3)])
    K = np.zeros((6, 6))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        d = places[j] - places[i]
        l = math.hypot(*d)
        n, T = d / l, k * (l - p["side"])
        block = k * np.outer(n, n) + T / l * (np.eye(2) - np.outer(n, n))
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            K[2 * a : 2 * a + 2, 2 * b : 2 * b + 2] += sign * block
    gyro = np.kron(np.eye(3), [[0, 2 * w], [-2 * w, 0]])
    return np.block([[np.zeros((6, 6)), np.eye(6)], [w**2 * np.eye(6) - K / m, gyro]])


def frequencies(p: Parameters) -> np.ndarray:
    """Those of the vibrations in the turning frame, rad/s, without the two at the spin, which are translation."""
    found = np.sort(np.linalg.eigvals(turning(p)).imag)
    found = found[found > 1e-4 * found.max()]
    return np.array([x for x in found if abs(x - p["spin"]) > 1e-6 * p["spin"]])


def checks(run: Run, p: Parameters) -> list[Check]:
    """All four formations."""
    return [*_triangle(run, p), *(_chain(*given) for given in CHAINS), _spokes(), *_dumbbells(), *_ropes()]


def _triangle(run: Run, p: Parameters) -> list[Check]:
    """Size and tension of the triangle that is not struck, and the vibration of the one that is."""
    start = np.zeros(12)
    start[6] = STRUCK
    values, vectors = np.linalg.eig(turning(p))
    motion = (vectors @ (np.exp(np.outer(values, run.t)) * np.linalg.solve(vectors, start)[:, None])).real[:6].T
    l = math.sqrt(3) * radius(p)
    calm = build(p)
    at = calm.state()
    at["mass0.x.rate"] = 0.0
    pull = p["mass"] * abs(calm.channels(at, "mass0.acceleration")["mass0.acceleration"][0]) / math.sqrt(3)
    size = float(np.abs(motion).max())
    off = float(np.abs(corners(run, p) - motion).max()) / size
    return [
        Check(
            "tension, N", float(pull), p["mass"] * p["spin"] ** 2 * l / 3, 1e-9 * pull, "closed form: m w^2 s/3; 84.033613"
        ),
        Check("motion of the corners, relative difference", off, 0.0, 1e-4, "linear equations of the turning triangle"),
        _frequencies(p),
        balance(run, 1e-10),
    ]


def _frequencies(p: Parameters) -> Check:
    """Those of small plane motions, by linearizing masses on a massless body that turns with the triangle."""
    system, R = System("turning triangle"), radius(p)
    system.add("frame", PointMass(0.0), Revolute("z", motion=constant_rate(p["spin"])))
    for k in range(3):
        c, s = math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)
        system.add(f"mass{k}", PointMass(p["mass"]), Translational(), parent="frame", q=(R * c, R * s, 0))
    for k in range(3):
        system.apply(f"tether{k}", SpringDamper(f"mass{k}", f"mass{(k + 1) % 3}", p["stiffness"], length=p["side"]))
    swings = system.linearize(system.state()).eigenvalues().imag
    wanted = frequencies(p)
    values = [swings[np.argmin(np.abs(swings - w))] for w in wanted]
    source = "matrix of the turning triangle, by hand; 0.338909, 0.438909, 0.554527, radius 582.201952 m"
    return worst(
        "frequencies in the turning frame, rad/s", [f"mode {k + 1}" for k in range(3)], values, wanted, 1e-9, source
    )


def heights(masses: Any, lengths: Any) -> np.ndarray:
    """Of the masses of a vertical chain over its mass centre, from below, m."""
    z = np.concatenate([[0.0], np.cumsum(lengths)])
    return np.asarray(z - np.dot(masses, z) / np.sum(masses))


def _chain(masses: Any, lengths: Any, tensions: Any, squares: Any) -> Check:
    """Tensions by constraints between free masses, frequencies by linearizing a chain of links, all over W.

    The links hang on a massless body that turns with the orbit, so that what is steady there is at rest in its coordinates.
    """
    W, z = ORBIT.rate, heights(masses, lengths)
    free, chain = System("masses"), System("links")
    for k, (m, height) in enumerate(zip(masses, z, strict=True)):
        free.add(f"mass{k}", PointMass(m), Translational(), q=(height, 0, 0), rates=(0, W * height, 0))
    for k, l in enumerate(lengths):
        free.constrain(f"tether{k}", Distance(f"mass{k}", f"mass{k + 1}", l))
    chain.add("local", PointMass(0.0), Revolute("z", motion=constant_rate(W)))
    chain.add("mass0", PointMass(masses[0]), Translational(), parent="local", q=(z[0], 0, 0))
    for k, (m, l) in enumerate(zip(masses[1:], lengths, strict=True)):
        link = Rigid(m, com=(l, 0, 0), inertia=(0, 0, 0), frames={"end": (l, 0, 0)})
        parent = {"parent": f"mass{k}", "at": "end"} if k else {"parent": "mass0"}
        chain.add(f"mass{k + 1}", link, Universal(("z", "y")), **parent)
    for system in (free, chain):
        system.apply("earth", OrbitGravity(ORBIT))
    at = free.channels(free.state(), *(f"tether{k}.multipliers" for k in range(len(lengths))))
    pulls = [-float(at[f"tether{k}.multipliers"]) / W**2 for k in range(len(lengths))]
    swings = chain.linearize(chain.state()).eigenvalues().imag / W
    wanted = [math.sqrt(w + out) for out in (0, 1) for w in squares]
    found = [swings[np.argmin(np.abs(swings - w))] for w in wanted]
    names = [*(f"tension {k + 1} over W^2" for k in range(len(pulls))), *(f"frequency {w:.4f} W" for w in wanted)]
    label = f"chain of {', '.join(f'{m:g}' for m in masses)} kg"
    return worst(label, names, [*pulls, *found], [*tensions, *wanted], 3e-6, "closed form; computed for 1, 2, 3 kg")


def _spokes() -> Check:
    """Six masses on tethers about a hub, spinning at w in free space: m w^2 R in each after a turn."""
    n, m, R, w = 6, 50.0, 200.0, 0.03
    system = System("spokes")
    system.add("hub", Rigid(900.0, inertia=(500, 500, 800)), Free(), rates=(0, 0, 0, 0, 0, w))
    for k in range(n):
        c, s = math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n)
        system.add(f"mass{k}", PointMass(m), Translational(), q=(R * c, R * s, 0), rates=(-w * R * s, w * R * c, 0))
        system.constrain(f"spoke{k}", Distance("hub", f"mass{k}", R))
    run = system.simulate(2 * math.pi / w, output=2 * math.pi / w, **FINE)
    pulls = [-float(np.ravel(run[f"spoke{k}.multipliers"])[-1]) for k in range(n)]
    names = [f"spoke {k + 1}" for k in range(n)]
    return worst("hub and spokes, tension, N", names, pulls, np.full(n, m * w**2 * R), 1e-7, "closed form: m w^2 R")


def _dumbbells() -> list[Check]:
    """How far one swings that does not turn over; of those that do, tension over m l W^2 at the horizontal, negative where a
    tether goes slack: forwards, and backwards at two rates."""
    W, m, l = ORBIT.rate, 100.0, 10.0

    def turned(r: float) -> tuple[np.ndarray, np.ndarray]:
        """Angle, the way it turns, and tension over m l W^2."""
        system = System("dumbbell")
        system.add("end", PointMass(m), Translational(), q=(l, 0, 0), rates=(0, l * W * (1 + r), 0))
        system.constrain("tether", Distance("N", "end", l))
        system.apply("earth", OrbitGravity(ORBIT))
        system.add_block("local", LocalVertical(ORBIT, "end"))
        run = system.simulate(max(2.0, 7.0 - 2 * abs(r)) / W / abs(r), output=0.01 / W, **FINE)
        angle = np.unwrap(run["local.in_plane"]) * math.copysign(1, r)
        return angle, -np.ravel(run["tether.multipliers"]) / (m * l * W**2)

    swings, _ = turned(1.7)
    far, most = CubicSpline(np.arange(len(swings)), swings), math.asin(1.7 / math.sqrt(3))
    top = float(far(far.derivative().roots(extrapolate=False)).max())
    source = "closed form: sin th = r/(sqrt(3) W), below sqrt(3) W"
    found = [Check("dumbbell, r = 1.7 W, swings back: largest angle, rad", top, most, 1e-5, source)]
    for r in (2.5, -2.5, -2.8):
        angle, tension = turned(r)
        there = float(CubicSpline(angle, tension)(math.pi / 2))
        level = math.copysign(math.sqrt(r * r - 3), r)
        closed, word = (level + 1) ** 2 - 1, "tight" if r > 0 or abs(r) > math.sqrt(7) else "slack"
        label = f"dumbbell, r = {r:g} W, {word}: tension at the horizontal over m l W^2"
        found.append(Check(label, there, closed, 1e-5, "closed form: (r_h + W)^2 - W^2"))
    return found


def _ropes() -> list[Check]:
    """Dumbbells that turn backwards on a stiff rope: at 2.5 W it goes slack and the mass flies, at 2.8 W it stays tight."""
    W, m, l, found = ORBIT.rate, 100.0, 10.0, []
    rate = lambda th, r: -math.sqrt(r * r - 3 * math.sin(th) ** 2)
    pull = lambda th, r: (rate(th, r) + 1) ** 2 + 3 * math.cos(th) ** 2 - 1
    loose = brentq(pull, 0.5, math.pi / 2, args=(2.5,))
    at = quad(lambda th: -1 / rate(th, 2.5), 0, loose)[0]
    for r in (2.5, 2.8):
        stiffness = 1e5 * m * W**2
        out = l * (1 + pull(0.0, r) / 1e5)
        system = System("rope")
        system.add("end", PointMass(m), Translational(), q=(out, 0, 0), rates=(0, out * W * (1 - r), 0))
        system.apply("rope", SpringDamper("N", "end", stiffness, length=l, slack=True))
        system.apply("earth", OrbitGravity(ORBIT))
        system.add_block("local", LocalVertical(ORBIT, "end"))
        times = np.linspace(0, at + 0.4, 201) / W
        run = system.simulate(float(times[-1]), times=times, **FINE)
        found.append(run["local.distance"] / l)
        if r == 2.5:
            angle = float(np.unwrap(run["local.in_plane"])[-1])
            x, y, vx, vy = (
                math.cos(loose),
                -math.sin(loose),
                math.sin(loose) * rate(loose, r),
                math.cos(loose) * rate(loose, r),
            )
            c, s, t = math.cos(0.4), math.sin(0.4), 0.4
            end = (4 - 3 * c) * x + s * vx + 2 * (1 - c) * vy, 6 * (s - t) * x + y - 2 * (1 - c) * vx + (4 * s - 3 * t) * vy
    values, wanted = [found[0][-1], angle], [math.hypot(*end), math.atan2(end[1], end[0])]
    source = "motion beside an orbit in closed form, from where the tension is zero"
    return [
        worst(
            "rope, r = -2.5 W: 0.4/W after it went slack", ["distance over l", "angle, rad"], values, wanted, 1e-3, source
        ),
        Check(
            "rope, r = -2.8 W: least distance over l",
            float(found[1].min()),
            1 + pull(math.pi / 2, 2.8) / 1e5,
            3e-7,
            "never slack",
        ),
    ]


def figure(run: Run, p: Parameters) -> Figure:
    """The struck triangle in the turning frame, its motion enlarged, and the tensions."""
    picture, (left, right) = panels(1, 2, size=(9.6, 4.2), width_ratios=(1, 1.3))
    R, moved = radius(p), corners(run, p)
    grow = 0.2 * R / np.abs(moved).max()
    for k in range(3):
        a = 2 * math.pi * k / 3
        x, y = R * math.cos(a), R * math.sin(a)
        b = a + 2 * math.pi / 3
        left.plot([x, R * math.cos(b)], [y, R * math.sin(b)], color=COLOURS[3], lw=1)
        left.plot(x + grow * moved[:, 2 * k], y + grow * moved[:, 2 * k + 1], color=COLOURS[k], lw=0.8)
    left.set(xlabel=f"x in the turning frame, m (motion x {grow:.0f})", ylabel="y, m", aspect="equal")
    for k in range(3):
        ends = run[f"mass{k}.position"] - run[f"mass{(k + 1) % 3}.position"]
        pull = p["stiffness"] * (np.linalg.norm(ends, axis=1) - p["side"])
        right.plot(run.t, pull, color=COLOURS[k], lw=1, label=f"tether {k + 1}")
    right.axhline(p["mass"] * p["spin"] ** 2 * math.sqrt(3) * R / 3, ls=":", color="k", lw=1, label="not struck")
    right.set(xlabel="t, s", ylabel="tension, N")
    right.margins(y=0.25)
    legend(right, loc="upper right", ncols=4)
    title(picture, "Spinning triangle of satellites on elastic tethers, struck at one corner")
    return picture


EXAMPLE = Example(
    name="tethered-formation",
    title="Formations of tethered satellites: vertical chain, spinning triangle, spokes, tumbling dumbbell",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 2",
    source="Misra and Modi; Kim and Hall 2004; closed forms",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
