"""Generalized-alpha, without damping unless it is asked for."""

from kaneflex.simulate.alpha_method import GeneralizedAlpha

GENERALIZED_ALPHA = GeneralizedAlpha()
