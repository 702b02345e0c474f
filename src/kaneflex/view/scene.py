"""A run as data for the page's viewer: shapes, poses, modal coordinates, arrows, lines, plots.

The data are JSON with numbers in one block of bytes beside it: an array in the JSON is {"at": byte, "shape": [...],
"type": "f4" | "f8" | "u2" | "u4"}, little endian, in C order. Poses are in single precision, relative to an anchor in double
precision where the system is far from the inertial origin. A row of NaN says that a body is not there.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.frames import NodeFrame
from kaneflex.model.model import GROUND, Model
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.shapes import Box, Cone, Cylinder, Ellipsoid, Line, Mesh, Shape, Sphere, Tube
from kaneflex.structures import rod_skin as high_order
from kaneflex.structures.skin import SIDES, Skin
from kaneflex.view import along, arrows, curves
from kaneflex.view.facts import facts_of
from kaneflex.view.fittings import Wheel, fittings, tethers, wheels_of
from kaneflex.view.geometry import drawing
from kaneflex.view.levels import levels_of
from kaneflex.view.orbits import path_around
from kaneflex.view.rods import RodSkin, reels_of, rod_skin, rods_of
from kaneflex.view.samples import Piece, gather, pieces, thinned

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
FORMAT = 1
BUDGET = 4_000_000  # bytes of samples of all runs of a page, before they are deflated
SKIN_BUDGET = 2_000_000  # bytes of the modes of one skin
FAR = 2000.0  # sizes of the system from the inertial origin from which on there is an anchor
MOST_FRAMES = 40  # of one body
SHEET = 0.65  # opacity of membranes
CLEAR = 0.25  # opacity of a body with a wheel inside


class Numbers:
    """Arrays one after another, each at a multiple of eight bytes; an array stored twice is kept once."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._known: dict[bytes, dict[str, Any]] = {}
        self._arrays: dict[int, Array] = {}
        self.size = 0

    def put(self, values: Any, kind: str = "f4") -> dict[str, Any]:
        """Store an array; returns its description.

        Args:
            values: the numbers.
            kind: "f4", "f8", "u2" or "u4".
        """
        array = np.ascontiguousarray(values, dtype="<" + kind)
        data = array.tobytes()
        key = kind.encode() + str(array.shape).encode() + data
        if key not in self._known:
            self._known[key] = {"at": self.size, "shape": list(array.shape), "type": kind}
            pad = -len(data) % 8
            self._chunks.append(data + bytes(pad))
            self._arrays[self.size] = array
            self.size += len(data) + pad
        return self._known[key]

    def filled(self, value: Any) -> Any:
        """Data with the arrays in place of their descriptions.

        Args:
            value: of a scene.
        """
        if isinstance(value, list):
            return [self.filled(v) for v in value]
        if not isinstance(value, dict):
            return value
        return (
            self._arrays[value["at"]]
            if set(value) == {"at", "shape", "type"}
            else {k: self.filled(v) for k, v in value.items()}
        )

    def text(self, deflated: bool = True) -> str:
        """All of it in base 64.

        Args:
            deflated: first.
        """
        block = b"".join(self._chunks)
        return base64.b64encode(zlib.compress(block, 6) if deflated else block).decode("ascii")


