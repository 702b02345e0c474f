"""Bodies of a system in a viser scene, and where they are at any time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.model import GROUND
from kaneflex.model.shapes import Box, Cone, Cylinder, Ellipsoid, Line, Mesh, Shape, Sphere, Tube
from kaneflex.structures.skin import Skin
from kaneflex.view import arrows
from kaneflex.view.plots import COLOURS
from kaneflex.view.samples import gather, pieces
from kaneflex.view.scene import Numbers, Track

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray


@dataclass(frozen=True)
class Instant:
    """Where things are at one time, relative to the anchor.

    Args:
        poses: position (m) and quaternion (scalar part first) by body; None where the body is not there.
        modes: modal coordinates by body.
        lines: ends (2, 3) of springs, ropes and rods by name.
    """

    poses: dict[str, tuple[Array, Array] | None]
    modes: dict[str, Array]
    lines: dict[str, Array]


class Motion:
    """Poses and modal coordinates of a run between its samples.

    Args:
        run: the run, or a piece of one.
        anchor: body that the positions are relative to; None for the inertial origin.
    """

    def __init__(self, run: "Run", anchor: str | None = None) -> None:
        parts = pieces(run, np.arange(len(run.t)))
        models = [part.model for part in parts]
        self.t = np.concatenate([part.t for part in parts])
        self.bodies = list(dict.fromkeys(body for model in models for body in model.parts))
        flexible = [b for b in self.bodies if any(b in m.parts and m.parts[b].body.is_flexible for m in models)]
        wanted = [f"{body}.{what}" for body in self.bodies for what in ("position", "rotation")]
        wanted += [f"{body}.modes" for body in flexible]
        values = gather(parts, [*wanted, *(name for model in models for name in arrows.places_of(model))])
        offset = np.nan_to_num(values[f"{anchor}.position"]) if anchor is not None else np.zeros((len(self.t), 3))
        self._positions = np.stack([values[f"{b}.position"] - offset for b in self.bodies], axis=1)
        self._rotations = np.stack([values[f"{b}.rotation"] for b in self.bodies], axis=1)
        home = {b: m.parts[b].body for m in reversed(models) for b in m.parts}
        self._modes = {b: np.nan_to_num(home[b].drawn(values[f"{b}.modes"].reshape(len(self.t), -1))) for b in flexible}
        spans = {name: ends for model in models for name, ends in arrows.lines(model, values, len(self.t))}
        self._lines = {name: ends - offset[:, None, :] for name, ends in spans.items()}

    def at(self, t: float) -> Instant:
        """Where things are: linear between samples, turning about a fixed axis.

        Args:
            t: time, s; before the first and after the last sample that one counts.
        """
        from scipy.spatial.transform import Rotation

        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 1))
        n = min(k + 1, len(self.t) - 1)
        span = self.t[n] - self.t[k]
        f = float(np.clip((t - self.t[k]) / span, 0.0, 1.0)) if span > 0 else 0.0
        position = (1 - f) * self._positions[k] + f * self._positions[n]
        there = np.isfinite(position).all(axis=1)
        turned = {}
        if there.any():
            first, second = (Rotation.from_matrix(self._rotations[j][there]) for j in (k, n))
            e = (first * Rotation.from_rotvec(f * (first.inv() * second).as_rotvec())).as_quat()[:, [3, 0, 1, 2]]
            turned = dict(zip(np.flatnonzero(there).tolist(), e, strict=True))
        poses = {b: (position[j], turned[j]) if j in turned else None for j, b in enumerate(self.bodies)}
        between = lambda values: {name: (1 - f) * x[k] + f * x[n] for name, x in values.items()}
        return Instant(poses, between(self._modes), between(self._lines))


class Stage:
    """Shapes of the bodies of a run in a viser server's scene, moved from instant to instant.

    Args:
        server: a viser server.
        run: the run, or the first piece of one.
    """

    def __init__(self, server: Any, run: "Run") -> None:
        self._server = server
        track = Track(run.model.name, run, np.arange(len(run.t)), Numbers())
        self.size = track.size
        masses = {b: track.home[b].parts[b].body.mass_properties()[0] for b in track.bodies}
        self.anchor = None if track.anchor is None else max(masses, key=lambda b: masses[b])
        self.frames: dict[str, Any] = {}
        self._skins: list[tuple[str, Any, Array, Array]] = []
        self._lines: dict[str, Any] = {}
        for k, body in enumerate([*track.bodies, GROUND]):
            if body != GROUND:
                self.frames[body] = server.scene.add_frame(f"/bodies/{body}", show_axes=False)
            for j, shape in enumerate(track.shapes.get(body, ())):
                self._add(f"/bodies/{body}/{j}", body, shape, COLOURS[k % len(COLOURS)])
        self.deformation = 1.0
        self.now: Instant | None = None

    def _add(self, name: str, body: str, shape: Shape | Skin, color: str) -> None:
        """Put a shape into the scene, below its body's frame."""
        add = self._server.scene.add_mesh_simple
        if isinstance(shape, Skin):
            vertices, triangles, modes = shape.surface
            handle = add(name, vertices, triangles, color=_rgb(color), side="double")
            self._skins.append((body, handle, vertices, modes))
            return
        look: dict[str, Any] = {
            "color": _rgb(shape.color or color),
            "position": shape.position,
            "wxyz": _quaternion(shape.R),
        }
        if isinstance(shape, Line):
            ends = np.stack([shape.points[:-1], shape.points[1:]], axis=1)
            colors = look.pop("color")
            self._server.scene.add_line_segments(name, ends, colors, thickness=0.004 * self.size, **look)
            return
        vertices, triangles = _surface(shape)
        add(name, vertices, triangles, side="double", opacity=None if shape.opacity == 1 else shape.opacity, **look)

    def show(self, instant: Instant) -> None:
        """Move everything to where it is.

        Args:
            instant: from a Motion.
        """
        self.now = instant
        with self._server.atomic():
            for body, frame in self.frames.items():
                pose = instant.poses.get(body)
                frame.visible = pose is not None
                if pose is not None:
                    frame.position, frame.wxyz = pose
            for body, handle, vertices, modes in self._skins:
                if body in instant.modes and len(modes):
                    handle.vertices = vertices + self.deformation * np.tensordot(instant.modes[body], modes, 1)
            for name, ends in instant.lines.items():
                self._stretch(name, ends)

    def _stretch(self, name: str, ends: Array) -> None:
        """Move a spring, rope or rod."""
        if name not in self._lines:
            add, thickness = self._server.scene.add_line_segments, 0.004 * self.size
            self._lines[name] = add(f"/lines/{name}", np.zeros((1, 2, 3)), (90, 98, 104), thickness=thickness)
        there = bool(np.isfinite(ends).all())
        self._lines[name].visible = there
        if there:
            self._lines[name].points = ends[None].astype(np.float32)

    def look(self, up: Array) -> None:
        """Set the camera that a page opens with.

        Args:
            up: unit vector against gravity.
        """
        camera, scene = self._server.initial_camera, self._server.scene
        scene.set_up_direction(tuple(float(x) for x in up))
        poses = [] if self.now is None else [pose[0] for pose in self.now.poses.values() if pose is not None]
        centre = np.mean(poses, axis=0) if poses else np.zeros(3)
        side = np.eye(3)[int(np.argmin(np.abs(up)))]
        camera.look_at, camera.up = centre, np.array(up)
        camera.position = centre + self.size * (1.0 * side + 0.6 * np.cross(up, side) + 0.4 * up)


def _surface(shape: Shape) -> tuple[Array, Array]:
    """Vertices and triangles of a shape in its own axes."""
    import trimesh  # comes with viser

    make = trimesh.creation
    if isinstance(shape, Mesh):
        return shape.vertices, shape.triangles
    if isinstance(shape, Box):
        found = make.box(shape.size)
    elif isinstance(shape, Sphere):
        found = make.icosphere(3, shape.radius)
    elif isinstance(shape, Ellipsoid):
        found = make.icosphere(3, 1.0)
        found.apply_scale(shape.radii)
    elif isinstance(shape, Cone):
        found = make.cone(shape.radius, shape.length)
    elif isinstance(shape, Cylinder):
        found = make.cylinder(shape.radius, shape.length)
    elif isinstance(shape, Tube):
        ends = [s for s in np.stack([shape.points[:-1], shape.points[1:]], axis=1) if np.ptp(s, axis=0).any()]
        found = trimesh.util.concatenate([make.cylinder(shape.radius, segment=s, sections=12) for s in ends])
    else:
        raise TypeError(f"there is no picture of a {type(shape).__name__}")
    return np.array(found.vertices), np.array(found.faces)


def _rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def _quaternion(R: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]])
