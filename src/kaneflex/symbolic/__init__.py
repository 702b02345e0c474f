"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.direct import LinearMotion, linearize_directly
from kaneflex.symbolic.equations import Equations, derive
from kaneflex.symbolic.kane import KanesMethod
from kaneflex.symbolic.linearizer import Linearizer
from kaneflex.symbolic.program import Program

__all__ = ["Equations", "KanesMethod", "LinearMotion", "Linearizer", "Program", "derive", "linearize_directly"]
