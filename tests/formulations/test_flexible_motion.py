"""Flexible bodies against what is known otherwise: full equations of one body, the rigid limit, a chain of rods; and how far
speeds that make the mass matrix constant are off."""

import numpy as np
import pytest
from formulations.flexible import EXACT, FlexibleRecipe, particle_body
from formulations.identities import close
from formulations.test_derivatives import compiled_udot, complex_steps, plain_udot
from oracles import driven_body

import kaneflex as kf
from kaneflex.structures import Beam

RNG = np.random.default_rng(3)
BODY, START = particle_body(RNG, 4), {"arm.modes": 0.03 * RNG.normal(size=4), "arm.modes_rate": 0.1 * RNG.normal(size=4)}


def driven() -> kf.System:
    """A flexible body on a base that slides and turns about two axes as prescribed, under gravity."""
    s = kf.System("driven", gravity=(0.3, -0.5, -2.0))
    turns = dict(zip(kf.Universal(("x", "y")).facts.coordinate_names, (0.4, 0.7), strict=True))
    motion = {name: kf.profiles.cosine(size, 3 * size + 1, -1.1) for name, size in turns.items()}
    s.add("slide", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Prismatic("x", motion=kf.profiles.cosine(0.9, 1.3, 0.4)))
    s.add("turn", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Universal(("x", "y"), motion=motion), "slide", (0.3, 0.2, 0.1))
    hinge = kf.Frame((0.1, 0.2, -0.3), (("z", 0.4), ("x", 0.7)))
    s.add("arm", kf.Flexible(BODY, root=None), None, "turn", (0.5, -0.2, 0.3), hinge=hinge)
    return s


@pytest.mark.parametrize("way", EXACT, ids="-".join)
def test_one_body_against_its_full_equations(way):
    """Modal accelerations and the loads of its joint, from one kinetic energy by complex steps."""
    formulation, speeds = way
    run = driven().simulate(0.4, output=0.1, formulation=formulation, speeds=speeds, initial=START)
    loads, place = run.loads("arm", axes="body", at="arm"), run.plan.index.modes["arm"]
    for k, t in enumerate(run.t):
        a = run["arm.rotation"][k].T @ (run["arm.acceleration"][k] - run.model.gravity)
        moving = a, run["arm.omega"][k], run["arm.alpha"][k]
        wanted, force, torque = driven_body.respond(BODY, run["arm.modes"][k], run["arm.modes_rate"][k], *moving)
        udot = run.trajectory.dynamics.udot_at(t, run.q[k], run.u[k])
        close(udot[place.u0 : place.u0 + place.modes], wanted, "modal accelerations")
        close(loads.force[k], force, "force of the joint")
        close(loads.torque[k], torque, "torque of the joint")


# -- one source, three scalars ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modes", [(2, 0), (13, 0)], ids=["direct", "update"])
@pytest.mark.parametrize("way", [*EXACT, ("recursive", "constant-mass")], ids="-".join)
def test_compiled_is_plain(way, modes):
    import symengine

    tree = FlexibleRecipe(("Revolute", "Universal"), (-1, 0), loads=(("Force", "body"),), seed=2, modes=modes).tree()
    d = tree.dynamics(*way)
    u = d.speeds_from_rates(tree.q, tree.w)
    numbers = [np.array([symengine.RealDouble(x) for x in v], object) for v in (tree.q, u)]
    plain = np.array([float(x) for x in plain_udot(d, *numbers, tree.tau)])
    close(compiled_udot(d, tree.q, u, tree.tau), plain, "u-dot", tolerance=1e-13)


