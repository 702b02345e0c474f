"""Parts: what a vehicle is made of, each one declaration that a system takes by one call, `System.add_part`.

A new kind is one file, with a dataclass of `contract.PartBase` that says how it is installed, and with the blocks that it
needs: what is in the folder is found. Kinds are imported by name below for those who read, and for type checkers.
"""

from inspect import isabstract

from kaneflex.model.blocks.contract import BlockBase
from kaneflex.model.declarations import declared_in
from kaneflex.model.parts.contract import PartBase as PartBase
from kaneflex.model.parts.contract import Site as Site
from kaneflex.model.parts.control_moment_gyro import ControlMomentGyro
from kaneflex.model.parts.engine import Engine
from kaneflex.model.parts.foot import Foot
from kaneflex.model.parts.gyro_cluster import GyroCluster
from kaneflex.model.parts.magnetic import MagneticDamper, MagneticTorquer
from kaneflex.model.parts.momentum_store import MomentumStore
from kaneflex.model.parts.moving_mass import MovingMass
from kaneflex.model.parts.parachute import Parachute
from kaneflex.model.parts.placed import PlacedPart as PlacedPart
from kaneflex.model.parts.reaction_wheel import ReactionWheel
from kaneflex.model.parts.rotor_disk import RotorDisk
from kaneflex.model.parts.sensors import Accelerometer, Gyro, StarTracker, SunSensor
from kaneflex.model.parts.slosh_tank import SloshTank
from kaneflex.model.parts.tank import Tank
from kaneflex.model.parts.thruster import Thruster
from kaneflex.model.parts.thruster_cluster import ThrusterCluster, couples
from kaneflex.model.parts.transfer import Transfer

__all__ = [
    "Accelerometer",
    "ControlMomentGyro",
    "Engine",
    "Foot",
    "Gyro",
    "GyroCluster",
    "MagneticDamper",
    "MagneticTorquer",
    "MomentumStore",
    "MovingMass",
    "Parachute",
    "ReactionWheel",
    "RotorDisk",
    "SloshTank",
    "StarTracker",
    "SunSensor",
    "Tank",
    "Thruster",
    "ThrusterCluster",
    "Transfer",
    "couples",
]

PARTS: dict[str, type[PartBase]] = {n: x for n, x in declared_in(__name__, PartBase).items() if not isabstract(x)}
#: what files may hold besides: the blocks that parts bring
BROUGHT: dict[str, type[BlockBase]] = declared_in(__name__, BlockBase)
_found = {name: kind for name, kind in PARTS.items() if name not in __all__}
globals().update(_found)
__all__ += list(_found)


def add_kind(part: type[PartBase], *blocks: type[BlockBase]) -> None:
    """Make a kind of part known whose file is not in the package: files may then hold it.

    Args:
        part: its class, a dataclass of PartBase.
        blocks: classes of the blocks that it brings and that are nowhere else.
    """
    PARTS[part.__name__] = part
    BROUGHT.update({block.__name__: block for block in blocks})
