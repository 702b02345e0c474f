"""Whether every joint has something to move."""

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.state import initial_state


def check_masses(model: Model, file: str) -> None:
    """Refuse a robot whose mass matrix is singular, or not positive definite, in a pose that is not special.

    Args:
        model: the robot.
        file: its name in the error.
    """
    if all(part.joint.facts.speeds == 0 for part in model.parts.values()):
        return
    try:
        dynamics = Dynamics(build(model))
        q = initial_state(dynamics.plan).q
        for joint in dynamics.plan.index.joints.values():
            last = joint.q0 + joint.coordinates if joint.quaternion is None else joint.quaternion
            q[joint.q0 : last] += 0.3 + 0.1 * np.sin(np.arange(joint.q0, last))
        dynamics.check_regular(0.0, q, np.zeros(dynamics.plan.nu))
    except ModelError as e:
        raise ModelError(
            f"{file}: {e}. In the file: give that link (or one that hangs on it) an <inertial> with a real inertia, or make "
            'its joint fixed. Without changing it: bodies={"link": Rigid(...)} or locked=["joint"]'
        ) from e
