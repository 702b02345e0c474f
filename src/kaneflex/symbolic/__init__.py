"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.equations import Equations, derive
from kaneflex.symbolic.kane import KanesMethod
from kaneflex.symbolic.linearizer import Linearizer
from kaneflex.symbolic.program import Program

__all__ = ["Equations", "KanesMethod", "Linearizer", "Program", "derive"]
