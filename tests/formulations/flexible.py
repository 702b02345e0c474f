"""Random flexible bodies made of particles, whose integrals are sums, and random trees of rigid and flexible bodies.

    @given(flexible_trees())
    def test(recipe): tree = recipe.tree(); tree.dynamics("dense", "efficient")

They are the trees of `trees`, and the mechanisms of `loops`, some of whose bodies are flexible: joints, loads and
constraints are then at their nodes, or at frames fixed to their roots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from formulations import loops
from formulations.loops import Bench, Loops, Mechanism
from hypothesis import strategies as st
from trees import FORMULATIONS, WAYS, Random, Recipe, Tree, direction, frame, make_joint, rigid, trees

import kaneflex as kf
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.frames import NodeFrame
from kaneflex.plan.modal_tables import inertia_beside_modes
from kaneflex.structures.modes.modal_data import ModalBody, NodeModes

EXACT = tuple(way for way in WAYS if way[1] != "constant-mass")  # those that give the same motion
NEAR = tuple((formulation, "constant-mass") for formulation in FORMULATIONS)
MODES = (0, 1, 2, 3, 5, 14, 20)  # of a body, none for a rigid one; the last two are more than 6 per loaded node
DEFLECTION = 0.03  # of modal coordinates, beside which second-order displacements are small


def particle_body(
    rng: np.random.Generator, modes: int, nodes: int = 2, second: float = 0.5, afloat: bool = False, damped: bool = True
) -> ModalBody:
    """A body of random particles with random modes, mass-orthonormal, and random second-order displacements.

    Afloat, the modes have no linear or angular momentum, as those of a free body in mean axes.
    """
    n = modes + 4
    mass, p = rng.uniform(0.5, 1.5, n), rng.normal(size=(n, 3))
    root = np.sqrt(np.repeat(mass, 3))
    first = rigid_motions(p) * root[:, None] if afloat else np.zeros((3 * n, 0))
    phi = np.linalg.qr(np.hstack([first, rng.normal(size=(3 * n, modes))]))[0][:, first.shape[1] :] / root[:, None]
    phi = phi.reshape(n, 3, modes)
    g = second * rng.normal(size=(n, 3, modes, modes))
    g = g + g.transpose(0, 1, 3, 2)
    full = np.einsum
    E0, C = full("a,ac,ad->cd", mass, p, p), full("a,ac,adi->cdi", mass, p, phi)
    momentum = np.stack([C[1, 2] - C[2, 1], C[2, 0] - C[0, 2], C[0, 1] - C[1, 0]])
    named = {}
    for k in range(nodes):
        H = second * rng.normal(size=(3, modes, modes))
        H = H + H.transpose(0, 2, 1)
        named[f"n{k}"] = NodeModes(p[k], phi[k], rng.normal(size=(3, modes)), g[k], H)
    return ModalBody(
        mass=float(mass.sum()),
        first_moment=mass @ p,
        second_moment=E0,
        stiffness=rng.uniform(1.0, 9.0, modes),
        damping=np.diag(rng.uniform(0.0, 0.3, modes)) * damped,
        B=full("a,aci->ci", mass, phi),
        C=C,
        E=full("a,aci,adj->cdij", mass, phi, phi),
        b2=full("a,acij->cij", mass, g),
        C2=full("a,ac,adij->cdij", mass, p, g),
        turn=np.linalg.solve(np.trace(E0) * np.eye(3) - E0, momentum),
        nodes=named,
    )


def rigid_motions(p: np.ndarray) -> np.ndarray:
    """Unit translations and rotations of particles at p, (3n, 6)."""
    turns = np.cross(np.eye(3)[None, :, :], p[:, None, :])
    return np.concatenate([np.broadcast_to(np.eye(3), turns.shape), turns], axis=1).transpose(0, 2, 1).reshape(-1, 6)


# -- trees -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FlexibleRecipe(Recipe):
    """A tree's recipe with the number of modes of every body, 0 for a rigid one."""

    modes: tuple[int, ...] = ()

    def tree(self) -> "FlexibleTree":
        return FlexibleTree(self)


