"""Sums over elements, and rigid links between nodes."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError, Vector
from kaneflex.structures.elements.contract import Elements, cross_matrix


def assemble(groups: Sequence[Elements], n: int, which: str) -> sparse.csr_array:
    """Symmetric sum of "stiffness" or "mass" of all elements over 6n dofs."""
    total = sparse.csr_array((6 * n, 6 * n))
    for group in groups:
        total = total + group.scatter(getattr(group, which)(), n)
    return (total + total.T) / 2


def geometric(
    groups: Sequence[Elements], n: int, displacement: Vector, acceleration: Vector | None = None
) -> sparse.csr_array:
    """Geometric stiffness of all elements over 6n dofs, for nodal displacements (6n,) under the inertia load of a field."""
    total = sparse.csr_array((6 * n, 6 * n))
    for group in groups:
        total = total + group.scatter(group.geometric(displacement[group.dofs()], acceleration), n)
    return (total + total.T) / 2


def section_loads(groups: Sequence[Elements], n: int) -> tuple[list[str], sparse.csr_array]:
    """Labels and the linear map (rows, 6n) from nodal displacements to stress resultants."""
    labels: list[str] = []
    maps = [sparse.csr_array((0, 6 * n))]
    for group in groups:
        names, blocks = group.section_loads()
        labels += names
        e, r, _ = blocks.shape
        rows = np.broadcast_to(np.arange(e * r).reshape(e, r, 1), blocks.shape)
        columns = np.broadcast_to(group.dofs()[:, None, :], blocks.shape)
        maps.append(
            sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(e * r, 6 * n)))
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


def expansion(points: Vector, active: np.ndarray, follows: dict[int, int]) -> sparse.csr_array:
    """Matrix from independent dofs to all 6n dofs: u_s = u_r + theta_r x (p_s - p_r), theta_s = theta_r for links."""
    free = active.copy()
    for dependent in follows:
        free[6 * dependent : 6 * dependent + 6] = False
    column = np.cumsum(free) - 1
    own = np.flatnonzero(free)
    rows, columns, values = [own], [column[own]], [np.ones(len(own))]
    for dependent, reference in follows.items():
        block = np.eye(6)
        block[:3, 3:] = -cross_matrix(points[dependent] - points[reference])
        i, j = np.nonzero(block)
        rows.append(6 * dependent + i)
        columns.append(column[6 * reference + j])
        values.append(block[i, j])
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csr_array(sparse.coo_array(entries, shape=(len(active), int(free.sum()))))


def link_stiffness(points: Vector, follows: dict[int, int], carried: Vector) -> sparse.csr_array:
    """Geometric stiffness of rigid links, over 6n dofs.

    A node that follows a rotation theta over an arm d moves by theta x d + theta x (theta x d)/2; the second term times
    the force r that the link puts on the node is a potential, quadratic in theta.

    Args:
        points: (n, 3), m.
        follows: dependent node -> node that it follows.
        carried: (6n,) forces of the links on the dependent nodes (other entries are ignored), N.
    """
    size = 6 * len(points)
    if not follows:
        return sparse.csr_array((size, size))
    dependent, reference = np.array(list(follows.items())).T
    d = points[dependent] - points[reference]
    r = carried.reshape(-1, 6)[dependent, :3]
    outer = r[:, :, None] * d[:, None, :]
    blocks = (outer + outer.transpose(0, 2, 1)) / 2 - np.einsum("ei,ei->e", r, d)[:, None, None] * np.eye(3)
    at = 6 * reference[:, None] + np.arange(3, 6)
    rows = np.broadcast_to(at[:, :, None], blocks.shape).ravel()
    columns = np.broadcast_to(at[:, None, :], blocks.shape).ravel()
    return sparse.csr_array(sparse.coo_array((blocks.ravel(), (rows, columns)), shape=(size, size)))
