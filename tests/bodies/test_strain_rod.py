"""Rods of high order: identities of the equations, closed forms, published figures, convergence."""

import numpy as np
import pytest
from formulations import identities

import kaneflex as kf

#: Dead load P at the tip of a cantilever, by PL^2/EI: (v/L, u/L, slope), by elliptic integrals.
ELASTICA = {
    1: (0.301721, 0.056433, 0.461352),
    2: (0.493457, 0.160642, 0.781750),
    5: (0.713792, 0.387628, 1.215368),
    10: (0.810609, 0.554996, 1.430286),
}
EVERY = {"torsion": 3, "bending z": 3, "bending y": 3, "axial": 2, "shear y": 2, "shear z": 2}


def full_rod(**changes):
    """A rod with every strain, curved, tapered and damped."""
    given = {"length": 2.0, "EI": (2.0, lambda s: 3.0 - 0.5 * s), "mass_per_length": lambda s: 1.0 + 0.2 * s, "order": EVERY}
    given |= {"GJ": 1.0, "EA": 40.0, "GA": (30.0, 20.0), "rotary_inertia": (0.1, 0.2, 0.3), "points": {"middle": 0.9}}
    given |= {"curvature": (0.1, -0.2, 0.3), "damping": 0.02}
    return kf.StrainRod(**(given | changes))


def plane_rod(order=6, **changes):
    given = {"length": 1.0, "EI": 1.0, "mass_per_length": 1.0, "order": order, "plane": "xy"}
    return kf.StrainRod(**(given | changes))


def crane():
    """Rods on rods and rigid bodies, attached along their arcs, in gravity; nothing is along an axis."""
    s = kf.System("crane", gravity=(1.0, -9.81, 2.0))
    s.add("hub", kf.Rigid(1.0, com=(0.1, 0, 0.2), inertia=(0.3, 0.2, 0.3)), kf.Free())
    s.add("boom", full_rod(), kf.Revolute("y"), parent="hub", at=(0.1, 0.2, 0.3))
    s.add("load", kf.Rigid(0.5, com=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.2)), kf.Universal(), parent="boom", at="middle")
    s.add("jib", plane_rod(3, EA=50.0), kf.Fixed(), parent="boom", at="tip")
    s.add("hook", kf.Rigid(0.5, com=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.2)), kf.Revolute((1, 1, 0)), parent="jib", at="tip")
    s.add_rotor("wheel", "boom", kf.Rotor((0, 0, 1), 0.01))
    s.apply("pull", kf.Force("jib.tip", (1.0, 2.0, 3.0)))
    s.apply("follower", kf.Torque("boom.middle", (1.0, 2.0, 3.0), axes="body"))
    s.apply("rope", kf.SpringDamper("hub", "boom.tip", stiffness=5.0, damping=0.3, length=1.0))
    return s


def loop():
    """Two rods that meet in a ball joint, the second held at its middle by a rigid link."""
    s = kf.System("loop", gravity=(0, -9.81, 0))
    s.add("left", full_rod(curvature=0.0), kf.Revolute("z"))
    s.add("right", full_rod(curvature=0.4), kf.Spherical(), at=kf.Frame((2.2, 0.1, 0)))
    s.close("top", "left.tip", "right.tip", kf.Spherical())
    s.constrain("stay", kf.Distance("right.middle", kf.Frame((1.0, 1.5, 0.5)), 1.6))
    return s


def random_state(s, rng, size=0.4):
    q = s.state().q + size * rng.normal(size=len(s.state().q))
    plan = s.dynamics().plan
    for joint in plan.index.joints.values():
        if joint.quaternion is not None:
            q[joint.quaternion : joint.quaternion + 4] /= np.linalg.norm(q[joint.quaternion : joint.quaternion + 4])
    return q, rng.normal(size=plan.nu)


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
@pytest.mark.parametrize("seed", range(3))
def test_both_formulations_agree_and_power_is_the_rate_of_energy(seed, speeds):
    s, rng = crane(), np.random.default_rng(seed)
    dense, recursive = s.dynamics("dense", speeds), s.dynamics("recursive", speeds)
    q, rates = random_state(s, rng)
    u = dense.speeds_from_rates(q, rates)
    udot, other = dense.udot(q, u), recursive.udot(q, u)
    assert np.abs(udot - other).max() <= 1e-10 * np.abs(udot).max()
    assert np.linalg.eigvalsh(dense.mass_matrix(q))[0] > 0
    for d in (dense, recursive):
        y = np.concatenate([q, u, [0.0, 0.0]])
        ydot = d.derivative(identities.TIME, y)
        change, _ = identities.rate_of_sums(d, y, ydot)
        assert abs(change.sum() - ydot[-2:].sum()) <= 1e-10 * np.abs(change).max()
    tau = dense.inverse_dynamics(q, u, udot)
    assert np.abs(tau).max() <= 1e-9 * np.abs(udot).max()


