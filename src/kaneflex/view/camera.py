"""A camera that frames points as the pages' does: where it stands, and where points lie in its picture."""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray
FIELD = 30.0  # vertical angle of view, degrees
MARGIN = 1.12  # half the picture over what the points take of it
FLAT = 0.25  # height over width of a motion from which on it is seen from higher up
VIEWS = ("iso", "front", "side", "top", "back", "bottom")


@dataclass(frozen=True)
class Camera:
    """A camera.

    Args:
        place: where it stands, m.
        axes: rows to the right, up in the picture, and towards the reader.
        scale: pixels per unit of x over distance.
        width, height: of the picture, pixels.
    """

    place: Array
    axes: Array
    scale: float
    width: int
    height: int

    def seen(self, points: Array) -> Array:
        """Across and down in pixels, and one over the distance, (..., 3), of points (..., 3); NaN of what is behind.

        Args:
            points: m.
        """
        x, y, z = np.moveaxis((points - self.place) @ self.axes.T, -1, 0)
        near = -1 / np.where(z < 0, z, np.nan)
        across, down = self.width / 2 + self.scale * x * near, self.height / 2 - self.scale * y * near
        return np.stack([across, down, near], axis=-1)


def basis(up: Array) -> Array:
    """Rows to the right, into the picture, up; for up = z they are x, y, z.

    Args:
        up: unit vector.
    """
    first = np.eye(3)[1 if abs(up[0]) > 0.9 else 0]
    first = first - up * (first @ up)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(up, first), up])


def towards(view: str, up: Array, extent: Array) -> Array:
    """Direction from the bodies to the camera.

    Args:
        view: one of VIEWS; "iso" looks from the side that shows most.
        up: unit vector.
        extent: of all the motion along x, y, z, m.
    """
    first, second, third = basis(up)
    plain = {"front": (0, -1, 0), "back": (0, 1, 0), "side": (1, 0, 0), "top": (0, -1e-3, 1), "bottom": (0, -1e-3, -1)}
    along = np.abs(basis(up)) @ extent
    height = 0.9 if along[2] < FLAT * max(along[:2]) else 0.5
    iso = (0.55, -1, height) if along[1] <= 1.2 * along[0] else (1, -0.55, height)
    a, b, c = plain.get(view, iso)
    direction = a * first + b * second + c * third
    return np.asarray(direction / np.linalg.norm(direction))


def framed(points: Array, direction: Array, up: Array, size: tuple[int, int], least: float) -> Camera:
    """The camera that sees all points, as near as it can be.

    Args:
        points: (n, 3), m.
        direction: unit vector from the points to the camera.
        up: unit vector.
        size: width and height of the picture, pixels.
        least: distance from the nearest point, m.
    """
    width, height = size
    side = np.cross(up, direction)
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-9 else basis(up)[0]
    axes = np.stack([side, np.cross(direction, side), direction])
    x, y, z = (points @ axes.T).T
    tall = np.tan(np.radians(FIELD / 2)) / MARGIN
    across, far = _fit(x, z, tall * width / height)
    high, farther = _fit(y, z, tall)
    middle = (z.min() + z.max()) / 2
    distance = max(far - middle, farther - middle, z.max() - middle + least)
    place = np.array([across, high, middle + distance]) @ axes
    return Camera(place, axes, height / 2 / np.tan(np.radians(FIELD / 2)), width, height)


def _fit(x: Array, z: Array, slope: float) -> tuple[float, float]:
    """Where a camera that looks along -z stands to see points touch both edges, whose slope is given: its x and z."""
    right, left = (x + slope * z).max(), (slope * z - x).max()
    return float(right - left) / 2, float(right + left) / (2 * slope)


__all__ = ["VIEWS", "Camera", "basis", "framed", "towards"]
