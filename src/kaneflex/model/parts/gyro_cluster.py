"""Control moment gyros of one gimbal each that a steering law turns so that together they give a torque."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, entries, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.parts.control_moment_gyro import ControlMomentGyro
from kaneflex.model.typed import typed

LAWS = ("pseudo-inverse", "robust", "null-motion")
SHARPNESS = 10.0  # of the fall of the robust law's weight with the measure of singularity


@typed
@dataclass(frozen=True)
class GyroMomentum(BlockBase):
    """What a GyroCluster tells, made by it: from the angles alone, so that laws which command the cluster may see it.

    Args:
        spins, across: axes of the wheels at the angle zero, and after a quarter turn of their gimbals, rows.
        momentum: as for GyroCluster.
        sees: angles of the gimbals.
    """

    spins: Any
    across: Any
    momentum: float

    def _check(self) -> None:
        for name in ("spins", "across"):
            object.__setattr__(self, name, tuple(tuple(float(x) for x in row) for row in getattr(self, name)))

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """The measure of singularity; momentum of the wheels."""
        return "measure", "hx", "hy", "hz"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "", *("kg m²/s",) * 3

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, len(self.spins), what)
        turned, h = _turning(self.spins, self.across), float(self.momentum)

        def tell(t: Any, x: Any, z: Any) -> Any:
            H, _, G = turned(x, 0)
            det = _det(G)
            return (np.sqrt(det) if det.real > 0 else 0 * det, h * H[0], h * H[1], h * H[2]), ()

        return BlockLaw(tell)


@typed
@dataclass(frozen=True)
class GyroSteering(BlockBase):
    """The steering law of a GyroCluster, which makes it.

    Args:
        spins, across: axes of the wheels at the angle zero, and after a quarter turn of their gimbals, rows.
        momentum, steering, weight, preferred, gain: as for GyroCluster.
        sees: torque that is wanted on the body, angles of the gimbals.
        drives: commands of the gyros.
    """

    spins: Any
    across: Any
    momentum: float
    steering: str
    weight: float
    preferred: Any
    gain: float

    def _check(self) -> None:
        for name in ("spins", "across"):
            object.__setattr__(self, name, tuple(tuple(float(x) for x in row) for row in getattr(self, name)))

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Rates of the gimbals."""
        return tuple(f"rate{k + 1}" for k in range(len(self.spins)))

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return ("rad/s",) * len(self.spins)

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        n = len(self.spins)
        seen(size, 3 + n, what)
        first, turned, h = entries(n), _turning(self.spins, self.across), float(self.momentum)
        wanted, gain = np.array(self.preferred, float), float(self.gain) * (self.steering == "null-motion")
        weight = float(self.weight) * (self.steering == "robust")

        def steer(t: Any, x: Any, z: Any) -> Any:
            _, J, G = turned(x, 3)
            det = _det(G)
            extra = weight * np.exp(-SHARPNESS * det)
            for i in range(3):
                G[i, i] += extra
            r = np.zeros(3, x.dtype)  # momentum's rate over h that is wanted of the gyros, less what null motion would add
            away = np.zeros(n, x.dtype)
            for k in range(n):
                away[k] = gain * (wanted[k] - x[3 + k])
            for i in range(3):
                r[i] = -x[i] / h
                for k in range(n):
                    r[i] -= J[i, k] * away[k]
            y = _solve(G, r)
            out = np.zeros(n, x.dtype)
            for k in range(n):
                out[k] = away[k] + J[0, k] * y[0] + J[1, k] * y[1] + J[2, k] * y[2]
            return first(out), ()

        return BlockLaw(steer)


def _turning(spins: Any, across: Any) -> Any:
    """A function of x and the place of the angles in it: the sum of the wheels' axes, how it changes per angle, J, and
    J J^T."""
    n, s, a = len(spins), np.array(spins), np.array(across)

    def turned(x: Any, first: int) -> Any:
        H, J, G = np.zeros(3, x.dtype), np.zeros((3, n), x.dtype), np.zeros((3, 3), x.dtype)
        for k in range(n):
            c, d = np.cos(x[first + k]), np.sin(x[first + k])
            for i in range(3):
                H[i] += c * s[k, i] + d * a[k, i]
                J[i, k] = c * a[k, i] - d * s[k, i]
        for i in range(3):
            for j in range(3):
                for k in range(n):
                    G[i, j] += J[i, k] * J[j, k]
        return H, J, G

    return turned


def _det(G: Any) -> Any:
    """Determinant of 3 by 3."""
    return (
        G[0, 0] * (G[1, 1] * G[2, 2] - G[1, 2] * G[2, 1])
        - G[0, 1] * (G[1, 0] * G[2, 2] - G[1, 2] * G[2, 0])
        + G[0, 2] * (G[1, 0] * G[2, 1] - G[1, 1] * G[2, 0])
    )


