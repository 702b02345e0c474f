"""The mass matrix of a flexible body stays positive at moderate deflections, whatever its modes are."""

import numpy as np
import pytest

from kaneflex.structures import Framework, Section, component_modes, modal_body
from tests.oracles.driven_body import mass_matrix


def sail(polar: float, torsion: float, elements: int = 4):
    """Four booms on a hub that has next to no inertia beside them."""
    boom = Section(EA=4e6, EI=5000.0, mass_per_length=0.2414, GJ=torsion, rotary=0.0, polar=polar)
    f = Framework()
    f.node("root", (0, 0, 0))
    f.mass("root", 240.0, inertia=(40, 40, 60))
    for name, way in {"px": (1, 0, 0), "py": (0, 1, 0), "mx": (-1, 0, 0), "my": (0, -1, 0)}.items():
        f.node(name, tuple(56.57 * x for x in way))
        f.beam("root", name, boom, elements=elements)
    return f.build()


@pytest.mark.parametrize(("polar", "torsion"), [(0.04, 500.0), (4.0, 5e4)])
def test_light_booms_on_a_light_hub(polar, torsion):
    structure = sail(polar, torsion)
    modes = component_modes(structure, "root", 28)
    body = modal_body(structure, modes, "root")
    turn = np.abs(modes.shapes.reshape(-1, 6, len(body))[:, 3:]).max(axis=(0, 1))
    lowest = [
        np.linalg.eigvalsh(mass_matrix(body, sign * 0.05 / turn[k] * np.eye(len(body))[k]))[0]
        for k in range(len(body))
        for sign in (1, -1)
    ]
    assert min(lowest) > 0
    assert np.any(body.b2), "foreshortening must stay"