def test_loops_agree_and_stay_closed():
    s = loop()
    run = s.simulate(0.3)
    assert run.audit.ok, run.audit
    assert np.abs(run["left.tip.position"] - run["right.tip.position"]).max() < 1e-8
    dense, recursive = s.dynamics("dense"), s.dynamics("recursive")
    udot, other = dense.udot(run.q[-1], run.u[-1]), recursive.udot(run.q[-1], run.u[-1])
    assert np.abs(udot - other).max() <= 1e-9 * np.abs(udot).max()


def test_momentum_of_a_free_rod():
    s = kf.System("free", gravity=(1.0, -9.81, 2.0))
    s.add("rod", full_rod(damping=0.1), kf.Free())
    d, (q, u) = s.dynamics(), random_state(s, np.random.default_rng(3))
    y = np.concatenate([q, u, [0.0, 0.0]])
    _, change = identities.rate_of_sums(d, y, d.derivative(0.0, y))
    _, now = identities.sums(d, y[:-2].copy())
    E = identities.energy
    g, mass = np.array(s.gravity), now[E.TOTAL_MASS]
    assert change[E.LINEAR_MOMENTUM : E.LINEAR_MOMENTUM + 3] == pytest.approx(mass * g, abs=1e-10)
    moment = np.cross(now[E.TOTAL_MOMENT : E.TOTAL_MOMENT + 3], g)
    assert change[E.ANGULAR_MOMENTUM : E.ANGULAR_MOMENTUM + 3] == pytest.approx(moment, abs=1e-10)
    state = s.state()
    state.q[:], state.rates[:] = q, u
    falls = s.channels(state, "mass_centre.acceleration")["mass_centre.acceleration"]
    assert falls == pytest.approx(g, abs=1e-10)
    velocity = now[E.LINEAR_MOMENTUM : E.LINEAR_MOMENTUM + 3]
    assert change[E.TOTAL_MOMENT : E.TOTAL_MOMENT + 3] == pytest.approx(velocity, abs=1e-10)


# -- statics ---------------------------------------------------------------------------------------------------------------


def bent(order, force=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0), rod=None, steps=1):
    """Tip of a clamped rod under a dead load, reached in steps."""
    state = None
    for share in np.arange(1, steps + 1) / steps:
        s = kf.System("cantilever")
        s.add("rod", plane_rod(order) if rod is None else rod)
        s.apply("force", kf.Force("rod.tip", tuple(share * np.array(force)), axes="inertial"))
        s.apply("moment", kf.Torque("rod.tip", tuple(share * np.array(moment)), axes="inertial"))
        state = s.equilibrium(state)
    slope = () if s.parts["rod"].body.modal.normal is None else ("rod.tip.slope",)
    return s.channels(state, "rod.tip.position", "rod.section_loads", *slope)


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    v, u, slope = ELASTICA[load]
    found = bent(8, (0.0, load, 0.0), steps=max(1, load // 2))
    tip = found["rod.tip.position"]
    assert tip[:2] == pytest.approx([1 - u, v], abs=1e-6)  # of which the figures have six digits
    assert found["rod.tip.slope"][2] == pytest.approx(slope, abs=2e-6)
    root = dict(zip(("Mz", "tip"), found["rod.section_loads"], strict=False))["Mz"]
    assert root == pytest.approx(load * (1 - u), rel=1e-4)  # moment of the load about the root


def test_elastica_converges_spectrally():
    """Errors fall by a constant factor per coefficient: a straight line in the logarithm."""
    best = bent(14, (0.0, 10.0, 0.0), rod=plane_rod(14, masses=40), steps=5)["rod.tip.position"][:2]
    assert best == pytest.approx([1 - 0.554996, 0.810609], abs=6e-7)
    orders = np.arange(2, 10)
    errors = [np.abs(bent(int(m), (0.0, 10.0, 0.0), steps=5)["rod.tip.position"][:2] - best).max() for m in orders]
    print(errors)
    assert errors[4] < 1.6e-6 and errors[6] < 3e-8
    slope = np.polyfit(orders, np.log10(errors), 1)[0]
    assert slope < -0.75


@pytest.mark.parametrize("turns", [1, 2])
def test_one_coefficient_rolls_up_to_full_circles(turns):
    found = bent(1, moment=(0, 0, 2 * np.pi * turns), steps=4 * turns)
    assert found["rod.tip.position"] == pytest.approx(np.zeros(3), abs=1e-9)
    assert found["rod.tip.slope"][2] == pytest.approx(2 * np.pi * turns, rel=1e-12)


def test_45_degree_bend():
    """Bathe and Bolourchi's bend; the figures are those of the same rod by a boundary value problem."""
    order = dict.fromkeys(("torsion", "bending y", "bending z"), 6) | dict.fromkeys(("axial", "shear y", "shear z"), 4)
    given = {"GJ": 8.333e5, "EA": 1e7, "GA": 5e6, "rotary_inertia": 1.0, "curvature": (0, 0, -0.01), "masses": 12}
    rod = kf.StrainRod(25 * np.pi, 1.0, 8.333e5, order=order, **given)
    tip = bent(0, (0, 0, 600.0), rod=rod, steps=4)["rod.tip.position"]
    assert tip * [1, -1, 1] == pytest.approx([47.14972, 15.68441, 53.47549], abs=2e-5)
