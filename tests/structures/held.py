"""Statics and vibration of a structure with one node held, on dense or sparse matrices, for tests."""

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from kaneflex.structures import Structure


class Held:
    """A structure whose node `root` is held."""

    def __init__(self, structure: Structure, root: str = "root") -> None:
        self.structure = structure
        self.expand = structure.expand[:, structure.held(root)]
        self.K = (self.expand.T @ structure.K @ self.expand).tocsc()
        self.M = (self.expand.T @ structure.M @ self.expand).tocsc()
        self.factor = splu(self.K)

    def solve(self, load: np.ndarray) -> np.ndarray:
        """Static displacements (6n,) under nodal loads (6n,)."""
        return self.expand @ self.factor.solve(self.expand.T @ load)

    def modes(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Lowest frequencies (rad/s) and mass-orthonormal shapes (6n, count)."""
        if self.K.shape[0] < 400:
            squares, V = scipy.linalg.eigh(self.K.toarray(), self.M.toarray() + 0.0)
        else:
            squares, V = eigsh(self.K, k=count, M=self.M, sigma=0)
        return np.sqrt(squares[:count]), self.expand @ V[:, :count]

    def second_order(self, load: np.ndarray, shape: np.ndarray) -> float:
        """load . u_2 of a deformation `shape`, from the geometric stiffness of the load."""
        u = self.solve(load)
        return -0.5 * shape @ (self.structure.geometric_stiffness(u, load) @ shape)

    def buckling(self, load: np.ndarray, count: int = 1) -> np.ndarray:
        """Smallest positive factors on the load at which the structure loses its stiffness."""
        KG = self.expand.T @ self.structure.geometric_stiffness(self.solve(load), load) @ self.expand
        solve = LinearOperator(self.K.shape, matvec=self.factor.solve)
        inverse = eigsh(-KG, k=count, M=self.K, Minv=solve, which="LA", return_eigenvectors=False)
        return 1 / inverse[::-1]


def nodal(structure: Structure, node, load) -> np.ndarray:
    """Loads (6n,) with six numbers at one node."""
    F = np.zeros((len(structure), 6))
    F[structure.node(node)] = load
    return F.ravel()
