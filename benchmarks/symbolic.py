"""Kane's equations in symbols: chains of links, and a walker with muscles, against SymPy's KanesMethod and lambdify.

Rigid links on pins, all about z (planar) or about z, x, y in turn (spatial), written once with sympy.physics.mechanics:
frames, points located from one another, bodies, gravity; speeds are the relative rates. The walker (`peers/walker.py`) has
nine coordinates and 16 muscles, whose curves are functions that SymPy keeps as they are. Both sides get the same objects,
made anew for each, and form mass matrix and forcing. SymPy runs in a process of its own with a limit of time; where it did
not finish, the limit is what is shown for it, and the ratio is a lower bound.

Both sides' equations are evaluated at a random point first, and there is no table where they differ.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me

from benchmarks.peers.walker import walker
from kaneflex import Revolute, Rigid, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Row
from kaneflex.symbolic import KanesMethod, Program

AGREEMENT = 1e-10
PEER = "SymPy KanesMethod"


@dataclass(frozen=True)
class Settings:
    """Sizes, SymPy's limit of time in s, repetitions."""

    sizes: tuple[int, ...] = (2, 4, 8, 12, 20)
    limit: float = 600.0
    rounds: int = 5


QUICK = Settings(sizes=(2, 4), limit=120.0, rounds=2)


def chain(n: int, spatial: bool, velocities: bool = True) -> dict[str, Any]:
    """The chain as SymPy's objects: frame, coordinates, speeds, kinematical equations, bodies, loads; velocities of the
    points formed by SymPy's v2pt_theory, as its documentation does, or left to the derivation."""
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    N, point = me.ReferenceFrame("N"), me.Point("O")
    point.set_vel(N, 0)
    frame, bodies, loads, g = N, [], [], sm.Symbol("g")
    for i in range(n):
        m, l = sm.symbols(f"m{i} l{i}")
        axis = (frame.z, frame.x, frame.y)[i % 3] if spatial else frame.z
        B = me.ReferenceFrame(f"B{i}")
        B.orient_axis(frame, axis, q[i])
        B.set_ang_vel(frame, u[i] * axis)
        centre, end = point.locatenew(f"C{i}", -l / 2 * B.y), point.locatenew(f"P{i}", -l * B.y)
        if velocities:
            centre.v2pt_theory(point, N, B)
            end.v2pt_theory(point, N, B)
        I = me.inertia(B, *sm.symbols(f"x{i} y{i} z{i}"))
        bodies.append(me.RigidBody(f"link{i}", centre, B, m, (I, centre)))
        loads.append((centre, -m * g * N.y))
        frame, point = B, end
    t = me.dynamicsymbols._t
    return {
        "frame": N,
        "q": q,
        "u": u,
        "kd_eqs": [a.diff(t) - b for a, b in zip(q, u, strict=True)],
        "bodies": bodies,
        "loads": loads,
        "inputs": [],
        "parameters": [sm.Symbol(f"{letter}{i}") for letter in "mlxyz" for i in range(n)] + [g],
    }


def parts_of(kind: str, n: int) -> dict[str, Any]:
    """A "planar" or "spatial" chain of n links, or the "walker", of n coordinates."""
    return walker() if kind == "walker" else chain(n, kind == "spatial")


def arguments_of(parts: dict[str, Any]) -> list[Any]:
    """What M and F depend on: q, u, functions of time that are given, parameters."""
    return [*parts["q"], *parts["u"], *parts["inputs"], *parts["parameters"]]


def point_of(arguments: list[Any]) -> np.ndarray:
    """Values of the arguments at which both sides are compared."""
    return np.random.default_rng(len(arguments)).uniform(0.3, 1.2, len(arguments))


def derive(method: Any, parts: dict[str, Any]) -> Any:
    """Kane's equations by a class with SymPy's signature."""
    kane = method(parts["frame"], q_ind=parts["q"], u_ind=parts["u"], kd_eqs=parts["kd_eqs"])
    kane.kanes_equations(parts["bodies"], parts["loads"])
    return kane


# -- SymPy's side, in a process of its own -----------------------------------------------------------------------------


