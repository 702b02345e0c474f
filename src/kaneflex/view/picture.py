"""Pictures of a scene without a browser: bodies with light and shadow over a grid, for films and small pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError, known
from kaneflex.view.camera import VIEWS, Camera, basis, framed, towards
from kaneflex.view.raster import fill, stroke
from kaneflex.view.scene import Scene
from kaneflex.view.solids import Solid, coil, solid_of, turned

Array = np.ndarray
FINE = 2  # pixels drawn for one of the picture, along each side
LOOKS = 24  # times at which the motion is looked at to frame the camera
TRAVEL = 0.4  # extent of the motion around a body, over that of all of it, below which the camera follows
CELLS = 14  # of the grid, from its middle
SHADE, BLUR = 0.17, 1.6  # darkness of shadows, and their softness in pixels
LONGEST = 0.4  # length of the largest arrow, in sizes of the system
WIDE = 0.016  # radius of springs, in sizes of the system
BODIES = ("#4f92cb", "#e3934f", "#52b299", "#c584b4", "#c3a748", "#8595a2")
RUNS = ("#0b6bb0", "#cf5600", "#00866a", "#a8478a", "#8a6d00", "#4a5560", "#b3261e", "#5b4fc4")
ARROWS = {"load": "#0f766e", "force": "#c2260f", "torque": "#7a3fb5"}
SCALE = ("#27408b", "#2f7f9f", "#48ab8a", "#a8c256", "#f6d746")
SKY, FLOOR, GRID, INK = "#fdfefe", "#e9edf0", "#9aa7b1", "#1f272d"
METAL, ROPE = "#8c969e", "#9b7846"
LEVELS = 65535


@dataclass(frozen=True)
class Drawn:
    """Triangles in the drawing's axes: corners (n, 3, 3), normals there, colours (n, 3, 3) or one (3,), opacity, and whether
    they keep light from the ground."""

    corners: Array
    normals: Array
    colour: Array
    opacity: float


class Picture:
    """Draws a scene at any time.

    Args:
        scene: of a run, of runs to be compared, or of modes, whose first is drawn.
        size: width and height, pixels.
        view: "iso", "front", "side", "top", "back" or "bottom".
        colour: what bodies are coloured by, one of the scene's; None for their own colours.
        deformation: factor on deflections.
        loads: whether applied loads are drawn.
        still: time for which alone the camera is placed, s; None for all the motion.
    """

    def __init__(
        self, scene: Scene, size: tuple[int, int] = (1280, 720), view: str = "iso", colour: str | None = None,
        deformation: float = 1.0, loads: bool = True, still: float | None = None,
    ) -> None:  # fmt: skip
        known(view, VIEWS, "view")
        data = scene.numbers.filled(scene.data)
        quantities = {x["name"]: x["range"] for x in data.get("colours", ())}
        if colour is not None and colour not in quantities:
            there = ", ".join(quantities) or "nothing that differs"
            raise ModelError(f'bodies cannot be coloured by "{colour}": there is {there}')
        self.size, self.colour, self.deformation, self.loads = size, colour, float(deformation), loads
        self.runs = data["runs"][: 1 if data["kind"] == "modes" else None]
        self.ghosts = data["kind"] == "comparison"
        self.scale, self.up = float(data["size"]), np.array(data["up"], float)
        self.solids = [[[s for s in map(solid_of, b["shapes"]) if s] for b in run["bodies"]] for run in self.runs]
        self.start = min(float(run["t"][0]) for run in self.runs)
        self.end = max(float(run["t"][-1]) for run in self.runs)
        self._longest = self._arrow_scales()
        looks = np.linspace(self.start, self.end, LOOKS) if still is None else np.array([still])
        self._frame(view, data.get("levels") or {}, looks)

    # -- where things are ----------------------------------------------------------------------------------------------

    def _arrow_scales(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for arrow in (a for run in self.runs for a in run["arrows"] if a["shown"]):
            most = float(np.linalg.norm(arrow["vector"], axis=1).max(initial=0.0))
            found[arrow["kind"]] = max(found.get(arrow["kind"], 0.0), most)
        return {kind: LONGEST * self.scale / most for kind, most in found.items() if most > 0}

    def _origin(self, t: float) -> Array:
        """The point of N that the drawing is relative to."""
        anchor = self.runs[0].get("anchor")
        return np.zeros(3) if anchor is None else _row(anchor, *_place(self.runs[0]["t"], t))

    def _bodies(self, run: Mapping[str, Any], t: float) -> list[tuple[Array, Array] | None]:
        """R and p of the bodies of a run in the drawing; None of those that are not there."""
        k, f = _place(run["t"], t)
        anchor = run.get("anchor")
        offset = (_row(anchor, k, f) if anchor is not None else np.zeros(3)) - self._origin(t)
        found: list[tuple[Array, Array] | None] = []
        for body in run["bodies"]:
            a, b = body["pose"][k].astype(float), body["pose"][min(k + 1, len(run["t"]) - 1)].astype(float)
            row = a if f == 0 else (1 - f) * a + f * np.concatenate([b[:3], b[3:] * (1 if a[3:] @ b[3:] >= 0 else -1)])
            found.append((_turn(row[3:]), row[:3] + offset) if np.isfinite(row).all() else None)
        return found

    def _cloud(self, t: float) -> tuple[Array, Array | None]:
        """Corners of boxes around all bodies at a time, and the place of the first that moves."""
        points, first = [np.zeros((0, 3))], None
        for run, solids in zip(self.runs, self.solids, strict=True):
            for body, own, pose in zip(run["bodies"], solids, self._bodies(run, t), strict=True):
                if pose is None:
                    continue
                R, p = pose
                points.append(p[None])
                if first is None and np.ptp(np.nan_to_num(body["pose"]), axis=0).any():
                    first = p
                for solid in own:
                    shown = self._shaped(solid, run, body, t)
                    low, high = shown.min(axis=0), shown.max(axis=0)
                    box = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low
                    points.append(box @ R.T + p)
            points += self._ends(run, t).values()
            if self.loads:
                points += (np.stack([at, at + length * axis]) for _, at, axis, length in self._vectors(run, t))
        return np.concatenate(points), first

    def _frame(self, view: str, levels: Mapping[str, float], looks: Array) -> None:
        """Place the camera so that it sees all of the motion, or follows what travels far, and the ground."""
        clouds = [self._cloud(float(t)) for t in looks]
        everything = np.concatenate([cloud for cloud, _ in clouds])
        around = np.concatenate([cloud - first for cloud, first in clouds if first is not None] or [everything])
        length = lambda points: float(np.linalg.norm(np.ptp(points, axis=0)))
        self.follows = max(length(around), self.scale) < TRAVEL * length(everything)
        points = around if self.follows else everything
        direction = towards(view, self.up, np.ptp(points, axis=0))
        fine = (FINE * self.size[0], FINE * self.size[1])
        self.camera = framed(points, direction, self.up, fine, 0.05 * self.scale)
        anchor = self.runs[0].get("anchor")
        self.ground = None
        if anchor is None or np.ptp(anchor, axis=0).max() < 0.1 * self.scale:
            low, high = (everything @ self.up).min(), (everything @ self.up).max()
            bed, extent = levels.get("bed"), length(everything)
            near = bed is not None and abs(bed - (low + high) / 2) < extent
            self.ground = (
                float(bed) if near and bed is not None else 0.0 if abs(low) < 0.04 * self.scale else low - 0.02 * self.scale
            )
            self.cell = _round(max(extent / 2, self.scale / 2) / 5)
            self.middle = (everything.min(axis=0) + everything.max(axis=0)) / 2

    def _ends(self, run: Mapping[str, Any], t: float) -> dict[str, Array]:
        """Ends (2, 3) of springs, ropes and rods that are there, in the drawing."""
        k, f = _place(run["t"], t)
        anchor = run.get("anchor")
        offset = (_row(anchor, k, f) if anchor is not None else np.zeros(3)) - self._origin(t)
        found = {line["name"]: _row(line["points"], k, f) + offset for line in run["lines"]}
        return {name: ends for name, ends in found.items() if np.isfinite(ends).all() and np.ptp(ends, axis=0).any()}

    def _shaped(self, solid: Solid, run: Mapping[str, Any], body: Mapping[str, Any], t: float) -> Array:
        """Vertices of a solid, deformed, in its body's axes."""
        if solid.modes is None or body["modes"] is None:
            return solid.vertices
        factor = 1.0 if body.get("exact") else self.deformation
        return solid.vertices + factor * np.tensordot(_row(body["modes"], *_place(run["t"], t)), solid.modes, 1)

    # -- what is drawn -------------------------------------------------------------------------------------------------

    def _all(self, t: float) -> list[Drawn]:
        found: list[Drawn] = []
        for n, (run, solids) in enumerate(zip(self.runs, self.solids, strict=True)):
            if not run["t"][0] <= t <= run["t"][-1] and not self.ghosts:
                continue
            ghost = self.ghosts and n > 0
            for i, (body, own, pose) in enumerate(zip(run["bodies"], solids, self._bodies(run, t), strict=True)):
                for solid in own if pose is not None else ():
                    R, p = pose  # type: ignore[misc]
                    plain = _rgb(RUNS[n % len(RUNS)] if ghost else solid.color or BODIES[i % len(BODIES)])
                    colour = self._tinted(run, body, solid, t)
                    opacity = solid.opacity * (0.32 if ghost else 1.0)
                    vertices = self._shaped(solid, run, body, t) @ R.T + p
                    found.append(
                        _drawn(vertices, solid.triangles, solid.smooth, plain if colour is None else colour, opacity)
                    )
            kinds = {line["name"]: line.get("kind", "rope") for line in run["lines"]}
            for name, ends in self._ends(run, t).items():
                found += self._link(kinds[name], ends, 0.45 if ghost else 1.0)
            found += self._arrows(run, t) if self.loads else []
        return found

    def _tinted(self, run: Mapping[str, Any], body: Mapping[str, Any], solid: Solid, t: float) -> Array | None:
        """Colours of the vertices, (v, 3), by what bodies are coloured by; None for their own."""
        along = body.get("along")
        if self.colour is None or along is None or self.colour not in along["values"]:
            return None
        values = _row(along["values"][self.colour], *_place(run["t"], t)) / LEVELS
        arcs = np.zeros(len(solid.vertices)) if solid.arcs is None else solid.arcs
        levels = np.array([_rgb(c) for c in SCALE])
        at = np.interp(arcs, along["arcs"], values) * (len(SCALE) - 1)
        return np.stack([np.interp(at, np.arange(len(SCALE)), levels[:, d]) for d in range(3)], axis=1)

    def _link(self, kind: str, ends: Array, opacity: float) -> list[Drawn]:
        """A spring, damper, rope or rod between two points."""
        length = float(np.linalg.norm(ends[1] - ends[0]))
        r, axis = WIDE * self.scale, (ends[1] - ends[0]) / length
        R = _along(axis)
        widths = {"spring": (), "damper": (0.75, 0.3), "strut": (0.55, 0.25), "rod": (0.5,)}.get(kind, (0.28,))
        parts = [coil(length, r)] if kind in ("spring", "strut") else []
        spans = [(0.0, 0.5), (0.4, 1.0)] if len(widths) == 2 else [(0.0, 1.0)]
        for width, (a, b) in zip(widths, spans, strict=False):
            parts.append(turned(width * r, width * r, (b - a) * length, a * length))
        colour = _rgb(ROPE if kind == "rope" else METAL)
        return [_drawn(v @ R.T + ends[0], triangles, True, colour, opacity) for v, triangles in parts]

    def _vectors(self, run: Mapping[str, Any], t: float) -> Iterator[tuple[str, Array, Array, float]]:
        """Applied loads: colour, where they begin, directions, lengths."""
        k, f = _place(run["t"], t)
        anchor = run.get("anchor")
        offset = (_row(anchor, k, f) if anchor is not None else np.zeros(3)) - self._origin(t)
        for arrow in run["arrows"]:
            vector, at = _row(arrow["vector"], k, f), _row(arrow["at"], k, f) + offset
            size = float(np.linalg.norm(vector))
            length = size * self._longest.get(arrow["kind"], 0.0)
            if not arrow["shown"] or not length > 1e-4 * self.scale:
                continue
            yield ARROWS[arrow["kind"]], at, vector / size, length

    def _arrows(self, run: Mapping[str, Any], t: float) -> list[Drawn]:
        """Applied loads."""
        found = []
        for colour, at, axis, length in self._vectors(run, t):
            thick, R = min(0.006 * self.scale, length / 8), _along(axis)
            head = min(7 * thick, length)
            parts = [
                turned(0.7 * thick, 0.7 * thick, length - 0.8 * head, 0.0),
                turned(2.4 * thick, 0.0, head, length - head),
            ]
            found += [_drawn(v @ R.T + at, triangles, True, _rgb(colour), 1.0) for v, triangles in parts]
        return found

    def at(self, t: float) -> Array:
        """The picture at a time, (height, width, 3), 0 to 255.

        Args:
            t: s.
        """
        width, height = FINE * self.size[0], FINE * self.size[1]
        shade = np.linspace(0, 1, height)[:, None, None]
        ground = ((1 - shade) * _rgb(SKY) + shade * _rgb(FLOOR)).astype(np.float32)
        image = np.ascontiguousarray(np.broadcast_to(ground, (height, width, 3)))
        camera = self.camera
        if self.follows:
            first = self._cloud(t)[1]
            camera = Camera(camera.place + (0.0 if first is None else first), camera.axes, camera.scale, width, height)
        drawn = self._all(t)
        if self.ground is not None:
            self._floor(image, camera, drawn)
        nearness = np.zeros((height, width), np.float32)
        drawn.sort(key=lambda x: (x.opacity < 1, -np.linalg.norm(x.corners.mean(axis=(0, 1)) - camera.place)))
        for thing in drawn:
            self._lay(thing, camera, image, nearness)
        small = _coarse(image)
        return np.asarray(np.clip(255 * small + 0.5, 0, 255).astype(np.uint8))

    def _lay(self, thing: Drawn, camera: Camera, image: Array, nearness: Array) -> None:
        """Draw triangles in the light of a lamp beside the camera and of the sky."""
        towards_it = camera.place - thing.corners
        facing = np.sign(np.einsum("ncd,ncd->nc", thing.normals, towards_it))[..., None]
        normals = thing.normals * np.where(facing == 0, 1, facing)
        lamp = np.array([-0.5, 0.9, 1.2]) @ camera.axes / np.linalg.norm([0.5, 0.9, 1.2])
        light = 0.58 + 0.12 * (normals @ self.up) + 0.4 * np.maximum(normals @ lamp, 0.0)
        colours = np.clip(np.broadcast_to(thing.colour, thing.corners.shape) * light[..., None], 0, 1)
        opacity = np.full(len(thing.corners), thing.opacity)
        fill(camera.seen(thing.corners), np.ascontiguousarray(colours), opacity, image, nearness)

    def _floor(self, image: Array, camera: Camera, drawn: Sequence[Drawn]) -> None:
        """Shadows and the grid."""
        from scipy.ndimage import gaussian_filter

        first, second, up = basis(self.up)
        lamp = 3.0 * up + 0.8 * first - second
        nothing, depth = np.zeros((*image.shape[:2], 0), np.float32), np.zeros(image.shape[:2], np.float32)
        for thing in drawn:
            if thing.opacity > 0.6:
                above = thing.corners @ up - self.ground
                flat = camera.seen(thing.corners - (above / (lamp @ up))[..., None] * lamp)
                fill(flat, flat, np.ones(len(flat)), nothing, depth)
        covered = _coarse((depth > 0).astype(np.float32))
        light = 1 - SHADE * gaussian_filter(covered, BLUR)
        image *= np.repeat(np.repeat(light, FINE, axis=0), FINE, axis=1)[..., None]
        snapped = [np.round(self.middle @ v / self.cell) * self.cell * v for v in (first, second)]
        centre = snapped[0] + snapped[1] + self.ground * up
        i, j = (x.ravel() for x in np.meshgrid(np.arange(-CELLS, CELLS + 1), np.arange(-CELLS, CELLS), indexing="ij"))
        ends, fading = [], []
        for a, b in ((first, second), (second, first)):
            for k in (0, 1):
                ends.append(centre + self.cell * (i[:, None] * a + (j + k)[:, None] * b))
                fading.append(np.maximum(0, 1 - np.hypot(i, j + k) / CELLS) ** 1.2 * 0.75)
        lines = np.stack([np.concatenate(ends[k::2]) for k in (0, 1)], axis=1)
        opacity = np.stack([np.concatenate(fading[k::2]) for k in (0, 1)], axis=1)
        stroke(np.ascontiguousarray(camera.seen(lines)[..., :2]), opacity, _rgb(GRID), image)


