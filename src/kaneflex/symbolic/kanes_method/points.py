"""Velocities and accelerations of SymPy's points."""

from collections import deque
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.kanes_method.kinematics import Frames
from kaneflex.symbolic.kanes_method.vectors import NOTHING, Entry, Motion


class Points:
    """Velocities and accelerations of SymPy's points, as tuples of entries with their motions."""

    def __init__(self, frames: Frames) -> None:
        self.frames = frames
        self._moves: dict[Any, tuple[tuple[int, Motion], ...]] = {}
        self._entries: dict[tuple[str, Entry], Motion] = {}

    def _entry(self, kind: str, entry: Entry) -> Motion:
        key = (kind, entry)
        found = self._entries.get(key)
        if found is None:
            make = self.frames.position_entry if kind == "position" else self.frames.velocity_entry
            found = self._entries[key] = make(entry)
        return found

    def motion(self, point: Any) -> tuple[tuple[int, Motion], ...]:
        """(frame, motion) of each entry that a point's velocity in the inertial frame consists of."""
        found = self._moves.get(point)
        if found is None:
            found = self._moves[point] = self._find(point)
        return found

    def _find(self, point: Any) -> tuple[tuple[int, Motion], ...]:
        root = self.frames.inertial
        if root in point._vel_dict:
            parts = [(e[0], self._entry("velocity", e)) for e in self.frames.vector(point._vel_dict[root])]
        else:
            near, way = self._nearest(point)
            parts = list(self.motion(near))
            for position in way:
                parts += [(e[0], self._entry("position", e)) for e in self.frames.vector(position)]
        if root in point._acc_dict:
            parts = self._given_acceleration(parts, point._acc_dict[root])
        return tuple(parts)

    def _nearest(self, point: Any) -> tuple[Any, list[Any]]:
        """The nearest point whose velocity is known, and the positions from there to this point."""
        root = self.frames.inertial
        queue: deque[tuple[Any, list[Any]]] = deque([(point, [])])
        seen = {point}
        while queue:
            here, way = queue.popleft()
            for other in here._pos_dict:
                if other in seen:
                    continue
                seen.add(other)
                longer = [*way, here._pos_dict[other]]
                if root in other._vel_dict or other in self._moves:
                    return other, longer
                queue.append((other, longer))
        raise ModelError(
            f"the velocity of point {point} in {root} is not known: set it, or locate it from a point that moves"
        )

    def _given_acceleration(self, parts: list[tuple[int, Motion]], given: Any) -> list[tuple[int, Motion]]:
        """Parts whose biases add up to an acceleration that the user has set."""
        plain = [(f, Motion(m.partials, m.value, NOTHING)) for f, m in parts]
        rest = self.frames.rates.at_rest
        for frame, c in self.frames.vector(given):
            plain.append((frame, Motion({}, NOTHING, (rest(c[0]), rest(c[1]), rest(c[2])))))
        return plain


__all__ = ["Points"]
