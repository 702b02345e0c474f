"""A system of what a MoorDyn file says."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kaneflex.model import checks, profiles
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.forces import AddedMass, Morison, SoftGround
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Fixed, Free, Joint, Spherical, Translational
from kaneflex.model.media import Sea, Wave
from kaneflex.model.model import Model
from kaneflex.model.moordyn.file import BodyRow, End, LineRow, LineType, MooringFile, PointRow, RodRow, RodType, option
from kaneflex.model.rods.build import add_rod, turned
from kaneflex.model.rods.hanging import touch_down
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import Cable, Rod


class Mooring:
    """Puts what a file says into a model.

    Every line grows from a place that is known: a point that is fixed, moved or on a body, an end of a rigid rod, or the end
    of another line. A free point is the end of the first line that gets there, with its mass as a body that is fixed to it;
    further lines hang on that or are tied to it, so that there are no more loops than need be.

    Args:
        model: an empty one.
        file: what is put into it.
        sea: the water.
        motions: of coupled points, rods and bodies, by name: functions of time by "x", "y", "z".
        stretch: False for lines without EA.
        plane: True for lines that stay in the vertical planes of their ends.
    """

    def __init__(
        self, model: Model, file: MooringFile, sea: Sea, motions: Mapping[str, Any], stretch: bool, plane: bool
    ) -> None:
        self.model, self.file, self.sea, self.stretch = model, file, sea, stretch
        self.plane = "xz" if plane else None
        coupled = {f"body{n}" for n, b in file.bodies.items() if b.attachment == "coupled"}
        coupled |= {f"point{n}" for n, p in file.points.items() if p.attachment == "coupled"}
        coupled |= {f"rod{n}" for n, r in file.rods.items() if r.attachment.startswith("coupled")}
        for name in motions:
            checks.known(name, coupled, f"motions, of coupled points, rods and bodies of {file.path.name}:")
        self.motions = motions
        self.known: dict[End, tuple[str | None, Any, Frame]] = {}  # end -> body (None: N), place on it, the same from N
        for number, body in file.bodies.items():
            self._body(f"body{number}", body)
        for number, rod in file.rods.items():
            self._rod(number, rod)
        for number, point in file.points.items():
            self._point(number, point)
        self._lines()
        self._loads()

    def _moved(self, name: str) -> Translational:
        """The joint of something that is coupled: moved as told, else held."""
        given = self.motions.get(name, {})
        return Translational(motion={axis: given.get(axis, profiles.hold(0.0)) for axis in "xyz"})

    def _seat(self, what: str, owner: int) -> tuple[Frame, bool]:
        """Where a body is that something is on, and whether it is fixed."""
        if owner not in self.file.bodies:
            raise self.file.error(what, f"is on body {owner}, which is not there: {[*self.file.bodies]}")
        row = self.file.bodies[owner]
        turns = tuple((axis, math.radians(angle)) for axis, angle in zip("xyz", row.angles, strict=True))
        return Frame(row.place, turns), row.attachment == "fixed"

    def _body(self, name: str, row: BodyRow) -> None:
        at, _ = self._seat(name, int(name[4:]))
        if row.attachment == "fixed":
            return
        if row.attachment == "coupled":  # moves along the axes of N
            body, joint, hinge = Rigid(row.mass, row.centre, row.inertia), self._moved(name), Frame((0, 0, 0), at.R.T)
            self.model.add(name, body, joint, at=Frame(row.place), hinge=hinge)
        else:
            self.model.add(name, Rigid(row.mass, row.centre, row.inertia), Free(), at=at)
        self._water(name, row.volume, np.diag(row.Ca), row.CdA)

    def _water(self, name: str, volume: float, coefficients: Any, drag: float) -> None:
        if volume or drag:
            matrix = self.sea.density * volume * np.asarray(coefficients)
            self.model.apply(f"water_{name}", AddedMass(name, matrix, self.sea, volume, drag_area=drag))

    def _point(self, number: int, row: PointRow) -> None:
        name, place = f"point{number}", Frame(row.place)
        if row.attachment == "fixed":
            self.known[number] = None, place, place
        elif row.attachment == "coupled":
            self.model.add(name, Rigid(row.mass), self._moved(name), at=place)
            self._water(name, row.volume, row.Ca * np.eye(3), row.CdA)
            self.known[number] = name, Frame(), place
        elif row.attachment.startswith("body"):
            owner = int(row.attachment[4:])
            seat, fixed = self._seat(f"point {number}", owner)
            there = Frame(seat.p + seat.R @ place.p)
            if row.mass or row.volume or row.CdA:
                raise self.file.error(f"point {number}", "has a mass, volume or drag, but is on a body: give them to that")
            if not fixed:
                self.model.add_frame(f"body{owner}", name, place)
            self.known[number] = (None, there, there) if fixed else (f"body{owner}", Frame(row.place, seat.R.T), there)

    # -- rigid rods ----------------------------------------------------------------------------------------------------

    def _rod(self, number: int, row: RodRow) -> None:
        """A cylinder as a rigid body, x from its end A to B, by the joint of its end A, with the water around it."""
        name, kind = f"rod{number}", self.file.rod_types[row.kind]
        a, b, seat, parent = np.array(row.a), np.array(row.b), Frame(), None
        if row.attachment.startswith("body"):
            owner = int(row.attachment.removesuffix("pinned")[4:])
            seat, fixed = self._seat(f"rod {number}", owner)
            parent = None if fixed else f"body{owner}"
        R, length = along(b - a), float(np.linalg.norm(b - a))
        at = Frame(a, R) if parent else Frame(seat.p + seat.R @ a, seat.R @ R)
        across = kind.mass * length * (length**2 / 12 + kind.diameter**2 / 16)
        inertia = (kind.mass * length * kind.diameter**2 / 8, across, across)
        body = Rigid(kind.mass * length, (length / 2, 0, 0), inertia, {"A": (0, 0, 0), "B": (length, 0, 0)})
        pinned, hinge = row.attachment.endswith("pinned"), Frame()
        joint: Joint = Spherical() if pinned else Free() if row.attachment == "free" else Fixed()
        if row.attachment.startswith("coupled"):
            parent = f"{name}_point" if pinned else None
            if pinned:
                self.model.add(f"{name}_point", Rigid(0.0), self._moved(name), at=Frame(row.a))
                at = Frame((0, 0, 0), R)
            else:  # moves along the axes of N
                joint, hinge, at = self._moved(name), Frame((0, 0, 0), R.T), Frame(row.a)
        self.model.add(name, body, joint, parent=parent, at=at, hinge=hinge)
        for end, x in (("A", 0.0), ("B", length)):
            place = Frame(seat.p + seat.R @ (a if end == "A" else b))
            self.known[f"R{number}{end}"] = name, Frame((x, 0, 0), (seat.R @ R).T), place
        self._around(name, kind, length, row.segments)

    def _around(self, name: str, kind: RodType, length: float, pieces: int) -> None:
        """Water and bed on a rigid rod; what MoorDyn has at its ends acts along the whole."""
        element, d, depth = ((0, 0, 0), (length, 0, 0)), kind.diameter, option(self.file, "WtrDpth")
        drag, added = kind.CdEnd * d / (2 * length), kind.CaEnd * 2 * d / (3 * length)
        load = Morison(name, self.sea, d, kind.Cd, drag, kind.Ca, added, element, pieces=pieces)
        self.model.apply(f"sea_{name}", load)
        if depth and option(self.file, "kBot"):
            k, c = option(self.file, "kBot") * d, option(self.file, "cBot") * d
            self.model.apply(f"bed_{name}", SoftGround(name, k, c, level=-depth, element=element, pieces=pieces))

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _lines(self) -> None:
        left = dict(self.file.lines)
        while left:
            number = next((n for n, line in left.items() if line.a in self.known or line.b in self.known), None)
            if number is None:
                raise self.file.error(f"line {next(iter(left))}", "hangs on nothing: no line leads from it to a held point")
            self._add_line(number, left.pop(number))

    def _add_line(self, number: int, line: LineRow) -> None:
        """A line from the end that is known; tied where both are."""
        name, (root, end) = f"line{number}", (line.a, line.b) if line.a in self.known else (line.b, line.a)
        mother, place, start = self.known[root]
        target = self.known[end][2].p if end in self.known else np.array(self.file.points[int(end)].place)
        R = along(target - start.p)
        at = Frame(place.p, place.R @ R)
        rod = self._strand(self.file.types[line.kind], line)
        if end in self.known:
            owner, there, _ = self.known[end]
            tie: Any = there.position if owner is None else self._frame_on(owner, end)
            placed = add_rod(self.model, name, rod, mother, at, "pinned", "pinned", tie)
            self._lay(placed, start.p, target, R)
            return
        add_rod(self.model, name, rod, mother, at, "pinned", "free", None)
        point, body = self.file.points[int(end)], f"point{end}"
        self.model.add(body, Rigid(point.mass), Fixed(), parent=name, at="tip")
        self._water(body, point.volume, point.Ca * np.eye(3), point.CdA)
        # from there on places are along N while the line is straight
        self.known[end] = body, Frame((0, 0, 0), R.T), Frame(start.p + line.length * R[:, 0])

    def _lay(self, placed: PlacedRod, start: Vector, target: Vector, R: Vector) -> None:
        """Begin as a line that rises from the bed where one of the ends is, not as one that hangs through it."""
        depth, (low, high) = option(self.file, "WtrDpth"), sorted((float(start[2]), float(target[2])))
        span = float(np.hypot(*(target - start)[:2]))
        found = touch_down(placed.rod.length, span, high - low) if depth and abs(low + depth) < 1e-3 * depth else None
        if found is None:
            return
        a, hanging = found
        middles = (placed.arc[:-1] + placed.arc[1:]) / 2
        up = start[2] < target[2]
        from_bed = middles if up else placed.rod.length - middles
        slopes = np.arctan(np.maximum(0.0, from_bed - placed.rod.length + hanging) / a) * (1 if up else -1)
        turns = np.diff(slopes, prepend=math.asin(R[2, 0]))
        for name, turn in zip(placed.segments, turns, strict=True):  # a turn about y leads down
            part = self.model.parts[name]
            self.model.parts.put(name, replace(part, q=turned(part.joint, np.array([0.0, -turn, 0.0]), 0.0)))

    def _frame_on(self, owner: str, end: End) -> str:
        if isinstance(end, str):
            return f"{owner}.{end[-1]}"
        return f"{owner}.point{end}" if owner.startswith("body") else owner

    def _strand(self, kind: LineType, line: LineRow) -> Cable | Rod:
        segment = line.length / line.segments
        BA = kind.BA if kind.BA >= 0 else -kind.BA * segment * math.sqrt(kind.EA * kind.mass)
        damping = BA / kind.EA if self.stretch else 0.0
        own: dict[str, Any] = {"n": line.segments, "radius": kind.diameter / 2, "damping": damping}
        own |= {"EA": kind.EA if self.stretch else None, "plane": self.plane}
        if kind.EI:
            return Rod(line.length, kind.mass, kind.EI, kind.EI, **own)  # MoorDyn knows no torsion
        return Cable(line.length, kind.mass, **own)

    def _loads(self) -> None:
        depth, bed = option(self.file, "WtrDpth"), option(self.file, "kBot")
        for number, line in self.file.lines.items():
            kind, name = self.file.types[line.kind], f"line{number}"
            load = Morison(name, self.sea, kind.diameter, kind.Cd, kind.CdAx, kind.Ca, kind.CaAx)
            self.model.apply(f"sea_{name}", load)
            if depth and bed:
                friction, slip = option(self.file, "FrictionCoefficient"), 1 / option(self.file, "FricDamp")
                d, c = kind.diameter, option(self.file, "cBot")
                ground = SoftGround(name, bed * d, c * d, friction, slip, -depth)
                self.model.apply(f"bed_{name}", ground)


def along(v: Vector) -> Vector:
    """A rotation matrix whose x axis is along v; its y axis is level, or that of N where v is vertical."""
    x = v / np.linalg.norm(v)
    level = np.cross([0.0, 0.0, 1.0], x)
    y = level / np.linalg.norm(level) if np.linalg.norm(level) > 1e-9 else np.array([0.0, 1.0, 0.0])
    return np.column_stack([x, y, np.cross(x, y)])


def add_mooring(
    model: Model,
    file: MooringFile,
    current: Any,
    waves: Sequence[Wave],
    motions: Mapping[str, Any],
    stretch: bool,
    plane: bool,
) -> None:
    """See `System.from_moordyn`."""
    depth = option(file, "WtrDpth")
    try:
        Mooring(model, file, Sea(option(file, "rho"), depth or None, 0.0, current, 1.0, waves), motions, stretch, plane)
    except ModelError as error:
        if str(error).startswith(file.path.name):
            raise
        raise ModelError(f"{file.path.name}: {error}") from error