@pytest.mark.parametrize("way", [*EXACT, ("recursive", "constant-mass")], ids="-".join)
def test_complex_step_is_the_slope(way):
    tree = FlexibleRecipe(("Free", "Universal", "Revolute"), (-1, 0, 1), (True,), seed=4, modes=(3, 14, 0)).tree()
    d = tree.dynamics(*way)
    u = d.speeds_from_rates(tree.q, tree.w)
    y, n, h = np.concatenate([tree.q, u]), len(tree.q), 1e-4

    def at(x):
        return compiled_udot(d, x[:n].copy(), x[n:].copy(), tree.tau)

    slopes = [
        (8 * (at(y + h * e) - at(y - h * e)) - at(y + 2 * h * e) + at(y - 2 * h * e)) / (12 * h) for e in np.eye(len(y))
    ]
    close(complex_steps(d, tree.q, u, tree.tau), np.column_stack(slopes), "slopes", tolerance=1e-8)


# -- limits ----------------------------------------------------------------------------------------------------------------


def swinging(body) -> kf.System:
    s = kf.System("swinging", gravity=(0, 0, -9.81))
    s.add("hub", kf.Rigid(0.5, inertia=(0.1, 0.1, 0.1)), kf.Universal(("y", "x")), q=(0.3, 0.2), rates=(0.5, 1.0))
    s.add("arm", body, kf.Revolute("y"), parent="hub", at=(0.1, 0, 0), q=0.4)
    s.add("payload", kf.Rigid(0.2, inertia=(0.01, 0.02, 0.02)), kf.Revolute("z"), "arm", "tip", q=0.1, rates=-0.7)
    return s


def test_stiff_body_moves_as_a_rigid_one():
    """The difference falls with the stiffness: as 1/EI."""
    off = []
    for EI in (1e3, 1e4):
        beam = Beam(length=1.5, EA=1e8, EI=EI, mass_per_length=0.4, elements=8)
        mass, centre, _ = beam.mass_properties()
        R = beam.rigid_body_vectors(centre)[:, 3:]
        solid = kf.Rigid(mass, com=tuple(centre), inertia=R.T @ (beam.M @ R), frames={"tip": (1.5, 0, 0)})
        soft = kf.Flexible(beam, modes=4, damping=0.5)  # damped, so that what is left is quasi-static
        one, other = (swinging(x).simulate(0.5, output=0.1, rtol=1e-10, atol=1e-12) for x in (solid, soft))
        off.append(np.abs(one["payload.position"] - other["payload.position"]).max())
    assert off[1] < 1e-4 and 0.8 < np.log10(off[0] / off[1]) < 1.2


def rods(n: int) -> kf.System:
    """The 8 m beam as n rigid rods with springs between, half an element's bending at the root."""
    length, EI, density = 8.0, 566.710, 0.2018806
    h = length / n
    s = kf.System("rods")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.smooth_step(1.5708, 10.0)))
    parent, at = "hub", (0.0, 0.0, 0.0)
    for k in range(n):
        inertia = density * h**3 / 12
        rod = kf.Rigid(density * h, com=(h / 2, 0, 0), inertia=(1e-9, inertia, inertia))
        s.add(f"rod{k}", rod, kf.Revolute("z"), parent, at)
        s.apply(f"spring{k}", kf.JointSpring(f"rod{k}", EI / h * (2 if k == 0 else 1)))
        parent, at = f"rod{k}", (h, 0.0, 0.0)
    s.add_frame(parent, "tip", kf.Frame((h, 0, 0)))
    return s


def test_chain_of_rods_converges_to_the_beam():
    """A quarter turn in 10 s: the tip against the undeformed place, rods extrapolated from two numbers of them."""
    beam = Beam(length=8.0, EA=5.0313e6, EI=566.710, mass_per_length=0.2018806, elements=16)
    s = kf.System("beam")
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=kf.profiles.smooth_step(1.5708, 10.0)))
    s.add("arm", kf.Flexible(beam, modes=8), parent="hub")
    run = s.simulate(10.0, output=1.0, rtol=1e-8)
    found = {}
    for n in (6, 12):
        chain = rods(n).simulate(10.0, output=1.0, rtol=1e-8)
        tip = np.einsum("nji,nj->ni", chain["hub.rotation"], chain[f"rod{n - 1}.tip.position"])
        found[n] = tip[:, 1]
    wanted = found[12] + (found[12] - found[6]) / 3
    size = np.abs(run["arm.tip.deflection"][:, 1]).max()
    assert size > 0.08
    assert run["arm.tip.deflection"][:, 1] == pytest.approx(wanted, abs=0.01 * size)
    assert np.abs(found[12] - wanted).max() < 0.4 * np.abs(found[6] - wanted).max()


