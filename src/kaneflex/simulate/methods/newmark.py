"""Newmark's method with the average acceleration."""

from kaneflex.simulate.alpha_method import Newmark

NEWMARK = Newmark()
