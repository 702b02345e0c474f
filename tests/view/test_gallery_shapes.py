"""Shapes of the gallery's systems stand where the physics is: joints, contacts and closures touch what is drawn."""

import numpy as np
import pytest

from kaneflex.gallery import examples
from kaneflex.gallery.shared import lathed, support
from kaneflex.model.joints import Free, Planar
from kaneflex.model.shapes import Box, Cylinder, Mesh, Shape, Sphere, Tube
from kaneflex.system import System

NAMES = (
    "beam-spin-up", "bricard", "chaplygin-sleigh", "double-pendulum", "flexible-antenna-deployment", "four-bar",
    "heavy-top", "lander", "manipulator", "nose-cap", "plate-spin-up", "rattleback", "rolling-disk", "rotating-beam",
    "rotating-plate", "sieve", "slider-crank", "spacecraft-linkage", "spinning-antenna", "spinning-spacecraft",
)  # fmt: skip
STANDING = ("bricard", "double-pendulum", "four-bar", "heavy-top", "manipulator")  # whose pivots on the ground are drawn


def built(name: str) -> System:
    example = examples()[name]
    return example.build(example.parameters)


def away(shape: Shape, point: np.ndarray) -> float:
    """Distance of a point from a shape, zero inside, m; from a mesh, of its nearest vertex."""
    x = shape.R.T @ (point - np.array(shape.position))
    if isinstance(shape, Box):
        return float(np.linalg.norm(np.maximum(np.abs(x) - np.array(shape.size) / 2, 0)))
    if isinstance(shape, Sphere):
        return max(float(np.linalg.norm(x)) - shape.radius, 0.0)
    if isinstance(shape, Tube):
        a, n = shape.points[0], shape.points[1] - shape.points[0]
        s = np.clip((x - a) @ n / (n @ n), 0, 1)
        return max(float(np.linalg.norm(x - a - s * n)) - shape.radius, 0.0)
    if isinstance(shape, Mesh):
        return float(np.linalg.norm(shape.vertices - x, axis=1).min())
    low, high = (-shape.length / 2, shape.length / 2) if type(shape) is Cylinder else (0.0, shape.length)  # type: ignore[attr-defined]
    beyond = max(np.hypot(*x[:2]) - shape.radius, 0.0), max(low - x[2], x[2] - high, 0.0)  # type: ignore[attr-defined]
    return float(np.hypot(*beyond))


def extent(shapes: tuple[Shape, ...]) -> float:
    fields = [np.max(getattr(s, f, 0.0)) for s in shapes for f in ("size", "radius", "length")]
    clouds = [np.ptp(getattr(s, f), axis=0).max() for s in shapes for f in ("points", "vertices") if hasattr(s, f)]
    return float(max([*fields, *clouds]))


@pytest.mark.parametrize("name", NAMES)
def test_joints_and_contacts_touch_what_is_drawn(name: str) -> None:
    system = built(name)
    assert system.shapes
    places: list[tuple[str, np.ndarray]] = []
    for part in system.parts.values():
        if not isinstance(part.joint, Free | Planar):
            places += [(part.name, part.hinge.p), (part.parent, part.at.p)]
    ends = [end for c in system.constraints.values() for end in c.ends()] + [c.point for c in system.contacts.values()]
    for end in ends:
        if isinstance(end, str) and "." in end:
            body, frame = system.locate(end, "test")
            places.append((body, frame.p))
    checked = 0
    for body, point in places:
        shapes = system.shapes.get(body, ())
        if shapes and (body != "N" or name in STANDING):
            assert min(away(shape, point) for shape in shapes) <= 0.02 * extent(shapes), (body, point)
            checked += 1
    assert checked >= 1 or name in ("rolling-disk", "rattleback")  # they have a test of their own


def test_rolling_bodies_have_the_surface_that_rolls() -> None:
    system = built("rattleback")
    stone = next(s for s in system.shapes["stone"] if isinstance(s, Mesh))
    radii = np.array(system.constraints["contact"].radii)  # type: ignore[attr-defined]
    _, shell = system.locate("stone.shell", "test")
    x = stone.vertices + np.array(stone.position) - shell.p
    outer = np.sum((x / radii) ** 2, axis=1)
    assert np.abs(outer[x[:, 2] < -1e-9] - 1).max() < 1e-12 and x[:, 2].max() <= 1e-12
    disk = next(s for s in built("rolling-disk").shapes["disk"] if isinstance(s, Cylinder))
    assert disk.radius == examples()["rolling-disk"].parameters["radius"]


def test_the_landers_pads_end_where_its_feet_strike() -> None:
    system = built("lander")
    pads = [s for s in system.shapes["lander"] if type(s) is Cylinder and s.length == 0.1]
    feet = sorted(system.locate(c.point, "test")[1].position for c in system.contacts.values())
    soles = sorted((s.position[0], s.position[1] - s.length / 2, s.position[2]) for s in pads)
    np.testing.assert_allclose(soles, feet, atol=1e-12)


def test_a_lathed_body_is_closed_and_faces_outwards() -> None:
    mesh = lathed([(0, 0), (0.5, 0), (0.5, 2), (0, 2)], sides=200)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    volume = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(np.pi * 0.25 * 2, rel=1e-3)
    edges = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("height", [0.3, -0.3])
def test_a_support_points_at_its_pivot(axis: str, height: float) -> None:
    cone, foot = support((1, 2, 3), height, axis)
    up = np.eye(3)["xyz".index(axis)]
    np.testing.assert_allclose(np.array(cone.position) + cone.R @ (0, 0, cone.length), (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(cone.R), 1)
    assert (np.array(foot.position) - (1, 2, 3)) @ up * height < 0
