"""The mass matrix of a flexible body stays positive at moderate deflections, whatever its modes are."""

import numpy as np
import pytest

import kaneflex as kf
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


@pytest.mark.parametrize("modes", [4, 12])
def test_rotor_on_a_flexible_body_has_no_more_inertia_than_its_root(modes):
    """The wheel's inertia is the root's own, which no mode can shed: the mass matrix stays positive up to it, however many
    modes there are, and a body with the same inertia in its beam alone is refused the same wheel."""

    def satellite(on_root, wheel):
        f = Framework()
        f.node("root", (0, 0, 0))
        f.node("tip", (2.0, 0, 0))
        f.beam("root", "tip", Section(EA=1e6, EI=50.0, mass_per_length=0.3, polar=1e-3), elements=10)
        f.mass("root" if on_root else "tip", 3.0, inertia=(0.2, 0.2, 0.2))
        s = kf.System("satellite")
        s.add("body", kf.Flexible(f.build(), modes=modes), kf.Free())
        s.add_rotor("wheel", "body", kf.Rotor("z", wheel))
        return np.linalg.eigvalsh(s.matrices().M.values)[0]

    assert satellite(True, 0.19) > satellite(True, 0.1999) > 0
    with pytest.raises(kf.ModelError, match=r'rotor "wheel" has more inertia .* than flexible body "body" has at its root'):
        satellite(False, 0.19)
