"""A structure put together by hand: nodes, beams, bars, shells, masses, springs and rigid links, by name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import Name, typed
from kaneflex.structures.elements.beam import GAUSS_POINTS, BeamElements
from kaneflex.structures.elements.contract import Elements
from kaneflex.structures.elements.mass import LumpedMasses
from kaneflex.structures.elements.shell import ShellElements
from kaneflex.structures.elements.spring import SpringElements
from kaneflex.structures.elements.truss import TrussElements
from kaneflex.structures.section import Section, moduli
from kaneflex.structures.structure import Structure


@typed
class Framework:
    """A builder of structures: add nodes and what connects them, then `build`.

        frame = Framework()
        frame.node("foot", (0, 0, 0))
        frame.node("top", (0, 0, 3))
        frame.beam("foot", "top", Section(EA=2e8, EI=1e6, mass_per_length=8.0), elements=6)
        frame.mass("top", 50.0, inertia=(2, 2, 3))
        mast = frame.build()

    Coordinates are in the structure's axes, m; all quantities in SI units.
    """

    def __init__(self) -> None:
        self._points: list[Vector] = []
        self._names: dict[str, int] = {}
        self._beams: list[tuple[tuple[int, int], Vector, Vector, str]] = []
        self._bars: list[tuple[tuple[int, int], float, float, str]] = []
        self._masses: list[tuple[int, float, Vector]] = []
        self._springs: dict[int, list[tuple[tuple[int, ...], Vector, str]]] = {1: [], 2: []}
        self._links: list[tuple[int, int]] = []
        self._groups: list[Elements] = []
        self._shown: list[tuple[int, int, int]] = []

    def node(self, name: str | None, position: Any) -> int:
        """Adds a node; returns its number.

        Args:
            name: of the node; None for a node without a name.
            position: coordinates, m.
        """
        p = checks.array(position, (3,), f'position of node "{name}"' if name else "position of a node")
        if name is not None:
            if checks.name(name, "name of a node") in self._names:
                raise ModelError(f'node "{name}" is there already: give another name')
            self._names[name] = len(self._points)
        self._points.append(p)
        return len(self._points) - 1

    def _number(self, which: Any, what: str) -> int:
        if isinstance(which, str):
            checks.known(which, self._names, f"{what}: node")
            return self._names[which]
        if isinstance(which, (int, np.integer)) and not isinstance(which, bool) and 0 <= which < len(self._points):
            return int(which)
        raise ModelError(f"{what}: node {which!r} is not there; give the name or number of a node that was added")

    def _pair(self, start: Any, end: Any, what: str) -> tuple[int, int]:
        a, b = self._number(start, what), self._number(end, what)
        if a == b:
            raise ModelError(f"{what} goes from node {start!r} to itself: give two nodes")
        return a, b

    def beam(
        self,
        start: Any,
        end: Any,
        section: "Section | Callable[[float], Section] | Sequence[Section]",
        elements: int = 1,
        orientation: Any = None,
        offsets: Any = None,
        name: Name | None = None,
    ) -> list[int]:
        """Adds a straight beam, divided into elements; returns the numbers of its nodes from start to end.

        Args:
            start, end: nodes.
            section: a Section; or two of them, at start and end, between which every value runs linearly; or a
                function of s = 0 (start) to 1 (end) that gives a Section.
            elements: how many.
            orientation: a vector, not along the beam; the local y axis is its part normal to the beam; None for the
                structure's y, or -x for a beam along y.
            offsets: rigid arms from the nodes to the beam's ends, two vectors, m; None for none.
            name: of the beam in the labels of section loads: "name-0.start.N" for the first element of several.
        """
        name = name or f"{start}-{end}"
        what = f'beam "{name}"'
        a, b = self._pair(start, end, what)
        for k, arm in enumerate(() if offsets is None else checks.array(offsets, (2, 3), f"{what}: offsets")):
            if arm.any():
                moved = self.node(None, self._points[(a, b)[k]] + arm)
                self._links.append(((a, b)[k], moved))
                a, b = (moved, b) if k == 0 else (a, moved)
        n = count(elements, f"{what}: elements")
        p, q = self._points[a], self._points[b]
        y = _local_y(q - p, orientation, what)
        numbers = [a, *(self.node(None, p + (q - p) * k / n) for k in range(1, n)), b]
        values = _section_function(section, what)
        for k in range(n):
            at_points = np.array([values((k + s) / n) for s in GAUSS_POINTS])
            label = f"{name}-{k}" if n > 1 else name
            self._beams.append(((numbers[k], numbers[k + 1]), y, at_points, label))
        return numbers

    def truss(self, start: Any, end: Any, EA: float, mass_per_length: float, name: Name | None = None) -> None:
        """Adds a bar with pinned ends.

        Args:
            start, end: nodes.
            EA: axial stiffness, N; a spring of stiffness k over the length L is EA = k L.
            mass_per_length: kg/m.
            name: in the labels of section loads.
        """
        name = name or f"{start}-{end}"
        what = f'bar "{name}"'
        a, b = self._pair(start, end, what)
        _direction(self._points[b] - self._points[a], what)
        EA = checks.positive(EA, f"{what}: EA")
        self._bars.append(((a, b), EA, checks.not_negative(mass_per_length, f"{what}: mass_per_length"), name))

    def mass(self, node: Any, mass: float, inertia: Any = (0.0, 0.0, 0.0), offset: Any = (0.0, 0.0, 0.0)) -> int:
        """Adds a rigid mass; returns the number of the node at its mass centre.

        Args:
            node: that carries it.
            mass: kg.
            inertia: about its mass centre, in the structure's axes, kg m^2: three principal values or a 3x3 matrix.
            offset: its mass centre from the node, m, a rigid arm.
        """
        what = f"mass at node {node!r}"
        k = self._number(node, what)
        m = checks.not_negative(mass, what)
        arm = checks.array(offset, (3,), f"{what}: offset")
        J = np.diag(checks.array(inertia, (3,), f"{what}: inertia")) if checks.dimensions(inertia) == 1 else inertia
        J = checks.array(J, (3, 3), f"{what}: inertia")
        if np.abs(J - J.T).max() > 1e-9 * np.abs(J).max() or np.linalg.eigvalsh(J)[0] < -1e-9 * np.abs(J).max():
            raise ModelError(f"{what}: inertia is not symmetric and positive; give principal values or such a matrix")
        if arm.any():
            centre = self.node(None, self._points[k] + arm)
            self._links.append((k, centre))
            k = centre
        self._masses.append((k, m, J))
        return k

    def spring(self, node: Any, other: Any = None, stiffness: Any = 0.0, name: Name | None = None) -> None:
        """Adds a spring from a node to the ground, or to another node at the same place.

        Args:
            node: one end.
            other: the other end; None for the ground.
            stiffness: six numbers (along x, y, z, N/m, about x, y, z, N m/rad) or a symmetric 6x6 matrix.
            name: in the labels of section loads.
        """
        what = f'spring "{name}"' if name else f"spring at node {node!r}"
        matrix = np.diag(stiffness) if checks.dimensions(stiffness) == 1 else stiffness
        k = checks.array(matrix, (6, 6), f"{what}: stiffness")
        if np.abs(k - k.T).max() > 1e-9 * np.abs(k).max() or np.linalg.eigvalsh(k)[0] < -1e-9 * np.abs(k).max():
            raise ModelError(f"{what}: stiffness is not symmetric and positive semidefinite; check its signs")
        if not k.any():
            raise ModelError(f"{what}: stiffness is zero; give six numbers or a 6x6 matrix")
        ends = (self._number(node, what),) if other is None else self._pair(node, other, what)
        if len(ends) == 2 and np.linalg.norm(self._points[ends[1]] - self._points[ends[0]]) > 1e-9 * self._size():
            raise ModelError(f"{what}: its ends are apart, so rigid turns would strain it; use `truss`, or `link` an arm")
        self._springs[len(ends)].append((ends, k, name or "-".join(map(str, ends))))

    def link(self, reference: Any, *dependents: Any) -> None:
        """Makes nodes follow a reference node rigidly.

        Args:
            reference: the node that keeps its dofs.
            dependents: nodes that follow it.
        """
        r = self._number(reference, "rigid link")
        if not dependents:
            raise ModelError(f"rigid link of node {reference!r}: give the nodes that follow it")
        self._links += [(r, self._number(d, "rigid link")) for d in dependents]

    def shell(self, elements: Any, thickness: float, E: float, nu: float, density: float, name: Name = "shell") -> None:
        """Adds flat triangles or quadrilaterals of thin shell between nodes.

        Args:
            elements: lists of 3 or 4 nodes each, in order around the element.
            thickness: m.
            E: Young's modulus, Pa.
            nu: Poisson's ratio.
            density: kg/m^3.
            name: in the labels of stress resultants, "name-0.Nx" for the first.
        """
        elements = [checks.items(e, f"{name}: an element") for e in checks.items(elements, f"{name}: elements")]
        if not elements:
            raise ModelError(f"{name}: there are no elements: give lists of 3 or 4 nodes each")
        t, rho = checks.positive(thickness, f"{name}: thickness"), checks.not_negative(density, f"{name}: density")
        E, _ = moduli(E, nu)
        for k in (3, 4):
            numbers = [[self._number(node, name) for node in e] for e in elements if len(e) == k]
            if numbers:
                corners = np.array([[self._points[i] for i in e] for e in numbers])
                _check_shells(corners, [e for e in elements if len(e) == k], name)
                self._groups.append(ShellElements(np.array(numbers), corners, t, E, float(nu), rho, name))
        wrong = [e for e in elements if len(e) not in (3, 4)]
        if wrong:
            raise ModelError(f"{name}: element {wrong[0]!r} has {len(wrong[0])} nodes; give 3 or 4")

    def _size(self) -> float:
        return float(np.ptp(np.array(self._points), axis=0).max()) or 1.0

    def parts(self) -> tuple[Vector, Mapping[str, int], list[Elements], list[tuple[int, int]]]:
        """Points, names, groups of elements and links: what `Structure` takes."""
        if not self._points:
            raise ModelError("the framework has no nodes: add some with node()")
        points = np.array(self._points)
        groups = list(self._groups)
        if self._beams:
            pairs = np.array([b[0] for b in self._beams])
            y, sections = np.array([b[1] for b in self._beams]), np.array([b[2] for b in self._beams])
            groups.append(BeamElements(pairs, points[pairs], y, sections, tuple(b[3] for b in self._beams)))
        if self._bars:
            pairs = np.array([b[0] for b in self._bars])
            EA, m = np.array([b[1] for b in self._bars]), np.array([b[2] for b in self._bars])
            groups.append(TrussElements(pairs, points[pairs], EA, m, tuple(b[3] for b in self._bars)))
        if self._masses:
            at, masses, inertias = zip(*self._masses, strict=True)
            groups.append(LumpedMasses(np.array(at)[:, None], np.array(masses), np.array(inertias), points[list(at)]))
        for springs in self._springs.values():
            if springs:
                ends, stiffness, names = zip(*springs, strict=True)
                groups.append(SpringElements(np.array(ends), np.array(stiffness), names))
        return points, self._names, groups, self._links

    def membrane(self, first: Sequence[Any], second: Sequence[Any]) -> None:
        """Shows a membrane between two lines of nodes, for pictures: it has no mass and no stiffness.

        Args:
            first, second: as many nodes each, two or more, as `beam` gives them; the same node in both at a corner.
        """
        what = "membrane"
        lines = [[self._number(node, what) for node in checks.items(line, f"{what}: nodes")] for line in (first, second)]
        if len(lines[0]) != len(lines[1]) or len(lines[0]) < 2:
            raise ModelError(f"{what} is between {len(lines[0])} and {len(lines[1])} nodes: give as many each, two or more")
        for a, b, c, d in zip(lines[0], lines[0][1:], lines[1][1:], lines[1], strict=False):
            self._shown += [t for t in ((a, b, c), (a, c, d)) if len(set(t)) == 3]

    def build(self) -> Structure:
        """The structure; every node must be connected."""
        structure = Structure(*self.parts())
        structure.shown = np.array(self._shown, dtype=np.int64).reshape(-1, 3)
        return structure


def count(value: Any, what: str) -> int:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ModelError(f"{what} is {value!r}: give a whole number from 1")
    return int(value)


def _check_shells(corners: Vector, named: list[Any], name: str) -> None:
    """No element without area, folded over itself, or warped by more than a tenth of its size."""
    after, before = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    normals = np.cross(after, before)
    size = np.linalg.norm(after, axis=2).max(axis=1)
    z = normals.sum(axis=1)
    length = np.linalg.norm(z, axis=1)
    z = z / np.where(length > 0, length, 1.0)[:, None]
    bad = np.einsum("eka,ea->ek", normals, z).min(axis=1) < 1e-6 * size**2
    if bad.any():
        raise ModelError(f"{name}: element {named[int(bad.argmax())]!r} has no area or is folded; order its nodes around it")
    off = np.abs(np.einsum("eka,ea->ek", corners - corners.mean(axis=1)[:, None], z)).max(axis=1) > 0.1 * size
    if off.any():
        raise ModelError(f"{name}: element {named[int(off.argmax())]!r} is far from flat; divide it into triangles")


def _direction(d: Vector, what: str) -> Vector:
    L = np.linalg.norm(d)
    if L == 0:
        raise ModelError(f"{what} has no length: its ends are at the same place; use `link` or `spring` there")
    return np.asarray(d / L)


def _local_y(d: Vector, orientation: Any, what: str) -> Vector:
    x = _direction(d, what)
    if orientation is None:
        orientation = (-1.0, 0.0, 0.0) if abs(x[1]) > 0.999 else (0.0, 1.0, 0.0)
    guide = np.array(checks.axis(orientation, f"{what}: orientation"))
    y = guide - x * (x @ guide)
    if np.linalg.norm(y) < 1e-6:
        raise ModelError(f"{what}: orientation is along the beam; give a vector that is not")
    return np.asarray(y / np.linalg.norm(y))


def _section_function(section: Any, what: str) -> Callable[[float], Vector]:
    if isinstance(section, Section):
        constant = section.values()
        return lambda s: constant
    if isinstance(section, Sequence) and len(section) == 2 and all(isinstance(x, Section) for x in section):
        a, b = section[0].values(), section[1].values()
        if np.any(np.isinf(a) != np.isinf(b)):
            raise ModelError(f"{what}: one end has shear stiffness GA and the other none; give both or neither")
        change = np.where(np.isinf(a), 0.0, b - np.where(np.isinf(a), 0.0, a))
        return lambda s: np.where(np.isinf(a), np.inf, a + np.where(np.isinf(change), 0.0, change) * s)
    if callable(section):

        def at(s: float) -> Vector:
            try:
                value = section(s)
            except ModelError:
                raise
            except Exception as e:
                raise ModelError(f"{what}: its section function fails at s = {s:g}: {type(e).__name__}: {e}") from e
            if not isinstance(value, Section):
                raise ModelError(f"{what}: its section function gave {value!r} at s = {s:g}; it must give a Section")
            return value.values()

        return at
    raise ModelError(f"{what}: section is {section!r}; give a Section, two of them, or a function of s that gives one")
