"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.kanes_method.direct_linearization import LinearMotion, linearize_directly
from kaneflex.symbolic.kanes_method.lagrange import LagrangeEquations, lagrange_equations
from kaneflex.symbolic.kanes_method.linearizer import Linearizer
from kaneflex.symbolic.kanes_method.method import KanesMethod
from kaneflex.symbolic.kanes_method.motion import Crossing, Motion
from kaneflex.symbolic.kanes_method.speed_choices import SpeedChoice, compare_speeds
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.system.system_equations import Equations, derive

__all__ = [
    "Crossing",
    "Equations",
    "KanesMethod",
    "LagrangeEquations",
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
