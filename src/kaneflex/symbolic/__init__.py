"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.direct import LinearMotion, linearize_directly
from kaneflex.symbolic.equations import Equations, derive
from kaneflex.symbolic.kane import KanesMethod
from kaneflex.symbolic.lagrange import LagrangeEquations, lagrange_equations
from kaneflex.symbolic.linearizer import Linearizer
from kaneflex.symbolic.motion import Crossing, Motion
from kaneflex.symbolic.program import Program
from kaneflex.symbolic.speeds import SpeedChoice, compare_speeds

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
