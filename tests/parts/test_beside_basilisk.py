"""Wheels, slosh and panels beside Basilisk, one by one, and all together in a manoeuvre.

A part stands on a free hub, which is struck: it begins with an angular velocity, and a force and a torque in its axes act on
it. Basilisk integrates by RKF78, kaneflex by dop853, both to rounding, so that differences would be differences of the
equations.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import kaneflex as kf

pytest.importorskip("Basilisk", reason="Basilisk is not installed (pip install 'kaneflex[oracles]')")
from Basilisk.architecture import messaging
from Basilisk.simulation import extForceTorque, linearSpringMassDamper, reactionWheelStateEffector, spacecraft, svIntegrators
from Basilisk.simulation import hingedRigidBodyStateEffector as hinged
from Basilisk.simulation import nHingedRigidBodyStateEffector as n_hinged
from Basilisk.simulation import sphericalPendulum as spherical
from Basilisk.simulation import spinningBodyNDOFStateEffector as spinning
from Basilisk.utilities import SimulationBaseClass, macros

from benchmarks.peers import manoeuvre
from benchmarks.peers.manoeuvre_basilisk import CHAINS, BasiliskManoeuvre, column, matrix

HUB = {"mass": 120.0, "com": (0.05, -0.03, 0.1), "inertia": (60.0, 75.0, 50.0)}
SPIN, PUSH, TURN = (0.08, -0.05, 0.11), (3.0, -2.0, 40.0), (0.6, 1.5, -0.9)
UNTIL, STEP = 8.0, 0.02
TIGHT = {"method": "dop853", "rtol": 1e-12, "atol": 1e-12, "output": UNTIL}


class Hub:
    """A hub of Basilisk with effectors on it."""

    def __init__(self, effectors: list[Any], spin: Any = SPIN, push: Any = PUSH, turn: Any = TURN) -> None:
        self.sim, self.body, self.kept = SimulationBaseClass.SimBaseClass(), spacecraft.Spacecraft(), list(effectors)
        self.sim.CreateNewProcess("process").addTask(self.sim.CreateNewTask("task", macros.sec2nano(STEP)))
        self.body.ModelTag = "hub"
        hub = self.body.hub
        hub.mHub, hub.r_BcB_B, hub.IHubPntBc_B = HUB["mass"], column(HUB["com"]), matrix(HUB["inertia"])
        for name in ("r_CN_NInit", "v_CN_NInit", "sigma_BNInit"):
            setattr(hub, name, column(np.zeros(3)))
        hub.omega_BN_BInit = column(spin)
        rule = svIntegrators.svIntegratorRKF78(self.body)
        rule.relTol = rule.absTol = 1e-12
        self.body.setIntegrator(rule)
        self.sim.AddModelToTask("task", self.body)
        load = extForceTorque.ExtForceTorque()
        load.extForce_B, load.extTorquePntB_B = column(push), column(turn)
        self.body.addDynamicEffector(load)
        self.kept.append(load)
        for effector in effectors:
            self.body.addStateEffector(effector)

    def add(self, model: Any) -> None:
        """A module that runs beside."""
        model.ModelTag = f"module{len(self.kept)}"
        self.sim.AddModelToTask("task", model, -1)
        self.kept.append(model)

    def state(self, name: str) -> np.ndarray:
        """A state of now."""
        return np.array(self.body.dynManager.getStateObject(name).getState()).ravel()

    def run(self) -> None:
        """To the end; the names of states are known from then on."""
        self.sim.InitializeSimulation()
        self.start = self.state("hubPosition"), self.state("hubVelocity")
        self.sim.ConfigureStopTime(macros.sec2nano(UNTIL))
        self.sim.ExecuteSimulation()

    @property
    def attitude(self) -> np.ndarray:
        """Quaternion of the hub, scalar first."""
        s = self.state("hubSigma")
        return np.array([1 - s @ s, *(2 * s)]) / (1 + s @ s)


def system(spin: Any = SPIN, push: Any = PUSH, turn: Any = TURN) -> kf.System:
    """The same hub in kaneflex."""
    s = kf.System("hub")
    s.add("hub", kf.Rigid(**HUB), kf.Free(), q=(0, 0, 0, 1, 0, 0, 0), rates=(0, 0, 0, *spin))
    s.apply("push", kf.Force("hub", push))
    s.apply("turn", kf.Torque("hub", turn))
    return s


def compare(hub: Hub, run: Any, states: dict[str, str], tolerance: float) -> None:
    """Attitude, angular velocity, and states by their names in Basilisk and channels."""
    found = {"attitude": hub.attitude - run["hub.q"][-1, 3:], "omega": hub.state("hubOmega") - run["hub.omega"][-1]}
    found |= {name: hub.state(theirs) - np.ravel(run[name][-1]) for theirs, name in states.items()}
    worst = {name: float(np.abs(x).max()) for name, x in found.items()}
    assert max(worst.values()) < tolerance, worst


# -- wheels ------------------------------------------------------------------------------------------------------------

AXIS, PLACE = np.array([0.6, 0.0, 0.8]), (0.2, -0.1, 0.3)


def by_basilisk(command: float = 0.0, **more: Any) -> Hub:
    """A hub with one wheel about AXIS."""
    wheels, one = reactionWheelStateEffector.ReactionWheelStateEffector(), reactionWheelStateEffector.RWConfigPayload()
    one.gsHat_B, one.rWB_B, one.Js, one.u_max, one.Omega_max = column(AXIS), column(PLACE), 0.1, -1.0, -1.0
    across = np.cross(AXIS, np.eye(3)[1])
    one.w2Hat0_B, one.w3Hat0_B = column(across), column(np.cross(AXIS, across))
    one.RWModel = messaging.BalancedWheels
    for name, value in more.items():
        setattr(one, name, value)
    wheels.addReactionWheel(one)
    hub = Hub([wheels])
    told = messaging.ArrayMotorTorqueMsgPayload(motorTorque=[command])
    message = messaging.ArrayMotorTorqueMsg().write(told)
    wheels.rwMotorCmdInMsg.subscribeTo(message)
    hub.add(wheels)
    hub.kept += [one, message]
    return hub


@pytest.mark.parametrize(
    ("ours", "theirs", "command"),
    [
        ({"rate": 50.0}, {"Omega": 50.0}, 0.7),
        ({"rate": 50.0, "viscous": 0.01}, {"Omega": 50.0, "cViscous": 0.01}, 0.7),
        ({"torque_limit": 0.3}, {"u_max": 0.3}, -0.7),
    ],
    ids=["torque", "friction", "limit"],
)
def test_a_balanced_wheel(ours, theirs, command):
    hub = by_basilisk(command, **theirs)
    hub.run()
    s = system()
    s.add_part("wheel", kf.parts.ReactionWheel(tuple(AXIS), 0.1, **ours), on="hub")
    run = s.simulate(UNTIL, inputs={"wheel": command}, **TIGHT)
    compare(hub, run, {"reactionWheelOmegas": "wheel.rate"}, 1e-12)


@pytest.mark.parametrize(("static", "dynamic"), [(0.02, 0.0), (0.0, 0.003)], ids=["static", "dynamic"])
def test_a_wheel_with_an_imbalance(static, dynamic):
    across = np.cross(AXIS, np.eye(3)[1])
    mass = {"mass": 5.0, "Jt": 0.06, "Jg": 0.06, "d": static / 5.0, "J13": dynamic, "U_s": static, "U_d": dynamic}
    hub = by_basilisk(0.2, Omega=20.0, RWModel=messaging.JitterFullyCoupled, **mass)
    if dynamic:  # a product of inertia with the direction across of kaneflex, whose sign is the other one
        hub.kept[-2].w3Hat0_B, hub.kept[-2].w2Hat0_B = column(-across), column(np.cross(-across, AXIS))
    hub.run()
    s = system()
    wheel = kf.parts.ReactionWheel(
        tuple(AXIS), 0.1, rate=20.0, mass=5.0, transverse=0.06, static_imbalance=static, dynamic_imbalance=dynamic
    )
    s.add_part("wheel", wheel, on="hub", at=PLACE)
    run = s.simulate(UNTIL, inputs={"wheel": 0.2}, **TIGHT)
    compare(hub, run, {"reactionWheelOmegas": "wheel.rate", "reactionWheelThetas": "wheel.angle"}, 2e-11)


# -- slosh -------------------------------------------------------------------------------------------------------------


def test_a_tank_with_a_pendulum():
    """The pendulum of a SloshTank hangs along -z and turns about x, then y."""
    tank = kf.parts.SloshTank("cylinder", 0.3, 0.8, 0.6, density=300.0)
    found, bottom = tank.slosh(), np.array([0.1, 0.2, -0.4])
    pendulum = spherical.SphericalPendulum()
    pendulum.massInit, pendulum.pendulumRadius = found.mass, found.length
    pendulum.d = column(np.add(bottom, (0, 0, found.height + found.length)))
    pendulum.pHat_01, pendulum.pHat_02, pendulum.pHat_03 = column((0, 0, -1)), column((0, 1, 0)), column((1, 0, 0))
    hub = Hub([pendulum])
    total = HUB["mass"] + found.rest  # the rest of the liquid, a point of the hub in Basilisk
    at, com = np.add(bottom, (0, 0, found.rest_height)), np.array(HUB["com"])
    middle = (HUB["mass"] * com + found.rest * at) / total
    apart = HUB["mass"] * found.rest / total * ((at - com) @ (at - com) * np.eye(3) - np.outer(at - com, at - com))
    hub.body.hub.mHub, hub.body.hub.r_BcB_B = total, column(middle)
    hub.body.hub.IHubPntBc_B = matrix(np.diag(HUB["inertia"]) + apart)
    hub.run()
    s = system()
    s.add_part("tank", tank, on="hub", at=tuple(bottom))
    run = s.simulate(UNTIL, **TIGHT)
    assert np.abs(run["tank_slosh.q"][-1]).max() > 0.05
    found_angles = np.array([hub.state(pendulum.nameOfPhiState)[0], hub.state(pendulum.nameOfThetaState)[0]])
    assert np.abs(found_angles - run["tank_slosh.q"][-1]).max() < 5e-11
    compare(hub, run, {}, 5e-13)


def test_a_mass_on_a_spring():
    """Basilisk's particle slides along a line: so does a body on a prismatic joint."""
    particle = linearSpringMassDamper.LinearSpringMassDamper()
    particle.massInit, particle.k, particle.c = 8.0, 30.0, 2.0
    particle.r_PB_B, particle.pHat_B, particle.rhoInit, particle.rhoDotInit = column(PLACE), column(AXIS), 0.05, -0.02
    hub = Hub([particle])
    hub.run()
    s = system()
    s.add("slosh", kf.PointMass(8.0), kf.Prismatic(tuple(AXIS)), "hub", PLACE, q=0.05, rates=-0.02)
    s.apply("spring", kf.JointSpring("slosh", 30.0, 2.0))
    compare(hub, s.simulate(UNTIL, **TIGHT), {particle.nameOfRhoState: "slosh.q"}, 5e-11)


