"""A MoorDyn file of the lines of a system."""

from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import AddedMass, Morison, SoftGround
from kaneflex.model.frames import GROUND, Frame, as_frame
from kaneflex.model.joints import Fixed, Translational
from kaneflex.model.model import Model, Part
from kaneflex.model.moordyn.file import LineRow, LineType, MooringFile, PointRow
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.rod import Rod


class Export:
    """What a file says of a model: its rods as lines, between points of N, points that are moved, and free ones.

    Args:
        model: whose rods are written; each must be in water, by a Morison load, and have the same section all along.
        path: of the file.
    """

    def __init__(self, model: Model, path: Path):
        self.model, self.file = model, MooringFile(path)
        self.numbers: dict[Any, int] = {}
        if not model.rods:
            raise ModelError(f'system "{model.name}" has no rods or cables: MoorDyn needs a line')
        down = np.array(model.gravity)
        if down[0] or down[1] or down[2] >= 0:
            raise ModelError(f"gravity is {tuple(down)}: MoorDyn's is along -z")
        self.file.options["g"] = -float(down[2])
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
        medium = water.medium
        if medium.surface_height() != 0.0 or medium.wave_list() or any(np.any(v) for _, v in medium.profile()):
            raise ModelError(f"{what}: only still water with its surface at z = 0 is written: MoorDyn has others elsewhere")
        self._set("rho", water.medium.density, what)
        if water.medium.depth_of_waves():
            self._set("WtrDpth", water.medium.depth_of_waves(), what)
        if bed is not None:
            self._bed(bed, water.diameter, what)
        EI = float(sections["EI"][0]) if isinstance(rod, Rod) else 0.0
        kind = LineType(
            "", water.diameter, float(sections["mass_per_length"][0]), float(sections["EA"][0]), rod.damping * rod.EA, EI,
            water.normal_drag, water.added_mass, water.tangential_drag, water.tangential_added_mass,
        )  # fmt: skip
        alike = [known.name for known in self.file.types.values() if known[1:] == kind[1:]]
        same = alike[0] if alike else f"type{len(self.file.types) + 1}"
        self.file.types[same] = kind._replace(name=same)
        root = self.model.parts[placed.segments[0]]
        a, b = self._place(root.parent, root.at, what), self._tip(name, placed, what)
        self.file.lines[number] = LineRow(same, a, b, rod.length, rod.n)

    def _bed(self, bed: SoftGround, diameter: float, what: str) -> None:
        self._set("WtrDpth", -bed.level, what)
        self._set("kBot", bed.stiffness / diameter, what)
        self._set("cBot", bed.damping / diameter, what)
        self._set("FrictionCoefficient", bed.friction[0], what)
        self._set("FricDamp", 1 / bed.slip, what)

    def _tip(self, name: str, placed: PlacedRod, what: str) -> int:
        """The point at the tip of a rod: where it is tied, or a free one with what is fixed there."""
        if placed.tip == "free":
            return self._place(placed.segments[-1], self.model.frames[placed.segments[-1]]["tip"], what)
        tie: Any = self.model.constraints[f"{name}_tip"]
        if not isinstance(tie.a, str) or tie.a == GROUND:
            return self._place(GROUND, Frame() if tie.a == GROUND else as_frame(tie.a, what), what)
        return self._place(*self.model.locate(tie.a, what), what)

    def _place(self, body: str, frame: Frame, what: str) -> int:
        """The number of the point at a place, made when first asked for."""
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


def mooring_file(model: Model, path: Path) -> MooringFile:
    """See `System.to_moordyn`."""
    return Export(model, path).file