def sympy_side(kind: str, n: int) -> None:
    """Derive, then make and time functions; prints one JSON line after each, so that a limit of time loses the rest only."""
    warnings.simplefilter("ignore")
    parts = parts_of(kind, n)
    begun = time.perf_counter()
    kane = derive(me.KanesMethod, parts)
    matrices = [kane.mass_matrix, kane.forcing]
    print(json.dumps({"derive": time.perf_counter() - begun}), flush=True)
    symbols = arguments_of(parts)
    x = point_of(symbols)
    for cse in (True, False):
        begun = time.perf_counter()
        f = sm.lambdify(symbols, matrices, cse=cse)
        made = time.perf_counter() - begun
        M, F = f(*x)
        begun, count = time.perf_counter(), 0
        while time.perf_counter() - begun < 0.3:
            f(*x)
            count += 1
        seconds = (time.perf_counter() - begun) / count
        values = [*np.ravel(np.asarray(M, float)), *np.ravel(np.asarray(F, float))]
        print(json.dumps({f"evaluate {cse}": seconds, f"make {cse}": made, "values": values}), flush=True)


def by_sympy(kind: str, n: int, limit: float) -> dict[str, Any]:
    """What SymPy's side got done within the limit of time."""
    command = [sys.executable, "-m", "benchmarks.symbolic", "--kind", kind, "--size", str(n)]
    root = Path(__file__).resolve().parent.parent
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=root)
    try:
        text, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
    found: dict[str, Any] = {}
    for line in text.splitlines():
        found |= json.loads(line)
    return found


# -- ours --------------------------------------------------------------------------------------------------------------


@dataclass
class Ours:
    """Seconds of each stage, and the values at the point of comparison."""

    derive: float
    matrices: float | None
    make: float
    evaluate: float
    operations: int
    values: np.ndarray


def by_kaneflex(kind: str, n: int, rounds: int) -> Ours:
    """The same by kaneflex: the best of several derivations, the function made once."""
    seconds = []
    for _ in range(rounds):
        parts = parts_of(kind, n)
        begun = time.perf_counter()
        kane = derive(KanesMethod, parts)
        seconds.append(time.perf_counter() - begun)
    matrices = None
    if n <= 8 or kind == "walker":  # SymPy's own objects, for those who go on with SymPy; long chains make very long ones
        begun = time.perf_counter()
        _ = kane.mass_matrix, kane.forcing
        matrices = time.perf_counter() - begun
    native = kane.native
    begun = time.perf_counter()
    arguments = arguments_of(parts)
    outputs = [*(e for row in native.mass_matrix for e in row), *native.forcing]
    program = Program([kane.symbols.engine(s) for s in arguments], outputs)
    f = program.compiled()
    make = time.perf_counter() - begun
    x = point_of(arguments)
    out = f(x)
    values = out.copy()
    best = np.inf
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(1000):
            f(x, out)
        best = min(best, (time.perf_counter() - begun) / 1000)
    return Ours(min(seconds), matrices, make, best, program.counts()["total"], values)


def from_nothing(n: int, spatial: bool) -> float:
    """Seconds to write the chain, points located only, and derive its equations."""
    begun = time.perf_counter()
    derive(KanesMethod, chain(n, spatial, velocities=False))
    return time.perf_counter() - begun


def by_system(n: int, spatial: bool) -> float:
    """Seconds for System.equations of the same chain, parameters as symbols."""
    system = System("chain", gravity=(0, -9.81, 0))
    parent = None
    link = Rigid(1.0, com=(0, -0.5, 0), inertia=(0.1, 0.05, 0.1), frames={"end": (0, -1, 0)})
    for i in range(n):
        axis = "zxy"[i % 3] if spatial else "z"
        joint = Revolute(axis)
        parent = (
            system.add(f"b{i}", link, joint) if parent is None else system.add(f"b{i}", link, joint, parent=parent, at="end")
        )
    begun = time.perf_counter()
    system.equations(simplify=False)
    return time.perf_counter() - begun


