"""States by name wherever a state is asked for."""

import numpy as np
import pytest

import kaneflex as kf

G = 9.81
VERBS = ("simulate", "assemble", "linearize", "equilibrium", "modes", "show_modes", "state")


def system() -> kf.System:
    s = kf.System("pair", gravity=(0, 0, -G))
    for k in range(2):
        s.add(f"rod{k}", kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1,) * 3, frames={"e": (0, 0, -1)}), kf.Revolute("y"))
        s.apply(f"spring{k}", kf.JointSpring(f"rod{k}", stiffness=3.0))
    return s


def call(s, verb, given, folder):
    if verb == "simulate":
        return s.simulate(0.1, initial=given)
    if verb == "show_modes":
        return s.show_modes(folder / "modes.html", given)
    return getattr(s, verb)(given)


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_values_by_name_are_the_state_with_them(tmp_path):
    s, names = system(), {"rod0.q": 0.3, "rod1.angle": -0.2, "rod1.rate": 1.5}
    state = s.state(names)
    assert state.q == pytest.approx([0.3, -0.2]) and state.rates == pytest.approx([0.0, 1.5])
    assert s.linearize(names).x0 == pytest.approx(s.linearize(state).x0)
    assert pytest.approx(s.linearize(state).A) == s.linearize(names).A
    assert [m.frequency for m in s.modes(names)] == pytest.approx([m.frequency for m in s.modes(state)])
    assert s.equilibrium(names).q == pytest.approx(s.equilibrium(state).q) and names["rod1.rate"] == 1.5
    assert s.assemble(names).state.q == pytest.approx(state.q)
    assert s.simulate(0.1, initial=names).state(0).q == pytest.approx(state.q)
    pages = [s.show_modes(tmp_path / f"{k}.html", given).read_text() for k, given in enumerate((names, state))]
    assert pages[0] == pages[1]


def test_an_equilibrium_is_looked_for_near_the_values():
    """An upright pendulum with a spring has three equilibria; the guess says which: k q = m g c sin q."""
    s = kf.System("upright", gravity=(0, 0, -G))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, 1.0), inertia=(0.1,) * 3), kf.Revolute("y"))
    s.apply("spring", kf.JointSpring("rod", stiffness=5.0))
    for guess in (2.0, -2.0):
        angle = s.equilibrium({"rod.q": guess})["rod.q"]
        assert np.sign(angle) == np.sign(guess) and 5 * angle == pytest.approx(G * np.sin(angle), rel=1e-12)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "given", [1.5, "rod0.q", [0.3, 0.2], np.zeros(2), object(), {"rod9.q": 1.0}, {3: 1.0}, {"rod0.q": "x"}]
)
def test_what_is_no_state_is_refused(verb, given, tmp_path):
    with pytest.raises(kf.ModelError):
        call(system(), verb, given, tmp_path)
