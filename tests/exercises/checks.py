"""What a joint, a load, a body, a block, a part and an integrator of somebody else's must do, in a package that has them.

Run as `python checks.py NAME...`; prints the name of each check that has passed.
"""

import sys
from pathlib import Path

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), *(str(TESTS / folder) for folder in ("formulations", "symbolic", "simulate"))]

import kaneflex as kf  # noqa: E402
from kaneflex.model import forces  # noqa: E402

drag = forces.LOADS.pop("Drag")  # random trees put every load that there is on bodies, and know only the package's own
import identities  # noqa: E402
import test_changes  # noqa: E402
import test_equations  # noqa: E402
import trees  # noqa: E402

forces.LOADS["Drag"] = drag
trees._MAKERS["Drag"] = (lambda tree, rng, way: kf.Drag(tree.spot(rng), rng.uniform(0.1, 1), 0.2), ("",))

TIGHT = {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}
ROD = {"com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1), "frames": {"tip": (1, 0, 0)}}


def rods():
    """Two rods in a row, the tip of the second on the x axis of N."""
    s = kf.System("rods", gravity=(0, -9.81, 0))
    s.add("a", kf.Rigid(1.0, **ROD), kf.Revolute("z"), q=0.7)
    s.add("b", kf.Rigid(1.0, **ROD), kf.Revolute("z"), parent="a", at="tip", q=-1.4)
    return s


# -- the joint ---------------------------------------------------------------------------------------------------------


def joint_in_random_trees():
    """Dense, recursive and embedded agree; forward is inverse dynamics; power is the rate of energy."""
    for seed, others in enumerate((("Revolute", "Universal"), ("Free", "Screw"), ("Spherical", "PinSlot"))):
        recipe = trees.Recipe((others[0], "PinSlot", others[1], "PinSlot"), (-1, 0, 1, 1), (True,), seed=seed)
        identities.check_tree(recipe.tree())


def joint_in_symbols():
    tree = trees.Recipe(("PinSlot", "Revolute"), (-1, 0), loads=(("JointSpring", "all"),), seed=3).tree()
    for speeds in ("customary", "efficient"):
        test_equations.compare(tree.model, speeds, tree.q, tree.w, 0.3, tree.inputs)


def joint_is_a_slide_and_a_turn():
    """The same motion as a turn on a body without mass that slides; its kinetic energy by hand."""
    one, two = (kf.System(name, gravity=(3.0, -9.81, 0)) for name in ("one", "two"))
    one.add("rod", kf.Rigid(1.0, **ROD), kf.PinSlot("z"), q=(0.2, 0.3), rates=(0.5, -1.0))
    two.add("block", kf.Rigid(0.0), kf.Prismatic("x"), q=0.2, rates=0.5)
    two.add("rod", kf.Rigid(1.0, **ROD), kf.Revolute("z"), parent="block", q=0.3, rates=-1.0)
    runs = [s.simulate(2.0, **TIGHT) for s in (one, two)]
    for one_channel, other in (("rod.slide", "block.q"), ("rod.angle", "rod.q")):
        assert np.abs(runs[0][one_channel] - runs[1][other]).max() < 1e-8
    assert runs[0].audit.ok
    vx, vy, w = 0.5 - 0.5 * np.sin(0.3) * -1.0, 0.5 * np.cos(0.3) * -1.0, -1.0
    assert abs(runs[0]["energy.kinetic"][0] - (vx**2 + vy**2 + 0.1 * w**2) / 2) < 1e-14


def joint_closes_a_loop():
    """As the tip on a line, and as a constraint in symbols."""
    runs = []
    for tie in ("joint", "line"):
        s = rods()
        if tie == "joint":
            s.close("slot", "N", "b.tip", kf.PinSlot("z"))
        else:
            s.constrain("slot", kf.PointOnLine("b.tip", kf.Frame((0, 0, 0), (("y", np.pi / 2),))))
        runs.append(s.simulate(1.0, **TIGHT))
        assert runs[-1].audit.ok
        if tie == "joint":
            d = s.dynamics()
            assert d.plan.index.constraints["slot"].stop == 4
    assert np.abs(runs[0]["a.q"] - runs[1]["a.q"]).max() < 1e-7 and np.abs(runs[0]["b.tip.position"][:, 1]).max() < 1e-9
    assert np.ptp(runs[0]["b.tip.position"][:, 0]) > 0.1


def joint_is_attached_in_a_run():
    """Both momenta are kept, and the freedoms are those of the joint."""
    joint = kf.PinSlot((0.6, 0, 0.8))
    events = [test_changes.at(0.3, lambda state, change: change.attach("target", "chaser", joint), name="dock")]
    run = test_changes.spacecraft().simulate(0.6, events=events, **TIGHT)
    (dock,) = run.impacts
    test_changes.check_momentum(dock)
    assert [segment.plan.nu for segment in (*run.segments, run.last)] == [13, 9] and dock.energy[1] < dock.energy[0]
    momenta = np.column_stack([run["momentum.linear"], run["momentum.angular"]])
    assert np.ptp(momenta, axis=0).max() < 1e-9 and run.audit.ok


def joint_in_files_and_pictures():
    s = kf.System("saved")
    s.add("rod", kf.Rigid(1.0, **ROD), kf.PinSlot((0.6, 0, 0.8)), q=(0.2, 0.3), rates=(0.5, -1.0))
    run = s.simulate(0.1)
    again = kf.Run.load(run.save("pin_slot.h5"))
    assert again.model.parts["rod"].joint == s.parts["rod"].joint and np.array_equal(again["rod.slide"], run["rod.slide"])
    from kaneflex.model.shapes import Cylinder
    from kaneflex.view.geometry import METAL, drawing

    found = drawing(s, {"rod": (np.eye(3), np.zeros(3))}).shapes["rod"]
    (pin,) = [shape for shape in found if isinstance(shape, Cylinder) and shape.color == METAL]
    assert np.allclose(pin.R[:, 2], (0.6, 0, 0.8))
    assert run.report("pin_slot.html").stat().st_size > 10_000


# -- the load ----------------------------------------------------------------------------------------------------------


def load_in_random_trees():
    for seed, joints in enumerate((("Revolute", "Spherical"), ("Free", "Universal"))):
        tree = trees.Recipe(joints, (-1, 0), loads=(("Drag", ""), ("Drag", "")), base="shaken", seed=seed).tree()
        assert len(tree.model.loads) == 2
        identities.check_tree(tree)


def load_in_symbols():
    tree = trees.Recipe(("Revolute", "Universal"), (-1, 0), loads=(("Drag", ""),), seed=3).tree()
    eq, *_ = test_equations.compare(tree.model, "customary", tree.q, tree.w, 0.3, tree.inputs)
    assert {"c_load0", "e_load0"} <= {str(symbol) for symbol in eq.values}


def falling():
    s = kf.System("falling", gravity=(0, 0, -9.81))
    s.add("stone", kf.PointMass(2.0), kf.Translational())
    s.apply("air", kf.Drag("stone", 0.5))
    return s


def load_has_its_energy():
    """A stone in air falls with v = v_t tanh(g t/v_t); the audit has what the air took, and calls no momentum kept."""
    run = falling().simulate(3.0, **TIGHT)
    limit = np.sqrt(2.0 * 9.81 / 0.5)
    v = limit * np.tanh(9.81 * run.t / limit)
    fallen = limit**2 / 9.81 * np.log(np.cosh(9.81 * run.t / limit))
    assert np.abs(run["stone.velocity"][:, 2] + v).max() < 1e-9
    assert run.audit.ok and abs(run.audit.dissipated_work - (2.0 * 9.81 * fallen[-1] - v[-1] ** 2)) < 1e-8
    free = kf.System("free")
    free.add("stone", kf.PointMass(2.0), kf.Translational(), rates=(1.0, 0, 0))
    assert free.simulate(0.1).audit.linear_momentum_drift is not None
    free.apply("air", kf.Drag("stone", 0.5))
    assert free.simulate(0.1).audit.linear_momentum_drift is None


def load_in_files_and_pictures():
    s = falling()
    run = s.simulate(1.0)
    again = kf.Run.load(run.save("drag.h5"))
    assert again.model.loads["air"] == s.loads["air"]
    from kaneflex.view import arrows

    keep = np.arange(len(run.t))
    values = {name: np.asarray(run[name]) for name in arrows.places_of(run.model)}
    (arrow,) = arrows.applied(run, keep, values)
    v = run["stone.velocity"]
    assert arrow.name == "air" and arrow.unit == "N"
    assert np.abs(arrow.vector + 0.5 * np.linalg.norm(v, axis=1)[:, None] * v).max() < 1e-12
    assert run.report("drag.html").stat().st_size > 10_000


# -- the others --------------------------------------------------------------------------------------------------------


def lung():
    from kaneflex.model.breathing import Breathing

    return Breathing(2.0, (0.3, 0.4, 0.5), 0.3, 5.0)


def body_in_symbols():
    s = kf.System("breathing", gravity=(0, 0, -9.81))
    s.add("lung", lung(), kf.Revolute("z"), rates=3.0)
    eq = s.equations()
    M, F = (float(e.subs({eq.t: 0.2, eq.u[0]: 3.0})) for e in (eq.M[0][0], eq.F[0]))
    assert abs(M - 0.5 * (1 + 0.3 * np.sin(1))) < 1e-14
    assert abs(F + 3 * 0.5 * 0.3 * 5 * np.cos(1)) < 1e-14


def body_keeps_its_angular_momentum():
    s = kf.System("breathing", gravity=(0, 0, -9.81))
    s.add("lung", lung(), kf.Free(), rates=(0, 0, 0, 1.0, -2.0, 3.0))
    s.add("arm", kf.Rigid(0.2, (0.1, 0, 0), (0.01, 0.01, 0.01)), kf.Revolute("x"), parent="lung", at=(0.2, 0, 0))
    run = s.simulate(3.0, rtol=1e-11, atol=1e-11)
    assert run.audit.ok and run.audit.angular_momentum_drift < 1e-9 and run.audit.energy_drift < 1e-9
    assert run.audit.applied_work**2 > 1e-6
    one, other = (s.dynamics(formulation=f).udot_at(3.0, run.q[-1], run.u[-1]) for f in ("recursive", "dense"))
    assert np.abs(one - other).max() < 1e-12 * np.abs(one).max()


def block_forgets_what_stays():
    """A cart whose speed is v = 2 t: x - z = 2 tau (1 - exp(-t/tau)) for z-dot = (v - z)/tau."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x"))
    s.apply("push", kf.JointForce("cart", 2.0))
    s.add_block("wash", kf.blocks.Washout(tau=0.5, sees="cart.rate"))
    run = s.simulate(2.0, **TIGHT)
    assert np.abs(run["wash.output"] - (1 - np.exp(-run.t / 0.5))).max() < 1e-9
    assert kf.Run.load(run.save("wash.h5")).model.blocks["wash"] == s.blocks["wash"]


def part_is_one_name_and_takes_the_vibration():
    """A cart of 2 kg on a spring of 8 N/m, with a mass of 0.2 kg tuned to 2 rad/s: roots of the two degrees of freedom."""
    s = kf.System("cart")
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), q=0.0)
    s.apply("spring", kf.JointSpring("cart", 8.0))
    s.add_part("absorber", kf.parts.TunedMass(0.2, 2.0), on="cart")
    assert "absorber: TunedMass on cart, 0.2 kg, 2 rad/s" in s.describe()
    M, K = np.array([[2.2, 0.2], [0.2, 0.2]]), np.diag([8.0, 0.8])
    exact = np.sort(np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    assert np.abs(np.sort([mode.frequency for mode in s.modes()]) - exact).max() < 1e-12
    run = s.simulate(1.0, initial={"absorber_mass.slide": 0.1})
    assert run["absorber.stroke"][0] == 0.1 and "absorber_mass.q" not in list(run.channels)
    assert kf.Run.load(run.save("absorber.h5")).model.installed["absorber"] == s.installed["absorber"]


def integrator_has_its_order():
    s = rods()
    exact = s.simulate(1.0, **TIGHT)["b.q"][-1]
    coarse, fine = (abs(s.simulate(1.0, method="heun", step=h)["b.q"][-1] - exact) for h in (0.002, 0.001))
    assert 1.9 < np.log2(coarse / fine) < 2.1


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name]()
        print(name)
