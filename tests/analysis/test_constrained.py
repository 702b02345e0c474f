"""Equilibria, linear models and modes of systems that constraints and prescribed motions hold."""

import math
from typing import Any

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.gallery import bricard, chaplygin_sleigh, four_bar, rattleback, rolling_disk, slider_crank, spacecraft_linkage

G = 9.81
WAYS = [(f, s) for f in ("recursive", "dense", "embedded") for s in ("customary", "efficient")]


def bar(mass: float, length: float) -> kf.Rigid:
    J = mass * length**2 / 12
    return kf.Rigid(mass, com=(length / 2, 0, 0), inertia=(0, J, J), frames={"tip": (length, 0, 0)})


def windows(count: int, angle: float, length: float = 1.0) -> kf.System:
    """Four-bars side by side: count + 1 equal bars on pins, count bars between their tips."""
    s = kf.System("windows", gravity=(0, -G, 0))
    s.add("v0", bar(1.0, length), kf.Revolute("z"), q=angle)
    for k in range(1, count + 1):
        s.add(f"h{k}", bar(1.0, length), kf.Revolute("z"), parent=f"v{k - 1}", at="tip", q=-angle)
        s.add(f"v{k}", bar(1.0, length), kf.Revolute("z"), at=(k * length, 0, 0), q=angle)
        s.close(f"pin{k}", f"h{k}.tip", f"v{k}.tip", kf.Revolute("z"))
    return s


# -- equal to the derivative of the motion on the constraints --------------------------------------------------------


def driven_linkage():
    """A four-bar on a hub, one angle of which is driven: prescribed motion, redundant loop, everything moving."""
    p = four_bar.DEFAULTS
    q = four_bar.angles(0.6, p)
    crank, coupler, rocker = (bar(p[f"{name}_mass"], p[name]) for name in four_bar.BARS)
    s = kf.System("driven-linkage", gravity=(1, -G, 2))
    hub = kf.Universal(("z", "x"), motion={"angle1": kf.profiles.cosine(0.9, 1.3)})
    s.add("hub", kf.Rigid(2.0, inertia=(1, 2, 3)), hub, q=(0, 0.3), rates=(0, 0.7))
    s.add("crank", crank, kf.Revolute("z"), parent="hub", q=q[0], rates=1.3)
    s.add("coupler", coupler, kf.Revolute("z"), parent="crank", at="tip", q=q[1] - q[0])
    s.add("rocker", rocker, kf.Revolute("z"), parent="hub", at=(p["ground"], 0, 0), q=q[2])
    s.close("pin", "coupler.tip", "rocker.tip", kf.Spherical())
    s.add_input("motor", kf.JointForce("crank"))
    return s, s.assemble(t=0.4).state


def written():
    """Equations of the user's own that depend on time, of a body in space."""
    s = kf.System("written", gravity=(0, 0, -G))
    q = (0.3, 0.2, 1, *np.array([8, 1, 2, 3]) / math.sqrt(78))
    s.add("b", kf.Rigid(1.0, inertia=(1, 2, 2.5)), kf.Free(), q=q, rates=(1, 2, 3, 0.3, 0.2, 0.1))
    s.constrain(
        "bowl", kf.Constraint(lambda t, x: x[0] * x[0] + x[1] * x[1] - x[2] * (1 + 0.2 * kf.sin(t)), ("b.position",))
    )
    s.constrain("wind", kf.VelocityConstraint(lambda t, x, v: v[0] * kf.cos(x[1]) + v[1] * x[2] - 0.3 * t, ("b.position",)))
    near = s.state(t=0.7)
    near.given = None  # to be moved, as these rates do not fit
    return s, s.assemble(near).state


def on_moving_base():
    turn = {"angular_acceleration": (0, 0, 0.1), "angular_velocity": (0.1, 0.2, 0.3)}
    s = kf.System("on-base", gravity=(0, 0, -G), base=kf.MovingBase(acceleration=(1, 0, 0), **turn))
    s.add("a", bar(1.0, 1.0), kf.Universal(("y", "z")), q=(0.2, 0.3))
    s.constrain("floor", kf.PointOnPlane("a.tip", kf.Frame((0, 0, -0.1))))
    return s, s.assemble().state


def from_gallery(module):
    s = module.build(module.DEFAULTS)
    return s, s.assemble(s.simulate(0.31).final).state


