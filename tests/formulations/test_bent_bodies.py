"""Flexible bodies up to the range of their theory: a tenth of the length, 0.3 rad, with any number of modes."""

import numpy as np
import pytest
from formulations import identities

import kaneflex as kf
from kaneflex.structures import Beam, Framework, Section, Structure

#: Tip at 0.1, ..., 0.5 s of a beam that falls from the horizontal about its root: geometrically exact finite elements
#: (Reissner's, 20 of three nodes, steps of 0.25 ms), good to 1e-5 m.
FALLEN = np.array(
    [[1.198063, -0.061367], [1.164224, -0.290842], [1.029697, -0.615873], [0.698984, -0.975419], [0.174086, -1.187325]]
)


def fallen(modes):
    beam = Beam(1.2, EA=1e7, EI=100, mass_per_length=10)
    s = kf.System("falling beam", gravity=(0, -9.81, 0))
    s.add("a", kf.Flexible(beam, "root", modes, damping=0.0), kf.Revolute("z"))
    run = s.simulate(0.5, times=np.linspace(0, 0.5, 6))
    assert run.audit.ok
    return run["a.tip.position"][1:, :2]


@pytest.mark.parametrize("modes", [8, 12, 16, 24])
def test_a_falling_beam(modes):
    """More modes make it better: the tip at 0.3 s to 0.2 % is asked for, and a hundredth of that is there."""
    error = np.abs(fallen(modes) - FALLEN).max(axis=1)
    assert error[2] < 2e-5 * 1.2
    assert error.max() < 7e-5


