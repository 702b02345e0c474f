"""Joints as the user declares them, one in each file; their mathematics is in kernels/joints. `contract` says what a file
holds.

What is in the folder is found. Joints are imported by name below for those who read, and for type checkers.
"""

from types import ModuleType

from kaneflex.kernels import add_kind, joint_dispatch
from kaneflex.model.declarations import declared_in
from kaneflex.model.joints.contract import Joint as Joint
from kaneflex.model.joints.contract import frame_along as frame_along
from kaneflex.model.joints.contract import joint_words as joint_words
from kaneflex.model.joints.contract import speed_names as speed_names
from kaneflex.model.joints.contract import unit_quaternion as unit_quaternion
from kaneflex.model.joints.custom import CustomJoint as CustomJoint
from kaneflex.model.joints.cylindrical import Cylindrical as Cylindrical
from kaneflex.model.joints.fixed import Fixed as Fixed
from kaneflex.model.joints.free import Free as Free
from kaneflex.model.joints.planar import Planar as Planar
from kaneflex.model.joints.prismatic import Prismatic as Prismatic
from kaneflex.model.joints.revolute import Revolute as Revolute
from kaneflex.model.joints.screw import Screw as Screw
from kaneflex.model.joints.sliding_ball import SlidingBall as SlidingBall
from kaneflex.model.joints.sliding_pin import SlidingPin as SlidingPin
from kaneflex.model.joints.spherical import Spherical as Spherical
from kaneflex.model.joints.translational import Translational as Translational
from kaneflex.model.joints.universal import Universal as Universal

JOINTS: dict[str, type[Joint]] = declared_in(__name__, Joint)
globals().update(JOINTS)


def add_joint(kernel: ModuleType, declaration: type[Joint]) -> None:
    """Add a joint whose two files are not in the package, before the first system is run: files may then hold it.

    Args:
        kernel: the module with its mathematics, as `kaneflex.kernels.joints.contract` says.
        declaration: its class, a subclass of Joint with the kernel's FACTS.
    """
    add_kind(joint_dispatch.CHAINS, kernel)
    JOINTS[declaration.__name__] = declaration
