"""Thrusters that together give a torque, or a force and a torque."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import nnls

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, entries, seen
from kaneflex.model.checks import ModelError
from kaneflex.model.frames import Frame
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.parts.thruster import Thruster
from kaneflex.model.typed import typed

CONTROLS = {"torque": ("tx", "ty", "tz"), "all": ("fx", "fy", "fz", "tx", "ty", "tz")}


@typed
@dataclass(frozen=True)
class Allocation(BlockBase):
    """Levels of thrusters for a force and torque; made by a ThrusterCluster.

    Args:
        up, down: levels that give 1 and -1 of each that is wanted, rows by thruster.
        sees: what is wanted, propellant of each thruster.
        drives: their commands.
    """

    up: Any
    down: Any
    only_seen: ClassVar[int] = 1

    def _check(self) -> None:
        for name in ("up", "down"):
            object.__setattr__(self, name, tuple(tuple(float(x) for x in row) for row in getattr(self, name)))

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Levels, and the propellant that all have used."""
        return *(f"level{k + 1}" for k in range(len(self.up))), "propellant"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return *("",) * len(self.up), "kg"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        up, down = np.array(self.up), np.array(self.down)
        n, m = up.shape
        seen(size, n + m, what)
        first = entries(n + 1)

        def allocate(t: Any, x: Any, z: Any) -> Any:
            out = np.zeros(n + 1, x.dtype)
            for k in range(n):
                for i in range(m):
                    out[k] += up[k, i] * x[i] if x[i].real > 0 else -down[k, i] * x[i]
                out[n] += x[m + k]
            return first(out), ()

        return BlockLaw(allocate)


@typed
@dataclass(frozen=True)
class ThrusterCluster(PartBase):
    """Thrusters at several places, opened so that they give what is wanted.

    The commands are inputs "name_tx", "name_ty", "name_tz", the torque about a point, N m, and with controls="all"
    "name_fx", "name_fy", "name_fz", the force, N, in the part's axes. Levels are those that
    give each of these, of the least squares and none negative; what is more than a thruster gives is cut. Each thruster is
    one of the part "name_1", ...; channels of the cluster: `level1`, ..., `propellant` of all, kg.

    Args:
        thruster: one of them; its direction is replaced.
        places: where they are, in the part's axes, m, a row for each.
        directions: of their forces on the body, likewise.
        about: point of the torques, in the part's axes, m: the mass centre, where there is to be no force.
        controls: "torque" or "all".
    """

    thruster: Thruster
    places: Any
    directions: Any
    about: Any = (0.0, 0.0, 0.0)
    controls: str = "torque"

    def _check(self) -> None:
        places = checks.items(self.places, "places of a ThrusterCluster")
        directions = checks.items(self.directions, "directions of a ThrusterCluster")
        if len(places) != len(directions):
            raise ModelError(f"a ThrusterCluster has {len(places)} places and {len(directions)} directions: give as many")
        vectors = tuple(checks.vector(p, "place of a thruster") for p in places)
        object.__setattr__(self, "places", vectors)
        object.__setattr__(self, "directions", tuple(checks.axis(d, "direction of a thruster") for d in directions))
        object.__setattr__(self, "about", checks.vector(self.about, "about of a ThrusterCluster"))
        checks.known(self.controls, CONTROLS, "controls of a ThrusterCluster")
        self.allocation()

    def allocation(self) -> tuple[np.ndarray, np.ndarray]:
        """Levels that give 1 and -1 of each that is wanted, of the least squares, rows by thruster."""
        F = self.thruster.thrust * np.array(self.directions).T
        T = np.cross(np.array(self.places) - np.array(self.about), F.T).T
        E = T if self.controls == "torque" else np.concatenate([F, T])
        found = [np.array([_least(E, sense * axis, self.controls) for axis in np.eye(len(E))]) for sense in (1.0, -1.0)]
        return found[0].T, found[1].T

    def describe(self) -> str:
        """Number and thrust."""
        return f"{len(self.places)} thrusters of {self.thruster.thrust:g} N"

    def install(self, site: Site) -> None:
        """Thrusters, commands, allocation."""
        names = []
        for k, (p, d) in enumerate(zip(self.places, self.directions, strict=True)):
            names.append(site.part(str(k + 1), replace(self.thruster, direction=d), site.within(Frame(p))))
        units = {"t": "N m", "f": "N"}
        commands = [site.command(word, unit=units[word[0]]) for word in CONTROLS[self.controls]]
        up, down = self.allocation()
        sees = [*commands, *(f"{name}.propellant" for name in names)]
        site.add_block("", Allocation(up=up, down=down, sees=sees, drives=names))


def _least(E: np.ndarray, wanted: np.ndarray, controls: str) -> np.ndarray:
    """Levels, not negative, of the least sum of squares that give what is wanted."""
    scale = np.linalg.norm(E, axis=1).max()
    stacked = np.vstack([1e5 * E / scale, np.eye(E.shape[1])])
    near, _ = nnls(stacked, np.append(1e5 * wanted / np.abs(wanted).max(), np.zeros(E.shape[1])))
    used = near > 1e-6 * near.max(initial=0.0)
    levels = np.zeros(E.shape[1])
    if used.any():
        levels[used] = np.linalg.pinv(E[:, used]) @ wanted
    levels[np.abs(levels) < 1e-12 * np.abs(levels).max(initial=0.0)] = 0.0
    if np.abs(E @ levels - wanted).max() > 1e-9 or levels.min() < 0:
        word, sign = CONTROLS[controls][int(np.abs(wanted).argmax())], "" if wanted.max() > 0 else "-"
        raise ModelError(f"thrusters of a ThrusterCluster do not reach {sign}{word} alone: add some, or turn them")
    return levels


def couples(arm: float) -> tuple[list[Any], list[Any]]:
    """Places and directions of twelve thrusters in pairs, two about each axis and sense, at a distance from it.

    Args:
        arm: distance from the axis, m.
    """
    places, directions = [], []
    for axis in np.eye(3):
        across = np.roll(axis, 1)
        for sense in (1.0, -1.0):
            for side in (1.0, -1.0):
                places.append((side * checks.positive(arm, "arm of couples") * across).tolist())
                directions.append((sense * side * np.cross(axis, across)).tolist())
    return places, directions


__all__ = ["ThrusterCluster", "couples"]