def rows_of(kind: str, n: int, settings: Settings, try_peer: bool) -> tuple[list[Row], list[str], bool]:
    """Rows and notes of one system, and whether SymPy finished."""
    case = "walker with 16 muscles" if kind == "walker" else f"{kind} chain"
    ours = by_kaneflex(kind, n, settings.rounds)
    theirs = by_sympy(kind, n, settings.limit) if try_peer else {}
    notes = []
    if "values" in theirs:
        wanted = np.array(theirs["values"])
        error = float(np.abs(ours.values - wanted).max() / np.abs(wanted).max())
        if not error <= AGREEMENT:
            raise BenchmarkError(f"no table: {case} of {n}: the equations differ by {error:.1e}")
    derived = theirs.get("derive", settings.limit if try_peer else None)
    if try_peer and "derive" not in theirs:
        notes.append(f"{case} of {n}: SymPy did not derive it within {settings.limit:g} s: ratios are lower bounds")
    peer = PEER if try_peer else None
    rows = [Row(f"{case}, derive", n, peer, ours.derive * 1e3, None if derived is None else derived * 1e3, "ms")]
    if ours.matrices is not None:
        both = (ours.derive + ours.matrices) * 1e3
        rows.append(
            Row(f"{case}, derive, as SymPy matrices", n, peer, both, None if derived is None else derived * 1e3, "ms")
        )
    for cse, name in ((False, "lambdify"), (True, "lambdify(cse=True)")):
        value = theirs.get(f"evaluate {cse}")
        if value is not None:
            rows.append(Row(f"{case}, evaluate M and F", n, name, ours.evaluate * 1e6, value * 1e6, "µs"))
            made = theirs[f"make {cse}"] * 1e3
            rows.append(Row(f"{case}, make the function", n, name, ours.make * 1e3, made, "ms"))
    if not any(f"evaluate {c}" in theirs for c in (False, True)):
        rows.append(Row(f"{case}, evaluate M and F", n, None, ours.evaluate * 1e6, None, "µs"))
        rows.append(Row(f"{case}, make the function", n, None, ours.make * 1e3, None, "ms"))
    if kind != "walker":
        rows.append(Row(f"{case}, write and derive", n, None, from_nothing(n, kind == "spatial") * 1e3, None, "ms"))
        rows.append(Row(f"{case}, System.equations", n, None, by_system(n, kind == "spatial") * 1e3, None, "ms"))
    notes.append(f"{case} of {n}: M and F take {ours.operations} operations")
    return rows, notes, "derive" in theirs


NOTES = (
    "derive: KanesMethod(...), kanes_equations, mass_matrix, forcing; the frames, points and bodies exist. kaneflex keeps "
    "the result as SymEngine expressions; `as SymPy matrices` adds their translation",
    "evaluate: one call from Python with numbers in an array (kaneflex) or as arguments (lambdify)",
    "kaneflex: the best of several rounds; SymPy: once, in a fresh process",
    "write and derive: the SymPy objects too, with points located and their velocities left to the derivation",
    "System.equations: the same chain from the kernels, parameters as symbols, nothing simplified",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check and time both kinds of chains, size by size, and the walker."""
    warnings.simplefilter("ignore")
    settings = QUICK if quick else Settings()
    result = Benchmark("symbolic", packages=("sympy", "symengine"))
    by_system(2, False)  # imports and builds the plain kernels
    for kind, sizes in (("planar", settings.sizes), ("spatial", settings.sizes), ("walker", (9,))):
        finished = True
        for n in sizes:
            say(f"{kind} of {n}")
            last = n == sizes[-1]  # the longest is tried even where a shorter one did not finish
            rows, notes, finished = rows_of(kind, n, settings, finished or last)
            for row in rows:  # what was measured is not lost when somebody cannot wait for the longest
                beside = "" if row.ratio is None else f", {row.peer} {row.peer_value:.4g}: {row.ratio:.1f} times"
                say(f"  {row.case}: {row.kaneflex:.4g} {row.unit}{beside}")
            result.rows += rows
            result.notes += notes
    result.notes += NOTES
    if quick:
        result.notes.append("quick: small sizes, few rounds; not a measurement")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind")
    parser.add_argument("--size", type=int)
    given = parser.parse_args()
    sympy_side(given.kind, given.size)
