"""M, B, f and c of a system in points and vectors as whole matrices, for teaching and for tests."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.cartesian import layout as L
from kaneflex.formulations.integration_state import IntegrationState

Array = np.ndarray


@dataclass(frozen=True)
class Matrices:
    """M y'' + B^T mu = f and B y'' = c, see `kaneflex.formulations.cartesian.rates`.

    Attributes:
        M: mass matrix, singular by itself.
        B: what every equation says of the rates, one row each.
        f: loads, less what inertia has besides y''.
        c: right sides of the equations.
        redundant: whether an equation follows from others and was left out of the factors, its multiplier being zero; None
            where that is not known.
    """

    M: Array
    B: Array
    f: Array
    c: Array
    redundant: Array | None = None


def matrices(state: IntegrationState, t: float, y: Array) -> Matrices:
    """The matrices at the state y, in points and vectors, of an integration by the formulation "cartesian"."""
    d = state.dynamics
    d.kernels.call_derivative(state.I, d.P, d.W, float(t), np.ascontiguousarray(y, float), np.empty_like(y))
    C, X = state.I[len(d.I) + len(state.layout.quaternions) :], state.memory
    free, rows = int(C[L.C_FREE]), int(C[L.C_EQUATIONS])
    M, B = np.zeros((free, free)), np.zeros((rows, free))
    for i in range(1, d.plan.header.bodies):
        b, phi = C[L.C_BODY_TABLE] + L.C_BODY_INTS * i, C[L.C_BODY_COLUMNS] + L.C_COLUMNS_WIDTH * i
        refs = C[L.C_REF_TABLE] + L.C_REF_INTS * (C[b + L.C_REF0] + np.arange(C[b + L.C_REFS]))
        columns = (C[refs][:, None] + np.arange(3)).ravel()
        Phi = X[phi : phi + L.C_BIAS].reshape(6, L.C_MOST)[:, : len(columns)]
        M[np.ix_(columns, columns)] += Phi.T @ _inertia(d.work.body[i]) @ Phi
    for r in range(rows):
        b = C[L.C_EQUATION_TABLE] + L.C_EQUATION_INTS * r
        first, count = C[b + L.C_COLUMN0], C[b + L.C_COLUMNS]
        columns = (C[C[L.C_COLUMN_TABLE] + first : C[L.C_COLUMN_TABLE] + first + count][:, None] + np.arange(3)).ravel()
        B[r, columns] = X[C[L.C_GRADIENTS] + 3 * first :][: 3 * count]
    places = C[C[L.C_POSITIONS] :][: free + rows]
    given, pivots = X[C[L.C_GIVEN] :][places], X[C[L.C_DIAGONAL] :][places]
    return Matrices(M, B, given[:free], given[free:], pivots[free:] == 0)


def _inertia(body: Any) -> Array:
    """The 6-by-6 inertia of a body about the origin of its M, angular first."""
    J, m = (np.ravel(x)[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]] for x in (body.j, body.m))
    H = np.reshape(body.h, (3, 3))
    return np.block([[J, H], [H.T, m]])


__all__ = ["Matrices", "matrices"]
