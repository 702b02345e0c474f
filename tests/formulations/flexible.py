"""Random flexible bodies made of particles, whose integrals are sums, and random trees of rigid and flexible bodies."""

from typing import Any

import numpy as np

import kaneflex as kf
from kaneflex.structures.modal_body import ModalBody, NodeModes

SIX = np.triu_indices(3)


def _six(full: np.ndarray) -> np.ndarray:
    return full[SIX]


def _moment(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """2 a.b 1 - a b^T - b a^T."""
    return 2 * (a @ b) * np.eye(3) - np.outer(a, b) - np.outer(b, a)


def particle_body(rng: np.random.Generator, modes: int, nodes: int = 2, second: float = 0.5) -> ModalBody:
    """A body of random particles with random modes, mass-orthonormal, and random second-order displacements."""
    n = modes + 4
    second = second / modes  # else the mass matrix, truncated, is not positive at moderate deflections
    mass, p = rng.uniform(0.5, 1.5, n), rng.normal(size=(n, 3))
    root = np.sqrt(np.repeat(mass, 3))
    phi = np.linalg.qr(rng.normal(size=(3 * n, modes)))[0] / root[:, None]
    phi = phi.reshape(n, 3, modes)
    g = second * rng.normal(size=(n, 3, modes, modes))
    g = g + g.transpose(0, 1, 3, 2)
    full = np.einsum
    D2 = full("a,aci,adj,cde->eij", mass, phi, phi, _epsilon()) + full("a,ac,adij,cde->eij", mass, p, g, _epsilon())
    J1, J2, J2_motion = np.zeros((6, modes)), np.zeros((6, modes, modes)), np.zeros((6, modes, modes))
    for a in range(n):
        for i in range(modes):
            J1[:, i] += mass[a] * _six(_moment(p[a], phi[a, :, i]))
            for j in range(modes):
                J2[:, i, j] += mass[a] * _six(_moment(phi[a, :, i], phi[a, :, j]) + _moment(p[a], g[a, :, i, j]))
                J2_motion[:, i, j] += mass[a] * _six(_moment(p[a], g[a, :, i, j]))
    named = {}
    for k in range(nodes):
        H = second * rng.normal(size=(3, modes, modes))
        H = H + H.transpose(0, 2, 1)
        named[f"n{k}"] = NodeModes(p[k], phi[k], rng.normal(size=(3, modes)), g[k], H)
    return ModalBody(
        mass=float(mass.sum()),
        first_moment=mass @ p,
        inertia=sum(m * _moment(x, x) / 2 for m, x in zip(mass, p, strict=True)),
        stiffness=rng.uniform(1.0, 9.0, modes),
        damping=np.diag(rng.uniform(0.0, 0.3, modes)),
        B=full("a,aci->ci", mass, phi),
        D=full("a,ac,adi,cde->ei", mass, p, phi, _epsilon()),
        J1=J1,
        b2=full("a,acij->cij", mass, g),
        J2=J2,
        J2_motion=J2_motion,
        D2=D2,
        nodes=named,
    )


def _epsilon() -> np.ndarray:
    e = np.zeros((3, 3, 3))
    e[0, 1, 2] = e[1, 2, 0] = e[2, 0, 1] = 1
    e[0, 2, 1] = e[2, 1, 0] = e[1, 0, 2] = -1
    return e


def random_tree(
    seed: int, bodies: int, joints: Any, modes: tuple[int, int] = (1, 5), flexible: float = 0.6, gravity: bool = True
) -> tuple[kf.System, dict[str, Any]]:
    """A tree of rigid and flexible bodies on random joints at random nodes, and a random start."""
    rng = np.random.default_rng(seed)
    s = kf.System("flexible-tree", gravity=tuple(rng.normal(size=3)) if gravity else (0, 0, 0))
    initial: dict[str, Any] = {}
    names: list[str] = []
    for k in range(bodies):
        name = f"b{k}"
        soft = rng.random() < flexible
        if soft:
            body: Any = kf.Flexible(particle_body(rng, int(rng.integers(*modes, endpoint=True))), root=None)
        else:
            A = rng.normal(size=(3, 3))
            J = np.trace(A @ A.T) * np.eye(3) - A @ A.T
            body = kf.Rigid(float(rng.uniform(0.5, 2)), com=rng.normal(size=3) / 3, inertia=J)
        joint = joints[int(rng.integers(len(joints)))](rng)
        parent = names[int(rng.integers(len(names)))] if names and rng.random() < 0.9 else None
        at: Any = rng.normal(size=3)
        if parent and isinstance(s.parts[parent].body, kf.Flexible) and rng.random() < 0.8:
            at = f"n{int(rng.integers(2))}"
        hinge = rng.normal(size=3) / 2
        s.add(name, body, joint, parent, at, hinge=hinge)
        names.append(name)
        facts = joint.facts
        q = np.array(facts.neutral) + 0.4 * rng.normal(size=facts.coordinates)
        if not facts.scalar_rates:
            q[-4:] /= np.linalg.norm(q[-4:])
        if facts.coordinates:
            initial[f"{name}.q"], initial[f"{name}.rate"] = q, rng.normal(size=facts.speeds)
        if soft:
            m = len(body.modal.stiffness)
            initial[f"{name}.modes"], initial[f"{name}.modes_rate"] = 0.03 * rng.normal(size=m), rng.normal(size=m) / 2
    return s, initial
