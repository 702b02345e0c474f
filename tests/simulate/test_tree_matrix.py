"""Newton's matrix along the tree: its equation, its cost, and that results do not depend on it."""

import numba
import numpy as np
import pytest

import kaneflex as kf
from kaneflex.formulations.tree_matrix import tree_length
from kaneflex.kernels import backend, compiled_ops
from kaneflex.simulate import segment
from kaneflex.simulate.stepping import layout as at
from kaneflex.structures.beam import Beam

ROD = {"mass": 0.1, "com": (0.05, 0, 0), "inertia": (3e-5, 1e-4, 1.2e-4), "frames": {"tip": (0.1, 0, 0)}}
JOINTS = {
    "revolute": [kf.Revolute("y")] * 6,
    "mixed": [kf.Spherical(), kf.Revolute("z"), kf.Prismatic("x"), kf.Cylindrical("y"), kf.Universal(), kf.Spherical()],
    "floating": [kf.Free(), *[kf.Revolute("y")] * 5],
}


def rods(joints) -> kf.System:
    """A tree of rods, a spring and a damper in every joint but the first."""
    s = kf.System("rods", gravity=(0, 0, -9.81))
    for k, joint in enumerate(joints):
        s.add(f"rod{k}", kf.Rigid(**ROD), joint, f"rod{k // 2}" if k else None, "tip" if k else None)
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 50.0 + k, 0.3 + k / 10))
    return s


def chain(n: int) -> kf.System:
    """n rods, 1 m long together, joints stiff enough that explicit methods would take a million steps."""
    s = kf.System("chain", gravity=(0, 0, -9.81))
    length, m = 1 / n, 1 / n
    across = m * length**2 / 12
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(across / 10, across, across), frames={"tip": (length, 0, 0)})
    for k in range(n):
        s.add(f"rod{k}", rod, kf.Revolute("y"), f"rod{k - 1}" if k else None, "tip" if k else None)
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 1e4, 10.0))
    return s


def solved(system, y, g, mu, r):
    """(1 - g A)^-1 r_0 and (1 - mu A)^-1 (r_1 + i r_2) by the kernels."""
    dynamics = system.dynamics()
    plan, inner, pointer = dynamics.plan, backend.compiled().inner, compiled_ops.pointer
    make, real, pair = inner.make_tree_matrix, inner.solve_tree_real, inner.solve_tree_complex

    @numba.njit
    def call(I, P, W, y, X, g, re, im, a, b, c):
        make(pointer(I), pointer(P), pointer(W), 0.0, pointer(y), pointer(X), g, re, im)
        real(pointer(I), pointer(P), pointer(X), pointer(y), g, pointer(a))
        pair(pointer(I), pointer(P), pointer(X), pointer(y), re, im, pointer(b), pointer(c))

    x = r.copy()
    call(plan.I, plan.P, dynamics.W, y, np.zeros(tree_length(plan.I)), g, mu.real, mu.imag, *x)
    backend.attend()
    return x[0], x[1] + 1j * x[2]


def jacobian(system, y):
    """A of the module's Eq. (1), from the mass matrix, q-dot of unit speeds, and the springs as they were declared."""
    dynamics = system.dynamics()
    plan, q = dynamics.plan, y[: dynamics.plan.nq]
    B = np.column_stack([dynamics._derivative(0.0, np.concatenate([q, e, [0, 0]]))[: plan.nq] for e in np.eye(plan.nu)])
    K, D = np.zeros((2, plan.nu))
    for load in system.loads.values():
        joint = plan.index.joints[load.joint]
        K[joint.u0 : joint.u0 + joint.speeds], D[joint.u0 : joint.u0 + joint.speeds] = load.stiffness, load.damping
    inverse = np.linalg.inv(dynamics.mass_matrix(q))
    back = -inverse @ np.diag(K) @ np.linalg.pinv(B), -inverse @ np.diag(D)
    return np.block([[np.zeros((plan.nq, plan.nq)), B], [*back]])


@pytest.mark.parametrize("joints", JOINTS.values(), ids=list(JOINTS))
def test_the_elimination_solves_its_equation(joints):
    """For real and complex g, on trees with all sorts of joints, against the matrix written out."""
    system, rng = rods(joints), np.random.default_rng(3)
    plan = system.dynamics().plan
    y = np.concatenate([system.state().q, rng.normal(size=plan.nu), [0, 0]])
    for joint in plan.index.joints.values():
        if joint.quaternion is None:
            y[joint.q0 : joint.q0 + joint.coordinates] = rng.normal(size=joint.coordinates) / 2
    n, r = plan.nq + plan.nu, rng.normal(size=(3, len(y)))
    A, g, mu = jacobian(system, y), 0.03, 0.02 - 0.05j
    real, pair = solved(system, y, g, mu, r)
    np.testing.assert_allclose(real[:n], np.linalg.solve(np.eye(n) - g * A, r[0, :n]), atol=1e-6)
    np.testing.assert_allclose(pair[:n], np.linalg.solve(np.eye(n) - mu * A, (r[1] + 1j * r[2])[:n]), atol=1e-6)
    np.testing.assert_array_equal(real[n:], r[0, n:])


def ends(system, duration, method, monkeypatch, **options):
    """The run with the matrix of the tree, and that with all entries."""
    found = []
    for is_tree in (True, False):
        monkeypatch.setattr(segment, "tree_pays", lambda I, n, is_tree=is_tree: is_tree)
        found.append(system.simulate(duration, method=method, output=duration / 10, **options))
    return found


