"""The assembled linear finite-element model of a flexible body."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse

from kaneflex.model import checks
from kaneflex.model.checks import ModelError, Vector
from kaneflex.model.typed import typed
from kaneflex.structures import element_assembly
from kaneflex.structures.elements.contract import Elements, cross_matrix
from kaneflex.structures.elements.matrices import GivenMatrices, moved_behind
from kaneflex.structures.modes.pivot_signs import is_semidefinite

DOF_NAMES = ("ux", "uy", "uz", "theta_x", "theta_y", "theta_z")


@typed
class Structure:
    """An assembled linear finite-element model; immutable.

    Every node has six dofs in the order (ux, uy, uz, theta_x, theta_y, theta_z), in the structure's axes, m and rad
    (rotation vectors); dof number = 6*node + component. Dofs that nothing uses have zero rows in M and K.

    Args:
        points: node coordinates (n, 3) in the structure's axes, m.
        names: named nodes, name -> node number, e.g. {"root": 0, "tip": 20}.
        elements: groups of elements (kaneflex.structures.elements).
        links: rigid links as pairs of node numbers (reference, dependent): the dependent node follows the reference.
        hidden: number of coordinates that belong to no node and come after the dofs of all nodes: the modal coordinates of
            a model that is reduced already.
        dependent: matrix over all dofs whose rows that are not empty say what dependent dofs are in terms of independent
            ones: means of other nodes, equations between dofs, inner nodes of a reduced model.

    Attributes:
        points: as given. names: as given. hidden: as given.
        M, K: symmetric mass and stiffness over all dofs, csr (6n + hidden,) * 2, links not yet applied.
        active: bool (6n + hidden,): dofs that carry stiffness or mass, depend on others or are on rigid links.
        expand: csr (6n + hidden, f): all dofs = expand @ independent dofs.
        own: numbers (f,) of the independent dofs.
        added: number of nodes, the last ones, that `linked` and `averaged` added.
        lines: pairs of nodes (k, 2) to be drawn where matrices that were given say nothing of members; None for those that
            these couple.
        follows: dependent node -> node that it rigidly follows.
        shown: triangles of nodes (k, 3) that are seen besides the elements, such as a membrane without mass and stiffness.
    """

    shown: np.ndarray = np.zeros((0, 3), dtype=np.int64)

    points: Vector
    names: dict[str, int]
    M: sparse.csr_array
    K: sparse.csr_array
    active: np.ndarray
    expand: sparse.csr_array
    own: np.ndarray
    follows: dict[int, int]
    hidden: int
    dependent: sparse.csr_array
    added: int = 0
    lines: np.ndarray | None = None

    def __init__(
        self,
        points: Any,
        names: Mapping[str, int],
        elements: Sequence[Elements],
        links: Sequence[tuple[int, int]] = (),
        hidden: int = 0,
        dependent: Any = None,
    ) -> None:
        self.points = coordinates(points, "points (node coordinates)")
        n = len(self.points)
        for k, i in names.items():
            if not isinstance(i, (int, np.integer)) or not 0 <= i < n:
                raise ModelError(f'node "{k}" is number {i!r}: there are nodes 0 to {n - 1}')
        self.names = {checks.name(k, "name of a node"): int(i) for k, i in names.items()}
        self.elements = tuple(elements)
        self.links = tuple((int(a), int(b)) for a, b in links)
        self.hidden = checks.whole(hidden, "hidden")
        self.M = element_assembly.assemble(self.elements, n, "mass", self.hidden)
        self.K = element_assembly.assemble(self.elements, n, "stiffness", self.hidden)
        self.follows = element_assembly.references(self.links, _Descriptions(self))
        self.dependent = sparse.csr_array((self.size, self.size)) if dependent is None else _dependence(dependent, self.size)
        self.active = (self.M.diagonal() != 0) | (self.K.diagonal() != 0)
        self.active |= np.diff(self.dependent.indptr) > 0
        self.active[self.dependent.indices] = True
        for node in {*self.follows, *self.follows.values()}:  # a link moves and turns what is on it
            self.active[6 * node : 6 * node + 6] = True
        self._check_dependent()
        self._check_connected()
        self.expand, self.own = element_assembly.expansion(self.points, self.active, self.follows, self.dependent)
        self.points.setflags(write=False)
        self.active.setflags(write=False)

    @classmethod
    def from_matrices(
        cls,
        M: Any,
        K: Any,
        points: Any,
        names: Mapping[str, int] | None = None,
        geometric: Callable[[Vector], Any] | None = None,
        rounding: float = 1e-9,
    ) -> "Structure":
        """A structure of which only mass, stiffness and node coordinates are known.

        Args:
            M, K: mass and stiffness, dense or sparse, over 3 dofs (ux, uy, uz) or 6 dofs per node, node after node, in
                the structure's axes; SI units. Symmetric, positive semidefinite, total mass positive.
            points: node coordinates (n, 3), m.
            names: named nodes, name -> node number.
            geometric: function of the nodal displacements, over as many dofs as M and K, that gives the geometric
                stiffness matrix, linear in them; None when unknown: then nothing can stiffen by motion.
            rounding: relative error of the entries that the checks of symmetry and sign allow; about 1e-6 for files in
                single precision.

        Returns:
            A Structure; nodes of a model with 3 dofs per node have no rotations.
        """
        points = coordinates(points, "points (node coordinates)")
        rounding = checks.positive(rounding, "rounding")
        M, K = _given(M, "M (mass)", len(points)), _given(K, "K (stiffness)", len(points))
        if M.shape != K.shape:
            raise ModelError(f"M is {M.shape} and K is {K.shape}: give both over the same dofs")
        per_node = M.shape[0] // len(points)
        where = lambda row: f"node {row // per_node}, {DOF_NAMES[row % per_node]}"
        check_definite(M, "M (mass)", where, rounding)
        check_definite(K, "K (stiffness)", where, rounding)
        if M.diagonal().reshape(-1, per_node)[:, :3].sum() <= 0:
            raise ModelError("M (mass) has no mass in translation: give a mass matrix, not zeros")
        widen = _six_per_node(len(points), per_node)
        wide = None if geometric is None else lambda u: widen @ same_size(geometric(widen.T @ u), M) @ widen.T
        group = GivenMatrices(widen @ M @ widen.T, widen @ K @ widen.T, wide, rounding=rounding)
        return cls(points, names or {}, [group])

    def __len__(self) -> int:
        return len(self.points)

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names that a user gave to nodes, not those that a file numbers them by."""
        return tuple(self.names)

    @property
    def size(self) -> int:
        """Number of dofs: six of every node, and the hidden ones."""
        return 6 * len(self) + self.hidden

    def __repr__(self) -> str:
        mass = self.mass_properties()[0]
        named = ", ".join(f'"{k}"' for k in list(self.names)[:6]) + (", ..." if len(self.names) > 6 else "")
        return (
            f"{type(self).__name__}: {len(self)} nodes, {self.expand.shape[1]} independent dofs, mass {mass:.6g} kg, "
            f"named nodes {named or 'none'}"
        )

    def describe(self, node: int) -> str:
        """How messages call a node: by its name, or by number and place."""
        for name, number in self.names.items():
            if number == node:
                return f'node "{name}"'
        if not 0 <= node < len(self):
            raise ModelError(f"node {node} is not there: nodes are numbered 0 to {len(self) - 1}")
        x, y, z = self.points[node]
        return f"node {node} at ({x:g}, {y:g}, {z:g})"

    def node(self, which: Any) -> int:
        """Number of a node.

        Args:
            which: its name, its number, or its coordinates (three numbers, m).
        """
        if isinstance(which, str):
            if which not in self.names:
                checks.known(which, self.names, "node")
            return self.names[which]
        if isinstance(which, (int, np.integer)) and not isinstance(which, bool):
            if not 0 <= which < len(self):
                raise ModelError(f"node {which} is not there: nodes are numbered 0 to {len(self) - 1}")
            return int(which)
        p = checks.array(which, (3,), "place of a node")
        distance = np.linalg.norm(self.points - p, axis=1)
        nearest = int(distance.argmin())
        size = float(np.ptp(self.points, axis=0).max()) or 1.0
        if distance[nearest] > 1e-6 * size:
            raise ModelError(
                f"no node at ({p[0]:g}, {p[1]:g}, {p[2]:g}): the nearest is {self.describe(nearest)}, "
                f"{distance[nearest]:g} m away"
            )
        return nearest

    def held(self, root: Any) -> np.ndarray:
        """Numbers of the independent dofs (columns of `expand`) that stay free when all six dofs of a node are held.

        Args:
            root: the node held (name, number or coordinates); None holds nothing.
        """
        f = self.expand.shape[1]
        if root is None:
            return np.arange(f)
        node = self.node(root)
        node = self.follows.get(node, node)
        if not self.active[6 * node : 6 * node + 6].all():
            raise ModelError(
                f"{self.describe(node)} has no rotations (solids, trusses), so holding it does not hold the body: link it "
                'and its neighbours rigidly to a node with `linked("root", [...])` and hold that'
            )
        rows = self.expand[6 * node : 6 * node + 6]
        if rows.nnz != 6:
            raise ModelError(
                f"{self.describe(node)} moves as other nodes say, so it cannot be held alone: hold one of these, or the "
                'mean of some with `averaged("root", [...])`'
            )
        return np.setdiff1d(np.arange(f), rows.indices)

    def linked(self, name: str, nodes: Sequence[Any], at: Any = None) -> "Structure":
        """The same structure with one more node, which the given nodes rigidly follow: an interface or a root.

        Args:
            name: of the new node.
            nodes: those that follow it (names, numbers or coordinates); those that already follow another are
                replaced by the node that they follow.
            at: place of the new node, m; the mean of the nodes when None.
        """
        if name in self.names:
            raise ModelError(f'node "{name}" is there already: give another name')
        numbers = [self.node(k) for k in nodes]
        if not numbers:
            raise ModelError(f'link "{name}" has no nodes: give those that follow it')
        p = self.points[numbers].mean(axis=0) if at is None else checks.array(at, (3,), f'place of "{name}"')
        followers = dict.fromkeys(self.follows.get(k, k) for k in numbers)
        links = [*self.links, *((len(self), k) for k in followers)]
        return self._with_node(name, p, links, moved_behind(self.dependent, len(self), 1))

    def averaged(self, name: str, nodes: Sequence[Any], at: Any = None) -> "Structure":
        """The same structure with one more node, which moves as the mean of the given nodes: a root of a body with a ring of
        boundary nodes, none of which it makes stiffer.

        The node's motion is the rigid one that is nearest to the displacements of the nodes (an RBE3 with equal weights).
        Six dofs of these nodes become dependent, so that the mean is a coordinate and can be held.

        Args:
            name: of the new node.
            nodes: three or more, not on one line, or one that has rotations (names, numbers or coordinates).
            at: place of the new node, m; the mean of the nodes when None.
        """
        if name in self.names:
            raise ModelError(f'node "{name}" is there already: give another name')
        numbers = list(dict.fromkeys(self.node(k) for k in checks.items(nodes, "nodes")))
        if not numbers:
            raise ModelError(f'mean "{name}" has no nodes: give those that it is the mean of')
        p = self.points[numbers].mean(axis=0) if at is None else checks.array(at, (3,), f'place of "{name}"')
        dofs = np.concatenate([6 * k + np.arange(3 if len(numbers) > 1 else 6) for k in numbers])
        rigid = self._rigid(self.points - p)[dofs]
        if np.linalg.matrix_rank(rigid, tol=1e-9 * np.linalg.norm(rigid)) < 6:
            raise ModelError(
                f'mean "{name}": the displacements of {", ".join(self.describe(k) for k in numbers)} do not tell a '
                "rotation: give three nodes that are not on one line, or one with rotations"
            )
        mean = np.linalg.pinv(rigid) @ self.expand[dofs].toarray()  # (6, f): its motion by the independent dofs
        used = np.flatnonzero(np.isin(self.own, dofs))
        order = linalg.qr(mean[:, used], mode="r", pivoting=True)[1]
        six = used[order[:6]]
        if np.linalg.cond(mean[:, six]) > 1e9:
            raise ModelError(f'mean "{name}": its nodes depend on others: give nodes that move on their own')
        # u = mean x, solved for six of x: these become dependent, and all rows that have them change with them
        rest = np.setdiff1d(np.arange(len(self.own)), six)
        new, size = 6 * len(self) + np.arange(6), self.size + 6
        behind = lambda at: np.where(at < 6 * len(self), at, at + 6)
        own = behind(self.own)
        rows = np.zeros((6, size))
        rows[:, own[rest]] = -np.linalg.solve(mean[:, six], mean[:, rest])
        rows[:, new] = np.linalg.inv(mean[:, six])
        before = moved_behind(self.dependent, len(self), 1)
        place = sparse.csr_array((np.ones(6), (own[six], np.arange(6))), shape=(size, 6))
        kept = sparse.diags_array(np.where(np.isin(np.arange(size), own[six]), 0.0, 1.0))
        dependent = before @ kept + (before @ place + place) @ sparse.csr_array(rows)
        return self._with_node(name, p, self.links, dependent)

    def _with_node(self, name: str, p: Vector, links: Any, dependent: Any) -> "Structure":
        points, names = np.vstack([self.points, p]), {**self.names, name: len(self)}
        found = Structure(points, names, self.elements, links, self.hidden, dependent)
        found.added, found.lines = self.added + 1, self.lines
        return found

    def named(self, **names: Any) -> "Structure":
        """The same structure with more names: name=node (number or coordinates)."""
        more = {k: self.node(v) for k, v in names.items()}
        found = Structure(self.points, {**self.names, **more}, self.elements, self.links, self.hidden, self.dependent)
        found.added, found.lines = self.added, self.lines
        return found

    def geometric_stiffness(
        self, displacement: Vector, load: Vector | None = None, acceleration: Vector | None = None
    ) -> sparse.csr_array | None:
        """Geometric stiffness KG over all dofs, csr, of the stress state of a displacement; linear in the arguments.

        For a load F with static solution u_F and a deformation u_1, F . u_2 = -1/2 u_1^T KG(u_F) u_1, u_2 being the
        second-order displacement (and rotation vector) that u_1 brings with it.

        Args:
            displacement: displacements and rotations of all dofs, the static solution under `load`.
            load: forces and moments over all dofs of that solution. Only rigid links need it, which carry K u - load on
                their dependent nodes; None when no load acts on dependent nodes.
            acceleration: (3, 4), when the load is, or is partly, mass times the field (c, C), c + C p with p from the
                structure's origin: then what it does between the nodes is counted too.

        Returns:
            KG, or None when the model is given by M and K only.
        """
        if not self.stiffens:
            return None
        u = checks.array(displacement, (self.size,), "displacement")
        field = None if acceleration is None else checks.array(acceleration, (3, 4), "acceleration")
        KG = element_assembly.geometric(self.elements, len(self), u, field)
        carried = self.K @ u if load is None else self.K @ u - checks.array(load, (self.size,), "load")
        return KG + element_assembly.link_stiffness(self.points, self.follows, carried)

    @property
    def stiffens(self) -> bool:
        """Whether the geometric stiffness is known."""
        given = [g for g in self.elements if isinstance(g, GivenMatrices) and g.K.nnz]
        return not any(g.given_geometric is None and not g.unit_loads for g in given)

    @property
    def stiffens_by_inertia_alone(self) -> bool:
        """Whether the geometric stiffness is known of inertia loads, and not of forces at nodes."""
        return any(isinstance(g, GivenMatrices) and g.unit_loads and g.given_geometric is None for g in self.elements)

    @property
    def rounding(self) -> float:
        """Relative error of the entries of matrices that were given; 0 where there are none."""
        return max((g.rounding for g in self.elements if isinstance(g, GivenMatrices)), default=0.0)

    def section_loads(self) -> tuple[list[str], sparse.csr_array]:
        """Stress resultants as a linear map from nodal displacements.

        Returns:
            Labels, one per row, and csr (rows, all dofs). Beams: N, Vy, Vz (N), T, My, Mz (N m) at both ends of each element
            in its local axes, as the load of the part beyond on the part before. Plates: Nx, Ny, Nxy (N/m), Mx, My, Mxy
            (N) at the middle of every element. Trusses: N. Solids: stresses (Pa) at the middle.
        """
        return element_assembly.section_loads(self.elements, len(self), self.hidden)

    def rigid_body_vectors(self, about: Any = (0.0, 0.0, 0.0)) -> Vector:
        """Unit rigid motions over all dofs (6n + hidden, 6): translations along x, y, z, then rotations about axes through
        the point `about`.

        Dofs that are not active stay zero, and so do hidden ones: they are measured from the rigid motion of nodes.
        """
        return self._rigid(self.points - checks.array(about, (3,), "about"))

    def _rigid(self, arms: Vector) -> Vector:
        R = np.zeros((len(self), 6, 6))
        R[:, :3, :3] = R[:, 3:, 3:] = np.eye(3)
        R[:, :3, 3:] = -cross_matrix(arms)
        return np.vstack([R.reshape(-1, 6), np.zeros((self.hidden, 6))]) * self.active[:, None]

    def mass_properties(self) -> tuple[float, Vector, Vector]:
        """Mass (kg), mass centre (m) and inertia about the origin (3x3, kg m^2), in the structure's axes."""
        return self._mass_properties

    @cached_property
    def _mass_properties(self) -> tuple[float, Vector, Vector]:
        R = self.rigid_body_vectors()
        J = R.T @ (self.M @ R)
        mass = float(np.trace(J[:3, :3]) / 3)
        moment = (J[3:, :3] - J[:3, 3:]) / 2  # = m c~
        centre = np.array([moment[2, 1], moment[0, 2], moment[1, 0]]) / (mass or 1.0)
        return mass, centre, J[3:, 3:]

    @cached_property
    def edges(self) -> np.ndarray:
        """Pairs of nodes (k, 2) to draw as lines: members, edges of plates and solids, rigid links."""
        pairs = [group.edges() for group in self.elements] + [np.array(list(self.follows.items()), dtype=int).reshape(-1, 2)]
        return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)

    def _check_dependent(self) -> None:
        """Dependent dofs are combinations of independent ones."""
        depends = np.diff(self.dependent.indptr) > 0
        chained = self.dependent.indices[depends[self.dependent.indices]]
        if len(chained):
            raise ModelError(f"{self._dof(int(chained[0]))} is dependent, and others depend on it: put in what it is")
        for node in self.follows:
            if depends[6 * node : 6 * node + 6].any():
                raise ModelError(f"{self.describe(node)} is rigidly linked and depends on other nodes too: leave out one")

    def _dof(self, number: int) -> str:
        """How messages call a dof."""
        if number >= 6 * len(self):
            return f"modal coordinate {number - 6 * len(self) + 1}"
        return f"{DOF_NAMES[number % 6]} of {self.describe(number // 6)}"

    def _check_connected(self) -> None:
        """Every node carries something, and all of them hang together."""
        n = len(self)
        if any(isinstance(g, GivenMatrices) for g in self.elements):
            return
        used = self.active.reshape(n, 6).any(axis=1)
        if not used.all():
            raise ModelError(
                f"{_and_more(self, np.flatnonzero(~used))}: nothing is connected there; add a member or remove it"
            )
        pairs = [np.stack([g.nodes[:, 0], other], axis=1) for g in self.elements for other in g.nodes.T[1:]]
        pairs.append(np.array(list(self.follows.items()), dtype=int).reshape(-1, 2))
        pairs.append(np.column_stack(self.dependent.nonzero()) // 6)  # structures of elements have no hidden dofs
        a, b = np.concatenate(pairs).T
        graph = sparse.coo_array((np.ones(len(a)), (a, b)), shape=(n, n))
        parts, part = sparse.csgraph.connected_components(graph, directed=False)
        if parts > 1:
            apart = _and_more(self, np.flatnonzero(part != part[0]))
            raise ModelError(f"{apart}: not connected with {self.describe(0)}; join the parts by members, springs or links")


def coordinates(value: Any, what: str) -> Vector:
    """Coordinates (n, 3) of at least one node."""
    try:
        n = len(value)
    except TypeError as e:
        raise ModelError(f"{what}: give n by 3 numbers, not {value!r}") from e
    if n == 0:
        raise ModelError(f"{what}: there is no node; give n by 3 numbers")
    return checks.array(value, (n, 3), what)


class _Descriptions(Sequence[str]):
    """The words for nodes, made only when a message needs them."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure

    def __len__(self) -> int:
        return len(self._structure)

    def __getitem__(self, node: Any) -> Any:
        return self._structure.describe(node)


def _and_more(structure: Structure, nodes: np.ndarray) -> str:
    shown = ", ".join(structure.describe(int(k)) for k in nodes[:5])
    return shown + (f" and {len(nodes) - 5} more" if len(nodes) > 5 else "")


def _dependence(matrix: Any, size: int) -> sparse.csr_array:
    """Rows of dependent dofs, over all dofs."""
    if sparse.issparse(matrix):
        A = sparse.csr_array(matrix, copy=True)
        if A.shape != (size, size) or not np.isfinite(A.data).all():
            raise ModelError(f"dependent is {A.shape[0]} by {A.shape[1]}: give {size} rows and columns of finite numbers")
    else:
        A = sparse.csr_array(checks.array(matrix, (size, size), "dependent"))
    A.eliminate_zeros()
    return A


def _given(matrix: Any, what: str, nodes: int) -> sparse.csr_array:
    try:
        A = sparse.csr_array(matrix, dtype=float) if not np.iscomplexobj(matrix) else None
    except (TypeError, ValueError) as e:
        raise ModelError(f"{what} cannot be read as a matrix of real numbers: {e}") from e
    if A is None:
        raise ModelError(f"{what} has complex entries: give real numbers")
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] not in (3 * nodes, 6 * nodes):
        size = " by ".join(map(str, A.shape))
        raise ModelError(f"{what} is {size}: with {nodes} nodes give {3 * nodes} or {6 * nodes} rows and columns")
    if not np.isfinite(A.data).all():
        raise ModelError(f"{what} has entries that are not finite")
    return A


def same_size(KG: Any, M: sparse.csr_array) -> sparse.csr_array:
    """A geometric stiffness that somebody's function gave, over as many coordinates as M."""
    if np.shape(KG) != M.shape:
        raise ModelError(f"geometric gave a matrix of shape {np.shape(KG)}: it must be {M.shape}, as M and K are")
    return sparse.csr_array(KG)


def check_definite(A: sparse.csr_array, what: str, where: Callable[[int], str], rounding: float) -> None:
    """A symmetric matrix without negative eigenvalues, but for rounding; `where` names a row."""
    skew = sparse.coo_array(abs(A - A.T))
    if skew.nnz and skew.data.max() > 10 * rounding * np.abs(A.data).max():
        worst = int(skew.data.argmax())
        i, j = int(skew.row[worst]), int(skew.col[worst])
        raise ModelError(f"{what} is not symmetric: entry ({i}, {j}) is {A[i, j]:g} and ({j}, {i}) is {A[j, i]:g}")
    negative = np.flatnonzero(A.diagonal() < 0)
    if len(negative):
        raise ModelError(f"{what} has a negative diagonal entry at {where(int(negative[0]))}: check its signs and units")
    if not is_semidefinite(A, rounding):
        raise ModelError(
            f"{what} is indefinite: a real structure has no negative eigenvalue; check units, signs and order of dofs"
        )


def _six_per_node(n: int, per_node: int) -> sparse.csr_array:
    """Columns of the identity that put per_node dofs of every node among its six."""
    at = (6 * np.arange(n)[:, None] + np.arange(per_node)).ravel()
    return sparse.csr_array(sparse.coo_array((np.ones(len(at)), (at, np.arange(len(at)))), shape=(6 * n, per_node * n)))
