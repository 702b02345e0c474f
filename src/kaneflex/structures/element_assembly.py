"""Sums over elements, and rigid links between nodes."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.elements.contract import Elements, cross_matrix


def assemble(groups: Sequence[Elements], n: int, which: str, hidden: int = 0) -> sparse.csr_array:
    """Symmetric sum of "stiffness" or "mass" of all elements over 6n dofs and hidden coordinates."""
    size = 6 * n + hidden
    total = sparse.csr_array((size, size))
    for group in groups:
        total = total + widened(group.scatter(getattr(group, which)(), n), size)
    return (total + total.T) / 2


def widened(A: sparse.csr_array, size: int) -> sparse.csr_array:
    """The matrix with empty rows and columns after its own."""
    if A.shape[0] < size:
        A.resize(size, size)
    return A


def geometric(
    groups: Sequence[Elements], n: int, displacement: Vector, acceleration: Vector | None = None
) -> sparse.csr_array:
    """Geometric stiffness of all elements, for displacements of all dofs under the inertia load of a field."""
    size = len(displacement)
    total = sparse.csr_array((size, size))
    for group in groups:
        total = total + widened(group.scatter(group.geometric(displacement[group.dofs(n)], acceleration), n), size)
    return (total + total.T) / 2


def section_loads(groups: Sequence[Elements], n: int, hidden: int = 0) -> tuple[list[str], sparse.csr_array]:
    """Labels and the linear map (rows, 6n + hidden) from displacements to stress resultants."""
    labels: list[str] = []
    size = 6 * n + hidden
    maps = [sparse.csr_array((0, size))]
    for group in groups:
        names, blocks = group.section_loads()
        if not names:
            continue
        labels += names
        e, r, _ = blocks.shape
        rows = np.broadcast_to(np.arange(e * r).reshape(e, r, 1), blocks.shape)
        columns = np.broadcast_to(group.dofs(n)[:, None, :], blocks.shape)
        maps.append(
            sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(e * r, size)))
        )
    return labels, sparse.csr_array(sparse.vstack(maps))


def references(links: Sequence[tuple[int, int]], describe: Sequence[str]) -> dict[int, int]:
    """Each dependent node and the node that it rigidly follows, chains of links followed to their end.

    Args:
        links: pairs (reference, dependent).
        describe: how each node is called in messages.
    """
    direct: dict[int, int] = {}
    for reference, dependent in links:
        if reference == dependent:
            raise ModelError(f"rigid link: {describe[dependent]} is linked to itself; give two nodes")
        if dependent in direct and direct[dependent] != reference:
            raise ModelError(
                f"rigid link: {describe[dependent]} follows both {describe[direct[dependent]]} and "
                f"{describe[reference]}; a node follows one other, so link those two to each other"
            )
        direct[dependent] = reference
    ends = {}
    for dependent in direct:
        at, passed = direct[dependent], {dependent}
        while at in direct:
            if at in passed:
                raise ModelError(f"rigid link: {describe[at]} follows itself through other links; leave one of them out")
            passed.add(at)
            at = direct[at]
        ends[dependent] = at
    return ends


def expansion(
    points: Vector, active: np.ndarray, follows: dict[int, int], dependent: sparse.csr_array
) -> tuple[sparse.csr_array, np.ndarray]:
    """Matrix from independent dofs to all, and the numbers of the independent ones.

    For links u_s = u_r + theta_r x (p_s - p_r), theta_s = theta_r; rows of `dependent` are combinations of independent dofs.
    """
    free = active & (np.diff(dependent.indptr) == 0)
    for follower in follows:
        free[6 * follower : 6 * follower + 6] = False
    own = np.flatnonzero(free)
    size = (len(active), len(own))
    plain = sparse.csr_array((np.ones(len(own)), (own, np.arange(len(own)))), shape=size)
    moved = plain + dependent @ plain
    if follows:
        moved = moved + _link_rows(points, follows, len(active)) @ moved
    return sparse.csr_array(moved), own


def _link_rows(points: Vector, follows: dict[int, int], size: int) -> sparse.csr_array:
    """Rows of the nodes that follow others, over all dofs."""
    follower, reference = np.array(list(follows.items())).T
    blocks = np.tile(np.eye(6), (len(follower), 1, 1))
    blocks[:, :3, 3:] = -cross_matrix(points[follower] - points[reference])
    k, i, j = np.nonzero(blocks)
    entries = (blocks[k, i, j], (6 * follower[k] + i, 6 * reference[k] + j))
    return sparse.csr_array(sparse.coo_array(entries, shape=(size, size)))


def link_stiffness(points: Vector, follows: dict[int, int], carried: Vector) -> sparse.csr_array:
    """Geometric stiffness of rigid links, over all dofs.

    A node that follows a rotation theta over an arm d moves by theta x d + theta x (theta x d)/2; the second term times
    the force r that the link puts on the node is a potential, quadratic in theta.

    Args:
        points: (n, 3), m.
        follows: dependent node -> node that it follows.
        carried: forces of the links, over all dofs, on the dependent nodes (other entries are ignored), N.
    """
    size = len(carried)
    if not follows:
        return sparse.csr_array((size, size))
    dependent, reference = np.array(list(follows.items())).T
    d = points[dependent] - points[reference]
    r = carried[: 6 * len(points)].reshape(-1, 6)[dependent, :3]
    outer = r[:, :, None] * d[:, None, :]
    blocks = (outer + outer.transpose(0, 2, 1)) / 2 - np.einsum("ei,ei->e", r, d)[:, None, None] * np.eye(3)
    at = 6 * reference[:, None] + np.arange(3, 6)
    rows = np.broadcast_to(at[:, :, None], blocks.shape).ravel()
    columns = np.broadcast_to(at[:, None, :], blocks.shape).ravel()
    return sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows, columns)), shape=(size, size)))