# -- speeds that make the mass matrix constant -----------------------------------------------------------------------------


def difference(body, joint, ratio, deflection=0.0):
    """Modes, relative, and spin, relative, between constant-mass and customary speeds; the largest deflection; the run."""
    rng = np.random.default_rng(11)
    axis, shape = (x / np.linalg.norm(x) for x in (rng.normal(size=3), rng.normal(size=len(body))))
    lowest = body.frequencies.min()
    rate, T = ratio * lowest, 6 * np.pi / lowest
    s = kf.System("spinning")
    initial = {"b.modes": deflection * shape, "b.rate": rate}
    if joint == "free":
        s.add("b", kf.Flexible(body, root=None), kf.Free())
        initial |= {"b.q": (0, 0, 0, 1, 0, 0, 0), "b.rate": (0, 0, 0, *(rate * axis))}
    else:
        s.add("b", kf.Flexible(body, root=None), kf.Revolute(axis, motion=kf.profiles.constant_rate(rate)))
    one, other = (
        s.simulate(T, output=T / 60, speeds=speeds, rtol=1e-12, atol=1e-15, initial=initial)
        for speeds in ("customary", "constant-mass")
    )
    largest = np.abs(one["b.modes"]).max()
    modes, spin = (np.abs(one[name] - other[name]).max() for name in ("b.modes", "b.omega"))
    return modes / largest, spin / rate, largest, other


def order(values, steps) -> float:
    return float(np.polyfit(np.log(steps), np.log(values), 1)[0])


@pytest.mark.filterwarnings("ignore:.*modes span only part")
@pytest.mark.parametrize("second", [0.0, 0.5], ids=["", "stiffened"])
@pytest.mark.parametrize(
    ("afloat", "joint", "wanted"),
    [(True, "free", 2.0), (True, "driven", None), (False, "driven", None), (False, "free", 1.5)],
    ids=["afloat-free", "afloat-driven", "rooted-driven", "rooted-free"],
)
def test_order_of_constant_mass_speeds(afloat, joint, wanted, second):
    """Modes that spin deflects are off by (spin/frequency)^2, the spin by more than the first power of the deflection: what
    is lost is of second order in it. Energy and angular momentum are kept exactly."""
    body, ratios = particle_body(np.random.default_rng(4), 4, second=second, afloat=afloat, damped=False), (0.03, 0.003)
    modes, spin, deflection, runs = zip(*(difference(body, joint, ratio) for ratio in ratios), strict=True)
    assert order(modes, ratios) == pytest.approx(2.0, abs=0.1)
    if wanted is not None:
        assert order(spin, deflection) == pytest.approx(wanted, abs=0.1)
        for run in runs:
            H = run["momentum.central"]
            assert np.abs(H - H[0]).max() < 1e-10 * np.abs(H).max()
    assert all(run.audit.energy_drift < 1e-11 for run in runs)


@pytest.mark.filterwarnings("ignore:.*modes span only part")
def test_constant_mass_speeds_lose_inertia_of_second_order():
    """With a deflection that is given, the spin rate is off by its square."""
    body, sizes = particle_body(np.random.default_rng(4), 4, second=0.0, afloat=True, damped=False), (0.1, 0.01)
    _, spin, deflection, _ = zip(*(difference(body, "free", 0.003, size) for size in sizes), strict=True)
    assert order(spin, deflection) == pytest.approx(2.0, abs=0.15)