class FlexibleTree(Tree):
    """A tree of rigid and flexible bodies with a state."""

    recipe: FlexibleRecipe

    def __init__(self, recipe: FlexibleRecipe):
        super().__init__(recipe)
        for place in self.plan(*WAYS[0]).index.modes.values():
            self.q[place.q0 : place.q0 + place.modes] *= DEFLECTION / 0.7

    def _add(self, i: int, name: str, parent: int, rng: Random, rotor: bool, massless: bool) -> None:
        modes = self.recipe.modes[i] if i < len(self.recipe.modes) else 0
        body: Any = kf.Flexible(particle_body(rng, modes)) if modes else rigid(rng)
        at: Any = frame(rng, 0.3, 1.0)
        mother = f"b{parent}" if parent >= 0 else None
        if mother is not None and self.is_soft(mother) and rng.random() < 0.8:
            at = self.node(mother, rng)
        hinge = frame(rng, 0.0, 0.3) if rng.random() < 0.7 else None
        self.model.add(f"b{i}", body, make_joint(name, rng), mother, at, hinge=hinge)
        self.model.add_frame(f"b{i}", "tip", self.node(f"b{i}", rng) if modes else frame(rng, 0.2, 0.6))
        if rotor:
            axis, inertia = direction(rng), rng.uniform(0.01, 0.03)
            if modes:  # on its root is no more than this
                inertia = min(inertia, 0.8 * inertia_beside_modes(body.modal, axis, ()))
            self.model.add_rotor(f"r{i}", f"b{i}", kf.Rotor(axis, inertia))
            self.rotors.append(f"r{i}")
        self.names.append(f"b{i}")

    def is_soft(self, body: str) -> bool:
        return isinstance(self.model.parts[body].body, kf.Flexible)

    def node(self, body: str, rng: Random) -> NodeFrame:
        """A frame on one of a flexible body's nodes, turned or not."""
        name, node = list(self.model.parts[body].body.modal.nodes.items())[int(rng.integers(2))]  # type: ignore[attr-defined]
        return NodeFrame(tuple(node.position), frame(rng, 0, 1).rotation, name)

    @cached_property
    def ways(self) -> dict[tuple[str, str], Dynamics]:
        """Every formulation with every choice of speeds that is exact."""
        return {way: self.dynamics(*way) for way in EXACT}

    @cached_property
    def near_ways(self) -> dict[tuple[str, str], Dynamics]:
        """Every formulation with efficient modal speeds, which give another motion, near the exact one."""
        return {way: self.dynamics(*way) for way in NEAR}


class NodeBench(Bench):
    """Constraints at nodes of flexible bodies, wherever these are: what is made is not assembled."""

    tree: "FlexibleMechanism"

    def put(self, body: str, R: np.ndarray, p: np.ndarray) -> Any:
        if body == "N" or not self.tree.is_soft(body) or self.rng.random() < 0.2:
            return super().put(body, R, p)
        name = f"f{len(self.tree.model.frames[body])}"
        return self.tree.model.add_frame(body, name, self.tree.node(body, self.rng))


class FlexibleMechanism(Mechanism, FlexibleTree):
    """A tree of rigid and flexible bodies with constraints between nodes."""

    bench = NodeBench


@dataclass(frozen=True)
class FlexibleLoops(Loops):
    """What a mechanism with flexible bodies is made of."""

    def mechanism(self) -> FlexibleMechanism:
        return FlexibleMechanism(self)


@st.composite
def flexible_trees(draw: st.DrawFn, most: int = 12, modes: Sequence[int] = MODES, **tree: Any) -> FlexibleRecipe:
    """Recipes of 1 to `most` bodies, at least one of them flexible."""
    recipe = draw(trees(most=most, **tree))
    n = len(recipe.joints)
    soft = draw(st.lists(st.sampled_from(modes), min_size=n, max_size=n).filter(any))
    parts = {name: getattr(recipe, name) for name in Recipe.__dataclass_fields__} | {"massless": ()}
    return FlexibleRecipe(**parts, modes=tuple(soft))


@st.composite
def flexible_mechanisms(draw: st.DrawFn, most: int = 8, at_most: int = 4, **tree: Any) -> FlexibleLoops:
    """Recipes of mechanisms with constraints at nodes."""
    recipe = draw(flexible_trees(most=most, modes=(0, 2, 4, 14), kinds=loops.JOINT_KINDS, **tree))
    asked = draw(st.lists(st.sampled_from(sorted(loops.BUILT_IN)), min_size=1, max_size=at_most))
    return FlexibleLoops(recipe, tuple(asked), draw(st.booleans()))