# -- panels ------------------------------------------------------------------------------------------------------------

HINGE, SIDE = (0.1, 0.7, 0.2), np.array(manoeuvre.SIDES["left"], float)
PLATES = ((6.0, 0.5, (0.6, 0.4, 0.9)), (4.0, 0.35, (0.5, 0.2, 0.6)), (3.0, 0.4, (0.2, 0.3, 0.4)))


def plates(s: kf.System, data: Any, axes: Any, start: float = 0.1) -> list[str]:
    """A chain of plates along -x of the hinge frame; names of their angles."""
    parent, place = "hub", kf.Frame(HINGE, SIDE.T)
    for k, ((mass, half, inertia), axis) in enumerate(zip(data, axes, strict=True)):
        body = kf.Rigid(mass, com=(-half, 0, 0), inertia=inertia, frames={"end": (-2 * half, 0, 0)})
        parent = s.add(f"plate{k}", body, kf.Revolute(axis), parent, place, q=start, rates=0.0)
        s.apply(f"spring{k}", kf.JointSpring(f"plate{k}", 60.0, 0.8))
        place = "end"
    return [f"plate{k}.angle" for k in range(len(data))]


def angles(run: Any, names: list[str]) -> np.ndarray:
    """At the end."""
    return np.array([run[name][-1] for name in names])


