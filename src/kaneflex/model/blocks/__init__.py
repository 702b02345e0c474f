"""Blocks: laws with states of their own, such as filters, actuators and controllers.

A new kind is one file, with a dataclass of `contract.BlockBase` that has its names, start and law: what is in the folder is
found. Kinds are imported by name below for those who read, and for type checkers.
"""

from kaneflex.model.blocks.actuator import FirstOrder, SecondOrder
from kaneflex.model.blocks.attitude_control import AttitudeControl, AttitudeError
from kaneflex.model.blocks.block import Block as Block
from kaneflex.model.blocks.contract import BlockBase as BlockBase
from kaneflex.model.blocks.contract import BlockLaw as BlockLaw
from kaneflex.model.blocks.dead_band import DeadBand
from kaneflex.model.blocks.electromotive_force import ElectromotiveForce
from kaneflex.model.blocks.filters import BendingFilter, Estimator, Notch, Resonators, StateFeedback
from kaneflex.model.blocks.local_vertical import LocalVertical
from kaneflex.model.blocks.momentum_management import MomentumManagement
from kaneflex.model.blocks.orbit_attitude import OrbitAttitude
from kaneflex.model.blocks.orbital_elements import OrbitalElements
from kaneflex.model.blocks.pid import PID
from kaneflex.model.blocks.state_space import StateSpace, TransferFunction
from kaneflex.model.blocks.sunlight import Sunlight
from kaneflex.model.declarations import declared_in

__all__ = [
    "PID",
    "AttitudeControl",
    "AttitudeError",
    "BendingFilter",
    "DeadBand",
    "ElectromotiveForce",
    "Estimator",
    "FirstOrder",
    "LocalVertical",
    "MomentumManagement",
    "Notch",
    "OrbitAttitude",
    "OrbitalElements",
    "Resonators",
    "SecondOrder",
    "StateFeedback",
    "StateSpace",
    "Sunlight",
    "TransferFunction",
]

_found = {n: kind for n, kind in declared_in(__name__, BlockBase).items() if n not in ("Block", *__all__) and n[0] != "_"}
globals().update(_found)
__all__ += list(_found)
