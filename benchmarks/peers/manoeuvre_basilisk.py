"""The manoeuvre in Basilisk: hub, reaction wheels, chains of hinged plates or masses on springs, spherical pendulums, its
attitude control."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.fswAlgorithms import attTrackingError, inertial3D, mrpFeedback, rwMotorTorque
from Basilisk.simulation import (
    extForceTorque,
    linearSpringMassDamper,
    nHingedRigidBodyStateEffector,
    reactionWheelStateEffector,
    simpleNav,
    spacecraft,
    sphericalPendulum,
    spinningBodyNDOFStateEffector,
    svIntegrators,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeRW

from .manoeuvre import HANGING, SIDES, WHEELS, Ending, Spacecraft, modes

#: Effectors for a chain of plates: of equal ones about parallel hinges, or of any bodies on hinges.
CHAINS = ("NHinged", "SpinningBody")


def column(x: Any) -> list[list[float]]:
    """A vector as Basilisk takes it."""
    return [[float(v)] for v in x]


def matrix(x: Any) -> list[list[float]]:
    """A matrix, or the diagonal of one, as Basilisk takes it."""
    return np.diag(x).tolist() if np.ndim(x) == 1 else np.array(x, float).tolist()


class BasiliskManoeuvre:
    """Basilisk holding a spacecraft, once: a simulation is built for each run.

    Args:
        craft: what it is made of.
        way: the integrator, "RK4", "RKF45" or "RKF78".
        step: of the task in which the dynamics are, s; RKF45 and RKF78 try it first, and divide it where it is too long.
        tolerance: of RKF45 and RKF78, relative and absolute.
        chain: effector of the panels, one of `CHAINS`.
    """

    def __init__(
        self, craft: Spacecraft, way: str = "RK4", step: float = 0.01, tolerance: float = 1e-6, chain: str = "NHinged"
    ) -> None:
        """Build the simulation."""
        self.craft, self.chain = craft, chain
        self.sim = SimulationBaseClass.SimBaseClass()
        process = self.sim.CreateNewProcess("process")
        process.addTask(self.sim.CreateNewTask("dynamics", macros.sec2nano(step)), 10)
        process.addTask(self.sim.CreateNewTask("control", macros.sec2nano(craft.period)), 1)
        self.body = spacecraft.Spacecraft()
        self.body.ModelTag = "craft"
        hub = self.body.hub
        hub.mHub, hub.r_BcB_B, hub.IHubPntBc_B = craft.mass, column(craft.com), matrix(craft.inertia)
        for name in ("r_CN_NInit", "v_CN_NInit", "sigma_BNInit", "omega_BN_BInit"):
            setattr(hub, name, column(np.zeros(3)))
        self._integrator(way, tolerance)
        self.sim.AddModelToTask("dynamics", self.body)
        self.kept: list[Any] = []
        self._engine()
        one = self._modes if craft.panels == "modes" else self._panel
        self.panels = [panel for axes in SIDES.values() for panel in one(axes)]
        self.pendulums = [self._pendulum(k) for k in range(len(craft.slosh_mass))]
        self._control()

    def _integrator(self, way: str, tolerance: float) -> None:
        if way == "RK4":
            return
        found = getattr(svIntegrators, f"svIntegrator{way}")(self.body)
        found.relTol = found.absTol = tolerance
        self.body.setIntegrator(found)

    def _engine(self) -> None:
        engine = extForceTorque.ExtForceTorque()
        engine.extForce_B = column((0.0, 0.0, self.craft.thrust))
        self.body.addDynamicEffector(engine)
        self.kept.append(engine)

    def _modes(self, axes: Any) -> list[Any]:
        c, found = self.craft, []
        for w, mass, out in modes(c):
            one = linearSpringMassDamper.LinearSpringMassDamper()
            one.massInit, one.k, one.c, one.rhoInit, one.rhoDotInit = mass, mass * w**2, 2 * c.ratio * mass * w, 0.0, 0.0
            one.r_PB_B, one.pHat_B = column((c.hinge + out) * -np.array(axes[0], float)), column((0, 0, 1))
            self.body.addStateEffector(one)
            found.append(one)
        return found

    def _panel(self, axes: Any) -> list[Any]:
        c = self.craft
        hinge = column(-c.hinge * np.array(axes[0], float))
        if self.chain == "NHinged":
            panel = nHingedRigidBodyStateEffector.NHingedRigidBodyStateEffector()
            panel.r_HB_B, panel.dcm_HB = hinge, matrix(axes)
            for _ in range(c.plates):
                plate = nHingedRigidBodyStateEffector.HingedPanel()
                plate.mass, plate.d, plate.k, plate.c = c.plate_mass, c.plate_half, c.hinge_stiffness, c.hinge_damping
                plate.IPntS_S = matrix(c.plate_inertia)
                panel.addHingedPanel(plate)
                self.kept.append(plate)
        else:
            panel = spinningBodyNDOFStateEffector.SpinningBodyNDOFStateEffector()
            for k in range(c.plates):
                plate = spinningBodyNDOFStateEffector.SpinningBody()
                plate.setMass(c.plate_mass)
                plate.setISPntSc_S(matrix(c.plate_inertia))
                plate.setDCM_S0P(matrix(axes if k == 0 else np.eye(3)))
                plate.setR_SP_P(hinge if k == 0 else column((-2 * c.plate_half, 0, 0)))
                plate.setR_ScS_S(column((-c.plate_half, 0, 0)))
                plate.setSHat_S(column((0, 1, 0)))
                plate.setK(c.hinge_stiffness)
                plate.setC(c.hinge_damping)
                panel.addSpinningBody(plate)
                self.kept.append(plate)
        panel.ModelTag = f"panel{len(self.kept)}"
        self.body.addStateEffector(panel)
        return [panel]

    def _pendulum(self, k: int) -> Any:
        c, p = self.craft, sphericalPendulum.SphericalPendulum()
        p.massInit, p.pendulumRadius, p.d = c.slosh_mass[k], c.slosh_length[k], column(c.pivot[k])
        p.pHat_01, p.pHat_02, p.pHat_03 = (column(axis) for axis in HANGING)
        self.body.addStateEffector(p)
        return p

    def _control(self) -> None:
        c, task = self.craft, "control"
        nav, point, error = simpleNav.SimpleNav(), inertial3D.inertial3D(), attTrackingError.attTrackingError()
        feedback, share = mrpFeedback.mrpFeedback(), rwMotorTorque.rwMotorTorque()
        nav.scStateInMsg.subscribeTo(self.body.scStateOutMsg)
        point.sigma_R0N = list(c.target)
        error.attNavInMsg.subscribeTo(nav.attOutMsg)
        error.attRefInMsg.subscribeTo(point.attRefOutMsg)
        feedback.K, feedback.P, feedback.Ki = c.stiffness, c.damping, -1.0
        config = messaging.VehicleConfigMsgPayload(ISCPntB_B=np.diag(c.inertia).ravel().tolist())
        config_message = messaging.VehicleConfigMsg().write(config)
        feedback.vehConfigInMsg.subscribeTo(config_message)
        feedback.guidInMsg.subscribeTo(error.attGuidOutMsg)
        factory = simIncludeRW.rwFactory()
        for axis in WHEELS:
            law = {"useMaxTorque": False, "useRWfriction": True, "cViscous": c.wheel_viscous, "fCoulomb": 0.0}
            factory.create("custom", list(axis), Js=c.wheel_inertia, Omega=0.0, **law)
        self.wheels = reactionWheelStateEffector.ReactionWheelStateEffector()
        self.wheels.setMaxWheelAcceleration(1e300)  # its guard changes commands in steps that are tried in vain
        factory.addToSpacecraft("wheels", self.wheels, self.body)
        share.controlAxes_B = np.eye(3).ravel().tolist()
        share.vehControlInMsg.subscribeTo(feedback.cmdTorqueOutMsg)
        rw_message = factory.getConfigMessage()
        share.rwParamsInMsg.subscribeTo(rw_message)
        self.wheels.rwMotorCmdInMsg.subscribeTo(share.rwMotorTorqueOutMsg)
        models = (nav, point, error, feedback, share, self.wheels)
        for k, model in enumerate(models):
            model.ModelTag = f"control{k}"
            self.sim.AddModelToTask(task, model, 10 - k)
        self.kept += [nav, point, error, feedback, share, factory, config_message, rw_message]

    def run(self) -> Ending:
        """Integrate from rest to the end; the seconds are those of the run alone."""
        c = self.craft
        self.sim.InitializeSimulation()
        self.sim.ConfigureStopTime(macros.sec2nano(c.duration))
        state = lambda name: np.array(self.body.dynManager.getStateObject(name).getState()).ravel()
        start = state("hubPosition")
        begun = time.process_time()
        self.sim.ExecuteSimulation()
        seconds = time.process_time() - begun
        sigma = state("hubSigma")
        n2 = sigma @ sigma
        if c.panels == "modes":
            outs = 2 * [out for *_, out in modes(c)]
            angles = [state(p.nameOfRhoState) / out for p, out in zip(self.panels, outs, strict=True)]
        else:
            named = lambda p: p.nameOfThetaState if self.chain == "NHinged" else p.getNameOfThetaState()
            angles = [state(named(p)) for p in self.panels]
        slosh = [state(name) for p in self.pendulums for name in (p.nameOfPhiState, p.nameOfThetaState)]
        return Ending(
            np.array([1 - n2, *(2 * sigma)]) / (1 + n2),
            state("hubOmega"),
            state("reactionWheelOmegas"),
            np.concatenate(angles),
            np.concatenate(slosh),
            state("hubPosition") - start,
            seconds,
        )
