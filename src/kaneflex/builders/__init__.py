"""Structures of repeated units in one call: systems that are mostly loops."""

from kaneflex.builders.folded_array import folded_array
from kaneflex.builders.four_bar_mast import four_bar_mast
from kaneflex.builders.hinges import hinge_friction, hinge_motor, latch
from kaneflex.builders.miura_fold import miura_fold
from kaneflex.builders.ring_truss import ring_truss
from kaneflex.builders.scissor_mast import scissor_mast
from kaneflex.builders.scissor_ring import scissor_ring
from kaneflex.builders.tetrahedral_truss import tetrahedral_truss

__all__ = [
    "folded_array", "four_bar_mast", "hinge_friction", "hinge_motor", "latch", "miura_fold", "ring_truss", "scissor_mast",
    "scissor_ring", "tetrahedral_truss",
]  # fmt: skip