@dataclass
class Scene:
    """What the viewer gets.

    Args:
        data: the JSON part.
        numbers: the arrays it describes.
        notes: what a reader of the page must know, e.g. that samples were left out.
    """

    data: dict[str, Any]
    numbers: Numbers
    notes: list[str] = field(default_factory=list)

    def json(self) -> str:
        """The JSON part as text that can stand in a page."""
        return json.dumps(self.data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def scene_of(
    runs: "Mapping[str, Run]",
    title: str,
    *,
    kind: str = "run",
    channels: Sequence[str] | None = None,
    colour: str | None = None,
) -> Scene:
    """The scene of one run, or of several to be compared.

    Args:
        runs: by name.
        title: of the page.
        kind: "run" or "comparison".
        channels: those plotted at first; None for a choice of the first run's.
        colour: what rods are coloured by at first; None for the colours of bodies.
    """
    if not runs:
        raise ModelError("there is no run to show: give at least one")
    numbers, notes = Numbers(), list[str]()
    first = next(iter(runs.values()))
    shown = list(channels) if channels else curves.chosen_channels(first)
    tracks, values = [], []
    for name, run in runs.items():
        wanted = list(dict.fromkeys([*shown, *curves.further_channels(run)]))
        keep = thinned(run, BUDGET // (len(runs) * _bytes_per_sample(run, len(wanted))))
        if len(keep) < len(run.t):
            notes.append(f"{name}: {len(keep)} of {len(run.t)} samples are on this page; the run has all of them.")
        tracks.append(Track(name, run, keep, numbers, notes, colour=colour))
        values.append(curves.curves(run, keep, tracks[-1].parts, wanted))
    curves.without_rounding(list(runs.values()), values)
    if channels:
        for name in channels:
            if not any(name in found for found in values):
                first[name]  # says what is wrong with the name
    size = max(track.size for track in tracks)
    within = along.ranges(track.along for track in tracks)
    data = {
        "format": FORMAT,
        "kind": kind,
        "title": title,
        "up": up_of(first.model),
        "size": size,
        "levels": levels_of(first.model),
        "colours": along.scales(within, _unit_of(first, colour)),
        "colour": along.chosen(colour, within),
        "runs": [track.data(within) for track in tracks],
        "plots": curves.plots(runs, values, shown, numbers.put),
    }
    return Scene(data, numbers, notes)


def _unit_of(run: "Run", colour: str | None) -> str:
    """Unit of a channel of bodies that they are coloured by."""
    known = run.plan.channels
    return next((run.unit(f"{b}.{colour}") for b in run.model.parts if colour and f"{b}.{colour}" in known), "")


def _bytes_per_sample(run: "Run", channels: int) -> int:
    index = run.plan.index
    springs = len(run.model.loads) + len(run.model.constraints)
    fixed = 8 + 28 * len(index.joints) + 24 * min(springs + 2 * len(index.joints), 40)
    return fixed + 4 * sum(m.modes for m in index.modes.values()) + 4 * min(3 * channels, curves.MOST_LINES)


def up_of(model: Model) -> list[float]:
    """Unit vector against gravity; z without gravity.

    Args:
        model: the model.
    """
    g = np.array(model.gravity)
    length = float(np.linalg.norm(g))
    return [0.0, 0.0, 1.0] if length == 0 else [round(float(x), 9) + 0.0 for x in -g / length]


class Track:
    """One run in a scene: its bodies, where they are, and what acts on them.

    Args:
        name: of the run.
        run: the run; None for samples that no simulation made.
        keep: numbers of the samples shown.
        numbers: store of arrays.
        notes: takes what a reader must know.
        parts: samples in place of a run's.
        colour: channel that bodies are coloured by besides their speed and turning.
    """

    def __init__(
        self,
        name: str,
        run: "Run | None",
        keep: Array,
        numbers: Numbers,
        notes: list[str] | None = None,
        parts: Sequence[Piece] | None = None,
        colour: str | None = None,
    ) -> None:
        self.name, self.run, self.keep, self.numbers = name, run, keep, numbers
        self.parts = pieces(run, keep) if run is not None else list(parts or ())
        self.t = np.concatenate([part.t for part in self.parts])
        self.models = [part.model for part in self.parts]
        self.bodies = list(dict.fromkeys(body for model in self.models for body in model.parts))
        self.home = {body: model for model in reversed(self.models) for body in model.parts}
        flexible = [body for body in self.bodies if self.home[body].parts[body].body.is_flexible]
        wanted = [f"{body}.{x}" for body in self.bodies for x in ("position", "rotation")]
        wanted += [f"{body}.modes" for body in flexible]
        self.reels = reels_of(self.models)
        wanted += [*self.reels.values(), *(f"{rotor}.rate" for model in self.models for rotor in model.rotors)]
        self.values = gather(self.parts, [*wanted, *(n for model in self.models for n in arrows.places_of(model))])
        for body in flexible:
            coordinates = self.values[f"{body}.modes"].reshape(len(self.t), -1)
            self.values[f"{body}.modes"] = self.home[body].parts[body].body.drawn(coordinates)
        self.poses = {b: (self.values[f"{b}.rotation"], self.values[f"{b}.position"]) for b in self.bodies}
        lost = [b for b, (R, _) in self.poses.items() if not np.isfinite(R).any()]
        if lost and notes is not None:
            notes.append(f"{name}: where {', '.join(lost[:5])} is cannot be told without functions that the file has not.")
        self.rods = self._rods()
        self.along = self._along(colour)
        self.size, self.shapes = self._drawn()
        self.wheels = self._wheels()
        self.turned: dict[str, float] = {}  # by wheel, where it stands after the last sample, rad
        self.anchor = self._anchor()

    def _rods(self) -> dict[str, tuple[Model, PlacedRod]]:
        """Rods of segments that are drawn as one."""
        return rods_of(self.models)

    def _along(self, colour: str | None) -> dict[str, along.Along]:
        """What bodies are coloured by."""
        return along.along(self.run, self.keep, colour) if self.run is not None else {}

    def _arrows(self) -> Iterator[arrows.Arrow]:
        """Loads, those that act from outside first."""
        if self.run is not None:
            yield from arrows.applied(self.run, self.keep, self.values)
            yield from arrows.joint_arrows(self.run, self.keep, self.poses, self.values)

    def _drawn(self) -> tuple[float, dict[str, tuple[Shape | Skin, ...]]]:
        """Size of the system, and shapes of bodies, each as the first model that has it says."""
        size, shapes, start = 0.0, dict[str, tuple[Shape | Skin, ...]](), 0
        for part in self.parts:
            if not set(part.model.parts) <= set(shapes):
                at = {b: (self.poses[b][0][start], self.poses[b][1][start]) for b in part.model.parts}
                found = drawing(part.model, {b: pose for b, pose in at.items() if np.isfinite(pose[1]).all()})
                size = size or found.size
                shapes = {**found.shapes, **shapes}
            start += len(part.t)
        for body, more in fittings(self.parts[0].model, self.poses, size or 1.0).items():
            if body in self.poses or body == GROUND:
                shapes[body] = (*shapes.get(body, ()), *more)
        return size or 1.0, shapes

    def _wheels(self) -> list[Wheel]:
        """Rotors, and what they are in is made clear enough to see them."""
        found = wheels_of(self.parts[0].model, self.shapes, self.size)
        for body in {wheel.body for wheel in found} - set(self.parts[0].model.shapes):
            clear = lambda x: replace(x, opacity=CLEAR) if isinstance(x, Box | Cylinder) and x.color is None else x
            self.shapes[body] = tuple(clear(shape) for shape in self.shapes[body])
        return found

    def _anchor(self, always: bool = False) -> Array | None:
        """Positions of the heaviest body where the system is far from the origin, or always."""
        reach = max((float(np.abs(np.nan_to_num(p)).max(initial=0.0)) for _, p in self.poses.values()), default=0.0)
        if reach <= FAR * self.size and not always:
            return None
        there = [b for b in self.bodies if np.isfinite(self.poses[b][1]).all()] or self.bodies
        return np.nan_to_num(self.poses[max(there, key=lambda b: self.home[b].parts[b].body.mass_properties()[0])][1])

    def data(self, within: Mapping[str, tuple[float, float]] | None = None) -> dict[str, Any]:
        """The run as the scene has it; `within` is the least and the largest of what rods are coloured by."""
        put, offset = self.numbers.put, 0.0 if self.anchor is None else self.anchor
        run = self.run
        events = sorted({*run.events, *((i.t, i.name) for i in run.impacts)}) if run is not None else []
        spans = {name: (kind, x) for m in self.models for name, kind, x in arrows.lines(m, self.values, len(self.t))}
        spans |= {name: ("rope", x) for name, x in tethers(self.models[0], self.poses, self.size)}
        between = np.reshape(offset, (-1, 1, 3)) if self.anchor is not None else 0.0
        return {
            "name": self.name,
            "t": put(self.t, "f8"),
            "loop": False,
            "anchor": None if self.anchor is None else put(self.anchor, "f8"),
            "bodies": [body | self._coloured(body["name"], within or {}) for body in self._bodies(offset)],
            "orbit": self._orbit(),
            "arrows": [
                {
                    "name": a.name,
                    "kind": a.kind,
                    "at": put(np.nan_to_num(a.at - offset)),
                    "vector": put(np.nan_to_num(a.vector)),
                    "unit": a.unit,
                    "shown": a.shown,
                }
                for a in self._arrows()
            ],
            "lines": [{"name": n, "kind": k, "points": put(x - between)} for n, (k, x) in spans.items()],
            "events": [{"t": t, "name": name} for t, name in events[:200]],
            "mode": None,
        }

    def _bodies(self, offset: Any) -> list[dict[str, Any]]:
        turns = _quaternions(np.array([self.poses[b][0] for b in self.bodies]).reshape(len(self.bodies), -1, 3, 3))
        owners = {segment: rod for rod, (_, placed) in self.rods.items() for segment in placed.segments}
        shown = list(dict.fromkeys(owners.get(body, body) for body in self.bodies))
        numbers = {body: shown.index(owners.get(body, body)) for body in self.bodies}
        result = []
        for body, e in zip(self.bodies, turns, strict=True):
            model = self.home[body]
            if body in owners:
                if body == self.rods[owners[body]][1].segments[0]:
                    result.append(self._rod(owners[body], numbers.get(model.parts[body].parent, -1), offset))
                continue
            modes, kept = self._modes(body)
            result.append(
                {
                    "name": body,
                    "facts": facts_of(model, body),
                    "parent": numbers.get(model.parts[body].parent, -1),
                    "pose": self.numbers.put(np.column_stack([self.poses[body][1] - offset, e])),
                    "modes": None if modes is None else self.numbers.put(modes),
                    "shapes": [look for shape in self.shapes[body] for look in self._shape(shape, kept)],
                    "frames": self._frames(model, body, kept),
                }
            )
        result += [self._wheel(wheel, numbers[wheel.body], offset) for wheel in self.wheels]
        if GROUND in self.shapes:
            still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(self.t), 1))
            still[:, :3] -= offset
            shapes = [look for shape in self.shapes[GROUND] for look in self._shape(shape, None)]
            ground = {"name": GROUND, "parent": -1, "pose": self.numbers.put(still), "modes": None}
            result.append(ground | {"shapes": shapes, "frames": []})
        return result

    def _wheel(self, wheel: Wheel, parent: int, offset: Any) -> dict[str, Any]:
        """A rotor as a body that turns on its own by the integral of its rate."""
        R, p = self.poses[wheel.body]
        rate = np.nan_to_num(self.values.get(f"{wheel.name}.rate", np.zeros(len(self.t))))
        angle = self.turned.get(wheel.name, 0.0) + np.cumsum(
            np.diff(self.t, prepend=self.t[0]) * (rate + np.roll(rate, 1)) / 2
        )
        self.turned[wheel.name] = float(angle[-1])
        c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros(len(angle)), np.ones(len(angle))
        spin = np.stack([np.stack(row, axis=1) for row in ((c, -s, zero), (s, c, zero), (zero, zero, one))], axis=1)
        pose = np.column_stack([p + R @ wheel.centre - offset, _quaternions(R @ wheel.axes @ spin)])
        shapes = [look for shape in wheel.shapes for look in self._shape(shape, None)]
        facts = {"rotor": "spins on its body", "on": wheel.body}
        still = {"name": wheel.name, "facts": facts, "parent": parent, "modes": None, "frames": []}
        return still | {"pose": self.numbers.put(pose), "shapes": shapes}

    def _orbit(self) -> dict[str, Any] | None:
        """The centre that the heaviest body goes around, and its path."""
        if self.run is None:
            return None
        body = max(self.bodies, key=lambda b: self.home[b].parts[b].body.mass_properties()[0])
        velocity = gather(self.parts, [f"{body}.velocity"])[f"{body}.velocity"]
        found = path_around(self.models[0], self.t, *map(np.nan_to_num, (self.poses[body][1], velocity)))
        if found is None:
            return None
        return found | {name: None if found[name] is None else self.numbers.put(found[name]) for name in ("path", "ellipse")}

    def _coloured(self, name: str, within: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
        """What a rod is coloured by: places along it, and codes of the numbers there."""
        rod = self.along.get(name)
        if rod is None or not rod.values:
            return {}
        codes = {what: self.numbers.put(along.coded(x, within[what]), "u2") for what, x in rod.values.items()}
        return {"along": {"arcs": _short(rod.arcs), "values": codes}}

    def _rod(self, name: str, parent: int, offset: Any) -> dict[str, Any]:
        """A rod as one body, at rest in N, that deforms."""
        put, pose = self.numbers.put, np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(self.t), 1))
        outside = self.values[self.reels[name]] if name in self.reels else None
        skin: RodSkin | None = rod_skin(self.rods[name][1], self.poses, outside)
        data: dict[str, Any] = {"name": name, "parent": parent, "modes": None, "shapes": [], "frames": []}
        data["facts"] = facts_of(self.rods[name][0], name)
        if skin is None:
            return data | {"pose": put(np.full_like(pose, np.nan))}
        pose[:, :3] -= offset
        pose[np.isnan(skin.amplitudes).any(axis=1)] = np.nan
        look = {"type": "skin", "vertices": put(skin.vertices), "triangles": put(skin.triangles, "u4")}
        look["arcs"] = put(skin.arcs)
        frames = [
            {"name": n, "position": _short(p), "axes": _short(np.eye(3)), "shape": put(skin.point_modes[n])}
            for n, p in list(skin.points.items())[:MOST_FRAMES]
        ]
        moving = {"modes": put(np.nan_to_num(skin.amplitudes)), "shapes": [look | {"modes": put(skin.modes)}]}
        exact = self.run is not None  # the mean of a motion is nothing to measure deflections from
        return data | {"pose": put(pose), "frames": frames, "exact": exact} | moving

    def _modes(self, body: str) -> tuple[Array | None, Array | None]:
        """Modal coordinates (K, m) and the numbers of the modes: all, or the largest ones of a skin that is too large."""
        values = self.values.get(f"{body}.modes")
        if values is None:
            return None, None
        values = np.nan_to_num(values.reshape(len(self.t), -1))
        skins = [s for s in self.shapes[body] if isinstance(s, Skin)]
        kept = np.arange(values.shape[1])
        for skin in skins:
            shapes = skin.surface[2]
            most = max(int(SKIN_BUDGET // (shapes[0].nbytes / 2 or 1)), 1)
            if most < len(kept):
                largest = np.abs(values).max(axis=0) * np.abs(shapes).max(axis=(1, 2))
                kept = np.sort(np.argsort(-largest, kind="stable")[:most])
        return values[:, kept], kept

    def _frames(self, model: Model, body: str, kept: Array | None) -> list[dict[str, Any]]:
        part, result = model.parts[body], []
        for name, frame in list(model.frames[body].items())[:MOST_FRAMES]:
            moves = None
            if isinstance(frame, NodeFrame) and kept is not None:
                moves = self.numbers.put(part.body.node_moves(frame.node)[kept])  # type: ignore[attr-defined]
            result.append({"name": name, "position": _short(frame.p), "axes": _short(frame.R), "shape": moves})
        return result

    def _shape(self, shape: Shape | Skin, kept: Array | None) -> Iterator[dict[str, Any]]:
        """What is drawn of a shape: of a skin what is solid, and what is seen through."""
        if not isinstance(shape, Skin):
            yield self._solid(shape)
            return
        put = self.numbers.put
        looks: list[dict[str, Any]] = [{}, {"opacity": SHEET}] if len(shape.sheets) else [{}]
        for look in looks:
            vertices, triangles, modes = shape.sheet if look else shape.surface
            still = {"type": "skin", "vertices": put(vertices), "triangles": put(triangles, "u4")}
            if isinstance(shape, high_order.RodSkin):
                still["arcs"] = put(np.repeat(shape.arcs, SIDES))
            yield still | look | {"modes": put(modes if kept is None else modes[kept])}

    def _solid(self, shape: Shape) -> dict[str, Any]:
        put = self.numbers.put
        data: dict[str, Any] = {"type": type(shape).__name__.lower()}
        if isinstance(shape, Box):
            data["size"] = _short(shape.size)
        elif isinstance(shape, Ellipsoid):
            data["radii"] = _short(shape.radii)
        elif isinstance(shape, Cylinder | Cone):
            data |= {"radius": shape.radius, "length": shape.length}
        elif isinstance(shape, Sphere):
            data["radius"] = shape.radius
        elif isinstance(shape, Tube):
            data |= {"points": put(shape.points), "radius": shape.radius}
        elif isinstance(shape, Line):
            data["points"] = put(shape.points)
        elif isinstance(shape, Mesh):
            data |= {"vertices": put(shape.vertices), "triangles": put(shape.triangles, "u4")}
        if any(shape.position):
            data["position"] = _short(shape.position)
        if shape.rotation is not None:
            data["axes"] = _short(shape.R)
        if shape.color is not None:
            data["color"] = shape.color
        if shape.opacity != 1:
            data["opacity"] = shape.opacity
        return data


def _quaternions(R: Array) -> Array:
    """Unit quaternions (..., 4), scalar part first, of rotation matrices (..., 3, 3); NaN where these are."""
    from scipy.spatial.transform import Rotation

    flat = R.reshape(-1, 3, 3)
    there = np.isfinite(flat).all(axis=(1, 2))
    found = np.full((len(flat), 4), np.nan)
    if there.any():
        found[there] = Rotation.from_matrix(flat[there]).as_quat()[:, [3, 0, 1, 2]]
    return found.reshape(*R.shape[:-2], 4)


def _short(numbers: Any) -> list[float]:
    """Numbers as a page needs them: a flat list of nine digits."""
    return [float(f"{x:.9g}") for x in np.ravel(numbers)]
