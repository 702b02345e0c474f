"""Flexible multibody dynamics by Kane's method."""

from kaneflex import formulations as _formulations  # noqa: F401  (registers the kernels)