def test_a_hinged_panel():
    panel = hinged.HingedRigidBodyStateEffector()
    panel.mass, panel.d, inertia = PLATES[0]
    panel.k, panel.c, panel.thetaInit, panel.IPntS_S = 60.0, 0.8, 0.1, matrix(inertia)
    panel.r_HB_B, panel.dcm_HB = column(HINGE), matrix(SIDE)
    hub = Hub([panel])
    hub.run()
    s = system()
    (name,) = plates(s, PLATES[:1], "y")
    compare(hub, s.simulate(UNTIL, **TIGHT), {panel.nameOfThetaState: name}, 5e-11)


def test_a_chain_of_equal_plates():
    panel = n_hinged.NHingedRigidBodyStateEffector()
    panel.r_HB_B, panel.dcm_HB = column(HINGE), matrix(SIDE)
    for _ in range(3):
        one = n_hinged.HingedPanel()
        one.mass, one.d, inertia = PLATES[0]
        one.k, one.c, one.thetaInit, one.IPntS_S = 60.0, 0.8, 0.1, matrix(inertia)
        panel.addHingedPanel(one)
    hub = Hub([panel])
    hub.run()
    s = system()
    names = plates(s, [PLATES[0]] * 3, "yyy")
    run = s.simulate(UNTIL, **TIGHT)
    assert np.abs(hub.state(panel.nameOfThetaState) - angles(run, names)).max() < 1e-11
    compare(hub, run, {}, 1e-11)


