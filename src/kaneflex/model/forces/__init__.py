"""Applied loads as the user declares them, one in each file; their mathematics is in kernels/forces. `contract` says what a
file holds.

A load's value is a constant or a function of time and of measured quantities: f(t), or f(t, x) with x the values of the
channels named in `sees`, one after another. `at`, `a` and `b` name a body ("arm") or a frame on it ("arm.tip").

What is in the folder is found. Loads are imported by name below for those who read, and for type checkers.
"""

from types import ModuleType

from kaneflex.kernels import add_kind, force_dispatch
from kaneflex.model.declarations import declared_in
from kaneflex.model.forces.added_mass import AddedMass as AddedMass
from kaneflex.model.forces.central_gravity import CentralGravity as CentralGravity
from kaneflex.model.forces.contract import Load as Load
from kaneflex.model.forces.current_tether import CurrentTether as CurrentTether
from kaneflex.model.forces.force import Force as Force
from kaneflex.model.forces.joint_force import JointForce as JointForce
from kaneflex.model.forces.joint_spring import JointSpring as JointSpring
from kaneflex.model.forces.joint_stop import JointStop as JointStop
from kaneflex.model.forces.magnetic_torque import MagneticTorque as MagneticTorque
from kaneflex.model.forces.morison import Morison as Morison
from kaneflex.model.forces.moving_base import MovingBase as MovingBase
from kaneflex.model.forces.mutual_gravity import MutualGravity as MutualGravity
from kaneflex.model.forces.orbit_gravity import OrbitGravity as OrbitGravity
from kaneflex.model.forces.orbital_drag import OrbitalDrag as OrbitalDrag
from kaneflex.model.forces.rod_elasticity import RodElasticity as RodElasticity
from kaneflex.model.forces.sliding_friction import SlidingFriction as SlidingFriction
from kaneflex.model.forces.soft_ground import SoftGround as SoftGround
from kaneflex.model.forces.spring_damper import SpringDamper as SpringDamper
from kaneflex.model.forces.torque import Torque as Torque

LOADS: dict[str, type[Load]] = declared_in(__name__, Load)
globals().update(LOADS)


def add_load(kernel: ModuleType, declaration: type[Load]) -> None:
    """Add a load whose two files are not in the package, before the first system is run: files may then hold it.

    Args:
        kernel: the module with its mathematics, as `kaneflex.kernels.forces.contract` says.
        declaration: its class, a subclass of Load that fills rows of the kernel's kind.
    """
    add_kind(force_dispatch.CHAINS, kernel)
    LOADS[declaration.__name__] = declaration
