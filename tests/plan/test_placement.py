"""What plans have in common is worked out once, and a change of the model is seen in the next plan."""

import numpy as np

import kaneflex as kf
from kaneflex.plan.build import build
from kaneflex.plan.placement import placement


def chain(n, mass=1.0):
    s = kf.System("chain", gravity=(0, -9.81, 0))
    for k in range(n):
        rod = kf.Rigid(mass, com=(0.5, 0.1, 0), inertia=(0.05, 0.1, 0.12), frames={"tip": (1.0, 0, 0.2)})
        hinge = kf.Frame((0.1, 0, 0), (("x", 0.3),))
        s.add(f"b{k}", rod, kf.Revolute((1, 2, 2)), f"b{k - 1}" if k else None, "tip" if k else None, hinge=hinge)
    return s


def test_parts_keep_their_placement():
    s = chain(3)
    first = build(s)
    before = [placement(p) for p in s.parts.values()]
    s.apply("spring", kf.JointSpring("b1", stiffness=1.0))
    second = build(s)
    assert [placement(p) for p in s.parts.values()] == before and second is not first
    assert all(np.array_equal(*both) for both in zip(first.tables.body.arrays, second.tables.body.arrays, strict=True))


def test_inertia_moves_by_steiner():
    """About the hinge: J_c + m (d.d 1 - d d^T), turned into the joint's axes."""
    (part,) = chain(1).parts.values()
    on = placement(part)
    d = np.array([0.5, 0.1, 0]) - [0.1, 0, 0]
    J = np.diag([0.05, 0.1, 0.12]) + (d @ d * np.eye(3) - np.outer(d, d))
    assert np.allclose(on.mass[4:], (on.R.T @ J @ on.R)[np.triu_indices(3)], atol=1e-15)
    assert np.allclose(on.mass[1:4], on.R.T @ d, atol=1e-15) and on.mass[0] == 1.0
    assert np.allclose(on.frame(part.body.frames["tip"]).p, on.R.T @ [0.9, 0, 0.2], atol=1e-15)


def test_another_body_of_the_same_name_is_another_part():
    light, heavy = (chain(2, mass).dynamics().mass_matrix(np.zeros(2)) for mass in (1.0, 3.0))
    assert heavy[0, 0] > 2 * light[0, 0] - 0.1