SYSTEMS = {
    "four-bar": lambda: from_gallery(four_bar),
    "bricard": lambda: from_gallery(bricard),
    "spacecraft-linkage": lambda: from_gallery(spacecraft_linkage),
    "rolling-disk": lambda: from_gallery(rolling_disk),
    "rattleback": lambda: from_gallery(rattleback),
    "sleigh": lambda: from_gallery(chaplygin_sleigh),
    "driven-linkage": driven_linkage,
    "written": written,
    "on-base": on_moving_base,
}


class Reduced:
    """z-dot as a function of the independent states z by Newton's method on the constraints: no tangents, no pivots."""

    def __init__(self, system, state, linear, formulation, speeds):
        self.d = system.dynamics(formulation, speeds)
        self.plan, self.t = self.d.plan, state.t
        self.x0 = np.concatenate([state.q, self.d.speeds_from_rates(state.q, state.rates)])
        index, nq = self.plan.index, self.plan.nq
        places = {name: k for k, name in enumerate(self.plan.state_names)}
        self.quaternions = [j.quaternion for j in index.joints.values() if j.quaternion is not None]
        rows = []
        for name in linear.states:
            row = np.zeros(len(self.x0))
            body, _, last = name.rpartition(".")
            if last.startswith("rotation_"):  # 2 (conjugate of e) de: components of the small rotation in body axes
                k = index.joints[body].quaternion
                e0, e1, e2, e3 = self.x0[k : k + 4]
                row[k : k + 4] = {"x": (-e1, e0, e3, -e2), "y": (-e2, -e3, e0, e1), "z": (-e3, e2, -e1, e0)}[last[-1]]
                row *= 2
            else:
                row[places[name]] = 1
            rows.append(row)
        self.pick = np.array(rows)
        driven = [name for name, part in system.parts.items() if part.joint.motion is not None]
        self.fixed = [k for name in driven for k in (index.joints[name].q0, nq + index.joints[name].u0)]
        h = 1e-6
        n = len(self.x0)
        J = np.array([(self.defects(self.x0 + h * e, 0) - self.defects(self.x0 - h * e, 0)) / (2 * h) for e in np.eye(n)])
        assert np.linalg.matrix_rank(J, tol=1e-5) == n  # the states that were chosen determine all others
        self.inverse = np.linalg.pinv(J.T, rcond=1e-7)

    def defects(self, x, z):
        values, speeds = self.d.equations(self.t, x[: self.plan.nq], x[self.plan.nq :])
        lengths = [x[k : k + 4] @ x[k : k + 4] - 1 for k in self.quaternions]
        return np.concatenate([values, speeds, lengths, self.pick @ (x - self.x0) - z, (x - self.x0)[self.fixed]])

    def rate(self, z):
        x = self.x0.copy()
        for _ in range(12):
            x = x - self.inverse @ self.defects(x, z)
        assert np.abs(self.defects(x, z)).max() < 1e-11 * (1 + np.abs(x).max())
        return self.pick @ self.d.derivative(self.t, np.append(x, [0, 0]))[: len(x)]

    def slope(self, h=1e-4):
        units = np.eye(len(self.pick))
        columns = [8 * (self.rate(h * e) - self.rate(-h * e)) - self.rate(2 * h * e) + self.rate(-2 * h * e) for e in units]
        return np.array(columns).T / (12 * h)


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
@pytest.mark.parametrize("name", SYSTEMS)
def test_linear_model_is_the_derivative_of_the_motion_on_the_constraints(name):
    system, state = SYSTEMS[name]()
    for formulation, speeds in WAYS:
        linear = system.linearize(state, formulation=formulation, speeds=speeds)
        reduced = Reduced(system, state, linear, formulation, speeds)
        A = reduced.slope()
        assert pytest.approx(A, abs=2e-8 * max(1.0, np.abs(A).max())) == linear.A
        assert linear.f0 == pytest.approx(reduced.rate(0), abs=1e-9 * max(1.0, np.abs(linear.f0).max()))
        assert linear.C.shape == (len(reduced.x0), len(A))


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_counts_of_states():
    counts = {}
    for name in SYSTEMS:
        system, state = SYSTEMS[name]()
        states, rates = system.linearize(state).states, system.dynamics().plan.index.rates
        counts[name] = sum(s not in rates for s in states), sum(s in rates for s in states)
    assert counts["four-bar"] == counts["bricard"] == (1, 1)
    assert counts["rolling-disk"] == counts["rattleback"] == (5, 3)  # one equation of coordinates, two more of speeds
    assert counts["sleigh"] == (3, 2) and counts["written"] == (5, 4)
    assert counts["spacecraft-linkage"] == (8, 8) and counts["driven-linkage"] == (2, 2)
    assert counts["on-base"] == (7, 7)


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_inputs_and_outputs_of_a_driven_linkage():
    system, state = driven_linkage()
    found = []
    outputs = ["rocker.angle", "coupler.tip.acceleration", "pin.multipliers", "hub.load"]
    for formulation, speeds in WAYS:
        linear = system.linearize(state, outputs=outputs, formulation=formulation, speeds=speeds, inputs={"motor": 2.0})
        d = system.dynamics(formulation, speeds)
        x0 = np.concatenate([state.q, d.speeds_from_rates(state.q, state.rates)])
        d.set_inputs(np.array([3.0]))
        more = d.derivative(state.t, np.append(x0, [0, 0]))
        d.set_inputs(np.array([2.0]))
        less = d.derivative(state.t, np.append(x0, [0, 0]))
        names = [
            *d.plan.index.coordinates,
            *(f"{n}.{'rate' if speeds == 'customary' else 'u'}" for n in d.plan.index.speeds),
        ]
        rows = [names.index(s) for s in linear.states]
        assert linear.B[:, 0] == pytest.approx((more - less)[rows], abs=1e-10)
        whole = system.linearize(state, formulation=formulation, speeds=speeds, inputs={"motor": 2.0})
        assert linear.C[0] == pytest.approx(whole.C[whole.outputs.index("rocker.angle")])
        if speeds == "customary":
            found.append(linear)
    for other in found[1:]:
        assert other.states == found[0].states
        assert pytest.approx(found[0].C, rel=1e-8, abs=1e-8) == other.C
        assert pytest.approx(found[0].D, rel=1e-8, abs=1e-8) == other.D
    assert linear.outputs[4] == "pin.multipliers[0]" and linear.D[4:6].any()


