"""Rigid trees: one evaluation of u-dot against Pinocchio, MuJoCo and Exudyn, and its growth to 10,000 bodies.

All engines get the same random chains and balanced trees (`peers/tree.py`), and nothing is timed before their
accelerations agree. Every engine counts with its fastest way of calling (Pinocchio also with its default call). "from
Python" is what a user's call costs; "net" leaves out the Python call: kaneflex repeats the evaluation in compiled code,
the peers' times are less their measured call overhead. Rounds are interleaved and the best of each engine counts, so
that a noisy machine disturbs all alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from benchmarks.peers.exudyn_peer import ExudynPeer
from benchmarks.peers.mujoco_peer import MujocoPeer
from benchmarks.peers.peer import SHORTEST_RUN, Peer, best_mean_time
from benchmarks.peers.pinocchio_peer import PinocchioPeer
from benchmarks.peers.tree import Tree, balanced_tree, chain
from kaneflex import Frame, Revolute, Rigid, System
from kaneflex.benchmarking import Benchmark, BenchmarkError, Fit, Row, growth
from kaneflex.formulations.dynamics import Dynamics

Array = NDArray[np.float64]

TREES = {"chain": chain, "balanced tree": balanced_tree}
COMPARED = (7, 30, 100, 300)
ALONE = (1000, 3000, 10000)
AGREEMENT = 1e-9  # largest relative difference of accelerations between two engines
MICRO = 1e6
UNIT = "µs per evaluation"

DEFAULT_CALL = "Pinocchio aba, default call"
FASTEST_CALL = "Pinocchio aba, faster convention"


@dataclass(frozen=True)
class Settings:
    """Sizes and repetitions."""

    compared: tuple[int, ...] = COMPARED
    alone: tuple[int, ...] = ALONE
    rounds: int = 5


QUICK = Settings(compared=(7, 30), alone=(100, 300), rounds=1)


def kaneflex_system(tree: Tree) -> System:
    """The tree as a kaneflex system."""
    system = System("tree", gravity=tree.gravity)
    for i in range(tree.n):
        system.add(
            f"body{i}",
            Rigid(float(tree.mass[i]), com=tree.com[i], inertia=tree.inertia[i]),
            joint=Revolute("z"),
            parent=None if tree.parent[i] < 0 else f"body{tree.parent[i]}",
            at=Frame(tree.p_PJ[i], tree.R_PJ[i]),
        )
    return system


class Kaneflex:
    """kaneflex holding one tree."""

    def __init__(self, tree: Tree) -> None:
        """Build the plan and compile what the timing calls."""
        self.tree = tree
        self.dynamics: Dynamics = kaneflex_system(tree).dynamics()
        names = [f"body{i}.angle" for i in range(tree.n)]
        if self.dynamics.plan.index.coordinates != names:
            raise BenchmarkError("kaneflex numbered the joints in another order than the tree")
        self.out = np.empty(tree.n)

    def accelerations(self, q: Array, u: Array, tau: Array) -> Array:
        """Forward dynamics."""
        return self.dynamics.udot(q, u, tau).copy()

    def seconds(self) -> float:
        """Seconds of one call of `Dynamics.udot` from Python."""
        q, u, tau = self.tree.state()
        return best_mean_time(partial(self.dynamics.udot, q, u, tau, self.out), 1)

    def net_seconds(self) -> float:
        """Seconds of one evaluation without the call from Python."""
        d = self.dynamics
        q, u, tau = self.tree.state()
        d.udot(q, u, tau, self.out)  # leaves tau in the workspace
        call = d.kernels.call_udot_repeatedly
        once = best_mean_time(partial(call, d.I, d.P, d.W, q, u, self.out, 1), 1)
        count = max(1, int(SHORTEST_RUN / once))
        return best_mean_time(partial(call, d.I, d.P, d.W, q, u, self.out, count), 1) / count


def pinocchio_default(peer: PinocchioPeer) -> float:
    """Seconds of `pin.aba(model, data, q, v, tau)`."""
    return best_mean_time(partial(pin.aba, peer.model, peer.data, *peer.tree.state()), 1)


def pinocchio_default_overhead() -> float:
    """Seconds of the same call on a model without joints."""
    model, nothing = pin.Model(), np.zeros(0)
    return best_mean_time(partial(pin.aba, model, model.createData(), nothing, nothing, nothing), 1)


@dataclass
class Timings:
    """Best seconds so far, by engine."""

    best: dict[str, float] = field(default_factory=dict)

    def take(self, name: str, seconds: float) -> None:
        """Note a measurement."""
        self.best[name] = min(seconds, self.best.get(name, np.inf))


@dataclass
class Case:
    """All engines on one tree: their gross, net and overhead seconds."""

    name: str
    tree: Tree
    gross: Timings = field(default_factory=Timings)
    net: float = np.inf
    overhead: Timings = field(default_factory=Timings)
    difference: float = 0.0

    def measure(self, rounds: int, with_peers: bool) -> None:
        """Check that the engines agree, then time them in interleaved rounds."""
        ours = Kaneflex(self.tree)
        peers: list[Peer] = [make(self.tree) for make in (PinocchioPeer, MujocoPeer, ExudynPeer)] if with_peers else []
        self.agree(ours, peers)
        for _ in range(rounds if with_peers else 2 * rounds):
            self.round(ours, peers)

    def agree(self, ours: Kaneflex, peers: list[Peer]) -> None:
        """Raise BenchmarkError unless all accelerations are the same."""
        state = self.tree.state(seed=1)
        found = ours.accelerations(*state)
        for peer in peers:
            theirs = peer.accelerations(*state)
            difference = float(np.abs(found - theirs).max() / np.abs(theirs).max())
            self.difference = max(self.difference, difference)
            if not difference <= AGREEMENT:
                raise BenchmarkError(
                    f"no table: {self.name} of {self.tree.n} bodies: accelerations of kaneflex and {peer.name} differ by "
                    f"{difference:.1e} relative, more than {AGREEMENT:g}"
                )

    def round(self, ours: Kaneflex, peers: list[Peer]) -> None:
        """kaneflex, a peer, kaneflex, the next peer, ..."""
        for peer in peers or [None]:
            self.gross.take("kaneflex", ours.seconds())
            self.net = min(self.net, ours.net_seconds())
            if isinstance(peer, PinocchioPeer):
                self.gross.take(DEFAULT_CALL, pinocchio_default(peer))
                self.gross.take(FASTEST_CALL, peer.seconds_per_call(1))
                self.overhead.take(DEFAULT_CALL, pinocchio_default_overhead())
                self.overhead.take(FASTEST_CALL, peer.call_overhead(1))
            elif peer is not None:
                self.gross.take(peer.name, peer.seconds_per_call(1))
                self.overhead.take(peer.name, peer.call_overhead(1))

    @property
    def peers(self) -> list[str]:
        """Names of the peers measured."""
        return [name for name in self.gross.best if name != "kaneflex"]

    def net_of(self, peer: str) -> float:
        """A peer's seconds less its call overhead; not less than a tenth of the whole."""
        return max(self.gross.best[peer] - self.overhead.best[peer], 0.1 * self.gross.best[peer])

    def rows(self) -> list[Row]:
        """Gross and net, for every peer; kaneflex alone where there is none."""
        n, ours = self.tree.n, self.gross.best["kaneflex"]
        gross, net = f"{self.name}, from Python", f"{self.name}, net"
        if not self.peers:
            return [Row(gross, n, None, ours * MICRO, None, UNIT), Row(net, n, None, self.net * MICRO, None, UNIT)]
        whole = [Row(gross, n, p, ours * MICRO, self.gross.best[p] * MICRO, UNIT) for p in self.peers]
        return whole + [Row(net, n, p, self.net * MICRO, self.net_of(p) * MICRO, UNIT) for p in self.peers]


