"""Newton's matrix along the tree: its equation, its cost, and that results do not depend on it."""

import numba
import numpy as np
import pytest

import kaneflex as kf
from kaneflex.formulations.tension import TENSION_WIDTH
from kaneflex.formulations.tree_matrix import tension_place, tree_length
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


def wheeled() -> kf.System:
    """The tree of all sorts of joints, with a spinning wheel on it."""
    s = rods(JOINTS["mixed"])
    s.add_rotor("wheel", "rod3", kf.Rotor("z", 2e-5))
    return s


def tied_tree() -> kf.System:
    """The tree of all sorts of joints, with a closed loop, a rod, a coupler and a ball that rolls."""
    s = rods(JOINTS["mixed"])
    s.close("pin", "rod5.tip", "rod3.tip", kf.Spherical())
    s.constrain("rod", kf.Distance("rod4.tip", (0.3, 0.1, 0.2), 0.4))
    s.constrain("coupler", kf.Coupler({"rod1": 1.0, "rod2": -2.0}))
    s.add("ball", kf.Rigid(**ROD), kf.Free(), q=(1, 0, 0.1, 1, 0, 0, 0))
    s.constrain("contact", kf.Rolling("ball", on="N", radii=(0.1, 0.1, 0.1)))
    return s


def solved(dynamics, y, g, mu, r, known=0.0):
    """(1 - g A)^-1 r_0 and (1 - mu A)^-1 (r_1 + i r_2) by the kernels, after an evaluation there with `known` = 1."""
    plan, inner, pointer = dynamics.plan, backend.compiled().inner, compiled_ops.pointer
    make, real, pair = inner.make_tree_matrix, inner.solve_tree_real, inner.solve_tree_complex
    derivative = inner.derivative

    @numba.njit
    def call(I, P, W, y, X, g, re, im, known, a, b, c):
        derivative(pointer(I), pointer(P), pointer(W), 0.0, pointer(y), pointer(X))
        make(pointer(I), pointer(P), pointer(W), 0.0, pointer(y), pointer(X), g, re, im, known)
        for _ in range(2):  # the second finds what the first has left
            real(pointer(I), pointer(P), pointer(X), pointer(y), g, pointer(a[0]))
            pair(pointer(I), pointer(P), pointer(X), pointer(y), re, im, pointer(b[0]), pointer(c[0]))
            a, b, c = a[1:], b[1:], c[1:]

    x, X = np.stack([r, r], axis=1), np.zeros(tree_length(plan.I))
    call(plan.I, plan.P, dynamics.W, y, X, g, mu.real, mu.imag, known, *x)
    backend.attend()
    np.testing.assert_array_equal(x[:, 0], x[:, 1])
    return x[0, 0], x[1, 0] + 1j * x[2, 0], tension(plan, X)


def tension(plan, X):
    """G of every row of the bodies, as the kernels left it."""
    rows = X[tension_place(plan.I) :][: TENSION_WIDTH * plan.I[0]].reshape(-1, TENSION_WIDTH)
    return [np.array([[g[0], g[1], g[2]], [g[1], g[3], g[4]], [g[2], g[4], g[5]]]) for g in rows]


def turns_of(dynamics, q):
    """Angular velocities of the rows of the bodies, in their axes, for unit speeds: [row] is 3 by nu."""
    plan, found = dynamics.plan, []
    for e in np.eye(plan.nu):
        dynamics.udot(q, e)
        found.append([np.array(dynamics.work.body[i].omega) for i in range(plan.I[0])])
    return np.moveaxis(np.array(found), 0, -1)


