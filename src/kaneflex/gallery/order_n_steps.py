"""The order-n recursion with a loop, step by step: a listing of a page that runs, for a chain hung up at both of its ends.

Source: stand-in for A. K. Banerjee, Flexible Multibody Dynamics (Wiley, 2016), appendix 9.A, pseudo-code of the recursion
of constrained systems in efficient variables, and appendix B, an order-n code with an example. The listing is this file's
own.

n thin rods (m, l), hinged in one plane, hang from the origin; the end of the last is pinned to the ground. The speeds are
the total rates u_i of the rods, their angles t_i from the horizontal; e_i is along rod i, n_i across it. With total rates
a rod takes from its neighbours forces alone, so that what is beyond hinge i is to those before it two numbers by two,

    force on hinge i = A_i a_i + b_i + B_i f ,   a_i its acceleration, f the force of the pin on the chain's end.         (1)

From the end (A = 0, b = 0, B = -1) to the origin, rod by rod:

    D_i = m l^2/3 + l^2 n.A n ,   U_i = m l/2 n + l A n ,   h_i = -m l/2 n.g + l n.(b - l u^2 A e) ,   H_i = l n.B
    b_i = b - m g - m l/2 u^2 e - l u^2 A e - U h/D ,   A_i = A + m 1 - U U^T/D ,   B_i = B - U H/D                       (2)

the right sides with A, b, B of hinge i+1. The end stays where it is:

    sum (l u^2 B_(i+1)^T e_i + H_i^T h_i/D_i) + sum H_i^T H_i/D_i f = 0 ,   two equations for f.                          (3)

And out again: u_i' = -(U_i.a_i + h_i + H_i f)/D_i ,   a_(i+1) = a_i + l (u_i' n_i - u_i^2 e_i).
(4)

`recursion` is (2)-(4), a fixed number of products per rod. Beside it stand the equations of all rods at once, with the
mass matrix m l^2 (n - max(i, j) + 1/2) cos(t_i - t_j), and the package; `speeds="efficient"` are these u. Units: SI, rad.
"""

from __future__ import annotations

from functools import partial
from timeit import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from kaneflex.gallery.contract import Check, Example, Parameters
from kaneflex.gallery.shared import COLOURS, GREY, balance, bar, legend, panels, support, title
from kaneflex.model.checks import ModelError, positive
from kaneflex.model.joints import Revolute
from kaneflex.results.run import Run
from kaneflex.system import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULTS = {"n": 5, "length": 0.5, "mass": 0.8, "gravity": 9.81, "span": 1.6, "drop": 0.2}
DURATION = 2.0


class Steps(NamedTuple):
    """What the passes leave: per rod D, U, h, H, A, b, B (inward), u' (outward), and the force f of the pin."""

    D: np.ndarray
    U: np.ndarray
    h: np.ndarray
    H: np.ndarray
    A: np.ndarray
    b: np.ndarray
    B: np.ndarray
    udot: np.ndarray
    f: np.ndarray


def recursion(t: np.ndarray, u: np.ndarray, p: Parameters) -> Steps:
    """The algorithm: one pass inward (2), the loop's two equations (3), one pass outward (4)."""
    n, m, l, g = len(t), p["mass"], p["length"], np.array([0.0, -p["gravity"]])
    e, across = np.array([np.cos(t), np.sin(t)]).T, np.array([-np.sin(t), np.cos(t)]).T
    D, h, udot = np.zeros(n), np.zeros(n), np.zeros(n)
    U, H, b = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n + 1, 2))
    A, B = np.zeros((n + 1, 2, 2)), np.zeros((n + 1, 2, 2))
    B[n], beta, K = -np.eye(2), np.zeros(2), np.zeros((2, 2))
    for i in reversed(range(n)):
        turn = l * u[i] ** 2 * e[i]  # towards the hinge
        D[i] = m * l**2 / 3 + l**2 * across[i] @ A[i + 1] @ across[i]
        U[i] = m * l / 2 * across[i] + l * A[i + 1] @ across[i]
        H[i] = l * across[i] @ B[i + 1]
        h[i] = -m * l / 2 * across[i] @ g + l * across[i] @ (b[i + 1] - A[i + 1] @ turn)
        b[i] = b[i + 1] - m * g - m * turn / 2 - A[i + 1] @ turn - U[i] * h[i] / D[i]
        A[i] = A[i + 1] + m * np.eye(2) - np.outer(U[i], U[i]) / D[i]
        B[i] = B[i + 1] - np.outer(U[i], H[i]) / D[i]
        beta += B[i + 1].T @ turn + H[i] * h[i] / D[i]
        K += np.outer(H[i], H[i]) / D[i]
    f, a = -np.linalg.solve(K, beta), np.zeros(2)
    for i in range(n):
        udot[i] = -(U[i] @ a + h[i] + H[i] @ f) / D[i]
        a = a + l * (udot[i] * across[i] - u[i] ** 2 * e[i])
    return Steps(D, U, h, H, A[:n], b[:n], B[:n], udot, f)


