"""Rigid trees: one evaluation of u-dot against Pinocchio, MuJoCo and Exudyn, and its growth to 10,000 bodies.

All engines get the same random chains and balanced trees (`peers/tree.py`), and nothing is timed before their
accelerations agree. Every engine counts with its fastest way of calling (Pinocchio also with its default call). "from
Python" is what a user's call costs; "net" leaves out the Python call: kaneflex repeats the evaluation in compiled code,
the peers' times are less their measured call overhead. Rounds are interleaved and the best of each engine counts, so
that a noisy machine disturbs all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from benchmarks.peers import mujoco_peer
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

    def variant_seconds(self) -> dict[str, float]:
        """Seconds of one evaluation from Python, arrays passed at each call or bound once."""
        q, u, tau = self.tree.state()
        bound = self.dynamics.bind(q, u, tau, self.out)
        return {
            "Dynamics.udot": best_mean_time(partial(self.dynamics.udot, q, u, tau, self.out), 1),
            "Dynamics.bind": best_mean_time(bound, 1),
        }

    def net_seconds(self) -> float:
        """Seconds of one evaluation without the call from Python."""
        d = self.dynamics
        q, u, tau = self.tree.state()
        d.udot(q, u, tau, self.out)  # leaves tau in the workspace
        call = d.kernels.call_udot_repeatedly
        once = best_mean_time(partial(call, d.I, d.P, d.W, q, u, self.out, 1), 1)
        count = max(1, int(SHORTEST_RUN / once))
        return best_mean_time(partial(call, d.I, d.P, d.W, q, u, self.out, count), 1) / count


@dataclass
class Best:
    """Least seconds so far, by engine and by its way of calling."""

    seconds: dict[str, dict[str, float]] = field(default_factory=dict)

    def take(self, engine: str, found: Mapping[str, float]) -> None:
        """Note measurements."""
        known = self.seconds.setdefault(engine, {})
        known.update({way: min(value, known.get(way, np.inf)) for way, value in found.items()})

    def __getitem__(self, engine: str) -> float:
        """Seconds by the engine's fastest way."""
        return min(self.seconds[engine].values())


def default_aba(model: pin.Model, data: pin.Data, state: tuple[Array, Array, Array]) -> dict[str, float]:
    """Seconds of `pin.aba(model, data, q, v, tau)`."""
    return {"default": best_mean_time(partial(pin.aba, model, data, *state), 1)}


def time_peer(peer: Peer, gross: Best) -> None:
    """One measurement of every way to call an engine."""
    if isinstance(peer, PinocchioPeer):
        gross.take(DEFAULT_CALL, default_aba(peer.model, peer.data, peer.tree.state()))
        gross.take(FASTEST_CALL, peer.variant_seconds(1))
    else:
        gross.take(peer.name, peer.variant_seconds(1))


def time_overhead(peer: Peer, overhead: Best) -> None:
    """One measurement of what every way to call an engine costs on an empty model."""
    if isinstance(peer, PinocchioPeer):
        empty, nothing = pin.Model(), np.zeros(0)
        overhead.take(DEFAULT_CALL, default_aba(empty, empty.createData(), (nothing, nothing, nothing)))
        overhead.take(FASTEST_CALL, dict.fromkeys(("aba, local convention", "aba, world convention"), peer.call_overhead(1)))
    elif isinstance(peer, MujocoPeer):
        world = mujoco_peer.build(None)
        overhead.take(peer.name, mujoco_peer._time_variants(world, mujoco.MjData(world), 1))
    else:
        overhead.take(peer.name, ExudynPeer(chain(1)).variant_seconds(1))