def test_a_chain_about_any_axes():
    chain, axes = spinning.SpinningBodyNDOFStateEffector(), ((0.0, 1.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.6, 0.8))
    before = 0.0
    for k, ((mass, half, inertia), axis) in enumerate(zip(PLATES, axes, strict=True)):
        one = spinning.SpinningBody()
        one.setMass(mass), one.setISPntSc_S(matrix(inertia)), one.setK(60.0), one.setC(0.8), one.setThetaInit(0.1)
        one.setDCM_S0P(matrix(np.eye(3) if k else SIDE))
        one.setR_SP_P(column((-before, 0, 0) if k else HINGE))
        one.setR_ScS_S(column((-half, 0, 0))), one.setSHat_S(column(axis))
        chain.addSpinningBody(one)
        before = 2 * half
    hub = Hub([chain])
    hub.run()
    s = system()
    names = plates(s, PLATES, axes)
    run = s.simulate(UNTIL, **TIGHT)
    assert np.abs(hub.state(chain.getNameOfThetaState()) - angles(run, names)).max() < 1e-11
    compare(hub, run, {}, 1e-11)


# -- all together ------------------------------------------------------------------------------------------------------


def test_modes_of_a_panel():
    """Six modes of a cantilever: frequencies, masses and distances that are printed, and little is left for others."""
    rows = np.array(list(manoeuvre.modes(manoeuvre.Spacecraft())))
    assert rows[:, 0] / 1.5 * 3.51602 == pytest.approx([3.51602, 22.0345, 61.6972, 120.902, 199.860, 298.556], rel=1e-5)
    assert rows[:3, 1] / 30.0 == pytest.approx([0.6131, 0.1883, 0.0647], abs=6e-5)
    assert rows[0, 2] / 6.0 == pytest.approx(0.7265, abs=6e-5)
    assert rows[:, 1] @ rows[:, 2] ** 2 == pytest.approx(30.0 * 6.0**2 / 3, rel=1e-3)  # moment of inertia of all modes


@pytest.mark.parametrize(("panels", "chain"), [("modes", CHAINS[0]), *(("plates", chain) for chain in CHAINS)])
def test_a_manoeuvre(panels, chain):
    """Bus, four wheels, two panels, two pendulums and sampled control; the same with stiffer panels is noticed."""
    craft = replace(manoeuvre.Spacecraft(), duration=3.0, panels=panels)
    theirs = BasiliskManoeuvre(craft, "RKF78", 0.02, 1e-12, chain).run()
    ours = manoeuvre.KaneflexManoeuvre(craft).run("dop853", 1e-12)
    assert ours.error(theirs) < 1e-11 and np.abs(ours.omega - theirs.omega).max() < 2e-13
    assert np.abs(ours.wheels - theirs.wheels).max() < 1e-10 and np.abs(ours.position - theirs.position).max() < 1e-13
    other = replace(craft, hinge_stiffness=1.001 * craft.hinge_stiffness, frequency=1.001 * craft.frequency)
    assert manoeuvre.KaneflexManoeuvre(other).run("dop853", 1e-12).error(theirs) > 1e-5