def jacobian(system, dynamics, y, G_of_bodies):
    """A of the module's Eq. (1), from the mass matrix, the equations of constraints, q-dot and relative rates of unit
    speeds, rotations of the bodies for these, and the springs as they were declared."""
    plan, q, still = dynamics.plan, y[: dynamics.plan.nq], np.zeros(dynamics.plan.nu)
    rates = np.column_stack([dynamics.rates_from_speeds(q, e) for e in np.eye(plan.nu)])
    moved = np.column_stack([dynamics.coordinate_rates(q, e) for e in np.eye(plan.nu)])
    G = np.column_stack([dynamics.equations(0.0, q, e)[1] for e in np.eye(plan.nu)])
    G -= dynamics.equations(0.0, q, still)[1][:, None]
    K, D = np.zeros((2, plan.nu))
    for load in system.loads.values():
        joint = plan.index.joints[load.joint]
        K[joint.u0 : joint.u0 + joint.speeds], D[joint.u0 : joint.u0 + joint.speeds] = load.stiffness, load.damping
    for flexible in plan.index.modes.values():
        K[flexible.u0 : flexible.u0 + flexible.modes] = flexible.modal.stiffness
    free = np.linalg.inv(dynamics.mass_matrix(q))
    free -= free @ G.T @ np.linalg.pinv(G @ free @ G.T, rcond=1e-9) @ G @ free
    turns = turns_of(dynamics, q) @ np.linalg.inv(rates)
    taut = sum(B.T @ G_body @ B for B, G_body in zip(turns, G_of_bodies, strict=True))
    along = (np.diag(K) + taut) @ np.linalg.pinv(moved @ np.linalg.inv(rates))
    back = -free @ rates.T @ along, -free @ rates.T @ np.diag(D) @ rates
    return np.block([[np.zeros((plan.nq, plan.nq)), moved], [*back]])


EQUATIONS = {name: (lambda joints=joints: rods(joints)) for name, joints in JOINTS.items()}
EQUATIONS |= {"wheel": wheeled, "tied": tied_tree, "bending": lambda: bending(8)}


@pytest.mark.parametrize("speeds", ["customary", "efficient"])
@pytest.mark.parametrize("make", EQUATIONS.values(), ids=list(EQUATIONS))
def test_the_elimination_solves_its_equation(make, speeds):
    """For real and complex g, on trees with all sorts of joints and constraints, against the matrix written out."""
    system, rng = make(), np.random.default_rng(3)
    dynamics = system.dynamics(speeds=speeds)
    plan = dynamics.plan
    y = np.concatenate([system.state().q, rng.normal(size=plan.nu), [0, 0]])
    for joint in plan.index.joints.values():
        if joint.quaternion is None:
            y[joint.q0 : joint.q0 + joint.coordinates] = rng.normal(size=joint.coordinates) / 2
    n, r = plan.nq + plan.nu, rng.normal(size=(3, len(y)))
    g, mu = 0.03, 0.02 - 0.05j
    real, pair, taut = solved(dynamics, y, g, mu, r)
    A = jacobian(system, dynamics, y, taut)
    pulled = max(np.abs(block).max() for block in taut) > 1e-3
    assert pulled == (not plan.index.constraints)  # in whose loops more is pushed
    expected = np.linalg.solve(np.eye(n) - g * A, r[0, :n]), np.linalg.solve(np.eye(n) - mu * A, (r[1] + 1j * r[2])[:n])
    for found, exact in zip((real, pair), expected, strict=True):
        np.testing.assert_allclose(found[:n], exact, atol=2e-6 * np.abs(exact).max())
    np.testing.assert_array_equal(real[n:], r[0, n:])
    if not plan.index.constraints and not plan.index.modes:  # the same from what an evaluation left
        for found, again in zip((real, pair), solved(dynamics, y, g, mu, r, known=1.0), strict=False):
            np.testing.assert_allclose(again, found, rtol=1e-9, atol=1e-12 * np.abs(found).max())


def hanging(joint) -> kf.System:
    """Five unequal rods that hang, a weight on the last, without any spring."""
    s = kf.System("hanging", gravity=(0, 0, -9.81))
    for k in range(5):
        length, m = 0.3 + 0.1 * k, 0.5 + 0.2 * k + 3 * (k == 4)
        rod = kf.Rigid(m, com=(0, 0, -0.6 * length), inertia=(0.02, 0.03, 0.01), frames={"tip": (0, 0, -length)})
        s.add(f"rod{k}", rod, joint, f"rod{k - 1}" if k else None, "tip" if k else None)
    return s