def uses_tree(run) -> bool:
    return bool(run.trajectory.stepper["ints"][at.RK_MATRIX] == at.RK_TREE)


def stopped(n: int) -> kf.System:
    """The chain, its first rod stopped by a stiff bound, its third driven by a law."""
    s = chain(n)
    s.apply("stop", kf.JointStop("rod0", upper=0.5, stiffness=1e5))
    s.apply("law", kf.JointForce("rod2", lambda t, x: -1e5 * x[0] - 1e2 * x[1], sees=["rod2.q", "rod2.rate"]))
    return s


def driven(n: int) -> kf.System:
    """The chain on a cart that is moved."""
    s = kf.System("driven", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(1.0), kf.Prismatic("x", motion=kf.profiles.cosine(0.1, 8.0)))
    for k in range(n):
        s.add(f"rod{k}", kf.Rigid(**ROD), kf.Revolute("y"), f"rod{k - 1}" if k else "cart", "tip" if k else None)
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 1e4, 10.0))
    return s


def tied(n: int) -> kf.System:
    """The chain with stiff springs from body to body and to the ground, which no joint knows of."""
    s = chain(n)
    s.apply("far", kf.SpringDamper(f"rod{n // 4}.tip", f"rod{n - 2}.tip", 1e6, 1e3))
    s.apply("ground", kf.SpringDamper(f"rod{n // 2}.tip", (0.3, 0, -0.4), 1e5, 1e2, 0.4))
    return s


def bending(n: int) -> kf.System:
    """Two flexible beams with a rod at the end."""
    s = kf.System("bending", gravity=(0, 0, -9.81))
    beam = Beam(length=0.5, EA=1e6, EI=2e3, mass_per_length=1.0, elements=4)
    s.add("first", kf.Flexible(beam, root="root", modes=3), kf.Revolute("y"))
    s.add("second", kf.Flexible(beam, root="root", modes=3), kf.Revolute("y"), "first", "tip")
    s.add("rod", kf.Rigid(**ROD), kf.Revolute("y"), "second", "tip")
    for name in ("second", "rod"):
        s.apply(f"{name}-joint", kf.JointSpring(name, 1e3, 1.0))
    return s


def mixed(n: int) -> kf.System:
    return rods(JOINTS["mixed"])


def floating(n: int) -> kf.System:
    return rods(JOINTS["floating"])


@pytest.mark.parametrize("method", ["radau5", "sdirk4"])
@pytest.mark.parametrize("make", [chain, stopped, driven, tied, mixed, floating, bending])
def test_results_are_those_of_all_entries(make, method, monkeypatch):
    tree, full = ends(make(8), 0.3, method, monkeypatch, rtol=1e-8, atol=1e-10)
    scale = 1 + np.abs(full.q).max()
    assert np.abs(tree.q - full.q).max() < 2e-6 * scale
    work, expected = (run.trajectory.y[:, run.plan.layout.works] for run in (tree, full))
    assert np.abs(work - expected).max() < 1e-5 * (1 + np.abs(expected).max())
    assert not uses_tree(full)
    assert tree.statistics["steps"] < 1.3 * full.statistics["steps"] + 20


def test_evaluations_do_not_grow_with_the_chain():
    """A matrix with all entries takes an evaluation for each of 2 n columns. Here a step takes as many as ever."""
    counts = []
    for n in (25, 100):
        run = chain(n).simulate(0.5, method="radau5", rtol=1e-6, atol=1e-6, output=0.5)
        s = run.statistics
        counts.append(s["evaluations"] / (s["steps"] + s["rejected"]))
        assert uses_tree(run) and s["jacobians"] > 10 and s["corrections"] > s["steps"]
    assert counts[1] < 1.2 * counts[0] and counts[1] < 20


def test_all_entries_where_the_tree_does_not_serve(monkeypatch):
    """A stiff law that couples every joint with the next: the iteration does not converge, and the matrix is filled."""
    s = chain(8)
    names = [f"rod{k}.{what}" for what in ("q", "rate") for k in range(8)]
    rng = np.random.default_rng(0)
    L = rng.normal(size=(8, 8))
    K = L @ L.T

    for k in range(8):
        row = K[k].copy()
        law = lambda t, x, row=row: -1e4 * row @ x[:8] - 30.0 * row @ x[8:]
        s.apply(f"law{k}", kf.JointForce(f"rod{k}", law, sees=names))
    tree, full = ends(s, 0.2, "radau5", monkeypatch, rtol=1e-7, atol=1e-9)
    assert not uses_tree(tree)
    assert np.abs(tree.q - full.q).max() < 1e-5
    assert tree.statistics["steps"] < 2 * full.statistics["steps"]


def test_a_run_goes_on_with_the_same_bits(tmp_path):
    """The matrix is not stored, but where it was made is."""
    options = {"method": "radau5", "rtol": 1e-6, "atol": 1e-6, "times": [0.11, 0.25]}
    whole = chain(25).simulate(0.25, **options)
    half = chain(25).simulate(0.11, **options | {"times": [0.11]})
    for run in (half, kf.Run.load(half.save(tmp_path / "run.h5"))):
        on = run.extend(0.14, times=[0.25])
        assert uses_tree(on)
        again = half.extend(0.14, times=[0.25])
        assert np.array_equal(on.q[-1], again.q[-1]) and np.array_equal(on.u[-1], again.u[-1])
        assert np.abs(on.q[-1] - whole.q[-1]).max() < 1e-4
