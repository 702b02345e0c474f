"""Kane's equations in symbols: derived, read, linearised, exported."""

from kaneflex.symbolic.kane import KanesMethod

__all__ = ["KanesMethod"]