def random_structure(rng, heavy):
    """A beam, or a bent frame, with a heavy tip or without; held at its root."""
    EI = tuple(rng.uniform(20, 200, 2))
    section = Section(EA=1e6, EI=EI, mass_per_length=rng.uniform(0.5, 5), GJ=rng.uniform(20, 100))
    frame, place = Framework(), np.zeros(3)
    frame.node("root", place)
    members = int(rng.integers(1, 4))
    for k in range(members):
        place = place + np.array([1.0, 0, 0]) + (0.5 * rng.normal(size=3) if members > 1 else 0)
        start, end = "root" if k == 0 else f"k{k - 1}", "tip" if k == members - 1 else f"k{k}"
        frame.node(end, tuple(place))
        frame.beam(start, end, section, elements=12 // members)
    if heavy:
        frame.mass("tip", rng.uniform(0.1, 5), inertia=(0.02, 0.03, 0.04), offset=(0.05, 0, 0.02))
    return frame.build()


def to_the_range(body, rng):
    """Random modal coordinates that deflect the body by a tenth of its length, or turn it by 0.3 rad, somewhere."""
    modal = body.modal
    eta = rng.normal(size=len(modal)) / np.sqrt(modal.stiffness)
    length = max(np.linalg.norm(n.position) for n in modal.nodes.values())
    moved = max(np.linalg.norm(n.Phi @ eta) for n in modal.nodes.values()) / length
    turned = max(np.linalg.norm(n.Psi @ eta) for n in modal.nodes.values())
    return eta / max(moved / 0.1, turned / 0.3)


@pytest.mark.parametrize("seed", range(12))
def test_random_bodies_at_the_end_of_their_range(seed):
    """M is positive, both formulations agree, power is the rate of energy."""
    rng = np.random.default_rng(seed)
    structure = random_structure(rng, heavy=seed % 2 == 0)
    if seed % 4 == 3:  # of which only the matrices are known
        given = (structure.M, structure.K, structure.points, structure.names, structure.geometric_stiffness)
        structure = Structure.from_matrices(*given)
    modes = int(rng.choice([4, 8, 16, 28, 40]))
    body = kf.Flexible(structure, "root", modes, damping=0.0)
    s = kf.System("body", gravity=(0, 0, -9.81))
    s.add("hub", kf.Rigid(2.0, inertia=(0.5, 0.6, 0.7)), kf.Free())
    s.add("a", body, kf.Revolute("x"), parent="hub")
    s.add("b", kf.Rigid(0.3, com=(0.1, 0, 0.1), inertia=(0.01, 0.01, 0.01)), kf.Revolute("y"), parent="a", at="tip")
    dense, recursive = s.dynamics("dense"), s.dynamics("recursive")
    place, least = dense.plan.index.modes["a"], []
    for _ in range(4):
        q, u = s.state().q.copy(), rng.normal(size=dense.plan.nu)
        eta = to_the_range(body, rng)
        q[place.q0 : place.q0 + modes] = eta
        u[place.u0 : place.u0 + modes] *= np.abs(eta).max() / np.sqrt(modes) * np.sqrt(body.modal.stiffness.min())
        least.append(np.linalg.eigvalsh(dense.mass_matrix(q))[0] / np.linalg.eigvalsh(dense.mass_matrix(s.state().q))[0])
        udot, other = dense.udot(q, u), recursive.udot(q, u)
        assert np.abs(udot - other).max() <= 1e-10 * np.abs(udot).max()
        y = np.concatenate([q, u, [0.0, 0.0]])
        change, _ = identities.rate_of_sums(dense, y, dense.derivative(identities.TIME, y))
        assert abs(change.sum()) <= 1e-10 * np.abs(change).max()
    print(f"seed {seed}: {modes} modes, least eigenvalue {min(least):.3g} of that undeformed")
    assert min(least) > 0.2


def end_moment(moment, count=1):
    """A cantilever of unit length and stiffness cut into bodies, bent by a moment at its end; modes with static shapes."""
    s, choice = kf.System("bent"), kf.structures.ModeChoice("craig-bampton", count=0)
    for k in range(count):
        beam = Beam(1.0 / count, EA=1e6, EI=1.0, mass_per_length=1.0, elements=4)
        body = kf.Flexible(beam, "root", choice, interfaces=("tip",), damping=0.0)
        s.add(f"b{k}", body, kf.Fixed(), parent=f"b{k - 1}" if k else None, at="tip" if k else None)
    s.apply("moment", kf.Torque(f"b{count - 1}.tip", (0, 0, moment)))
    return s


def test_a_pure_end_moment_turns_the_tip_by_its_angle():
    s = end_moment(0.3)
    rest = s.equilibrium()
    R, slope = s.channels(rest, "b0.tip.rotation", "b0.tip.slope").values()
    angle = np.arctan2(R[1, 0], R[0, 0])
    assert angle == pytest.approx(0.3, rel=1e-6)
    assert slope[2] == pytest.approx(angle, rel=1e-12)


def test_a_chain_of_bodies_rolls_up_to_a_quarter_circle():
    """Against (sin a, 1 - cos a)/a: bodies cut from one beam converge faster than rods, with the square."""
    a, errors = np.pi / 2, []
    for count in (5, 10, 20):
        s = end_moment(a, count)
        rest = s.equilibrium()
        tip = s.channels(rest, f"b{count - 1}.tip.position")[f"b{count - 1}.tip.position"][:2]
        errors.append(np.abs(tip - np.array([np.sin(a), 1 - np.cos(a)]) / a).max())
    print(errors)
    assert errors[2] < 1e-5
    assert np.log2(errors[0] / errors[1]) > 2.5


def test_a_run_that_stops_with_a_body_bent_too_far_says_so():
    s = kf.System("overloaded")
    s.add("arm", kf.Flexible(Beam(1.0, EA=1e6, EI=1.0, mass_per_length=1.0), "root", 4, damping=0.0), kf.Revolute("z"))
    s.apply("pull", kf.Force("arm.tip", (0, 20.0, 0)))
    said = r'"arm" is deflected by .* of its length .* rad at "tip".*cut it into several'
    with pytest.raises(kf.SimulationError, match=said):
        s.simulate(5.0, max_steps=300)