def _coarse(image: Array) -> Array:
    """Means of FINE by FINE pixels; sums of every so many are much quicker than means over axes."""
    rows = sum((image[k::FINE] for k in range(1, FINE)), image[::FINE])
    return np.asarray(sum((rows[:, k::FINE] for k in range(1, FINE)), rows[:, ::FINE]) / np.float32(FINE**2))


# -- helpers -----------------------------------------------------------------------------------------------------------


def _drawn(vertices: Array, triangles: Array, smooth: bool, colour: Array, opacity: float) -> Drawn:
    """Triangles with normals of their own, or of all that meet at a vertex."""
    corners = vertices[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if smooth:
        n = len(vertices)
        sums = np.stack([np.bincount(triangles.ravel(), np.repeat(faces[:, d], 3), n) for d in range(3)], axis=1)
        normals = sums[triangles]
    else:
        normals = np.repeat(faces[:, None], 3, axis=1)
    normals = normals / np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)
    return Drawn(corners, normals, colour[triangles] if colour.ndim == 2 else colour, opacity)


def _place(times: Array, t: float) -> tuple[int, float]:
    """Sample and the fraction of the way to the next; before the first and after the last it stays there."""
    k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 1))
    if k == len(times) - 1 or t <= times[0]:
        return k, 0.0
    return k, float((t - times[k]) / (times[k + 1] - times[k]))


def _row(values: Array, k: int, f: float) -> Array:
    """Numbers between two samples."""
    a = values[k].astype(float)
    return a if f == 0 else (1 - f) * a + f * values[k + 1]


def _turn(e: Array) -> Array:
    """Rotation matrix of a quaternion, scalar part first."""
    w, x, y, z = e / np.linalg.norm(e)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _along(axis: Array) -> Array:
    """A rotation whose third column is an axis."""
    first = np.cross(np.eye(3)[np.abs(axis).argmin()], axis)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _rgb(color: str) -> Array:
    return np.frombuffer(bytes.fromhex(color[1:]), np.uint8) / 255


def _round(x: float) -> float:
    """The number of the form 1, 2 or 5 times a power of ten nearest to x."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(power * min((1, 2, 5, 10), key=lambda r: abs(np.log(x / power / r))))


__all__ = ["Picture"]
