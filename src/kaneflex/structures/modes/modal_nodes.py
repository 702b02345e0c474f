"""Motion of nodes with the modes of a body, made when a node is asked for."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kaneflex.model.checks import Vector, warn
from kaneflex.structures.elements.matrices import UncoveredLoad
from kaneflex.structures.modes.motion_stiffness import second_order
from kaneflex.structures.modes.node_modes import NodeModes
from kaneflex.structures.statics import Statics
from kaneflex.structures.structure import Structure

FOLLOWED = 200  # nodes of a body that are followed through a run without being asked for


class ModalNodes(Mapping[str, NodeModes]):
    """Nodes by name: each is six static solutions, so that those of ten thousand are made only when they are used.

    Args:
        structure: the finite-element model.
        shapes: its modes (all dofs, m).
        statics: how it is held, for second-order displacements; None without these.
        at: numbers of the nodes by name.
        origin: of the body's frame, m, in the structure's axes.
        always: names that are followed through a run, however many others there are.
    """

    def __init__(
        self, structure: Structure, shapes: Vector, statics: Statics | None, at: Mapping[str, int], origin: Vector,
        always: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._structure, self._shapes, self._statics = structure, shapes, statics
        self._at, self._origin, self._always = dict(at), origin, always
        self._made: dict[str, NodeModes] = {}

    def __getitem__(self, name: str) -> NodeModes:
        if name not in self._made:
            self._made[name] = self._node(self._at[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    def __reduce__(self) -> Any:
        return dict, ({name: self[name] for name in self.followed},)

    @property
    def followed(self) -> tuple[str, ...]:
        """Names of the nodes that a run follows: all where they are not too many, else those that were used or asked for."""
        if len(self._at) <= FOLLOWED:
            return tuple(self._at)
        return tuple(name for name in self._at if name in self._made or name in self._always)

    def place(self, name: str) -> Vector:
        """Where a node is in the undeformed body, m, from its origin."""
        return np.asarray(self._structure.points[self._at[name]] - self._origin)

    def moves(self, name: str) -> bool:
        """Whether a node moves with any mode."""
        node = self._at[name]
        return bool(np.any(self._shapes[6 * node : 6 * node + 6]))

    def _node(self, node: int) -> NodeModes:
        m, at = self._shapes.shape[1], slice(6 * node, 6 * node + 6)
        second = np.zeros((6, m, m))
        if self._statics is not None and m:
            loads = np.zeros((self._structure.size, 6))
            loads[at] = np.eye(6)
            try:
                if self._structure.stiffens_by_inertia_alone:
                    raise UncoveredLoad(self._structure.describe(node))
                second = second_order(self._statics, self._shapes, loads, np.zeros((6, 3, 4)))
            except UncoveredLoad:
                warn(
                    f"{self._structure.describe(node)}: no differential stiffness is given for loads there, so what it "
                    "carries cannot stiffen the body; give that of unit loads at the node too"
                )
        own = self._shapes[at]
        return NodeModes(self._structure.points[node] - self._origin, own[:3], own[3:], second[:3], second[3:])


def followed(nodes: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of those of a body's nodes that a run follows."""
    return nodes.followed if isinstance(nodes, ModalNodes) else tuple(nodes)