def all_at_once(t: np.ndarray, u: np.ndarray, p: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """u' and the force of the pin by the mass matrix of all rods and the two equations of the loop."""
    n, m, l = len(t), p["mass"], p["length"]
    k, apart = np.arange(1, n + 1), np.subtract.outer(t, t)
    inertia = m * l**2 * (n - np.maximum.outer(k, k) + 0.5 - np.eye(n) / 6)
    J = l * np.array([-np.sin(t), np.cos(t)])
    weight = m * p["gravity"] * l * (n - k + 0.5) * np.cos(t)
    right = np.concatenate([-weight - (inertia * np.sin(apart)) @ u**2, l * np.array([np.cos(t), np.sin(t)]) @ u**2])
    both = np.linalg.solve(np.block([[inertia * np.cos(apart), -J.T], [J, np.zeros((2, 2))]]), right)
    return both[:n], both[n:]


def start(p: Parameters) -> np.ndarray:
    """Angles of the rods from the horizontal, bent more on one side, moved by the least until the end is on its pin."""
    n, l, pin = p["n"], positive(p["length"], "length"), np.array([p["span"], -p["drop"]])
    if n < 3:
        raise ModelError(f"n is {n}: give at least three rods, two have no freedom")
    if np.hypot(*pin) >= 0.98 * n * l:
        raise ModelError(f"{n} rods of {l:g} m do not reach a pin {np.hypot(*pin):g} m away: give a smaller span")
    t = np.linspace(-1.5, 1.0, n)
    for _ in range(30):
        J = l * np.array([-np.sin(t), np.cos(t)])
        t = t - np.linalg.pinv(J) @ (l * np.array([np.cos(t), np.sin(t)]).sum(axis=1) - pin)
    return t


def build(p: Parameters) -> System:
    """The chain at rest; x to the pin, y up."""
    system, t = System("order-n steps", gravity=(0, -p["gravity"], 0)), start(p)
    rod, above = bar(positive(p["mass"], "mass"), p["length"]), None
    for k, turn in enumerate(np.diff(t, prepend=0.0), start=1):
        above = system.add(f"rod{k}", rod, Revolute("z"), parent=above, at="tip" if above else None, q=float(turn))
    pin = (p["span"], -p["drop"], 0)
    system.close("pin", f"rod{p['n']}.tip", pin, Revolute("z"))
    system.show("N", *support((0, 0, 0), -0.1, "y"), *support(pin, -0.1, "y"))
    return system


def simulate(system: System, p: Parameters, *, formulation: str = "recursive", speeds: str = "customary") -> Run:
    """Two seconds from rest, sampled every 10 ms."""
    return system.simulate(
        DURATION, method="dop853", rtol=1e-11, atol=1e-12, formulation=formulation, speeds=speeds, output=0.01
    )


def angles(run: Run, p: Parameters, what: str = "q") -> np.ndarray:
    """Angles from the horizontal, or their derivatives `rate` and `rate_dot`: sums of those of the joints."""
    return np.cumsum([run[f"rod{k}.{what}"] for k in range(1, p["n"] + 1)], axis=0).T


def checks(run: Run, p: Parameters) -> list[Check]:
    """Accelerations and force at all samples, the motion integrated from the listing, and identities of the passes."""
    t, u, udot = (angles(run, p, what) for what in ("q", "rate", "rate_dot"))
    force = run.loads("pin").force[:, :2]
    steps = [recursion(a, b, p) for a, b in zip(t, u, strict=True)]
    listed, whole = np.array([s.udot for s in steps]), [all_at_once(a, b, p) for a, b in zip(t, u, strict=True)]
    pulls, weight, scale = np.array([s.f for s in steps]), p["n"] * p["mass"] * p["gravity"], float(np.abs(listed).max())
    most = lambda x: float(np.abs(x).max())
    end = solve_ivp(lambda _, y: _rates(y, p), (0, DURATION), [*t[0], *u[0]], "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    far = most(t[-1] - end[: p["n"]])
    return [
        Check("u', package less listing, rad/s^2", most(udot - listed), 0.0, 1e-10 * scale, "equations (2)-(4), this file"),
        Check(
            "force of the pin, package less listing, N",
            most(force - pulls),
            0.0,
            1e-10 * weight,
            "equations (2)-(4), this file",
        ),
        Check(
            "u', package less all at once, rad/s^2",
            most(udot - [w[0] for w in whole]),
            0.0,
            1e-10 * scale,
            "mass matrix, this file",
        ),
        Check(
            "force of the pin, package less all at once, N",
            most(force - [w[1] for w in whole]),
            0.0,
            1e-10 * weight,
            "mass matrix",
        ),
        Check("angles at the end, rad", far, 0.0, 1e-9, "the listing, integrated by SciPy's DOP853"),
        balance(run, 1e-9),
    ]


def _rates(y: np.ndarray, p: Parameters) -> np.ndarray:
    n = p["n"]
    return np.concatenate([y[n:], recursion(y[:n], y[n:], p).udot])


def costs(p: Parameters, sizes: Any) -> dict[str, list[float]]:
    """Least time of an evaluation of u' in microseconds, by both formulations, for chains of these sizes."""
    found: dict[str, list[float]] = {"recursive": [], "dense": []}
    for n in sizes:
        q = {**p, "n": int(n), "span": 0.6 * n * p["length"]}
        system = build(q)
        at = system.state()
        for formulation, times in found.items():
            d = system.dynamics(formulation, "efficient")
            evaluate = partial(d.udot_at, 0.0, at.q, np.zeros(d.plan.nu))
            evaluate()
            times.append(1e6 * min(repeat(evaluate, number=3, repeat=4)) / 3)
    return found


def figure(run: Run, p: Parameters) -> Figure:
    """The chain at instants, the passes' numbers at the start, and the time of an evaluation over the number of rods."""
    picture, axes = panels(2, 2, size=(10.4, 6.4), width_ratios=(1, 1.15), height_ratios=(1.25, 1))
    ends = np.array([run["rod1.position"], *(run[f"rod{k}.tip.position"] for k in range(1, p["n"] + 1))])
    for k in range(100, -1, -10):
        axes[0, 0].plot(*ends[:, k, :2].T, "-o", ms=3, color=COLOURS[0] if k else "#111827", alpha=1 - 0.8 * k / 100)
    axes[0, 0].set(xlabel="x, m", ylabel="y, m", aspect="equal", title="first second")
    axes[0, 0].title.set_fontsize("small")
    t, u = angles(run, p), angles(run, p, "rate")
    pull = run.loads("pin").force
    exact = np.array([recursion(a, b, p).f for a, b in zip(t[::8], u[::8], strict=True)])
    for k, name in enumerate(("along x", "along y")):
        axes[1, 0].plot(run.t, pull[:, k], color=COLOURS[k], label=name)
        axes[1, 0].plot(run.t[::8], exact[:, k], "o", color=COLOURS[k], mfc="white", ms=3)
    axes[1, 0].plot([], [], "o", color=GREY, mfc="white", ms=3, label="listing")
    axes[1, 0].set(xlabel="time, s", ylabel="force of the pin, N")
    legend(axes[1, 0], loc="upper right", ncols=3)
    axes[1, 0].margins(y=0.25)
    sizes = np.array([4, 8, 16, 32, 64, 128])
    for k, (name, times) in enumerate(costs(p, sizes).items()):
        axes[1, 1].loglog(sizes, times, "o-", ms=4, color=COLOURS[k], label=name)
    axes[1, 1].set(xlabel="rods", ylabel="time of an evaluation, µs")
    legend(axes[1, 1], loc="upper left")
    place = axes[0, 1].get_position()
    axes[0, 1].remove()
    picture.text(place.x0 + 0.02, 0.93, _listing(t[40], u[40], p), family="monospace", fontsize=7.2, va="top")
    title(picture, "The recursion step by step")
    return picture


def _listing(t: np.ndarray, u: np.ndarray, p: Parameters) -> str:
    """The numbers of the passes in a table."""
    s, rods = recursion(t, u, p), range(min(len(t), 8))
    inward = [(s.D[i], s.h[i], *s.U[i], s.A[i, 0, 0], s.A[i, 0, 1], s.A[i, 1, 1]) for i in rods]
    line = lambda i, numbers: f"{i + 1:4d}" + "".join(f"{x:9.4f}" for x in numbers)
    head = lambda names: " rod" + "".join(f"{name:>9}" for name in names)
    parts = [
        ["t = 0.4 s, from the end to the origin: (2)", "", head(("D", "h", "Ux", "Uy", "Axx", "Axy", "Ayy"))],
        [line(i, inward[i]) for i in reversed(rods)],
        ["", "the loop: (3)", "", f" f = ({s.f[0]:.4f}, {s.f[1]:.4f}) N", "", "and out again: (4)", "", head(("u", "u'"))],
        [line(i, (u[i], s.udot[i])) for i in rods],
    ]
    return "\n".join(row for part in parts for row in part)


EXAMPLE = Example(
    name="order-n-steps",
    title="The order-n recursion with a loop, step by step, as a listing that runs (stand-in)",
    document="Banerjee, Flexible Multibody Dynamics",
    chapter="chapter 9",
    source="stand-in for appendices 9.A and B; recursion and mass matrix, derived here",
    parameters=DEFAULTS,
    build=build,
    simulate=simulate,
    checks=checks,
    figure=figure,
)
