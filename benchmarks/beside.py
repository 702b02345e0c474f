"""Two states of the sources side by side: `python benchmarks/beside.py DIR`, where DIR is another checkout (a git worktree).

A process for each, this file and the same Python in both. They are asked in turn for the time of each case, so that what
else the machine does falls on both; a row has the ratio of medians and of minima, this state over the other.
`--only WORDS` takes cases whose name has one of the words, `--rounds N` sets how often each is asked.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
import timeit
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
SHORTEST = 0.002  # s, of one timing: shorter than what a busy machine gives a process at a time
REPEATS = 5  # of which the least counts: the first finds the caches as the other process left them
BODIES = (7, 30, 100, 300)
LOOPS = (10, 40)
MODES = (6, 12, 24, 44)


# -- what is measured, in the process of one state ---------------------------------------------------------------------


def chain(n: int) -> Any:
    """Rigid links on revolute joints whose axes turn from joint to joint."""
    import kaneflex as kf

    s = kf.System("chain", gravity=(0, 0, -9.81))
    link = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09), frames={"tip": (1, 0, 0)})
    for k in range(n):
        s.add(f"b{k}", link, kf.Revolute("xyz"[k % 3]), f"b{k - 1}" if k else None, "tip" if k else None, q=0.3, rates=0.1)
    return s


def four_bars(n: int) -> Any:
    """Separate four-bar linkages."""
    import math

    import kaneflex as kf

    bar = kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12), frames={"tip": (1, 0, 0)})
    s = kf.System("four-bars", gravity=(0, -9.81, 0))
    base = s.add("base", kf.Rigid(1.0, frames={f"g{k}": (3 * k + 1.2, 0, 0) for k in range(n)}), kf.Fixed())
    for k in range(n):
        s.add(f"a{k}", bar, kf.Revolute("z"), base, at=(3 * k, 0, 0), q=1.3, rates=1.0)
        s.add(f"c{k}", bar, kf.Revolute("z"), f"a{k}", "tip", q=-1.3)
        s.add(f"d{k}", bar, kf.Revolute("z"), base, f"g{k}", q=math.pi / 2)
        s.close(f"pin{k}", f"c{k}.tip", f"d{k}.tip", kf.Revolute("z"))
    s.assemble()
    return s


def beam(modes: int) -> Any:
    """A flexible beam of some modes."""
    import kaneflex as kf

    return kf.Flexible(kf.structures.Beam(20.0, 2.8e7, 1.4e4, 1.2, elements=60), modes=modes)


def free(modes: int) -> Any:
    """It floats."""
    import kaneflex as kf

    s = kf.System("free beam")
    s.add("beam", beam(modes), kf.Free())
    return s


def arm(modes: int) -> Any:
    """It is clamped to a hub that turns."""
    import kaneflex as kf

    s = kf.System("arm")
    hub = s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z"))
    s.add("beam", beam(modes), kf.Fixed(), hub)
    return s


def of_gallery(name: str) -> Any:
    """A system of the gallery as it is."""
    from importlib import import_module

    module = import_module(f"kaneflex.gallery.{name}")
    return module.build(dict(module.DEFAULTS))


def evaluation(system: Any, speeds: str = "customary") -> Callable[[], object]:
    """One u-dot at a state in motion."""
    import numpy as np

    dynamics = system.dynamics("recursive", speeds)
    q, u = system.state().q.copy(), 0.1 * np.random.default_rng(1).standard_normal(dynamics.plan.nu)
    bound: Callable[[], object] = dynamics.bind(q, u, np.zeros_like(u), np.empty_like(u))
    return bound


def run(system: Any, duration: float) -> Callable[[], object]:
    """A whole run by dopri5, with all that comes before and after its steps."""
    return lambda: system.simulate(duration, method="dopri5", output=duration / 10, progress=False)


CASES: dict[str, Callable[[], Callable[[], object]]] = {
    **{f"rigid u-dot {n} bodies": lambda n=n: evaluation(chain(n)) for n in BODIES},
    "rigid run 7 bodies 0.2 s": lambda: run(chain(7), 0.2),
    **{f"loops u-dot {n}": lambda n=n: evaluation(four_bars(n)) for n in LOOPS},
    "loops run 10, 0.2 s": lambda: run(four_bars(10), 0.2),
    "loops run 10, 1 s": lambda: run(four_bars(10), 1.0),
    **{f"flexible u-dot {m} modes": lambda m=m: evaluation(free(m)) for m in MODES},
    **{f"flexible u-dot {m} modes on a hub": lambda m=m: evaluation(arm(m)) for m in (4, 12)},
    "flexible u-dot sail": lambda: evaluation(of_gallery("solar_sail")),
    "flexible u-dot chain of four": lambda: evaluation(of_gallery("four_flexible_bodies")),
    **{f"constant-mass u-dot {m} modes": lambda m=m: evaluation(free(m), "constant-mass") for m in MODES},
    **{f"constant-mass u-dot {m} modes on a hub": lambda m=m: evaluation(arm(m), "constant-mass") for m in (4, 12)},
    "constant-mass u-dot sail": lambda: evaluation(of_gallery("solar_sail"), "constant-mass"),
    "constant-mass u-dot chain of four": lambda: evaluation(of_gallery("four_flexible_bodies"), "constant-mass"),
}


def answer() -> None:
    """Names of cases come in by lines, seconds go out; what is printed otherwise does not count."""
    warnings.simplefilter("ignore")
    out, sys.stdout = sys.stdout, sys.stderr
    ready: dict[str, tuple[timeit.Timer, int]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            call = CASES[name]()
            call()  # compiles
            begun = time.perf_counter()
            call()
            ready[name] = timeit.Timer(call), max(1, int(SHORTEST / max(time.perf_counter() - begun, 1e-7)))
        timer, number = ready[name]
        out.write(f"{min(timer.repeat(REPEATS, number)) / number!r}\n")
        out.flush()


# -- the two processes -------------------------------------------------------------------------------------------------


class State:
    """One state of the sources, in a process of its own."""

    def __init__(self, checkout: Path) -> None:
        """Start it; its kernels come from its own sources."""
        environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
        command = [sys.executable, str(Path(__file__).resolve()), "--answer"]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, env=environment)

    def seconds(self, name: str) -> float:
        """Of one call of a case."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{name}: the process of {self.process.args!r} ended")
        return float(line)


def main() -> None:
    """Ask both in turn, and print a row a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--answer", action="store_true")
    given = parser.parse_args()
    if given.answer:
        return answer()
    if given.other is None or not (given.other / "src" / "kaneflex").is_dir():
        parser.error("name the folder of another checkout: it has src/kaneflex")
    this, other = State(HERE), State(given.other.resolve())
    print(f"{'case':45s} {'this, us':>11s} {'other, us':>11s}  medians  minima")
    for name in CASES:
        if not any(word in name for word in given.only):
            continue
        this.seconds(name), other.seconds(name)
        times = [(this.seconds(name), other.seconds(name)) for _ in range(given.rounds)]
        (a, b), (least, low) = (map(statistics.median, zip(*times, strict=True)), map(min, zip(*times, strict=True)))
        print(f"{name:45s} {a * 1e6:11.2f} {b * 1e6:11.2f}  {a / b:7.3f} {least / low:7.3f}", flush=True)
    return None


if __name__ == "__main__":
    main()
