"""Where coordinates, speeds, block states and works stand in the state y that an integrator carries."""

from dataclasses import dataclass

import numpy as np

WORKS = 2  # work of the applied loads, work of the dampers (negative): quadratures behind everything else


@dataclass(frozen=True)
class StateLayout:
    """y = (q, u, z, works): generalized coordinates, generalized speeds, states of blocks, two quadratures.

    Attributes:
        nq: number of coordinates.
        nu: number of speeds.
        nz: number of states of blocks.
        quaternions: places in y at which a unit quaternion begins.
    """

    nq: int
    nu: int
    nz: int
    quaternions: tuple[int, ...] = ()

    @property
    def states(self) -> int:
        """Length of x = (q, u, z), all that the motion depends on."""
        return self.nq + self.nu + self.nz

    @property
    def size(self) -> int:
        """Length of y."""
        return self.states + WORKS

    @property
    def q(self) -> slice:
        """Coordinates."""
        return slice(0, self.nq)

    @property
    def u(self) -> slice:
        """Speeds."""
        return slice(self.nq, self.nq + self.nu)

    @property
    def z(self) -> slice:
        """States of blocks."""
        return slice(self.nq + self.nu, self.states)

    @property
    def works(self) -> slice:
        """Work of the applied loads and of the dampers, J."""
        return slice(self.states, self.size)

    @property
    def applied(self) -> int:
        """Where the work of the applied loads stands."""
        return self.states

    @property
    def dissipated(self) -> int:
        """Where the work of the dampers stands, which is negative."""
        return self.states + 1

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views of q, u and z in y, or in x = (q, u, z), or in rows of these."""
        return y[..., self.q], y[..., self.u], y[..., self.z]

    def join(self, q: np.ndarray, u: np.ndarray, z: np.ndarray | None = None, works: np.ndarray | None = None) -> np.ndarray:
        """A new y; z and works are zero where they are not given."""
        y = np.zeros(self.size, np.result_type(q, u))
        y[self.q], y[self.u] = q, u
        if z is not None:
            y[self.z] = z
        if works is not None:
            y[self.works] = works
        return y

    def with_works(self, x: np.ndarray) -> np.ndarray:
        """y of x = (q, u, z), with works zero."""
        return np.append(x, np.zeros(WORKS, x.dtype))


__all__ = ["WORKS", "StateLayout"]
