"""Structures of repeated units in one call: systems that are mostly loops."""

from kaneflex.builders.folded_array import folded_array
from kaneflex.builders.ring_truss import ring_truss
from kaneflex.builders.scissor_mast import scissor_mast

__all__ = ["folded_array", "ring_truss", "scissor_mast"]
