"""Flexible multibody dynamics by Kane's method.

Describe a system of bodies with `System.add`, then `simulate`, `linearize`, or evaluate it with `dynamics`.
"""

from importlib import import_module
from typing import Any

from kaneflex import structures
from kaneflex.analysis.equilibrium_path import EquilibriumPath
from kaneflex.analysis.linearize import LinearModel
from kaneflex.analysis.modes import Mode
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.formulations.initial_conditions import Assembly
from kaneflex.model import blocks, orbits, parts, profiles, shapes
from kaneflex.model.blocks import Block
from kaneflex.model.bodies import PointMass, Rigid, Rotor
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import (
    Closure,
    Constraint,
    Coupler,
    Distance,
    Gear,
    KnifeEdge,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    Rolling,
    VelocityConstraint,
)
from kaneflex.model.contacts import Contact
from kaneflex.model.files import FileError
from kaneflex.model.forces import (
    LOADS,
    AddedMass,
    CentralGravity,
    CurrentTether,
    Force,
    JointForce,
    JointSpring,
    JointStop,
    MagneticTorque,
    Morison,
    MovingBase,
    MutualGravity,
    OrbitalDrag,
    OrbitGravity,
    RodElasticity,
    SoftGround,
    SpringDamper,
    Torque,
)
from kaneflex.model.frames import Frame
from kaneflex.model.joints import (
    JOINTS,
    CustomJoint,
    Cylindrical,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    SlidingBall,
    SlidingPin,
    Spherical,
    Translational,
    Universal,
)
from kaneflex.model.media import Air, Sea, Wave, jonswap
from kaneflex.model.parameters import Parameter
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable, Rod
from kaneflex.model.variable_mass import Outlet, VariableMass
from kaneflex.plan.plan import Event
from kaneflex.plan.state import State
from kaneflex.results.audit import Audit
from kaneflex.results.loads import Loads
from kaneflex.results.run import Run
from kaneflex.simulate.alpha_method import GeneralizedAlpha, Newmark
from kaneflex.simulate.changes import Change
from kaneflex.simulate.contact.records import Impact
from kaneflex.simulate.exchange import Exchange
from kaneflex.simulate.sampled import Sampled
from kaneflex.simulate.simulate import SimulationError
from kaneflex.simulate.steps import Simulation
from kaneflex.system import System
from kaneflex.version import __version__ as __version__

_GRADIENTS = ("EventTime", "Integral", "eigenvalue_gradients", "equilibrium_gradients")
_LATER = dict.fromkeys(_GRADIENTS, "kaneflex.analysis.gradients")
_LATER |= {"fit": "kaneflex.analysis.fit", "optimize": "kaneflex.analysis.optimize"}
_STUDIES = ("Distribution", "Ensemble", "Importance", "Study", "choice", "lognormal", "normal", "triangular", "uniform")
_LATER |= dict.fromkeys(_STUDIES, "kaneflex.study")


def __getattr__(name: str) -> Any:
    """`sin`, `cos` and `sqrt` of SymEngine, for poses of CustomJoints; flexible bodies; `compare`; studies: as asked for."""
    if name == "compare":
        from kaneflex.view.compare import compare

        return compare
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name in ("Flexible", "StrainRod"):
        return getattr(structures, name)
    if name in ("sin", "cos", "sqrt"):
        import symengine

        return getattr(symengine, name)
    raise AttributeError(f"module 'kaneflex' has no attribute {name!r}")


__all__ = [
    "AddedMass",
    "Air",
    "Assembly",
    "Audit",
    "Block",
    "Cable",
    "CentralGravity",
    "Change",
    "Closure",
    "Constraint",
    "Contact",
    "Coupler",
    "CurrentTether",
    "CustomJoint",
    "Cylindrical",
    "Distance",
    "Distribution",
    "Dynamics",
    "Ensemble",
    "EquilibriumPath",
    "Event",
    "EventTime",
    "Exchange",
    "FileError",
    "Fixed",
    "Flexible",
    "Force",
    "Frame",
    "Free",
    "Gear",
    "GeneralizedAlpha",
    "Impact",
    "Importance",
    "Integral",
    "JointForce",
    "JointSpring",
    "JointStop",
    "KnifeEdge",
    "LinearModel",
    "Loads",
    "MagneticTorque",
    "Mode",
    "ModelError",
    "Morison",
    "MovingBase",
    "MutualGravity",
    "Newmark",
    "OrbitGravity",
    "OrbitalDrag",
    "Outlet",
    "Parameter",
    "Planar",
    "PointMass",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "Prismatic",
    "Reel",
    "Revolute",
    "Rigid",
    "Rod",
    "RodElasticity",
    "Rolling",
    "Rotor",
    "Run",
    "Sampled",
    "Screw",
    "Sea",
    "Simulation",
    "SimulationError",
    "SlidingBall",
    "SlidingPin",
    "SoftGround",
    "Spherical",
    "SpringDamper",
    "State",
    "StrainRod",
    "Study",
    "System",
    "Torque",
    "Translational",
    "Universal",
    "VariableMass",
    "VelocityConstraint",
    "Wave",
    "blocks",
    "choice",
    "compare",
    "cos",
    "eigenvalue_gradients",
    "equilibrium_gradients",
    "fit",
    "jonswap",
    "lognormal",
    "normal",
    "optimize",
    "orbits",
    "parts",
    "profiles",
    "shapes",
    "sin",
    "sqrt",
    "structures",
    "triangular",
    "uniform",
]

# joints and loads that are in their folders, or were added, besides those that are named above
FOUND = {name: kind for name, kind in (JOINTS | LOADS).items() if name not in __all__}
globals().update(FOUND)
__all__ += list(FOUND)