# -- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation, speeds", WAYS)
def test_four_bar_hangs_and_swings(formulation, speeds):
    p = four_bar.DEFAULTS
    s = four_bar.build(p)
    q = four_bar.angles(-1.6, p)
    state = s.equilibrium(s.state({"crank.q": -1.6, "coupler.q": q[1] + 1.6, "rocker.q": q[2]}))
    assert state.q == pytest.approx([-1.731622214, 2.818447990, 2.332676212], abs=1e-8)  # least V of (2) of the gallery
    (mode,) = s.modes(state, formulation=formulation, speeds=speeds)
    h = 1e-3
    M, _, V = four_bar.reduced(state.q[0] + h * np.arange(-2, 3), p)
    stiffness = (V @ [-1, 16, -30, 16, -1]) / (12 * h**2)
    assert mode.frequency == pytest.approx(math.sqrt(stiffness / M[2]), rel=1e-8)
    assert mode.frequency == pytest.approx(4.577619, rel=1e-6) and mode.damping == pytest.approx(0, abs=1e-12)


def test_equilibrium_is_found_from_a_guess_that_is_not_assembled():
    s = four_bar.build(four_bar.DEFAULTS)
    state = s.equilibrium(s.state({"crank.q": -1.2, "coupler.q": 2.4, "rocker.q": 2.1}))
    assert state.q == pytest.approx([-1.731622214, 2.818447990, 2.332676212], abs=1e-8)
    values, rates = s.dynamics().equations(0.0, state.q, state.rates)
    assert np.abs(values).max() < 1e-12 and not rates.any()
    assert np.abs(s.simulate(1.0, initial=state)["crank.rate"]).max() < 1e-8


def test_loop_with_input_and_spring_sags():
    s = windows(1, 0.4)
    s.apply("spring", kf.JointSpring("v0", stiffness=40.0))
    s.add_input("motor", kf.JointForce("v1"))
    angle = s.equilibrium(inputs={"motor": 3.0})["v0.angle"]
    assert 40 * angle + 2 * G * math.cos(angle) == pytest.approx(3.0, abs=1e-9)  # 2 (1/2) + 1 bars' weight times length


