"""Scalar-generic stages, the compiled part of the package.

Rules for a kernel: module level, no closure, a name no other kernel has; `sin`, `cos`, `sqrt`, `ramp`, `step` by bare
name from `ops`; no comparison, `abs`, `max` or norm of a state (branch on integers only); no allocation: the caller
passes the workspace; `x/2` instead of `0.5*x`; a zero of the right type is `0*q[k]`.
"""

from kaneflex.kernels import (
    algebra,
    backend,
    constant_mass,
    energy,
    inertia,
    kinematics,
    layout,
    modal_products,
    node,
    rotation,
    sensors,
)
from kaneflex.kernels.backend import Stage
from kaneflex.kernels.bodies import dispatch as body_dispatch
from kaneflex.kernels.bodies import rigid
from kaneflex.kernels.constraints import closure, coupler, distance, ends, knife_edge, rolling, user_defined
from kaneflex.kernels.constraints import dispatch as constraint_dispatch
from kaneflex.kernels.forces import central, friction, joint, line, point, value
from kaneflex.kernels.forces import dispatch as force_dispatch
from kaneflex.kernels.joints import (
    custom,
    cylindrical,
    dispatch,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    spherical,
    translational,
    universal,
)

backend.register(
    layout,
    algebra,
    rotation,
    fixed,
    revolute,
    prismatic,
    cylindrical,
    screw,
    universal,
    spherical,
    free,
    planar,
    translational,
    custom,
    dispatch,
    rigid,
    body_dispatch,
    kinematics,
    inertia,
    value,
    point,
    line,
    central,
    joint,
    force_dispatch,
    sensors,
    energy,
)
backend.register(modal_products, constant_mass, *body_dispatch.KINDS, inline=False, stages=body_dispatch.BODY_STAGES)
backend.register(
    node,
    friction,
    inline=False,
    stages={
        "sliding_friction": Stage("IPwn"),
        "node_pose": Stage("IPwnw"),
        "node_motion": Stage("Iwn"),
        "node_bias": Stage("IPwn"),
    },
)
backend.register(
    ends,
    closure,
    distance,
    coupler,
    knife_edge,
    rolling,
    user_defined,
    constraint_dispatch,
    fastmath=False,
    stages={"constraint_equations": Stage("IPww")},
)