def _solve(G: Any, r: Any) -> Any:
    """G^-1 r for a symmetric G, 3 by 3."""
    det = _det(G)
    if det.real < 1e-12:
        if r[0] == 0 and r[1] == 0 and r[2] == 0:
            return r[0], r[1], r[2]
        raise ValueError("the gyros are singular: no rates of their gimbals give this torque; steer by the robust law")
    a = (G[1, 1] * G[2, 2] - G[1, 2] * G[2, 1]) / det
    b = (G[0, 2] * G[2, 1] - G[0, 1] * G[2, 2]) / det
    c = (G[0, 1] * G[1, 2] - G[0, 2] * G[1, 1]) / det
    d = (G[0, 0] * G[2, 2] - G[0, 2] * G[2, 0]) / det
    e = (G[0, 2] * G[1, 0] - G[0, 0] * G[1, 2]) / det
    f = (G[0, 0] * G[1, 1] - G[0, 1] * G[1, 0]) / det
    return a * r[0] + b * r[1] + c * r[2], b * r[0] + d * r[1] + e * r[2], c * r[0] + e * r[1] + f * r[2]


@typed
@dataclass(frozen=True)
class GyroCluster(PartBase):
    """Several control moment gyros that share the work.

    The commands, inputs "name_x", "name_y", "name_z", are the torque that is wanted on the body, N m, in the part's axes.
    With J the change of the wheels' momentum per angle of the gimbals, over that of one wheel, the steering laws for the
    rates r with h J r = -torque are: "pseudo-inverse", of the least square; "robust", J^T (J J^T + k 1)^-1, k = weight
    exp(-10 det J J^T), which misses the torque near singular angles instead of asking for endless rates; "null-motion", the
    pseudo-inverse with turns that give no torque and lead to the preferred angles.

    Channels: `measure` of singularity, the root of det J J^T, and `hx`, `hy`, `hz`, the momentum of the wheels, which laws
    that command the cluster may see; "name_steering.rate1", ... that are commanded. Each gyro is one of the part "name_1",
    ..., with its own channels. Steering that meets a
    singular position by another law than the robust one is an error that says so.

    Args:
        gyro: one of them; its axes and its angle are replaced.
        gimbals: axes of the gimbals in the part's axes, a row for each, three or more.
        spins: axes of the wheels at the angle zero, likewise.
        angles: of the gimbals at the start, rad; zero when None.
        steering: "pseudo-inverse", "robust" or "null-motion".
        weight: of the robust law.
        preferred: angles of null-motion, rad; those of the start when None.
        gain: at which null-motion goes there, 1/s.
    """

    gyro: ControlMomentGyro
    gimbals: Any
    spins: Any
    angles: Any = None
    steering: str = "pseudo-inverse"
    weight: float = 0.01
    preferred: Any = None
    gain: float = 0.1

    def _check(self) -> None:
        if self.gyro.gimbals != 1:
            raise ModelError("the gyro of a GyroCluster has two gimbals: give one of a single gimbal")
        rows = {n: checks.items(getattr(self, n), f"{n} of a GyroCluster") for n in ("gimbals", "spins")}
        n = len(rows["gimbals"])
        if n < 3 or len(rows["spins"]) != n:
            raise ModelError(
                f"a GyroCluster has {n} gimbals and {len(rows['spins'])} spins: give three or more, and as many"
            )
        for name, given in rows.items():
            object.__setattr__(self, name, tuple(checks.axis(row, f"{name} of a GyroCluster") for row in given))
        for name in ("angles", "preferred"):
            start = np.zeros(n) if name == "angles" else self.angles
            angles = start if getattr(self, name) is None else getattr(self, name)
            object.__setattr__(self, name, tuple(map(float, checks.array(angles, (n,), f"{name} of a GyroCluster"))))
        checks.known(self.steering, LAWS, "steering of a GyroCluster")
        for name in ("weight", "gain"):
            checks.positive(getattr(self, name), f"{name} of a GyroCluster")
        checks.positive(self.gyro.momentum, "momentum of the gyro of a GyroCluster")

    @classmethod
    def pyramid(cls, gyro: ControlMomentGyro, skew: float = math.atan(math.sqrt(2.0)), **more: Any) -> "GyroCluster":
        """Four gyros on the faces of a pyramid about z.

        Args:
            gyro: one of them.
            skew: of the faces against its base, rad; 54.74 degrees when nothing is given.
            more: other arguments of GyroCluster.
        """
        c, s = math.cos(checks.number(skew, "skew of a pyramid")), math.sin(skew)
        gimbals = ((s, 0, c), (0, s, c), (-s, 0, c), (0, -s, c))
        return cls(gyro, gimbals, ((0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0)), **more)

    def describe(self) -> str:
        """Number, momentum, steering."""
        return f"{len(self.gimbals)} gyros of {self.gyro.momentum:g} kg m^2/s, {self.steering}"

    def install(self, site: Site) -> None:
        """The gyros, commands, steering."""
        rows = list(zip(self.gimbals, self.spins, self.angles, strict=True))
        gyros = [site.part(str(k + 1), replace(self.gyro, gimbal=g, spin=s, angle=q)) for k, (g, s, q) in enumerate(rows)]
        commands = [site.command(word, unit="N m") for word in "xyz"]
        angles = [f"{gyro}.angle" for gyro in gyros]
        own = {"momentum": self.gyro.momentum, "across": [tuple(np.cross(g, s)) for g, s, _ in rows]}
        site.add_block("", GyroMomentum(**shared(self, GyroMomentum) | own, sees=angles))
        steering = GyroSteering(**shared(self, GyroSteering) | own, sees=[*commands, *angles], drives=gyros)
        site.add_block("steering", steering)


__all__ = ["GyroCluster"]
