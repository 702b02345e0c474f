"""Structures from matrices whose rows are told by node number and component: what several readers end with."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, positive
from kaneflex.structures.craig_bampton import from_craig_bampton
from kaneflex.structures.readers.matrix_files import rounding_of
from kaneflex.structures.structure import Structure


def from_labelled(
    M: Any,
    K: Any,
    rows: np.ndarray,
    places: Mapping[int, Any],
    what: str,
    names: Mapping[str, int] | None = None,
    length_unit: float = 1.0,
    mass_unit: float = 1.0,
) -> Structure:
    """A structure, full or reduced; nodes are named by their numbers.

    Args:
        M, K: mass and stiffness, dense or sparse.
        rows: node number and component, 1 to 6, of each row; component 0 is a modal coordinate.
        places: of nodes, in the file's unit of length.
        what: the file, for messages.
        names: more names, name -> node number.
        length_unit: metres per unit of length.
        mass_unit: kilograms per unit of mass; seconds are seconds.
    """
    unit, scale = positive(length_unit, "length_unit"), positive(mass_unit, "mass_unit")
    ids = list(dict.fromkeys(int(g) for g, c in rows.tolist() if c))
    lost = [g for g in ids if g not in places]
    if lost:
        raise ModelError(f"{what}: node {lost[0]} of the matrices has no place: give the file with all nodes")
    if not ids:
        raise ModelError(f"{what}: no row belongs to a node: a body needs a node to be joined by")
    number = {g: at for at, g in enumerate(ids)}
    unknown = [(name, g) for name, g in (names or {}).items() if g not in number]
    if unknown:
        raise ModelError(f'node "{unknown[0][0]}": node {unknown[0][1]} has no rows in the matrices of {what}')
    table = np.array([(number[g], c) if c else (0, 0) for g, c in rows.tolist()], dtype=int)
    # what goes with rotations and modal coordinates bears a length more
    by_unit = sparse.diags_array(np.where((table[:, 1] >= 1) & (table[:, 1] <= 3), 1.0, unit))
    rounding = rounding_of(M, K)
    M, K = (scale * (by_unit @ sparse.csr_array(A) @ by_unit) for A in (M, K))
    named = {str(g): at for g, at in number.items()} | {name: number[g] for name, g in (names or {}).items()}
    points = unit * np.array([places[g] for g in ids], dtype=float)
    return from_craig_bampton(M, K, points, table, named, rounding=rounding)


def symmetric(half: Any) -> sparse.csr_array:
    """A symmetric matrix from one of its triangles."""
    half = sparse.csr_array(half)
    return sparse.csr_array(half + half.T - sparse.diags_array(half.diagonal()))