@pytest.mark.parametrize("count", [1, 2, 5])
def test_windows_in_a_row(count):
    s = windows(count, -1.2, length=0.8)
    state = s.equilibrium()
    assert state["v0.q"] == pytest.approx(-math.pi / 2, abs=1e-9)
    (mode,) = s.modes(state)
    weight, inertia = (count + 1) / 2 + count, (count + 1) / 3 + count
    assert mode.frequency**2 == pytest.approx(weight / inertia * G / 0.8, rel=1e-10)


def bob_on(joint: Any, closed: bool, q=None) -> kf.System:
    """A damped pendulum about y, hung on its own joint, or on another one and closed by a revolute."""
    s = kf.System("pendulum", gravity=(0, 0, -G))
    bob = kf.Rigid(2.0, com=(0, 0, -0.7), inertia=(0.3, 0.4, 0.2), frames={"foot": (0, 0, -1.1)})
    s.add("bob", bob, joint, q=q)
    if closed:
        s.close("pin", "N", "bob", kf.Revolute("y"))
    s.apply("dashpot", kf.SpringDamper("bob.foot", (0.6, 0.0, -1.0), stiffness=3.0, damping=0.8, length=0.4))
    return s


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
@pytest.mark.parametrize(
    "joint, q",
    [
        (kf.Free(), (0, 0, 0, math.cos(0.1), 0, math.sin(0.1), 0)),
        (kf.Planar("y"), (0, 0, 0.2)),
        (kf.Spherical(), (math.cos(0.1), 0, math.sin(0.1), 0)),
    ],
)
def test_pendulum_by_closure_is_the_pendulum_by_joint(joint, q):
    plain, closed = bob_on(kf.Revolute("y"), False), bob_on(joint, True, q)
    hanging, other = plain.equilibrium(), closed.equilibrium()
    expected = plain.linearize(hanging).eigenvalues()
    for formulation, speeds in WAYS:
        found = closed.linearize(other, formulation=formulation, speeds=speeds).eigenvalues()
        assert found == pytest.approx(expected, rel=1e-10)
    swinging = plain.simulate(0.7, initial={"bob.q": 0.5, "bob.rate": 1.0}).final
    state = closed.state()
    turn = swinging["bob.q"]
    if isinstance(joint, kf.Planar):
        state["bob.q"], state["bob.rate"] = (0, 0, turn), (0, 0, swinging["bob.rate"])
    else:
        state["bob.q"] = (*np.zeros(len(state.q) - 4), math.cos(turn / 2), 0, math.sin(turn / 2), 0)
        state["bob.rate"] = (*np.zeros(len(state.rates) - 3), 0, swinging["bob.rate"], 0)
    moving = plain.linearize(swinging).eigenvalues()
    found = closed.linearize(state)
    assert found.states[0] in ("bob.rotation_y", "bob.angle")  # the same coordinate
    assert found.eigenvalues() == pytest.approx(moving, rel=1e-9) and found.f0[1] != 0


def upright_disk(spin: float, radius: float = 0.3, mass: float = 2.0) -> kf.System:
    """A uniform disk that rolls along x, by heading, lean and spin: coordinates in which its steady motion is steady."""
    s = kf.System("disk", gravity=(0, 0, -G))
    s.add("place", kf.Rigid(0.0), kf.Translational(), q=(0, 0, radius), rates=(radius * spin, 0, 0))
    s.add("heading", kf.Rigid(0.0), kf.Revolute("z"), parent="place")
    s.add("lean", kf.Rigid(0.0), kf.Revolute("x"), parent="heading")
    C = mass * radius**2 / 2
    frames = {"wheel": kf.Frame((0, 0, 0), [[1, 0, 0], [0, 0, 1], [0, -1, 0]])}  # z of the frame along the axis y
    s.add("disk", kf.Rigid(mass, inertia=(C / 2, C, C / 2), frames=frames), kf.Revolute("y"), parent="lean", rates=spin)
    s.constrain("contact", kf.Rolling("disk.wheel", on="N", radii=(radius, radius, 0)))
    return s