@pytest.mark.parametrize("joint", [kf.Revolute("y"), kf.Universal(("x", "y"))], ids=["plane", "space"])
def test_tension_is_the_tangent_of_a_chain_that_hangs(joint):
    """Of a hanging chain the matrix holds all of the Jacobian: against differences of the accelerations themselves."""
    dynamics = hanging(joint).dynamics()
    nq, g, d = dynamics.plan.nq, 0.02, 1e-5
    n, y = 2 * nq, np.zeros(2 * nq + 2)
    columns = [solved(dynamics, y, g, g + 0j, np.stack([e, e, 0 * e]))[0][:n] for e in np.eye(n + 2)[:n]]
    A = (np.eye(n) - np.linalg.inv(np.column_stack(columns))) / g
    still = np.zeros(nq)
    exact = [(dynamics.udot(d * e, still) - dynamics.udot(-d * e, still)) / (2 * d) for e in np.eye(nq)]
    np.testing.assert_allclose(A[nq:, :nq], np.column_stack(exact), atol=1e-6 * np.abs(exact).max())
    assert np.linalg.eigvals(A[nq:, :nq]).real.max() < -1.0  # all of them swing


def ends(system, duration, method, monkeypatch, **options):
    """The run with the matrix of the tree, and that with all entries."""
    found = []
    for is_tree in (True, False):
        monkeypatch.setattr(segment, "tree_pays", lambda I, n, is_tree=is_tree: is_tree)
        monkeypatch.setattr(segment, "tree_serves", lambda I, is_tree=is_tree: is_tree)
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


def ring(n: int) -> kf.System:
    """A closed ring of n rods, 2 m around, hung at a joint and held round by stiff springs in all the others."""
    s = kf.System("ring", gravity=(0, 0, -9.81))
    length, m, turn = 2 / n, 2 / n, 2 * np.pi / n
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=(m * length**2 / 12,) * 3, frames={"tip": (length, 0, 0)})
    for k in range(n):
        s.add(f"rod{k}", rod, kf.Revolute("y"), f"rod{k - 1}" if k else None, "tip" if k else None, q=turn if k else 0.3)
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"rod{k}", 1e4, 10.0, rest=turn))
    s.close("pin", f"rod{n - 1}.tip", (0, 0, 0), kf.Revolute("y"))
    return s


def ladder(n: int) -> kf.System:
    """n four-bar linkages that hang on one another, 1 m long together, all but the first held by stiff springs."""
    s, parent = kf.System("ladder", gravity=(0, 0, -9.81)), None
    length, width, m = 1 / n, 0.5 / n, 1 / (3 * n)
    inertia = (m * length**2 / 12,) * 3
    rod = kf.Rigid(m, com=(length / 2, 0, 0), inertia=inertia, frames={"tip": (length, 0, 0)})
    plate = kf.Rigid(m, com=(width / 2, 0, 0), inertia=inertia, frames={"far": (width, 0, 0)})
    for k in range(n):
        q = np.pi / 2 if k else 1.2
        s.add(f"crank{k}", rod, kf.Revolute("y"), parent, q=q)
        s.add(f"plate{k}", plate, kf.Revolute("y"), f"crank{k}", "tip", q=-q)
        s.add(f"rocker{k}", rod, kf.Revolute("y"), parent, (width, 0, 0), q=q)
        s.close(f"pin{k}", f"rocker{k}.tip", f"plate{k}.far", kf.Revolute("y"))
        if k:
            s.apply(f"joint{k}", kf.JointSpring(f"crank{k}", 1e4, 10.0, rest=np.pi / 2))
        parent = f"plate{k}"
    return s


