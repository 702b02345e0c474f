"""Flexible bodies: a structure, the modes that describe its deformation, and the node that its joint holds."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.modal import FACTS
from kaneflex.model import checks, codec
from kaneflex.model.bodies import BodyBase
from kaneflex.model.checks import ModelError, warn
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed
from kaneflex.structures.modes.component import Component
from kaneflex.structures.modes.modal_data import ModalBody, NodeModes, Resultants, modal_body
from kaneflex.structures.modes.modal_nodes import ModalNodes, followed
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_selection import as_choice, component_modes
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.modes.model_damping import model_damping
from kaneflex.structures.modes.static_shapes import STATIC, lacking
from kaneflex.structures.recovery import ModalRecovery, Recovery, modal_recovery
from kaneflex.structures.skin import Skin, skin_of, skin_of_nodes
from kaneflex.structures.soundness import Report
from kaneflex.structures.structure import Structure


class PlainModesWarning(UserWarning):
    """A body that was told to keep to vibration modes carries something: these lack part of the deflection there."""


@typed
@dataclass(frozen=True)
class Flexible(BodyBase):
    """A flexible body in large overall motion: small linear modes, with the second-order displacements that keep it right
    when it spins or is loaded.

    The body's origin is its root node and its axes are those of the structure; the joint holds the root.

    Args:
        structure: a Structure (see kaneflex.structures), or a ModalBody that is ready.
        root: node that is fixed to the body's frame; None for a body that floats on mean axes (free-free modes).
        modes: number of modes, numbers by kind ({"bending y": 3, "axial": 1}), or what `structures.component_modes` takes.
        nodes: nodes that joints, loads, constraints or channels use, by name; None for all named nodes of the structure.
        interfaces: nodes that a ModeChoice holds, e.g. by "craig-bampton", which is what a number of modes means here: that
            many with the interfaces held, and six static shapes per interface besides.
        damping: fraction of critical damping of each mode: one number or one per mode, or a matrix C (1/s); "model" for the
            damping matrices that the structure came with, see `modes.model_damping`.
        stiffening: False drops the second-order displacements: the wrong classical answer, for comparison.
        frames: further frames, fixed to the root: name -> position or Frame.
        carries: nodes where other bodies or constraints act. Those where a system has joints or constraints are added by
            themselves. Where modes is a number, or numbers by kind, up to two thirds of them then are static shapes of
            loads at these nodes: see `ModeChoice.total`.
        static_shapes: False for vibration modes alone, whatever the body carries; a warning tells what they lack.
        recovery: rows of outputs (OTM, LTM, DTM) by name, a `structures.Recovery` each: channels "panel.otm.bolt 17".
    """

    facts: ClassVar[BodyFacts] = FACTS
    is_flexible: ClassVar[bool] = True

    structure: Any
    root: Any = "root"
    modes: Any = 6
    nodes: Any = None
    interfaces: Any = ()
    damping: Any = 0.0
    stiffening: bool = True
    frames: Mapping[str, Any] = field(default_factory=dict)
    carries: Any = ()
    static_shapes: bool = True
    recovery: Mapping[str, Recovery] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value, what in ((self.stiffening, "stiffening"), (self.static_shapes, "static_shapes")):
            if not isinstance(value, bool | np.bool_):
                raise ModelError(f"{what} of a Flexible is {value!r}: give True or False")
        if not isinstance(self.recovery, Mapping):
            raise ModelError(f"recovery of a Flexible is {self.recovery!r}: give a mapping from names to Recovery")
        if not isinstance(self.frames, Mapping):
            raise ModelError(f"frames of a Flexible is {self.frames!r}: give a mapping from names to positions or Frames")
        frames = {checks.name(n, "name of a frame"): as_frame(f, f'frame "{n}"') for n, f in self.frames.items()}
        for name, frame in frames.items():
            if isinstance(frame, NodeFrame):
                checks.known(frame.node, self.modal.nodes, f'frame "{name}" of a flexible body: node')
        for name in self.modal.nodes:
            place, moves = self._undeformed(name)
            own = NodeFrame(tuple(place), None, name) if moves else Frame(tuple(place))
            if frames.setdefault(name, own) != own:
                raise ModelError(f'frame "{name}" of a flexible body has the name of a node: choose another name')
        for name, rows in self.recovery.items():
            if not isinstance(rows, Recovery):
                raise ModelError(f'recovery "{name}" of a Flexible is {checks.shown(rows)}: give a structures.Recovery')
            if checks.name(name, "name of a recovery") in frames:
                raise ModelError(f'recovery "{name}" of a flexible body is called like a node or frame: choose another name')
        object.__setattr__(self, "frames", Settled(frames, "give frames= when the body is made, or add them in the system"))

    def _undeformed(self, name: str) -> tuple[checks.Vector, bool]:
        """Where a node is, and whether any mode moves it."""
        nodes = self.modal.nodes
        if isinstance(nodes, ModalNodes):
            return nodes.place(name), nodes.moves(name)
        node = nodes[name]
        return node.position, any(np.any(x) for x in (node.Phi, node.Psi, node.G, node.H))

    @cached_property
    def modal(self) -> ModalBody:
        """What the equations of motion need: integrals of the modes and their second-order parts."""
        if isinstance(self.structure, ModalBody):
            return self.structure
        if not isinstance(self.structure, Structure):
            raise ModelError(f"structure of a Flexible is {self.structure!r}: give a Structure, e.g. structures.Beam(...)")
        if isinstance(self.modes, int | np.integer) and self.modes == 0:
            raise ModelError("modes of a Flexible is 0: a body without modes is a Rigid; give at least one")
        nodes = tuple(self.structure.names) if self.nodes is None else _several(self.nodes, "nodes")
        modes, root = self.component_modes, self.root
        always = (*self.structure.given_names, *(() if self.nodes is None else nodes), *map(str, self.carries))
        if isinstance(self.damping, str) and self.damping != "model":
            raise ModelError(f'damping of a Flexible is {self.damping!r}: give a ratio, ratios, a matrix, or "model"')
        damping = model_damping(self.structure, modes) if isinstance(self.damping, str) else self.damping
        more: dict[str, Any] = {"stiffening": self.stiffening, "damping": damping, "always": always}
        body = modal_body(self.structure, modes, root, nodes=nodes, **more)
        if not self.recovery:
            return body
        rows = {n: modal_recovery(r, self.structure, modes, root, n) for n, r in self.recovery.items()}
        return replace(body, recovery=rows)

    @cached_property
    def component_modes(self) -> Modes:
        """The modes over all dofs of the structure, with their table."""
        interfaces, carries = _several(self.interfaces, "interfaces"), _several(self.carries, "carries")
        for node in carries:
            self.structure.node(node)
        choice = self.modes
        if interfaces and isinstance(choice, int | np.integer) and self.root is not None:
            choice = ModeChoice("craig-bampton", count=int(choice))
        elif carries and self.static_shapes:
            by_kind = isinstance(choice, Mapping)
            static = lambda number: as_choice(number, self.root, carries)
            choice = {kind: static(number) for kind, number in choice.items()} if by_kind else static(choice)
        return component_modes(self.structure, self.root, choice, interfaces=interfaces)

    @property
    def _by_number(self) -> bool:
        """Whether the user left it to the package which modes are taken."""
        numbers = self.modes.values() if isinstance(self.modes, Mapping) else [self.modes]
        return not self.interfaces and all(isinstance(n, int | np.integer) for n in numbers)

    def carrying(self, node: str, what: str) -> "Flexible":
        """The body with static shapes of loads at a node among its modes; itself where it has them or was told not to.

        Args:
            node: its name.
            what: how messages call the body.
        """
        checks.known(node, self.frames, f"{what}: node")
        if isinstance(self.structure, ModalBody) or not self._by_number or node in self.carries:
            return self
        if not self.static_shapes:
            warn(f"{what} carries something at {node} with vibration modes alone: {self._lacking(node)}", PlainModesWarning)
            return self
        known: dict[str, Flexible] = self.__dict__.setdefault("_with", {})
        if node not in known:  # of bodies that share this one, one is analysed for all
            other = copy(self)
            for name in ("modal", "component_modes", "skin", "_with"):
                other.__dict__.pop(name, None)
            object.__setattr__(other, "carries", (*self.carries, node))
            known[node] = other
        return known[node]

    def _lacking(self, node: Any) -> str:
        """What the modes lack of the static deflection under loads at a node, in words."""
        found = lacking(Component(self.structure, self.root), self.component_modes, node)
        return "of the static deflection they lack " + ", ".join(f"{100 * x:.3g} % under {n}" for n, x in found.items())

    def describe(self) -> str:
        """Which modes there are, in their order, and what they are for."""
        if isinstance(self.structure, ModalBody):
            return ""
        modes = self.component_modes
        listed = "; ".join(f"{w / (2 * np.pi):.4g} {kind}" for w, kind in zip(modes.frequencies, modes.kind, strict=True))
        static = sum(record.kept and record.why == STATIC for record in modes.records)
        where = f", {static} of them static shapes of loads at {', '.join(map(str, self.carries))}"
        return f"{len(modes)} modes{where if self.carries and static else ''}; Hz: {listed}"

    @cached_property
    def skin(self) -> Skin:
        """What is seen of the body; of a ModalBody without a skin only its named nodes."""
        if isinstance(self.structure, ModalBody):
            return skin_of_nodes(self.modal.nodes) if self.modal.skin is None else self.modal.skin
        return skin_of(self.structure, self.component_modes.shapes, self.root)

    def node_moves(self, node: str) -> checks.Vector:
        """By what the modal coordinates move a node, (m, 3), to first order.

        Args:
            node: its name.
        """
        return np.asarray(self.modal.nodes[checks.known(node, self.modal.nodes, "node")].Phi.T)

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass, mass times mass centre, and inertia about the origin of the undeformed body, body axes."""
        return float(self.modal.mass), np.array(self.modal.first_moment), np.array(self.modal.inertia)

    def show_modes(self, path: str | Path, title: str | None = None, report: Report | None = None) -> Path:
        """Write a page that shows the body and its modes in motion, with frequency, damping and effective mass.

        Args:
            path: the file; its folder is made when missing.
            title: heading; None for a plain one.
            report: what `check` or a reader found, to be shown too.
        """
        from kaneflex.view.modes import component_page

        return component_page(self, path, title, report)

    def as_stored(self) -> "Flexible":
        """The same body for a file: its integrals and its skin in place of the structure."""
        kept = {name: self.modal.nodes[name] for name in followed(self.modal.nodes)}
        modal = replace(self.modal, skin=self.skin, nodes=kept)
        return Flexible(modal, None, len(self.modal.stiffness), None, (), 0.0, self.stiffening, self._stored_frames(kept))

    def _stored_frames(self, kept: Mapping[str, NodeModes]) -> dict[str, Any]:
        """Frames but those of nodes that are not kept."""
        nodes = self.modal.nodes
        return {name: frame for name, frame in self.frames.items() if name in kept or name not in nodes}


def _several(names: Any, what: str) -> tuple[Any, ...]:
    """Several nodes; one name alone would be taken letter by letter."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ModelError(f'{what} of a Flexible is {names!r}: give a sequence of nodes, e.g. ("tip",)')
    return tuple(names)


codec.TYPES |= {cls.__name__: cls for cls in (Flexible, ModalBody, ModalRecovery, NodeModes, Resultants, Skin)}
