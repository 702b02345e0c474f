"""Damping of components from the damping that the system's modes are to have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from kaneflex.model.checks import ModelError
from kaneflex.structures.modes.synthesis import Assembly


def damping_matrix(M: Any, modes: np.ndarray, frequencies: np.ndarray, ratios: np.ndarray | float) -> np.ndarray:
    """C = M Phi diag(2 zeta omega) Phi^T M: gives the mass-orthonormal `modes` (omega in rad/s) the damping `ratios`."""
    MPhi = M @ modes
    return np.asarray((MPhi * (2 * _ratios(ratios, len(frequencies)) * frequencies)) @ MPhi.T)


@dataclass(frozen=True)
class ComponentDamping:
    """Damping matrices by component, each in its reduced coordinates, and what they give the system."""

    matrices: Mapping[str, np.ndarray]
    achieved: np.ndarray  # modal damping ratios of the system with these matrices
    coupling: float  # largest off-diagonal modal damping over the largest on the diagonal


def partitioned_damping(assembly: Assembly, ratios: np.ndarray | float, count: int, match: bool = True) -> ComponentDamping:
    """The system's damping matrix cut into the blocks of its components.

    A body of a multibody system has its own damping matrix and none that couples it to another body, so that the blocks
    between components are lost. With `match` each component's share of every mode is scaled before the cut, by factors as
    near to 1 as can be, so that the diagonal of what is left is as wanted, as far as non-negative factors allow; without it
    the blocks are those of the plain formula. What comes out is in `achieved`.

    Args:
        assembly: components joined to the system.
        ratios: wanted damping ratio of each of the system's first modes, or one number for all.
        count: how many of the system's modes are damped.
        match: make up for the blocks that are lost.
    """
    omega, vectors = assembly.modes(count)
    wanted = 2 * _ratios(ratios, count) * omega
    parts = {n: assembly.coordinates_of(n, vectors) for n in assembly.components}
    grams = {n: q.T @ assembly.components[n].M @ q for n, q in parts.items()}
    factors = _matching([g * g for g in grams.values()], wanted) if match else np.ones((len(parts), count))
    matrices = {}
    for (name, q), own in zip(parts.items(), factors, strict=True):
        Mq = assembly.components[name].M @ q
        matrices[name] = (Mq * (own * wanted)) @ Mq.T
    modal = sum((q.T @ matrices[n] @ q for n, q in parts.items()), np.zeros((count, count)))
    off = np.abs(modal - np.diag(np.diag(modal))).max()
    moving = omega > 0
    achieved = np.divide(np.diag(modal), 2 * omega, out=np.zeros(count), where=moving)
    return ComponentDamping(matrices, achieved, float(off / max(np.diag(modal).max(), np.finfo(float).tiny)))


def _matching(shares: list[np.ndarray], wanted: np.ndarray) -> np.ndarray:
    """Non-negative factors (components, modes), near 1, with sum over components of shares @ (factors wanted) = wanted."""
    moving = wanted > 0
    rows = np.hstack([s[moving] * wanted / wanted[moving, None] for s in shares])
    weak = 1e-4  # the wish to stay near 1 gives way to matching what is wanted
    system = np.vstack([rows, weak * np.eye(rows.shape[1])])
    target = np.concatenate([np.ones(len(rows)), np.full(rows.shape[1], weak)])
    return np.asarray(nnls(system, target)[0]).reshape(len(shares), len(wanted))


def damping_influence(assembly: Assembly, count: int) -> tuple[np.ndarray, list[tuple[str, int]]]:
    """What damping of components' own modes gives the system: zeta_system = influence @ zeta_component.

    Rows are the system's first `count` modes; columns, named in the second result as (component, vector), are the vectors of
    the components whose reduced stiffness stands alone (fixed-interface modes of Craig-Bampton), with
    influence = Q^2 omega_component / omega_system.
    """
    omega, vectors = assembly.modes(count)
    if np.any(omega == 0):
        raise ModelError("the system has rigid-body modes among those to damp: they have no damping ratio; hold it")
    columns, names = [], []
    for name, component in assembly.components.items():
        q = assembly.coordinates_of(name, vectors)
        for k, kind in enumerate(component.kind):
            if kind.startswith("fixed-interface"):
                own = np.sqrt(component.K[k, k] / component.M[k, k])
                columns.append(component.M[k, k] * q[k] ** 2 * own / omega)
                names.append((name, k))
    return np.array(columns).T.reshape(count, len(columns)), names


def component_ratios(influence: np.ndarray, wanted: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Non-negative ratios of the components' modes that come nearest to the system's `wanted` ones, and what they give."""
    target = _ratios(wanted, len(influence))
    found, _ = nnls(influence, target)
    return found, influence @ found


def _ratios(ratios: np.ndarray | float, count: int) -> np.ndarray:
    zeta = np.asarray(ratios, dtype=float)
    if zeta.shape not in ((), (count,)) or not np.all(np.isfinite(zeta)) or np.any(zeta < 0):
        raise ModelError(f"damping ratios {zeta.tolist()}: give one number or {count}, none negative")
    return np.broadcast_to(zeta, (count,)).astype(float)
