"""Flexible bodies: a structure, the modes that describe its deformation, and the node that its joint holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.modal import FACTS
from kaneflex.model import checks, codec
from kaneflex.model.bodies import BodyBase
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame, NodeFrame, as_frame
from kaneflex.model.tables import Settled
from kaneflex.model.typed import typed
from kaneflex.structures.modes.modal_data import ModalBody, NodeModes, Resultants, modal_body
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.skin import Skin, skin_of, skin_of_nodes
from kaneflex.structures.structure import Structure


@typed
@dataclass(frozen=True)
class Flexible(BodyBase):
    """A flexible body in large overall motion: small linear modes, with the second-order displacements that keep it right
    when it spins or is loaded.

    The body's origin is its root node and its axes are those of the structure; the joint holds the root.

    Args:
        structure: a Structure (see kaneflex.structures), or a ModalBody that is ready.
        root: node that is fixed to the body's frame; None for a body that floats on mean axes (free-free modes).
        modes: number of modes, or what `structures.component_modes` takes.
        nodes: nodes that joints, loads, constraints or channels use, by name; None for all named nodes of the structure.
        interfaces: nodes that carry other bodies: the modes get static shapes of them too (Craig-Bampton), without which a
            few percent of the deflection under what hangs there is lost.
        damping: fraction of critical damping of each mode: one number or one per mode, or a matrix C (1/s).
        stiffening: False drops the second-order displacements: the wrong classical answer, for comparison.
        frames: further frames, fixed to the root: name -> position or Frame.
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

    def __post_init__(self) -> None:
        if not isinstance(self.stiffening, bool | np.bool_):
            raise ModelError(f"stiffening of a Flexible is {self.stiffening!r}: give True or False")
        if not isinstance(self.frames, Mapping):
            raise ModelError(f"frames of a Flexible is {self.frames!r}: give a mapping from names to positions or Frames")
        frames = {checks.name(n, "name of a frame"): as_frame(f, f'frame "{n}"') for n, f in self.frames.items()}
        for name, frame in frames.items():
            if isinstance(frame, NodeFrame):
                checks.known(frame.node, self.modal.nodes, f'frame "{name}" of a flexible body: node')
        for name, node in self.modal.nodes.items():
            still = not any(np.any(x) for x in (node.Phi, node.Psi, node.G, node.H))
            own = Frame(tuple(node.position)) if still else NodeFrame(tuple(node.position), None, name)
            if frames.setdefault(name, own) != own:
                raise ModelError(f'frame "{name}" of a flexible body has the name of a node: choose another name')
        object.__setattr__(self, "frames", Settled(frames, "give frames= when the body is made, or add them in the system"))

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
        return modal_body(self.structure, modes, root, nodes=nodes, stiffening=self.stiffening, damping=self.damping)

    @cached_property
    def component_modes(self) -> Modes:
        """The modes over all dofs of the structure, with their table."""
        interfaces = _several(self.interfaces, "interfaces")
        choice = self.modes
        if interfaces and isinstance(choice, int | np.integer) and self.root is not None:
            choice = ModeChoice("craig-bampton", count=int(choice))
        return component_modes(self.structure, self.root, choice, interfaces=interfaces)

    @cached_property
    def skin(self) -> Skin:
        """What is seen of the body; of a ModalBody without a skin only its named nodes."""
        if isinstance(self.structure, ModalBody):
            return skin_of_nodes(self.modal.nodes) if self.modal.skin is None else self.modal.skin
        return skin_of(self.structure, self.component_modes.shapes, self.root)

    def mass_properties(self) -> tuple[float, checks.Vector, checks.Vector]:
        """Mass, mass times mass centre, and inertia about the origin of the undeformed body, body axes."""
        return float(self.modal.mass), np.array(self.modal.first_moment), np.array(self.modal.inertia)

    def show_modes(self, path: str | Path, title: str | None = None) -> Path:
        """Write a page that shows the modes in motion, with frequency, damping and effective mass.

        Args:
            path: the file; its folder is made when missing.
            title: heading; None for a plain one.
        """
        from kaneflex.view.modes import component_page

        return component_page(self, path, title)

    def as_stored(self) -> "Flexible":
        """The same body for a file: its integrals and its skin in place of the structure."""
        modal = replace(self.modal, skin=self.skin)
        return Flexible(modal, None, len(self.modal.stiffness), None, (), 0.0, self.stiffening, self.frames)


def _several(names: Any, what: str) -> tuple[Any, ...]:
    """Several nodes; one name alone would be taken letter by letter."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ModelError(f'{what} of a Flexible is {names!r}: give a sequence of nodes, e.g. ("tip",)')
    return tuple(names)


codec.TYPES |= {cls.__name__: cls for cls in (Flexible, ModalBody, NodeModes, Resultants, Skin)}
