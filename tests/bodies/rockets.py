"""Systems with bodies of variable mass, and what left them."""

import numpy as np
from formulations.flexible import particle_body

import kaneflex as kf

TIME = 0.7
AXIS = np.array([1.0, 2.0, -2.0]) / 3


def burning_mass(t):
    return 9.0 - 1.3 * t + 0.4 * np.sin(2 * t)


def wandering_centre(t):
    return 0.1 + 0.05 * np.sin(t), -0.2 * np.cos(0.5 * t), 0.3 - 0.04 * t


def shrinking_inertia(t):
    return (
        (0.9 - 0.05 * t, 0.02 * np.sin(t), -0.03),
        (0.02 * np.sin(t), 0.8 - 0.04 * t, 0.01 * t),
        (-0.03, 0.01 * t, 0.7 + 0.02 * np.cos(t)),
    )


def side_flow(t):
    return 0.3 + 0.1 * np.cos(3 * t)


def swaying_jet(t):
    return 3 * np.sin(t), 2.0, -40 - t


def rocket(**changes):
    """A body in which everything changes, with a main outlet and one at the side."""
    outlets = (
        kf.Outlet((0.2, -0.1, -1.1), velocity=swaying_jet),
        kf.Outlet("port", flow=side_flow, velocity=(9.0, lambda t: 2 * t, -3.0)),
    )
    given = {
        "mass": burning_mass,
        "com": wandering_centre,
        "inertia": shrinking_inertia,
        "outlets": outlets,
        "swirl": (0.2, lambda t: 0.3 * np.sin(2 * t), -0.1),
        "frames": {"port": (0.4, 0.1, 0.2), "nose": (0.1, 0, 1.5)},
    }
    return kf.VariableMass(**{**given, **changes})


def floating_tree(gravity=(0, 0, 0), loops=False, flexible=False):
    """A rocket that floats, with a rotor, an arm, flexible if wanted, that carries a tank which drains, and, if wanted, a
    loop."""
    s = kf.System("floating", gravity=gravity)
    s.add("rocket", rocket(), kf.Free(), hinge=kf.Frame((0.1, 0.3, -0.2), (("x", 0.3), ("z", -0.7))))
    s.add_rotor("wheel", "rocket", kf.Rotor((1, 2, 2), 0.02, rate=30.0))
    arm = kf.Rigid(0.8, (0.2, 0, 0), (0.02, 0.05, 0.06), frames={"n1": (0.5, 0, 0)})
    if flexible:
        arm = kf.Flexible(particle_body(np.random.default_rng(2), 3))
    s.add("arm", arm, kf.Universal(("z", "x")), parent="rocket", at="nose")
    tank = kf.VariableMass(
        lambda t: 2 - 0.2 * t,
        (lambda t: 0.1 - 0.02 * t, 0, 0.1),
        (0.1, 0.2, 0.15),
        [kf.Outlet((0, 0, 0.3), velocity=(0, 1, 2))],
    )
    s.add("tank", tank, kf.Revolute("y"), parent="arm", at="n1", hinge=(-0.1, 0.1, 0))
    s.apply("spring", kf.JointSpring("tank", stiffness=3.0, damping=0.2))
    if loops:
        s.constrain("rod", kf.Distance("rocket.port", "tank", 1.7))
    return s


def random_state(system, seed=3):
    """q (quaternions of unit length) and rates that are neither small nor special."""
    plan, rng = system.dynamics().plan, np.random.default_rng(seed)
    q, w = rng.uniform(-1, 1, plan.nq), rng.uniform(-1, 1, plan.nu)
    for joint in plan.index.joints.values():
        if joint.quaternion is not None:
            e = q[joint.quaternion : joint.quaternion + 4]
            e /= np.linalg.norm(e)
    return q, w