def coupled(n: int) -> kf.System:
    """The chain with a gear between two joints, its end on a rod to the ground, and a ball that rolls with a stiff arm."""
    s = chain(n)
    s.constrain("gear", kf.Coupler({"rod1": 1.0, "rod3": -2.0}))
    s.constrain("rod", kf.Distance(f"rod{n - 1}.tip", (0.6, 0, -0.7), float(np.hypot(0.4, 0.7))))
    s.add("ball", kf.Rigid(1.0, inertia=(4e-3,) * 3), kf.Free(), q=(1, 0.2, 0.1, 1, 0, 0, 0), rates=(0.5, 0, 0, 0, 5.0, 0))
    s.constrain("contact", kf.Rolling("ball", on="N", radii=(0.1, 0.1, 0.1)))
    s.add("arm", kf.Rigid(**ROD), kf.Revolute("y"), "ball")
    s.apply("arm-joint", kf.JointSpring("arm", 1e3, 1.0))
    return s


def bending_loop(n: int) -> kf.System:
    """The two beams and the rod, closed to a four-bar linkage."""
    s = bending(n)
    s.close("pin", "rod.tip", (0.9, 0, 0.3), kf.Spherical())
    return s


def mixed(n: int) -> kf.System:
    return rods(JOINTS["mixed"])


def floating(n: int) -> kf.System:
    return rods(JOINTS["floating"])


@pytest.mark.parametrize("method", ["radau5", "sdirk4"])
@pytest.mark.parametrize(
    "make", [chain, stopped, driven, tied, mixed, floating, bending, ring, ladder, coupled, bending_loop]
)
def test_results_are_those_of_all_entries(make, method, monkeypatch):
    duration = 0.03 if make is bending_loop else 0.3  # whose axial vibration nothing damps
    tree = compare_with_all_entries(make(8), duration, method, monkeypatch)
    if make is not stopped:  # whose bound may or may not be met in the middle of an iteration
        assert uses_tree(tree) == (make is not tied)


@pytest.mark.parametrize("make", [chain, driven, mixed, ring])
def test_results_are_those_of_all_entries_with_efficient_speeds(make, monkeypatch):
    tree = compare_with_all_entries(make(8), 0.3, "radau5", monkeypatch, speeds="efficient")
    assert uses_tree(tree)


def compare_with_all_entries(system, duration, method, monkeypatch, **options):
    """Coordinates and work agree, and it takes hardly more steps."""
    tree, full = ends(system, duration, method, monkeypatch, rtol=1e-8, atol=1e-9, **options)
    scale = 1 + np.abs(full.q).max()
    assert np.abs(tree.q - full.q).max() < 2e-6 * scale
    work, expected = (run.trajectory.y[:, run.plan.layout.works] for run in (tree, full))
    assert np.abs(work - expected).max() < 1e-5 * (1 + np.abs(expected).max())
    assert not uses_tree(full)
    assert tree.statistics["steps"] < 1.4 * full.statistics["steps"] + 20
    return tree


@pytest.mark.parametrize(
    ("make", "sizes", "speeds"),
    [
        (chain, (25, 100), "customary"),
        (chain, (25, 100), "efficient"),
        (ring, (48, 120), "customary"),
        (ladder, (15, 40), "customary"),
    ],
)
def test_evaluations_do_not_grow_with_the_system(make, sizes, speeds):
    """A matrix with all entries takes an evaluation for each of 2 n columns. Here a step takes as many as ever."""
    counts = []
    for n in sizes:
        run = make(n).simulate(0.5, method="radau5", rtol=1e-6, atol=1e-6, output=0.5, speeds=speeds)
        s = run.statistics
        counts.append(s["evaluations"] / (s["steps"] + s["rejected"]))
        assert uses_tree(run) and s["jacobians"] > 10 and s["corrections"] > s["steps"]
    assert counts[1] < 1.3 * counts[0] and counts[1] < 20


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
