"""Structures: finite elements, component modes, and the flexible bodies made of them.

Modules are loaded when something of them is first asked for: systems of rigid bodies need none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kaneflex.structures.beam import Beam
    from kaneflex.structures.craig_bampton import from_craig_bampton
    from kaneflex.structures.flexible import Flexible
    from kaneflex.structures.framework import Framework
    from kaneflex.structures.mast import Mast
    from kaneflex.structures.modes.modal_data import ModalBody, NodeModes, modal_body
    from kaneflex.structures.modes.mode_choice import ModeChoice
    from kaneflex.structures.modes.mode_selection import component_modes
    from kaneflex.structures.modes.mode_shapes import Modes
    from kaneflex.structures.plate import Plate
    from kaneflex.structures.readers.nastran import from_nastran
    from kaneflex.structures.recovery import Recovery
    from kaneflex.structures.reflector import Reflector
    from kaneflex.structures.section import Section
    from kaneflex.structures.solid import Solid
    from kaneflex.structures.soundness import check
    from kaneflex.structures.strain_rod import StrainRod
    from kaneflex.structures.structure import Structure

_HOMES = {
    "Beam": "beam",
    "Flexible": "flexible",
    "Framework": "framework",
    "Mast": "mast",
    "ModalBody": "modes.modal_data",
    "ModeChoice": "modes.mode_choice",
    "Modes": "modes.mode_shapes",
    "NodeModes": "modes.modal_data",
    "Plate": "plate",
    "Recovery": "recovery",
    "Reflector": "reflector",
    "Section": "section",
    "Solid": "solid",
    "StrainRod": "strain_rod",
    "Structure": "structure",
    "check": "soundness",
    "component_modes": "modes.mode_selection",
    "from_craig_bampton": "craig_bampton",
    "from_nastran": "readers.nastran",
    "modal_body": "modes.modal_data",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = [
    "Beam",
    "Flexible",
    "Framework",
    "Mast",
    "ModalBody",
    "ModeChoice",
    "Modes",
    "NodeModes",
    "Plate",
    "Recovery",
    "Reflector",
    "Section",
    "Solid",
    "StrainRod",
    "Structure",
    "check",
    "component_modes",
    "from_craig_bampton",
    "from_nastran",
    "modal_body",
]
