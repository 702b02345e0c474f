"""Frequencies of beams that accelerations and loads stiffen or soften, by customary and by efficient modal speeds, against
Ritz solutions: pushed by their base, by a thrust that follows their end, spun with a mass on the tip.
Units: L, m L, EI/L^2."""

import warnings

import numpy as np
import pytest
from oracles import rotating_beam, thrust_on_a_beam
from scipy.optimize import brentq

import kaneflex as kf
from kaneflex.structures import Beam
from kaneflex.structures.modes.mode_choice import ModeChoice

pytestmark = pytest.mark.filterwarnings("ignore:.*is not in equilibrium", "ignore:.*modes span only part")
#: Bends about y; bending about z, twist and stretch are far above.
UNIT = Beam(length=1.0, EA=1e8, EI=(1.0, 1e4), mass_per_length=1.0, elements=24, GJ=1e4)
BENDING = {"bending z": ModeChoice("craig-bampton", count=8)}
either_speeds = pytest.mark.parametrize("speeds", ["customary", "constant-mass"])


def squares(system: kf.System, speeds: str, state: kf.State | None = None) -> np.ndarray:
    """w^2 of small motion, complex where it grows, each twice, ascending, but those of rigid motion."""
    found = -(system.linearize(state, speeds=speeds).eigenvalues() ** 2)
    return np.sort_complex(found[np.abs(found) > 0.5])


def frequencies(system: kf.System, speeds: str) -> np.ndarray:
    """The two lowest."""
    return np.sqrt(squares(system, speeds)[[0, 2]])


def cantilever(acceleration: float = 0.0, thrust: float = 0.0) -> kf.System:
    s = kf.System("column", gravity=(-acceleration, 0, 0))  # as on a base that is accelerated along the beam
    s.add("beam", kf.Flexible(UNIT, modes=BENDING, interfaces=("tip",), damping=0.0))
    s.apply("thrust", kf.Force("beam.tip", (-thrust, 0, 0)))
    return s


def rocket(thrust: float) -> kf.System:
    s = kf.System("rocket")
    s.add("beam", kf.Flexible(UNIT, root=None, modes=ModeChoice("free", count=8), damping=0.0), kf.Free())
    s.apply("thrust", kf.Force("beam.tip", (-thrust, 0, 0)))
    return s


def flutter(found, low: float, high: float) -> float:
    """The load at which the two lowest squares of frequencies meet: the sum of squares from their mean changes its sign."""
    return brentq(lambda load: float(np.real(((found(load) - found(load).mean()) ** 2).sum())), low, high, rtol=1e-6)


@either_speeds
@pytest.mark.parametrize("a", [0.0, 4.0, 7.0])
def test_cantilever_whose_base_is_accelerated(a, speeds):
    """It buckles at 7.837."""
    assert frequencies(cantilever(a), speeds) ** 2 == pytest.approx(thrust_on_a_beam.accelerated(a), rel=1e-3)


@either_speeds
def test_becks_column(speeds):
    for thrust in (10.0, 18.0):
        assert frequencies(cantilever(0.0, thrust), speeds) == pytest.approx(thrust_on_a_beam.beck(thrust) ** 0.5, rel=1e-3)
    found = flutter(lambda P: squares(cantilever(0.0, P), speeds)[:4], 19.0, 21.0)
    assert found == pytest.approx(flutter(thrust_on_a_beam.beck, 19.0, 21.0), rel=1e-3)
    assert found == pytest.approx(20.05, rel=1e-3)  # Beck (1952)


@either_speeds
def test_thrust_on_a_free_beam(speeds):
    for thrust in (20.0, 60.0, 100.0):
        assert frequencies(rocket(thrust), speeds) == pytest.approx(thrust_on_a_beam.rocket(thrust) ** 0.5, rel=1e-3)
    found = flutter(lambda P: squares(rocket(P), speeds)[:4], 105.0, 113.0)
    assert found == pytest.approx(flutter(thrust_on_a_beam.rocket, 105.0, 113.0), rel=1e-3)
    assert found == pytest.approx(109.69, rel=1e-3)


@either_speeds
@pytest.mark.parametrize("spin", [2.0, 6.0, 10.0])
def test_rotating_beam_with_a_mass_on_its_tip(spin, speeds):
    s = kf.System("rotating")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.constant_rate(spin)))
    s.add("arm", kf.Flexible(UNIT, modes=BENDING, interfaces=("tip",), damping=0.0), parent="hub")
    s.add("mass", kf.PointMass(1.0), parent="arm", at="tip")
    assert frequencies(s, speeds) == pytest.approx(rotating_beam.frequencies(spin, tip_mass=1.0, count=2), rel=1e-3)


def spun_in_its_plane(modes: int, speeds: str) -> float:
    """The lowest frequency of a beam of slenderness 200 that turns in the plane in which it bends."""
    beam = Beam(length=1.0, EA=4e4, EI=1.0, mass_per_length=1.0, elements=24, GJ=1e4)
    s = kf.System("chord")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.constant_rate(6.0)))
    s.add("arm", kf.Flexible(beam, modes=modes, damping=0.0), parent="hub")
    return float(np.sqrt(squares(s, speeds, s.equilibrium())[0].real))


def test_spin_in_the_plane_of_bending_needs_modes_across_it():
    """Bending modes alone lose part of the softening by spin, as the warning says; with stretching modes, which couple
    by less than 0.1 %, it is there."""
    with pytest.warns(UserWarning, match=r'"arm": its modes span only part .* axial'):
        alone = spun_in_its_plane(8, "constant-mass")
    exact = rotating_beam.frequencies(6.0, chord=True, count=1)[0]
    assert 1.003 * exact < alone < 1.02 * exact
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*modes span only part")
        assert spun_in_its_plane(24, "constant-mass") == pytest.approx(exact, rel=2e-3)


def test_many_masses_on_springs_that_turn():
    """A row of twelve on springs, turning at w in free space: the tension at each is the sum of m w^2 x beyond it."""
    n, m, k, l, w = 12, 0.5, 400.0, 0.3, 2.0
    s = kf.System("row")
    s.add("hub", kf.PointMass(0.0), kf.Revolute("z", motion=kf.profiles.constant_rate(w)))
    for j in range(1, n + 1):
        s.add(f"mass{j}", kf.PointMass(m), kf.Translational(), parent="hub", q=(1.02 * j * l, 0, 0))
        s.apply(f"line{j}", kf.SpringDamper(f"mass{j - 1}" if j > 1 else "hub", f"mass{j}", k, length=l, slack=True))
    x = l * np.arange(1, n + 1)
    for _ in range(60):
        x = np.cumsum(l + m * w**2 * np.cumsum(x[::-1])[::-1] / k)
    rest = s.equilibrium()
    assert [rest[f"mass{j}.x"] for j in range(1, n + 1)] == pytest.approx(x, rel=1e-9)
    assert x[-1] > 1.1 * n * l