@pytest.mark.parametrize("times_limit", [0.0, 0.9, 1.1, 3.0])
def test_upright_rolling_is_stable_above_the_limit(times_limit):
    r = 0.3
    limit = math.sqrt(G / (3 * r))
    spin = times_limit * limit
    s = upright_disk(spin, r)
    square = (3 * r * r * spin**2 - G * r) / (1.25 * r * r)  # k^2 of (3) of the gallery's disk: stable when positive
    for formulation, speeds in WAYS:
        linear = s.linearize(formulation=formulation, speeds=speeds)
        assert len(linear.states) == 8
        values = linear.eigenvalues()
        values = values[np.argsort(np.abs(values))]
        assert np.abs(values[:6]).max() < 1e-4  # position, heading, spin: a chain of zeros, which rounding splits
        assert values[6:] ** 2 == pytest.approx([-square] * 2, rel=1e-9)


@pytest.mark.parametrize("speed", [1.5, -1.5])
def test_sleigh_prefers_a_direction(speed):
    m, J, a = 2.0, 0.5, 0.3
    s = kf.System("sleigh")
    body = kf.Rigid(m, inertia=(J, J, J), frames={"blade": (-a, 0, 0)})
    s.add("sleigh", body, kf.Planar("z"), rates=(speed, 0, 0))
    s.constrain("edge", kf.KnifeEdge("sleigh.blade", on="N"))
    values = s.linearize().eigenvalues()
    extreme = values[np.argmax(np.abs(values))]
    assert extreme == pytest.approx(-m * a * speed / (J + m * a * a), rel=1e-12) and len(values) == 5


def hub_and_link(turn: float, gravity=(0, 0, 0), motion=None) -> kf.System:
    m, length, r, k = 0.7, 1.5, 0.4, 30.0
    s = kf.System("hub-and-link", gravity=gravity)
    motion = kf.profiles.constant_rate(turn) if motion is None else motion
    s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=motion))
    s.add("link", kf.Rigid(m, com=(length, 0, 0)), kf.Universal(("y", "z")), parent="hub", at=(r, 0, 0))
    s.apply("spring", kf.JointSpring("link", stiffness=k))
    return s


@pytest.mark.parametrize("motion", [None, lambda t: 4.0 * t])
def test_spinning_link_is_stiffened_by_the_spin(motion):
    W, k, r = 4.0, 30.0 / (0.7 * 1.5**2), 0.4 / 1.5
    s = hub_and_link(W, motion=motion)
    state = s.equilibrium()
    assert state.rates == pytest.approx([W, 0, 0]) and state.q == pytest.approx(0)
    for formulation, speeds in WAYS:
        linear = s.linearize(state, formulation=formulation, speeds=speeds)
        assert len(linear.states) == 4 and linear.states[:2] == ("link.angle1", "link.angle2")
        frequencies = [m.frequency**2 for m in s.modes(state, formulation=formulation, speeds=speeds)]
        assert frequencies == pytest.approx([k + W**2 * r, k + W**2 * (1 + r)], rel=1e-12)  # in, out of the plane


def test_spinning_link_droops():
    W, m, length, r, k = 4.0, 0.7, 1.5, 0.4, 30.0
    state = hub_and_link(W, gravity=(0, 0, -G)).equilibrium()
    a = state["link.angle1"]  # about y: down
    moment = m * G * length * math.cos(a) - k * a - m * W**2 * (r + length * math.cos(a)) * length * math.sin(a)
    assert moment == pytest.approx(0, abs=1e-8) and a > 0.05 and state["link.angle2"] == pytest.approx(0, abs=1e-9)


def test_gear_of_rates_leaves_its_coordinates_free():
    def train(*offsets):
        s = kf.System("train")
        s.add("a", kf.Rigid(1.0), kf.Prismatic("x"))
        s.add("b", kf.Rigid(1.0), kf.Prismatic("x"))
        s.apply("spring", kf.JointSpring("b", stiffness=3.0))
        for k, offset in enumerate(offsets):
            s.constrain(f"gear{k}", kf.Gear("a", "b", 2.0, offset))
        return s.linearize()

    assert train(None).states == ("a.slide", "b.slide", "a.slide.rate")
    for offsets in ((0.0,), (0.0, None), (None, 0.0)):
        linear = train(*offsets)
        assert linear.states == ("a.slide", "a.slide.rate")
        assert linear.eigenvalues().imag == pytest.approx([math.sqrt(2.4), -math.sqrt(2.4)])


