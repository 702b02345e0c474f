"""Parts of a model put in another's place, and bodies made of others."""

from collections.abc import Callable

import numpy as np

from kaneflex.model.bodies import BodyBase, Rigid, RigidAsGiven
from kaneflex.model.model import GROUND, Model
from kaneflex.model.part import Part


def put_part(model: Model, part: Part) -> None:
    """Put a part into a model in the place of that of its name, parents before children."""
    names = list(model.parts)
    if part.name in model.parts and (part.parent == GROUND or names.index(part.parent) < names.index(part.name)):
        model.parts.put(part.name, part)
        return
    parts, ordered = {**model.parts.copy(), part.name: part}, dict[str, Part]()
    for name in parts:
        above = []
        while name != GROUND and name not in ordered:
            above.append(name)
            name = parts[name].parent
        ordered.update((one, parts[one]) for one in reversed(above))
    model.take_over(parts=ordered)


def inertia_from(mass: float, moment: np.ndarray, inertia: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Inertia about another origin, from which the one that mass moment and inertia are about is at p."""
    mixed = np.outer(moment, p) + np.outer(p, moment) + mass * np.outer(p, p)
    return inertia + np.trace(mixed) * np.eye(3) - mixed


def rigid_like(like: BodyBase, mass: float, moment: np.ndarray, inertia: np.ndarray) -> Rigid:
    """A body with mass moment and inertia about its origin, and the frames of another."""
    c = moment / mass
    J = inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
    kind: Callable[..., Rigid] = RigidAsGiven if isinstance(like, RigidAsGiven) else Rigid
    return kind(mass, com=tuple(c), inertia=(J + J.T) / 2, frames=like.frames)


def is_particle(model: Model, part: Part) -> bool:
    """Whether a body has its mass in one point, and nothing that turns with it."""
    mass, moment, inertia = part.body.mass_properties()
    if not isinstance(part.body, Rigid) or mass == 0 or any(p.parent == part.name for p in model.parts.values()):
        return False
    c = moment / mass
    return bool(np.abs(inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))).max() <= 1e-14 * np.abs(inertia).max())


def quaternion(R: np.ndarray) -> tuple[float, ...]:
    """Unit quaternion, scalar part first, of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return (float(w), float(x), float(y), float(z))


__all__ = ["inertia_from", "is_particle", "put_part", "quaternion", "rigid_like"]
