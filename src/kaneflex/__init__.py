"""Flexible multibody dynamics by Kane's method."""
