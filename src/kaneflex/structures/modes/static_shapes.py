"""Static shapes of loads at nodes: which there are, which are softest beyond some modes, and what modes lack of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import array
from kaneflex.structures.modes.component import Component
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.modes.reduction import attachment_modes, independent, small_modes
from kaneflex.structures.structure import DOF_NAMES

STATIC = "static shape of a load"  # why such a shape is kept


@dataclass(frozen=True)
class Domain:
    """Mass and stiffness over some dofs of a component, the others held.

    `dofs` are their numbers among the independent ones, `word` names the modes, `what` the structure so held; `rigid`
    are its rigid motions where it is free.
    """

    M: Any
    K: Any
    dofs: np.ndarray
    word: str
    what: str
    rigid: np.ndarray | None = None

    @property
    def rigid_motions(self) -> int:
        """How many."""
        return 0 if self.rigid is None else self.rigid.shape[1]


def static_shapes(component: Component, choice: ModeChoice, here: Domain) -> tuple[np.ndarray, list[str]]:
    """Shapes (size, k) under the loads that a choice names, with the names of the loads; none for loads on held dofs."""
    loads, names = _loads(component, choice)
    acting = np.flatnonzero(np.any(loads[here.dofs] != 0, axis=0))
    shapes = np.zeros((component.size, len(acting)))
    if len(acting):
        shapes[here.dofs] = attachment_modes(here.M, here.K, loads[np.ix_(here.dofs, acting)], here.rigid)
    return shapes, [names[k] for k in acting]


def softest(
    component: Component, modes: np.ndarray, static: np.ndarray, names: Sequence[str], most: int
) -> tuple[np.ndarray, list[str]]:
    """Of the static shapes that are independent of the modes all where `most` are wanted, else the softest combinations.

    With R = S - Phi Phi^T M S, the part of the static shapes S that is orthogonal to the modes, the latter are the lowest
    modes of R^T M R and R^T K R.
    """
    both, _, _ = independent(component.M, np.hstack([modes, static]))
    kept = both[both >= modes.shape[1]] - modes.shape[1]
    if len(kept) <= most:
        return static[:, kept], [names[k] for k in kept]
    rest = (static - modes @ (modes.T @ (component.M @ static)))[:, kept]
    M, K = (rest.T @ (A @ rest) for A in (component.M, component.K))
    scale = 1 / np.sqrt(np.diag(M))
    _, mix = small_modes(M * np.outer(scale, scale), K * np.outer(scale, scale))
    nodes = ", ".join(dict.fromkeys(name.partition(".")[0] for name in names))
    found = (rest * scale) @ mix[:, :most]
    return found, [f"{nodes}, {k + 1} of {len(names)}" for k in range(found.shape[1])]


def lacking(component: Component, modes: Modes, node: Any) -> dict[str, float]:
    """What modes lack of the static deflection under unit loads at a node, in the direction of each: 0 to 1 by its name."""
    number, free = component.structure.node(node), component.free
    loads, names = component.unit_loads(number)
    whole = np.zeros(loads.shape)
    rigid = component.rigid if component.root is None else None
    whole[free] = attachment_modes(component.M[free][:, free], component.K[free][:, free], loads[free], rigid)
    full = np.einsum("ij,ij->j", loads, whole)
    at_node = modes.shapes[[6 * number + DOF_NAMES.index(name.rpartition(".")[2]) for name in names]]
    shown = (at_node**2 / modes.stiffness).sum(axis=1)
    return {name: float(max(1 - s / f, 0.0)) for name, s, f in zip(names, shown, full, strict=True) if f > 0}


def _loads(component: Component, choice: ModeChoice) -> tuple[np.ndarray, list[str]]:
    """Loads over the independent dofs for which static shapes are wanted, with their names."""
    columns, names = [np.zeros((component.size, 0))], []
    for node in dict.fromkeys(component.structure.node(k) for k in choice.residual):
        loads, labels = component.unit_loads(node)
        columns.append(loads)
        names += labels
    if choice.loads is not None:
        given = np.asarray(choice.loads, dtype=float)
        given = array(given, (component.structure.size, given.shape[-1] if given.ndim == 2 else 1), "loads")
        columns.append(np.asarray(component.expand.T @ given))
        names += [f"load {k + 1}" for k in range(given.shape[1])]
    return np.hstack(columns), names
