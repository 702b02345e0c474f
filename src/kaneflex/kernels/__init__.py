"""Scalar-generic stages, the compiled part of the package.

Rules for a kernel: module level, no closure, a name no other kernel has; `sin`, `cos`, `sqrt`, `ramp`, `step` by bare
name from `ops`; no comparison, `abs`, `max` or norm of a state (branch on integers only); no allocation: the caller
passes the workspace; `x/2` instead of `0.5*x`; a zero of the right type is `0*q[k]`.

Joints, loads and kinds of bodies are what is in their folders, see `kinds`.
"""

from types import ModuleType

from kaneflex.kernels import (
    added_inertia,
    algebra,
    backend,
    block_offsets,
    constant_mass,
    energy,
    inertia,
    kinematics,
    layout,
    medium,
    modal_products,
    modal_shape,
    node,
    offsets,
    rod_steps,
    rotation,
    sensors,
    twists,
)
from kaneflex.kernels.backend import Stage
from kaneflex.kernels.bodies import dispatch as body_dispatch
from kaneflex.kernels.bodies import rigid
from kaneflex.kernels.constraints import closure, coupler, distance, ends, knife_edge, rolling, user_defined
from kaneflex.kernels.constraints import dispatch as constraint_dispatch
from kaneflex.kernels.forces import dispatch as force_dispatch
from kaneflex.kernels.forces import value
from kaneflex.kernels.joints import dispatch as joint_dispatch
from kaneflex.kernels.kinds import Chains


def _register_apart(*kinds: ModuleType) -> None:
    """Register kinds whose code is in no caller's, with those of their functions that are compiled when first called."""
    stages = {name: Stage.of(getattr(kind, name)) for kind in kinds for name in kind.FACTS.apart}
    backend.register(*kinds, inline=False, stages=stages)


def add_kind(chains: Chains, kind: ModuleType) -> None:
    """Add a kind of joint, load or body that is not in its folder: `chains` is CHAINS of that folder's `dispatch`."""
    if backend.compiled.cache_info().currsize:
        raise RuntimeError(f"{kind.__name__} comes too late: add it before the first system is run")
    chains.add(kind)
    if getattr(kind.FACTS, "apart", ()) or chains is body_dispatch.CHAINS:
        _register_apart(kind)
    else:
        backend.register(kind)


backend.register(
    offsets,
    block_offsets,
    layout,
    algebra,
    rotation,
    twists,
    rod_steps,
    *joint_dispatch.CHAINS.kinds,
    joint_dispatch,
    rigid,
    added_inertia,
    body_dispatch,
    kinematics,
    inertia,
    value,
    *(kind for kind in force_dispatch.CHAINS.kinds if not kind.FACTS.apart),
    force_dispatch,
    sensors,
    energy,
    stages={name: Stage("IPwn") for name in ("totals", "centre", "accelerate_centre")},
)
backend.register(modal_products, modal_shape, constant_mass, medium, inline=False)
_register_apart(*(kind for kind in body_dispatch.CHAINS.kinds if kind is not rigid))
_register_apart(*(kind for kind in force_dispatch.CHAINS.kinds if kind.FACTS.apart))
backend.register(
    node,
    inline=False,
    stages={"node_pose": Stage("IPwn")},
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
