"""A MoorDyn file of the lines of a system."""

from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import AddedMass, Morison, SoftGround
from kaneflex.model.frames import GROUND, Frame, as_frame
from kaneflex.model.joints import Fixed, Free, Spherical, Translational
from kaneflex.model.model import Model
from kaneflex.model.moordyn.file import End, LineRow, LineType, MooringFile, PointRow, RodRow, RodType
from kaneflex.model.part import Part
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import Rod


class Export:
    """What a file says of a model: its rods as lines, between points of N, points that are moved, and free ones, and ends of
    rigid rods, which are bodies with a Morison load of their own.

    Args:
        model: whose rods are written; each must be in water, by a Morison load, and have the same section all along.
        path: of the file.
    """

    def __init__(self, model: Model, path: Path):
        self.model, self.file = model, MooringFile(path)
        self.numbers: dict[Any, int] = {}
        segments = {name for rod in model.rods.values() for name in rod.segments}
        waters = [load for load in model.loads.values() if isinstance(load, Morison)]
        cylinders = [(name, load) for load in waters for name in load.bodies if name not in segments]
        if not model.rods and not cylinders:
            raise ModelError(f'system "{model.name}" has no rods or cables: MoorDyn needs a line')
        down = np.array(model.gravity)
        if down[0] or down[1] or down[2] >= 0:
            raise ModelError(f"gravity is {tuple(down)}: MoorDyn's is along -z")
        self.file.options["g"] = -float(down[2])
        self.ends: dict[str, dict[str, Any]] = {}  # of rigid rods: their places by "R1A" and "R1B"
        for number, (name, load) in enumerate(cylinders, 1):
            self._rod(number, name, load)
        for number, (name, rod) in enumerate(model.rods.items(), 1):
            self._line(number, name, rod)

    def _only(self, kind: type, bodies: tuple[str, ...], what: str) -> Any:
        """The load of a kind on bodies, None where there is none."""
        loads: list[Any] = [load for load in self.model.loads.values() if isinstance(load, kind)]
        found = [load for load in loads if set(bodies) <= set(load.bodies)]
        if len(found) > 1:
            raise ModelError(f"{what} has {len(found)} loads {kind.__name__}: MoorDyn has one")
        return found[0] if found else None

    def _set(self, key: str, value: float, what: str) -> None:
        if self.file.options.setdefault(key, value) != value:
            other = self.file.options[key]
            raise ModelError(f"{what}: {key} is {value:g}, and {other:g} elsewhere: MoorDyn has one for all")

    def _line(self, number: int, name: str, placed: PlacedRod) -> None:
        rod, what = placed.rod, f'rod "{name}"'
        water, bed = self._only(Morison, placed.segments, what), self._only(SoftGround, placed.segments, what)
        sections = {key: section.constant for key, section in rod.sections.items()}
        if any(value is None for value in sections.values()):
            raise ModelError(f"{what} changes along its length: MoorDyn's lines do not")
        if water is None or rod.EA is None:
            raise ModelError(f"{what} has no {'Morison load' if water is None else 'EA'}: MoorDyn's lines have one")
        self._water(water, bed, what)
        if bed is not None:
            self._set("FrictionCoefficient", bed.friction[0], what)
            self._set("FricDamp", 1 / bed.slip, what)
        EI = float(sections["EI"][0]) if isinstance(rod, Rod) else 0.0
        kind = LineType(
            "", water.diameter, float(sections["mass_per_length"][0]), float(sections["EA"][0]), rod.damping * rod.EA, EI,
            water.normal_drag, water.added_mass, water.tangential_drag, water.tangential_added_mass,
        )  # fmt: skip
        same = _among(self.file.types, kind, "type")
        root = self.model.parts[placed.segments[0]]
        a, b = self._place(root.parent, root.at, what), self._tip(name, placed, what)
        self.file.lines[number] = LineRow(same, a, b, rod.length, rod.n)

    def _water(self, water: Morison, bed: SoftGround | None, what: str) -> None:
        """Options that the water and the bed around something are said by."""
        medium, depth = water.medium, water.medium.depth_of_waves()
        if medium.surface_height() != 0.0 or medium.wave_list() or any(np.any(v) for _, v in medium.profile()):
            raise ModelError(f"{what}: only still water with its surface at z = 0 is written: MoorDyn has others elsewhere")
        self._set("rho", medium.density, what)
        if depth:
            self._set("WtrDpth", depth, what)
        if bed is not None:
            self._set("WtrDpth", -bed.level, what)
            self._set("kBot", bed.stiffness / water.diameter, what)
            self._set("cBot", bed.damping / water.diameter, what)

    def _rod(self, number: int, name: str, water: Morison) -> None:
        """A body with an axis in the water as a rigid rod."""
        part, what = self.model.parts[name], f'body "{name}"'
        bed, body = self._only(SoftGround, (name,), what), part.body
        a, b = (np.array(end) for end in water.element)
        length, d = float(np.linalg.norm(b - a)), water.diameter
        if water.section is not None or not isinstance(body, Rigid) or not _is_cylinder(body, a, b, d):
            raise ModelError(f"{what} is no uniform cylinder of the diameter {d:g} m, as which MoorDyn would take it")
        self._water(water, bed, what)
        if bed is not None and any(bed.friction):
            raise ModelError(f"{what} rubs on the bed, but MoorDyn's rods do not: give it no friction there")
        ends = 2 * length / d * water.tangential_drag, 3 * length / (2 * d) * water.tangential_added_mass
        kind = RodType("", d, body.mass / length, water.normal_drag, water.added_mass, *ends)
        held = self._held(part, a, what)
        place: Any = lambda p: tuple(float(x) for x in self._start(name, Frame(p)).p)
        kind_name = _among(self.file.rod_types, kind, "rod")
        self.file.rods[number] = RodRow(kind_name, held, place(a), place(b), water.pieces)
        self.ends[name] = {f"R{number}A": a, f"R{number}B": b}

    def _held(self, part: Part, a: Any, what: str) -> str:
        """The word for how a rigid rod is held; its end A is where a joint is."""
        mother = None if part.parent == GROUND else self.model.parts[part.parent]
        moved = lambda p: p.parent == GROUND and isinstance(p.joint, Translational) and p.joint.motion is not None
        at_a = np.allclose(part.hinge.p, a, atol=1e-9)
        if part.q is not None and np.any(np.asarray(part.q, float)):
            raise ModelError(f"{what} begins with q = {part.q}: say by at= where it is, so that it can be written")
        if mother is None and isinstance(part.joint, Free):
            return "free"
        if isinstance(part.joint, Spherical) and at_a and (mother is None or moved(mother)):
            return "pinned" if mother is None else "coupledpinned"
        if mother is None and isinstance(part.joint, Fixed):
            return "fixed"
        if moved(part):
            return "coupled"
        kind = type(part.joint).__name__
        raise ModelError(
            f'{what} is on "{part.parent}" by a {kind}: MoorDyn has rods that are fixed, pinned by end A, moved or free'
        )

    def _tip(self, name: str, placed: PlacedRod, what: str) -> End:
        """The point at the tip of a rod: where it is tied, or a free one with what is fixed there."""
        if placed.tip == "free":
            return self._place(placed.segments[-1], self.model.frames[placed.segments[-1]]["tip"], what)
        tie: Any = self.model.constraints[f"{name}_tip"]
        if not isinstance(tie.a, str) or tie.a == GROUND:
            return self._place(GROUND, Frame() if tie.a == GROUND else as_frame(tie.a, what), what)
        return self._place(*self.model.locate(tie.a, what), what)

    def _place(self, body: str, frame: Frame, what: str) -> End:
        """The number of the point at a place, made when first asked for, or the end of a rigid rod."""
        for end, place in self.ends.get(body, {}).items():
            if np.allclose(frame.p, place, atol=1e-9):
                return end
        if body == GROUND:
            return self._number((GROUND, frame.position), PointRow("fixed", frame.position, 0.0, 0.0, 0.0, 0.0))
        part = self.model.parts[body]
        segment = self._segment(part, frame)
        if segment is not None:
            return self._free(*segment)
        if part.parent == GROUND and isinstance(part.joint, Translational) and part.joint.motion is not None:
            position = tuple(float(x) for x in part.at.p + frame.p - part.hinge.p)
            return self._number((body, frame.position), self._row("coupled", position, body, what))
        raise ModelError(f'{what} is tied to "{body}": only points of N, moved points and tips are written')

    def _segment(self, part: Part, frame: Frame) -> tuple[str, str | None] | None:
        """The last segment of a rod whose tip a place is, and the body that is fixed there."""
        lasts = {rod.segments[-1]: rod for rod in self.model.rods.values()}
        if part.name in lasts and abs(frame.p[0] - lasts[part.name].lengths[-1]) < 1e-9:
            riders = [p for p in self.model.parts.values() if p.parent == part.name and isinstance(p.joint, Fixed)]
            return part.name, riders[0].name if riders else None
        if isinstance(part.joint, Fixed) and part.parent in lasts:
            return part.parent, part.name
        return None

    def _free(self, last: str, rider: str | None) -> int:
        """A free point at the tip of a rod, with what is fixed there; its place is that of the straight line."""
        rod = next(r for r in self.model.rods.values() if r.segments[-1] == last)
        root = self.model.parts[rod.segments[0]]
        start = self._start(root.parent, root.at)
        place = tuple(float(x) for x in start.p + start.R[:, 0] * rod.rod.length)
        return self._number((last, "tip"), self._row("free", place, rider, f'tip of "{last}"'))

    def _start(self, body: str, at: Frame) -> Frame:
        """A place on a body, in N, with all rods straight."""
        while body != GROUND:
            part = self.model.parts[body]
            at = Frame.of(part.at.R @ part.hinge.R.T @ at.R, part.at.p + part.at.R @ part.hinge.R.T @ (at.p - part.hinge.p))
            body = part.parent
        return at

    def _row(self, attachment: str, place: Any, body: str | None, what: str) -> PointRow:
        mass = volume = drag = coefficient = 0.0
        if body is not None:
            rigid = self.model.parts[body].body
            if not isinstance(rigid, Rigid) or np.any(rigid.inertia) or np.any(rigid.com):
                raise ModelError(f'{what}: "{body}" is no point mass, as which MoorDyn would take it')
            mass, water = rigid.mass, self._only(AddedMass, (body,), f'body "{body}"')
            if water is not None:
                volume, drag = water.volume, water.drag_area
                coefficient = water.matrix[0][0] / (water.medium.density * volume) if volume else 0.0
        return PointRow(attachment, place, mass, volume, drag, coefficient)

    def _number(self, key: Any, row: PointRow) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers) + 1
            self.file.points[self.numbers[key]] = row
        return self.numbers[key]


def _among(table: dict[str, Any], kind: Any, word: str) -> str:
    """The name of a kind in a table, where one that is alike may be."""
    alike = [known.name for known in table.values() if known[1:] == kind[1:]]
    name = alike[0] if alike else f"{word}{len(table) + 1}"
    table[name] = kind._replace(name=name)
    return name


def _is_cylinder(body: Rigid, a: Any, b: Any, diameter: float) -> bool:
    """Whether mass centre and inertia are those of a uniform cylinder from a to b, its thickness counting little."""
    e, length = (b - a) / np.linalg.norm(b - a), float(np.linalg.norm(b - a))
    wanted = body.mass * length**2 / 12 * (np.eye(3) - np.outer(e, e))
    near = body.mass * max(diameter, 1e-3 * length) ** 2
    return bool(
        np.allclose(body.com, (a + b) / 2, atol=1e-6 * length) and np.abs(np.array(body.inertia) - wanted).max() <= near
    )


def mooring_file(model: Model, path: Path) -> MooringFile:
    """See `System.to_moordyn`."""
    return Export(model, path).file
