"""What can be asked of a system and of frames and points alike: direct linearisation, Lagrange's way, choices of speeds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sympy.physics.vector import ReferenceFrame

from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.plan.state import State
from kaneflex.symbolic.kanes_method.direct_linearization import linearize_method
from kaneflex.symbolic.kanes_method.lagrange import lagrange_of_method
from kaneflex.symbolic.kanes_method.method import KanesMethod
from kaneflex.symbolic.kanes_method.speed_choices import choices_of_method
from kaneflex.symbolic.lagrange_equations import LagrangeEquations
from kaneflex.symbolic.linear_motion import LinearMotion
from kaneflex.symbolic.speed_choice import SpeedChoice
from kaneflex.symbolic.system.direct_linearization import linearize_system
from kaneflex.symbolic.system.lagrange import lagrange_of_system
from kaneflex.symbolic.system.speed_choices import choices_of_system


@typed
def linearize_directly(
    source: KanesMethod | Model,
    about: Mapping[Any, Any] | State | None = None,
    *,
    premature: bool = False,
    geometric_stiffness: bool = False,
    simplify: bool | None = None,
    **system: Any,
) -> LinearMotion:
    """Linearised equations about a reference motion, by linearised velocities and partial velocities.

    Args:
        source: a system without constraints, or a KanesMethod with its equations formed and no dependent speeds.
        about: the reference motion. Of a system: a State or values by name as for `System.linearize` (None for the initial
            state), the rates of the speeds being those that it has there; or expressions for its symbols ({q1: 0, u1: W}),
            initial values for what is left out. Of a method, or by symbols: constants or functions of time, which give the
            rates of the speeds too; what a method is not given is zero, its inputs may have reference values.
        premature: take partial velocities from velocities that were linearised before, which is wrong in general. The
            velocities of a system are those of mass centres, where each body's loads are taken together.
        geometric_stiffness: with premature, add the stiffness that the reference motion's loads give, afterwards.
        simplify: bring the matrices to a short form; None for all methods and for systems of up to four speeds.
        system: for a system: `axes` in which velocities are written, and linearised where that is premature ("inertial",
            each "body"'s own, or those of one body, by its name); `inputs`, values as for `System.linearize`; `speeds` and
            `symbols` as for `System.equations`. Contacts are open.
    """
    if geometric_stiffness and not premature:
        raise ModelError("geometric_stiffness corrects premature linearisation: give premature=True with it")
    if isinstance(source, Model):
        return linearize_system(source, about, premature, not premature or geometric_stiffness, simplify, **system)
    if system:
        raise ModelError(f"{', '.join(system)} can be chosen for a System only, not for a KanesMethod")
    if not isinstance(about, Mapping):
        raise ModelError("a KanesMethod is linearised about coordinates and speeds: give values of them, e.g. {q: 0, u: 0}")
    return linearize_method(source, about, premature, geometric_stiffness, simplify is not False)


@typed
def lagrange_equations(source: KanesMethod | Model, **system: Any) -> LagrangeEquations:
    """Lagrange's equations by way of the kinetic energy, in coordinates or in quasi-coordinates, to set beside Kane's.

    Args:
        source: a system, or a KanesMethod with its equations formed, without constraints and without a part of q' that
            holds no speeds.
        system: for a system: `speeds` and `symbols` as for `System.equations`.
    """
    if isinstance(source, Model):
        return lagrange_of_system(source, **system)
    if system:
        raise ModelError(f"{', '.join(system)} can be chosen for a System only, not for a KanesMethod")
    return lagrange_of_method(source)


@typed
def compare_speeds(
    source: ReferenceFrame | Model, q: Iterable[Any] = (), bodies: Sequence[Any] = (), loads: Sequence[Any] = ()
) -> list[SpeedChoice]:
    """Derive the equations with each choice of generalized speeds; the cheapest first.

    Args:
        source: a system, whose speeds may be "customary" or "efficient"; or the inertial frame of bodies of SymPy, for which
            components of angular velocities and velocities are proposed.
        q: independent coordinates, which give orientations and positions; no velocity is given in terms of speeds.
        bodies: particles and rigid bodies.
        loads: pairs of point and force, or frame and torque, free of speeds.
    """
    if isinstance(source, Model):
        if q or bodies or loads:
            raise ModelError("a System has its own coordinates, bodies and loads: give it alone")
        return choices_of_system(source)
    return choices_of_method(source, q, bodies, loads)


__all__ = ["compare_speeds", "lagrange_equations", "linearize_directly"]