def overhead_rows(cases: list[Case]) -> list[Row]:
    """The cost of a call itself: the best seen over all sizes that were compared with peers."""
    compared = [c for c in cases if c.peers]
    ours = min(c.gross.best["kaneflex"] - c.net for c in compared if c.tree.n == min(c.tree.n for c in compared))
    return [
        Row("call overhead", 0, p, ours * MICRO, min(c.overhead.best[p] for c in compared) * MICRO, "µs per call")
        for p in compared[0].peers
    ]


def memory_rows(sizes: tuple[int, ...]) -> list[Row]:
    """Workspace and tables of kaneflex per body, which must not grow."""
    rows = []
    for n in sizes:
        dynamics = kaneflex_system(chain(n)).dynamics()
        tables = dynamics.I.nbytes + dynamics.P.nbytes
        rows.append(Row("chain, workspace", n, None, dynamics.W.nbytes / n, None, "bytes per body"))
        rows.append(Row("chain, tables", n, None, tables / n, None, "bytes per body"))
    return rows


def fits(name: str, cases: list[Case], settings: Settings) -> list[Fit]:
    """Growth exponents of the net times: kaneflex over the small and the large sizes, peers over the small."""
    middle = sorted({30, 100, 300} & {c.tree.n for c in cases})
    large = sorted(c.tree.n for c in cases if c.tree.n >= max(settings.compared))
    by_size = {c.tree.n: c for c in cases}
    found = []
    for sizes in (middle, large):
        if len(sizes) > 1:
            exponent = growth(sizes, [by_size[n].net for n in sizes])
            found.append(Fit(f"{name}, kaneflex, {sizes[0]} to {sizes[-1]} bodies", exponent))
    small = [n for n in middle if by_size[n].peers]
    for peer in by_size[min(by_size)].peers if len(small) > 1 else ():
        exponent = growth(small, [by_size[n].net_of(peer) for n in small])
        found.append(Fit(f"{name}, {peer}, {small[0]} to {small[-1]} bodies", exponent))
    return found


NOTES = (
    "from Python: Dynamics.udot(q, u, tau, out) and each peer's call with preallocated model, data and arrays",
    "net: kaneflex repeats the evaluation in compiled code; peers: gross less the same call on an empty model",
    "Pinocchio's binding copies q, v and tau at each call, O(n), which counts as its own",
    "MuJoCo: contacts, constraints, sensors off; fastest of mj_forward, bare stages, many mj_step in one call; a chain "
    "fills its mass matrix, O(n^3)",
    "Exudyn: kinematic tree in the fast build, one thread; time from RK44 steps at a vanishing step, no Python between; "
    "its call overhead is one evaluation of a one-joint tree, from above; it forms and factors the mass matrix",
)


def measure(quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Check, time, fit."""
    settings = QUICK if quick else Settings()
    result = Benchmark("rigid", packages=("pin", "mujoco", "exudyn"))
    every: list[Case] = []
    for name, make in TREES.items():
        cases = []
        for n in (*settings.compared, *settings.alone):
            say(f"{name} of {n} bodies")
            case = Case(name, make(n))
            case.measure(settings.rounds, n in settings.compared)
            cases.append(case)
            result.rows += case.rows()
        result.fits += fits(name, cases, settings)
        every += cases
    result.rows += overhead_rows(every) + memory_rows((settings.alone[0], settings.alone[-1]))
    worst = max(case.difference for case in every)
    result.notes = [f"accelerations of all engines agree to {worst:.1e} relative", *NOTES]
    if quick:
        result.notes.append("quick: small sizes, one round; not a measurement")
    return result
