"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.either_way import compare_speeds, lagrange_equations, linearize_directly
from kaneflex.symbolic.kanes_method.method import KanesMethod
from kaneflex.symbolic.kanes_method.motion import Crossing, Motion
from kaneflex.symbolic.lagrange_equations import LagrangeEquations
from kaneflex.symbolic.lagranges_method import LagrangesMethod
from kaneflex.symbolic.linear_motion import LinearMotion
from kaneflex.symbolic.linearizer import Linearizer
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.speed_choice import SpeedChoice
from kaneflex.symbolic.system.system_equations import Equations, derive

__all__ = [
    "Crossing",
    "Equations",
    "KanesMethod",
    "LagrangeEquations",
    "LagrangesMethod",
    "LinearMotion",
    "Linearizer",
    "Motion",
    "Program",
    "SpeedChoice",
    "compare_speeds",
    "derive",
    "lagrange_equations",
    "linearize_directly",
]