def test_function_without_complex_version_falls_back_to_differences():
    s = windows(1, -1.2)
    s.apply("motor", kf.JointForce("v0", lambda t, x: -math.sin(x[0]), sees=["v0.q"]))
    exact = windows(1, -1.2)
    exact.apply("motor", kf.JointForce("v0", lambda t, x: -np.sin(x[0]), sees=["v0.q"]))
    with pytest.warns(UserWarning, match="differences"):
        state = s.equilibrium()
        linear = s.linearize(state)
    assert state.q == pytest.approx(exact.equilibrium().q, abs=1e-8)
    assert pytest.approx(exact.linearize(state).A, abs=1e-6) == linear.A


# -- what there is no answer to --------------------------------------------------------------------------------------


def test_everything_driven_has_no_states():
    s = slider_crank.build(slider_crank.DEFAULTS)
    linear = s.linearize()
    assert linear.states == () and linear.A.shape == (0, 0) and not s.modes() and len(linear.eigenvalues()) == 0
    with pytest.raises(kf.ModelError, match=r"no equilibrium at t = 0 s: motions .* move"):
        s.equilibrium()


@pytest.mark.parametrize("angle", [0.0, math.pi])
@pytest.mark.parametrize("count", [1, 2])
def test_flat_linkage_is_singular(angle, count):
    with pytest.raises(kf.ModelError, match="singular"):
        windows(count, angle).linearize()


def test_straight_toggle_is_singular():
    s = kf.System("toggle", gravity=(0, -G, 0))
    s.add("a", bar(1.0, 1.0), kf.Revolute("z"))
    s.add("b", bar(1.0, 1.0), kf.Revolute("z"), parent="a", at="tip")
    s.close("pin", "b.tip", kf.Frame((2, 0, 0)), kf.Revolute("z"))
    with pytest.raises(kf.ModelError, match="singular"):
        s.linearize()
    with pytest.raises(kf.ModelError):
        s.equilibrium()


def test_a_state_that_does_not_fit_is_refused():
    s = four_bar.build(four_bar.DEFAULTS)
    with pytest.raises(kf.ModelError, match='coordinates given to linearize do not satisfy constraint "pin"'):
        s.linearize(s.state({"crank.q": -1.2, "coupler.q": 2.4, "rocker.q": 2.1}))
    state = s.assemble().state
    state["crank.rate"] = 1.0
    with pytest.raises(kf.ModelError, match='rates given to linearize do not satisfy constraint "pin"'):
        s.linearize(state)
    with pytest.raises(kf.ModelError, match="take it from this system"):
        s.linearize(windows(2, 0.3).state())
    with pytest.raises(kf.ModelError, match="take it from this system"):
        s.equilibrium(windows(2, 0.3).state())


def test_motions_that_allow_no_rest_are_refused():
    with pytest.raises(kf.ModelError, match=r'motion of "hub\.angle" accelerates by 2'):
        hub_and_link(0.0, motion=lambda t: t * t).equilibrium()
    with pytest.raises(kf.ModelError, match="no lasting equilibrium"):
        hub_and_link(4.0, gravity=(0, -G, 0)).equilibrium()
    s = windows(1, 0.5)
    s.constrain("winch", kf.Constraint(lambda t, x: x[0] - 0.5 - t, ("v1.angle",)))
    with pytest.raises(kf.ModelError, match="depend on time move"):
        s.equilibrium()


@pytest.mark.filterwarnings("ignore:.*is not in equilibrium")
def test_closed_contacts_are_refused():
    s = kf.System("drop", gravity=(0, 0, -G))
    s.add("ball", kf.Rigid(1.0), kf.Prismatic("z"), q=0.5)
    s.contact("floor", kf.Contact("ball"))
    assert s.linearize().A[0, 1] == 1
    with pytest.raises(kf.ModelError, match='contact "floor" is closed'):
        s.linearize(s.state({"ball.q": 0.0}))
    with pytest.raises(kf.ModelError, match="contacts hold nothing here"):
        s.equilibrium()
    s.apply("spring", kf.JointSpring("ball", stiffness=5.0))
    with pytest.raises(kf.ModelError, match='contact "floor" is closed'):
        s.equilibrium()
