"""A ribbed parabolic reflector."""

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.framework import Framework, count
from kaneflex.structures.section import Section
from kaneflex.structures.structure import Structure


@typed
class Reflector(Structure):
    """A parabolic dish of radial ribs and a rim, opening along +z, with its vertex at the origin.

    A stand-in for deployable antennas, made of beams: ribs follow z = r^2/(4 focal_length) from the hub to the rim, the rim
    is a closed polygon through the ribs' ends. The reflecting mesh, if any, is represented by its mass, shared among the
    nodes by area, and by pinned cords between neighbouring ribs. Named nodes: "root" at the vertex, which the ribs' inner
    ends follow rigidly (the hub); "rim-0", "rim-1", ... at the ribs' ends, "rim-0" on the +x side.

    Args:
        diameter: of the rim, m.
        focal_length: m.
        rib: section of the ribs; local y is the circumferential direction.
        rim: section of the rim; local y is along the dish's axis.
        ribs: how many.
        hub_diameter: of the rigid middle, m.
        divisions: elements along each rib and along each piece of the rim.
        mesh_mass: per area of the aperture, kg/m^2; 0 for no mesh.
        cord_EA: stiffness of one cord between ribs, N; 0 for no cords.
    """

    def __init__(
        self,
        diameter: float,
        focal_length: float,
        rib: Section,
        rim: Section,
        ribs: int = 12,
        hub_diameter: float | None = None,
        divisions: int = 4,
        mesh_mass: float = 0.0,
        cord_EA: float = 0.0,
    ) -> None:
        outer = checks.positive(diameter, "diameter") / 2
        f = checks.positive(focal_length, "focal_length")
        inner = outer / 10 if hub_diameter is None else checks.positive(hub_diameter, "hub_diameter") / 2
        if inner >= outer:
            raise ModelError(f"hub_diameter is {2 * inner:g}: it must be below the diameter {2 * outer:g}")
        if count(ribs, "ribs") < 3:
            raise ModelError(f"ribs is {ribs}: give at least 3")
        for what, section in (("rib", rib), ("rim", rim)):
            if not isinstance(section, Section):
                raise ModelError(f"{what} is {section!r}: give a Section")
        n = count(divisions, "divisions")
        frame = Framework()
        frame.node("root", (0, 0, 0))
        radii = np.linspace(inner, outer, n + 1)
        angles = 2 * np.pi * np.arange(ribs) / ribs
        rows = []
        for i, angle in enumerate(angles):
            across = (-np.sin(angle), np.cos(angle), 0.0)
            places = [(r * np.cos(angle), r * np.sin(angle), r * r / (4 * f)) for r in radii]
            nodes = [frame.node(None, p) for p in places[:-1]] + [frame.node(f"rim-{i}", places[-1])]
            for k in range(n):
                frame.beam(nodes[k], nodes[k + 1], rib, orientation=across, name=f"rib-{i}-{k}")
            frame.link("root", nodes[0])
            rows.append(nodes)
        for i in range(ribs):
            frame.beam(f"rim-{i}", f"rim-{(i + 1) % ribs}", rim, elements=n, orientation="z", name=f"rim-{i}")
        _mesh(frame, rows, radii, checks.not_negative(mesh_mass, "mesh_mass"), checks.not_negative(cord_EA, "cord_EA"))
        super().__init__(*frame.parts())


def _mesh(frame: Framework, rows: list[list[int]], radii: np.ndarray, areal_mass: float, cord_EA: float) -> None:
    """Mesh mass by area on the ribs' nodes beyond the hub, and cords between neighbouring ribs at inner rings."""
    ribs = len(rows)
    bounds = np.concatenate([radii[:1], (radii[1:-1] + radii[2:]) / 2, radii[-1:]])
    shares = np.pi * np.diff(bounds**2) / ribs
    for i, nodes in enumerate(rows):
        for k, area in enumerate(shares, start=1):
            if areal_mass:
                frame.mass(nodes[k], areal_mass * area)
            if cord_EA and k < len(nodes) - 1:
                frame.truss(nodes[k], rows[(i + 1) % ribs][k], cord_EA, 0.0, name=f"cord-{k}-{i}")
