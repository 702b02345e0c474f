"""Ensembles: many runs of one system, on this machine or on a cluster, kept on disk."""

from kaneflex.study.distributions import Distribution, choice, lognormal, normal, triangular, uniform
from kaneflex.study.ensemble import Ensemble
from kaneflex.study.importance import Importance
from kaneflex.study.study import Study

__all__ = ["Distribution", "Ensemble", "Importance", "Study", "choice", "lognormal", "normal", "triangular", "uniform"]
