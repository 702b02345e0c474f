"""What follows from the modal coordinates of a flexible body: section loads, stress resultants, strain energy by mode.

    section_loads   = Structure.section_loads() Phi eta      N, N m; N/m, N in plates; Pa in solids
    strain_energies = k_i eta_i^2/2                          J, one per mode

The deformation they belong to is the linear one, sum phi_i eta_i. Second-order displacements strain nothing, so they add
nothing; loads that the kept modes cannot show (the axial force of a beam that has bending modes only) are missing, as in any
sum over modes: see docs/flexible.md.
"""

from typing import TYPE_CHECKING

import numpy as np

from kaneflex.model import reserved_names
from kaneflex.model.checks import ModelError, known
from kaneflex.model.frames import NodeFrame
from kaneflex.structures.modes.modal_data import ModalBody, Resultants

if TYPE_CHECKING:
    from kaneflex.results.run import Run


def modal_of(run: "Run", body: str) -> ModalBody:
    """The modal integrals of a flexible body."""
    modal: ModalBody = run.model.parts[body].body.modal  # type: ignore[attr-defined]
    return modal


def channel_names(run: "Run", body: str) -> list[str]:
    """Channels of a flexible body beyond those of any body."""
    names = [f"{body}.{word}" for word in reserved_names.MODAL if word != "section_loads"]
    nodes = [name for name in run.plan.index.frames[body] if _deforms(run, body, name)]
    names += [f"{body}.{node}.{word}" for node in nodes for word in reserved_names.NODAL]
    return names + [f"{body}.section_loads"] * (modal_of(run, body).resultants is not None)


def labels(run: "Run", name: str) -> tuple[str, ...]:
    """What the numbers of a channel are called, or () when they have no names."""
    body, _, what = name.partition(".")
    if body in run.plan.index.modes and what == "section_loads":
        return _resultants(run, body, name).labels
    return ()


def recovered(run: "Run", name: str) -> np.ndarray | None:
    """A channel made from modal coordinates over time; None when the name is not one of those."""
    body, _, what = name.partition(".")
    if body not in run.plan.index.modes:
        return None
    if what == "strain_energies":
        return np.asarray(modal_of(run, body).stiffness * _coordinates(run, body) ** 2 / 2)
    node, _, last = what.partition(".")
    if last in reserved_names.NODAL and node in modal_of(run, body).nodes and not _deforms(run, body, node):
        return np.zeros((len(run.t), 3))
    if what.partition(".")[0] != "section_loads":
        return None
    found, label = _resultants(run, body, name), what.partition(".")[2]
    if not label:
        return np.asarray(_coordinates(run, body) @ found.per_mode.T)
    known(label, found.labels, f'section load of "{body}"')
    return np.asarray(_coordinates(run, body) @ found.per_mode[found.labels.index(label)])


def _deforms(run: "Run", body: str, frame: str) -> bool:
    """Whether a frame of a flexible body moves with a node that its modes move."""
    return isinstance(run.plan.index.frames[body][frame], NodeFrame)


def _coordinates(run: "Run", body: str) -> np.ndarray:
    """eta over time, (n, m)."""
    place = run.plan.index.modes[body]
    return run.q[:, place.q0 : place.q0 + place.modes]


def _resultants(run: "Run", body: str, name: str) -> Resultants:
    found = modal_of(run, body).resultants
    if found is None:
        raise ModelError(
            f'channel "{name}": "{body}" comes from mass and stiffness alone, which do not tell section loads: '
            "build its structure from elements"
        )
    return found