@dataclass
class Case:
    """All engines on one tree; the overheads are shared by all cases."""

    name: str
    tree: Tree
    overhead: Best
    gross: Best = field(default_factory=Best)
    net: float = np.inf
    difference: float = 0.0
    bytes_used: dict[str, int] = field(default_factory=dict)

    def measure(self, rounds: int, with_peers: bool) -> None:
        """Check that the engines agree, then time them in interleaved rounds: kaneflex, a peer, kaneflex, ..."""
        ours = Kaneflex(self.tree)
        peers: list[Peer] = [make(self.tree) for make in (PinocchioPeer, MujocoPeer, ExudynPeer)] if with_peers else []
        d = ours.dynamics
        self.bytes_used = {"workspace": d.W.nbytes, "tables": d.I.nbytes + d.P.nbytes}
        self.agree(ours, peers)
        for _ in range(rounds):
            for peer in peers:
                self.time_ours(ours)
                time_peer(peer, self.gross)
                time_overhead(peer, self.overhead)
            self.time_ours(ours)

    def agree(self, ours: Kaneflex, peers: list[Peer]) -> None:
        """Raise BenchmarkError unless all accelerations are the same."""
        state = self.tree.state(seed=1)
        found = ours.accelerations(*state)
        for peer in peers:
            theirs = peer.accelerations(*state)
            difference = float(np.abs(found - theirs).max() / np.abs(theirs).max())
            if not difference <= AGREEMENT:
                raise BenchmarkError(
                    f"no table: {self.name} of {self.tree.n} bodies: accelerations of kaneflex and {peer.name} differ by "
                    f"{difference:.1e} relative, more than {AGREEMENT:g}"
                )
            self.difference = max(self.difference, difference)

    def time_ours(self, ours: Kaneflex) -> None:
        """One measurement of kaneflex, gross and net."""
        self.gross.take("kaneflex", ours.variant_seconds())
        self.net = min(self.net, ours.net_seconds())

    @property
    def passed(self) -> float:
        """Seconds of kaneflex when arrays are passed at each call."""
        return self.gross.seconds["kaneflex"]["Dynamics.udot"]

    @property
    def peers(self) -> list[str]:
        """Names of the peers measured."""
        return [name for name in self.gross.seconds if name != "kaneflex"]

    def net_of(self, peer: str) -> float | None:
        """A peer's seconds less its call overhead, by the way that is then fastest; None where nothing is left."""
        overhead = self.overhead.seconds[peer]
        least = min(gross - overhead[way] for way, gross in self.gross.seconds[peer].items())
        return least if least > 0 else None

    def rows(self) -> list[Row]:
        """Gross and net, for every peer; kaneflex alone where there is none."""
        n = self.tree.n
        gross, net = f"{self.name}, from Python", f"{self.name}, net"
        return [
            *(Row(gross, n, p, *_micro(self.gross["kaneflex"], self.gross[p]), UNIT) for p in self.peers),
            *(Row(f"{self.name}, arrays passed", n, p, *_micro(self.passed, self.gross[p]), UNIT) for p in self.peers),
            *(Row(net, n, p, *_micro(self.net, self.net_of(p)), UNIT) for p in self.peers),
            *(() if self.peers else (Row(gross, n, None, *_micro(self.gross["kaneflex"], None), UNIT),)),
            *(() if self.peers else (Row(net, n, None, *_micro(self.net, None), UNIT),)),
        ]


def _micro(ours: float, theirs: float | None) -> tuple[float, float | None]:
    """Seconds as microseconds."""
    return ours * 1e6, None if theirs is None else theirs * 1e6


def overhead_rows(cases: list[Case]) -> list[Row]:
    """The cost of a call itself; that of kaneflex from the smallest trees, gross less net."""
    compared = [c for c in cases if c.peers]
    smallest = min(c.tree.n for c in compared)
    ours = min(c.gross["kaneflex"] - c.net for c in compared if c.tree.n == smallest)
    overhead = compared[0].overhead
    return [Row("call overhead", 0, p, *_micro(ours, overhead[p]), "µs per call") for p in compared[0].peers]


def memory_rows(cases: list[Case]) -> list[Row]:
    """Workspace and tables of kaneflex per body, which must not grow."""
    words = [(f"{c.name}, {what}", c.tree.n, size) for c in cases for what, size in c.bytes_used.items()]
    return [Row(case, n, None, size / n, None, "bytes per body") for case, n, size in words]


def fits(name: str, cases: list[Case]) -> list[Fit]:
    """Growth exponents of the net times: kaneflex over 30 to 300 and from 300 on, the peers over 30 to 300."""
    by_size = {c.tree.n: c for c in cases}
    middle = [n for n in by_size if 30 <= n <= 300]
    found = []
    for sizes in (middle, [n for n in by_size if n >= 300]):
        if len(sizes) > 1:
            exponent = growth(sizes, [by_size[n].net for n in sizes])
            found.append(Fit(f"{name}, kaneflex, {sizes[0]} to {sizes[-1]} bodies", exponent))
    for peer in cases[0].peers:
        times = {n: by_size[n].net_of(peer) for n in middle if by_size[n].peers}
        kept = {n: t for n, t in times.items() if t is not None}
        if len(kept) > 1:
            exponent = growth(list(kept), list(kept.values()))
            found.append(Fit(f"{name}, {peer}, {min(kept)} to {max(kept)} bodies", exponent))
    return found


NOTES = (
    "from Python: a call with preallocated model, data and arrays; kaneflex by Dynamics.bind, arrays bound once (the rows "
    "with the same arrays passed at each call, Dynamics.udot, stand apart)",
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
    overhead = Best()
    cases: list[Case] = []
    for name, make in TREES.items():
        for n in (*settings.compared, *settings.alone):
            say(f"{name} of {n} bodies")
            case = Case(name, make(n), overhead)
            case.measure(settings.rounds, n in settings.compared)
            cases.append(case)
    result.rows = [row for case in cases for row in case.rows()]
    result.rows += overhead_rows(cases) + memory_rows([c for c in cases if c.tree.n in settings.alone])
    result.fits = [fit for name in TREES for fit in fits(name, [c for c in cases if c.name == name])]
    worst = max(case.difference for case in cases)
    result.notes = [f"accelerations of all engines agree to {worst:.1e} relative", *NOTES]
    if quick:
        result.notes.append("quick: small sizes, one round; not a measurement")
    return result
