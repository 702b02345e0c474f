"""Structures that are reduced already: mass and stiffness over boundary nodes and modal coordinates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import linalg, sparse

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures.elements.contract import cross_matrix
from kaneflex.structures.elements.matrices import GivenMatrices
from kaneflex.structures.structure import DOF_NAMES, Structure, check_definite, coordinates, same_size

MODAL = 0  # component of a row that belongs to no node
FOLLOWS = 1e-6  # part of a rigid displacement by which inner nodes may miss it
SWINGS = 1e-2  # part of the lowest frequency below which a body swings on nothing but rounding
REPRODUCED = 1e-6  # part of the momenta of rigid motions by which a given mass may miss those of the reduced matrix


@typed
def from_craig_bampton(
    M: Any,
    K: Any,
    points: Any,
    dofs: Any = None,
    names: Mapping[str, int] | None = None,
    inner_points: Any = (),
    inner: Any = None,
    mass: Any = None,
    geometric: Callable[[Vector], Any] | None = None,
    rounding: float = 1e-9,
    viscous: Any = None,
    structural: Any = None,
    unit_loads: Sequence[Any] = (),
) -> Structure:
    """A structure from the reduced matrices of a Craig-Bampton model (superelement).

    Its modes, roots and interfaces are chosen as those of any other structure: held at a boundary node, at the mean of
    several (`Structure.averaged`), or afloat; what the reduction kept is all that it can do. Boundary displacements are
    absolute, modal coordinates those of modes with all boundary nodes held.

    A reduced mass matrix has the mass, the momenta of every shape and the modal masses, all exactly. It does not say where
    inside the mass is. With `mass`, over boundary and inner nodes, all integrals of the body are those of these nodes;
    without it inertia does not change with deformation but as the momenta demand, see `modes.mass_integrals`.

    Args:
        M, K: reduced mass and stiffness, dense or sparse, in the structure's axes, SI units.
        points: boundary nodes (n, 3), m.
        dofs: node number and component of each row of M and K, (rows, 2): components 1 to 6 are ux to theta_z, 0 is a
            modal coordinate, whose node number says nothing. None: six rows for each node, then the modal ones.
        names: named nodes, name -> number; inner nodes are numbered after those of the boundary.
        inner_points: nodes (k, 3) inside, m, whose motion is known.
        inner: (6k, rows) their displacements and rotations, in the structure's axes, per coordinate of M and K.
        mass: mass matrix over the six dofs of all n + k nodes, or a mass for each node, kg. It must have the momenta of the
            reduced matrix.
        geometric: function of the coordinates of M and K that gives the geometric stiffness over them, linear in these;
            None when unknown: then nothing can stiffen by motion.
        rounding: relative error of the entries that the checks of symmetry and sign allow.
        viscous: damping matrix over the coordinates of M and K, which Flexible(damping="model") takes; None for none.
        structural: likewise the structural damping, the imaginary part of the stiffness.
        unit_loads: geometric stiffness over the coordinates of M and K under twelve inertia loads, mass times acceleration,
            with the root held: of 1 m/s^2 along x, y, z, then of x, y, z (1/s^2, from the structure's origin) along x, y, z
            each: xx, xy, xz, yx, ... zz. Motion then stiffens the body; loads at nodes do not.
    """
    points = coordinates(points, "points (boundary nodes)")
    n, rounding = len(points), checks.positive(rounding, "rounding")
    M, K = _square(M, "M (reduced mass)"), _square(K, "K (reduced stiffness)")
    if M.shape != K.shape:
        raise ModelError(f"M is {M.shape} and K is {K.shape}: give both over the same coordinates")
    place, hidden = _placement(dofs, M.shape[0], n)
    K = _without_rounding(M, K, np.flatnonzero(place.indices < 6 * n))
    where = lambda row: _words(int(place.indices[place.indptr[row]]), n)
    check_definite(M, "M (reduced mass)", where, rounding)
    check_definite(K, "K (reduced stiffness)", where, rounding)
    if M.diagonal()[place.indices < 6 * n].sum() <= 0:
        raise ModelError("M (reduced mass) has no mass at boundary nodes: give a mass matrix, not zeros")
    damping = {}
    for word, given in (("viscous", viscous), ("structural", structural)):
        if given is not None:
            damping[word] = _square(given, f"{word} damping")
            if damping[word].shape != M.shape:
                raise ModelError(f"{word} damping is {damping[word].shape} and M is {M.shape}: give both over the same rows")
            check_definite(damping[word], f"{word} damping", where, rounding)
    inertial = tuple(same_size(A, M) for A in checks.items(unit_loads, "unit_loads"))
    if len(inertial) not in (0, 12):
        raise ModelError(f"unit_loads are {len(inertial)} matrices: give twelve, of 3 uniform and 9 linear accelerations")
    spread = place.T.tocsr()  # rows of M and K among the dofs of boundary nodes and the hidden ones
    reduced_M, reduced_K = spread @ M @ place, spread @ K @ place
    wide = None if geometric is None else lambda u: spread @ same_size(geometric(place @ u), M) @ place
    listed = isinstance(inner_points, Sequence | np.ndarray) and not isinstance(inner_points, str | bytes)
    none = listed and len(inner_points) == 0
    inside = np.zeros((0, 3)) if none else coordinates(inner_points, "inner_points")
    k = len(inside)
    whole, size = np.vstack([points, inside]), 6 * (n + k) + hidden
    behind = np.concatenate([np.arange(6 * n), 6 * (n + k) + np.arange(hidden)])
    dependent = sparse.csr_array((size, size))
    if k:
        rows = checks.array(inner.toarray() if sparse.issparse(inner) else inner, (6 * k, M.shape[0]), "inner")
        _check_rigid(rows @ place.toarray(), points, inside)
        dependent = sparse.csr_array(sparse.vstack([
            sparse.csr_array((6 * n, size)), _columns(sparse.csr_array(rows @ place), behind, size),
            sparse.csr_array((hidden, size)),
        ]))  # fmt: skip
    groups = []
    if mass is not None:
        spatial = _spatial(mass, n + k)
        moves = sparse.csr_array(sparse.vstack([sparse.eye_array(6 * n, 6 * n + hidden), (rows @ place) if k else
                                                sparse.csr_array((0, 6 * n + hidden))]))  # fmt: skip
        used = sparse.diags_array((reduced_K.diagonal()[: 6 * n] != 0) | (reduced_M.diagonal()[: 6 * n] != 0), dtype=float)
        moves = sparse.csr_array(moves @ sparse.block_diag([used, sparse.eye_array(hidden)]))
        rest = reduced_M - moves.T @ spatial @ moves
        _check_momenta(rest, reduced_M, points, hidden)
        groups.append(GivenMatrices(spatial, sparse.csr_array(spatial.shape), rounding=rounding))
        reduced_M = sparse.csr_array((rest + rest.T) / 2)
    damping = {word: spread @ A @ place for word, A in damping.items()}
    inertial = tuple(spread @ A @ place for A in inertial)
    groups.append(GivenMatrices(reduced_M, reduced_K, wide, hidden, rounding, **damping, unit_loads=inertial))
    return Structure(whole, names or {}, groups, hidden=hidden, dependent=dependent)


def _square(matrix: Any, what: str) -> sparse.csr_array:
    try:
        if np.iscomplexobj(matrix):
            raise ModelError(f"{what} has complex entries: give real numbers")
        A = sparse.csr_array(matrix, dtype=float)
    except (TypeError, ValueError) as e:
        raise ModelError(f"{what} cannot be read as a matrix of real numbers: {e}") from e
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ModelError(f"{what} is {' by '.join(map(str, A.shape))}: it must be square")
    if not np.isfinite(A.data).all():
        raise ModelError(f"{what} has entries that are not finite")
    return A


def _placement(dofs: Any, rows: int, n: int) -> tuple[sparse.csr_array, int]:
    """Matrix (rows, 6n + hidden) that picks the coordinates of M and K, and the number of modal ones."""
    if dofs is None:
        if rows < 6 * n:
            raise ModelError(f"M has {rows} rows, {n} boundary nodes have {6 * n}: give dofs= for rows that are there")
        at, hidden = np.arange(rows), rows - 6 * n
    else:
        table = np.asarray(checks.array(dofs, (rows, 2), "dofs"), dtype=int)
        node, component = table.T
        wrong = np.flatnonzero((component < 0) | (component > 6) | ((component > 0) & ((node < 0) | (node >= n))))
        if len(wrong):
            raise ModelError(
                f"dofs: row {wrong[0]} is node {node[wrong[0]]}, component {component[wrong[0]]}: there are nodes 0 to "
                f"{n - 1} with components 1 to 6, and 0 for modal coordinates"
            )
        modal = component == MODAL
        hidden = int(modal.sum())
        at = np.where(modal, 6 * n + np.cumsum(modal) - 1, 6 * node + component - 1)
        twice = np.flatnonzero(np.bincount(at) > 1)
        if len(twice):
            raise ModelError(f"dofs: {_words(int(twice[0]), n)} has two rows: leave out one")
    return sparse.csr_array((np.ones(rows), (np.arange(rows), at)), shape=(rows, 6 * n + hidden)), hidden


def _without_rounding(M: sparse.csr_array, K: sparse.csr_array, boundary: np.ndarray) -> sparse.csr_array:
    """The stiffness with zeros for a boundary of six coordinates or fewer, which moves the body rigidly and strains nothing:
    what the reduction left there is a difference of large numbers, of any sign.

    It is rounding as long as the body would swing on it far below the lowest of its modes with the boundary held.
    """
    used = (M.diagonal() != 0) | (K.diagonal() != 0)  # unused modal coordinates have zeros
    inside = np.setdiff1d(np.flatnonzero(used), boundary)
    if len(boundary) > 6 or not len(inside):
        return K
    try:
        swings = linalg.eigh(*(A[boundary][:, boundary].toarray() for A in (K, M)), eigvals_only=True)
        lowest = linalg.eigh(*(A[inside][:, inside].toarray() for A in (K, M)), eigvals_only=True)[0]
    except linalg.LinAlgError:
        return K  # a mass that is not positive: the checks say so
    if np.abs(swings).max() > SWINGS**2 * lowest:
        return K
    kept = sparse.csr_array(sparse.diags_array(np.isin(np.arange(M.shape[0]), inside).astype(float)))
    return sparse.csr_array(kept @ K @ kept)


def _words(dof: int, n: int) -> str:
    return f"modal coordinate {dof - 6 * n + 1}" if dof >= 6 * n else f"boundary node {dof // 6}, {DOF_NAMES[dof % 6]}"


def _columns(A: sparse.csr_array, at: np.ndarray, size: int) -> sparse.csr_array:
    """The matrix with its columns at other places among `size`."""
    old = sparse.coo_array(A)
    return sparse.csr_array(sparse.coo_array((old.data, (old.row, at[old.col])), shape=(A.shape[0], size)))


def _rigid(arms: Vector) -> Vector:
    R = np.tile(np.eye(6), (len(arms), 1, 1))
    R[:, :3, 3:] = -cross_matrix(arms)
    return R.reshape(-1, 6)


def _check_rigid(rows: Vector, points: Vector, inside: Vector) -> None:
    """Inner nodes follow the rigid motions of the boundary."""
    centre = points.mean(axis=0)
    moved = rows[:, : 6 * len(points)] @ _rigid(points - centre)
    wanted = _rigid(inside - centre)
    size = np.maximum(np.abs(wanted).max(axis=0), 1.0)
    given = np.any(rows != 0, axis=1).reshape(-1, 1)  # rows that nobody gives stay out
    gap = np.abs(np.where(given, moved - wanted, 0.0)) / size
    row, motion = np.unravel_index(int(np.argmax(gap)), gap.shape)
    if gap[row, motion] > FOLLOWS:
        raise ModelError(
            f"inner: {DOF_NAMES[row % 6]} of inner node {row // 6} misses the rigid {DOF_NAMES[motion]} of the boundary by "
            f"{gap[row, motion]:.1e}: rows of another order, in local axes or in other units"
        )


def _spatial(mass: Any, nodes: int) -> sparse.csr_array:
    if checks.dimensions(mass) == 1:
        masses = checks.array(mass, (nodes,), "mass")
        return sparse.csr_array(sparse.diags_array(np.repeat(masses, 6) * np.tile([1.0, 1, 1, 0, 0, 0], nodes)))
    A = _square(mass, "mass")
    if A.shape[0] != 6 * nodes:
        raise ModelError(f"mass has {A.shape[0]} rows: give {6 * nodes}, six for each boundary node and inner node")
    return A


def _check_momenta(rest: sparse.csr_array, M: sparse.csr_array, points: Vector, hidden: int) -> None:
    """What is left of the reduced mass has no momenta."""
    R = np.vstack([_rigid(points - points.mean(axis=0)), np.zeros((hidden, 6))])
    left = rest @ R
    scale = np.sqrt(np.outer(np.maximum(M.diagonal(), 0), np.maximum(np.einsum("ij,ij->j", R, M @ R), 0)))
    worst = float((np.abs(left) / np.where(scale > 0, scale, 1.0)).max())
    if worst > REPRODUCED:
        raise ModelError(
            f"mass: its momenta differ from those of the reduced matrix by {worst:.1e} of these: give the mass that the "
            "model was reduced from, over the nodes in their order, or leave it out"
        )
