"""Which constraint equations are solved together, and through which joints their loads pass.

A constraint's loads pass from the bodies it acts on down the tree to the body where its loop closes. Constraints whose
loads pass through a common joint form a cluster, which closes where the last of them does.
"""

from dataclasses import dataclass, field

import numpy as np

from kaneflex.kernels import layout as L


@dataclass
class Element:
    """A constraint as rows of tables: what it acts on and its equations."""

    name: str
    kind: int
    bodies: list[int]  # attachments
    codes: list[tuple[int, bool]]  # of the equations: code, holonomic
    reals: np.ndarray
    terms: list[tuple[int, int, int, float, int]] = field(default_factory=list)  # row, column, coordinate, factor, seen
    signal: int = 0
    seen: int = 0
    sensor: int = 0
    sensors: int = 0
    slides: bool = False  # a point that slides with friction


@dataclass
class Cluster:
    """Constraints solved together: where they close, and the joints that carry each of them."""

    body: int
    elements: list[int]
    paths: dict[int, list[int]]  # element -> bodies whose joints carry it


@dataclass
class LoopTables:
    """Integer tables of all constraints, and the sizes of their places in W."""

    body_rows: np.ndarray  # PATH0, PATHS, CLOSE0, CLOSES of every body
    order: list[int]  # elements in the order of the tables
    first_row: dict[int, int]  # element -> its first equation
    clusters: list[Cluster]
    sliding: list[int]  # elements that slide with friction, in that order
    path_entries: list[tuple[int, int, int]]  # body, element, equation of the element; the one after its last is friction


def find_clusters(
    elements: list[Element], parent: np.ndarray, flexible: np.ndarray, column_body: list[int]
) -> list[Cluster]:
    """Clusters of the constraints, in the order of the bodies where they close. A flexible body's own speeds may lie on the
    loop, so that none closes on it: it closes on the next body inboard. A point that slides with friction closes on the
    ground, see `formulations.sliding_friction`."""
    depth = np.zeros(len(parent), int)
    for i in range(1, len(parent)):
        depth[i] = depth[parent[i]] + 1
    owner: dict[int, Cluster] = {}
    clusters: list[Cluster] = []
    for k, element in enumerate(elements):
        starts = _starts(element, column_body)
        meet = 0 if element.slides else _meeting(starts, parent, depth)
        while flexible[meet]:
            meet = int(parent[meet])
        cluster = Cluster(meet, [k], {k: _path(starts, meet, parent)})
        while True:
            others = {id(owner[i]): owner[i] for path in cluster.paths.values() for i in path if i in owner}
            if not others:
                break
            for other in others.values():
                clusters.remove(other)
                for path in other.paths.values():
                    for i in path:
                        owner.pop(i, None)
                cluster = _merged(cluster, other, elements, parent, depth, column_body)
        for path in cluster.paths.values():
            for i in path:
                owner[i] = cluster
        clusters.append(cluster)
    return sorted(clusters, key=lambda c: c.body)


def _starts(element: Element, column_body: list[int]) -> list[tuple[int, bool]]:
    """Bodies that the equations load, and bodies whose own joint they contain (True)."""
    return [(b, False) for b in element.bodies] + [(column_body[c], True) for _, c, *_ in element.terms]


def _meeting(starts: list[tuple[int, bool]], parent: np.ndarray, depth: np.ndarray) -> int:
    """The last common ancestor: of a body itself where it is loaded, of its parent where its joint is meant."""
    meet: int | None = None
    for body, joint in starts:
        i = int(parent[body]) if joint else body
        if meet is None:
            meet = i
            continue
        j = meet
        while i != j:
            if depth[i] >= depth[j]:
                i = int(parent[i])
            else:
                j = int(parent[j])
        meet = i
    return 0 if meet is None else meet


def _path(starts: list[tuple[int, bool]], meet: int, parent: np.ndarray) -> list[int]:
    """Bodies below the meeting body whose joints carry the loads, each once."""
    path: dict[int, None] = {}
    for body, _ in starts:
        i = body
        while i != meet and i not in path:
            path[i] = None
            i = int(parent[i])
    return list(path)


def _merged(
    a: Cluster, b: Cluster, elements: list[Element], parent: np.ndarray, depth: np.ndarray, column_body: list[int]
) -> Cluster:
    meet = a.body if depth[a.body] <= depth[b.body] else b.body
    members = sorted(a.elements + b.elements)
    return Cluster(meet, members, {k: _path(_starts(elements[k], column_body), meet, parent) for k in members})


def lay_out(
    elements: list[Element], parent: np.ndarray, flexible: np.ndarray, column_body: list[int], dense: bool
) -> LoopTables:
    """Order of equations and path entries; in the dense formulation all equations are one cluster without paths."""
    if not elements:
        clusters = []
    elif dense:
        clusters = [Cluster(0, list(range(len(elements))), {k: [] for k in range(len(elements))})]
    else:
        clusters = find_clusters(elements, parent, flexible, column_body)
    order = [k for c in clusters for k in c.elements]
    first_row, rows = {}, 0
    for k in order:
        first_row[k] = rows
        rows += len(elements[k].codes)
    body_rows = np.zeros((len(parent), 4), np.int64)
    for n, c in enumerate(clusters):
        if body_rows[c.body, 3] == 0:
            body_rows[c.body, 2] = n
        body_rows[c.body, 3] += 1
    carried: dict[int, list[tuple[int, int]]] = {}
    for c in clusters:
        for k, path in c.paths.items():
            for i in path:
                carried.setdefault(i, []).extend((k, n) for n in range(len(elements[k].codes)))
    for c in clusters:  # after all equations, for columns of friction have a row for each of these
        for k, path in c.paths.items():
            for i in path if elements[k].slides else ():
                carried[i].append((k, len(elements[k].codes)))
    path_entries: list[tuple[int, int, int]] = []
    for i in sorted(carried):
        body_rows[i, 0], body_rows[i, 1] = len(path_entries), len(carried[i])
        path_entries += [(i, k, n) for k, n in carried[i]]
    return LoopTables(body_rows, order, first_row, clusters, [k for k in order if elements[k].slides], path_entries)


def delassus_sizes(elements: list[Element], tables: LoopTables) -> list[int]:
    """Numbers that each cluster needs in W."""
    sizes = [sum(len(elements[k].codes) for k in c.elements) for c in tables.clusters]
    sliding = [sum(elements[k].slides for k in c.elements) for c in tables.clusters]
    return [L.delassus_size_work(m, n, m + n) for m, n in zip(sizes, sliding, strict=True)]


def integer_tables(
    elements: list[Element],
    tables: LoopTables,
    parent: np.ndarray,
    u0: np.ndarray,
    speeds: np.ndarray,
    column_body: list[int],
    rubbing: dict[str, tuple[int, int, int]],
    places: dict[str, int],
) -> dict[str, np.ndarray]:
    """The tables of constraints, equations, clusters, path_entries, attachments, terms and sliding points, in the order
    of the layout.

    Args:
        elements: the constraints.
        tables: what `lay_out` gave.
        parent: parent of every body.
        u0: first speed of every body's joint.
        speeds: their number.
        column_body: body of every speed.
        rubbing: load, and bodies of point and plane, of every sliding point by its constraint's name.
        places: where rows of equations ("row"), path_entries ("path_entry") and matrices ("delassus") begin in W.
    """
    path_at, end = {}, places["path_entry"]
    for path_entry in tables.path_entries:
        path_at[path_entry] = end
        end += L.PATH_T + int(speeds[path_entry[0]])
    cluster_of = {k: c for c, cluster in enumerate(tables.clusters) for k in cluster.elements}
    delassus_places = np.concatenate([[0], np.cumsum(delassus_sizes(elements, tables))]).astype(int) + places["delassus"]
    sizes = [sum(len(elements[k].codes) for k in c.elements) for c in tables.clusters]
    starts = [tables.first_row[c.elements[0]] for c in tables.clusters]

    equations = sum(len(e.codes) for e in elements)

    def row_of(k: int, n: int) -> int:
        return tables.first_row[k] + n if n < len(elements[k].codes) else equations + tables.sliding.index(k)

    def load_at(body: int, k: int, n: int) -> int:
        at = path_at.get((body, k, n))
        return places["row"] + row_of(k, n) * L.ROW_WIDTH + L.CLOSING_WRENCH if at is None else at + L.PATH_P

    constraints: list[list[int]] = []
    rows: list[list[int]] = []
    attachments: list[list[int]] = []
    terms: list[list[int]] = []
    wrench = 0
    for k in tables.order:
        e = elements[k]
        at = [len(attachments), len(e.bodies), len(terms), len(e.terms)]
        constraints.append([e.kind, tables.first_row[k], len(e.codes), wrench, *at, e.signal, e.seen, e.sensor, e.sensors])
        wrench += 6 * len(e.codes) * len(e.bodies)
        rows += [[code, int(holonomic), len(constraints) - 1] for code, holonomic in e.codes]
        for body in e.bodies:
            riding = (body, k, 0) in path_at
            attachments.append([body, load_at(body, k, 0), L.PATH_T + int(speeds[body]) if riding else L.ROW_WIDTH])
        for row, column, coordinate, _, seen in e.terms:
            body = column_body[column]
            slot = path_at.get((body, k, row))
            place = places["row"] if slot is None else slot + L.PATH_T + column - int(u0[body])
            terms.append([row, column, coordinate, place, seen])
    clusters: list[list[int]] = []
    for c, cluster in enumerate(tables.clusters):
        sliding = [k for k in tables.sliding if k in cluster.elements]
        first = tables.sliding.index(sliding[0]) if sliding else 0
        clusters.append([cluster.body, starts[c], sizes[c], int(delassus_places[c]), first, len(sliding)])
    path_entries = []
    for i, k, n in tables.path_entries:
        c, row, on = cluster_of[k], row_of(k, n), load_at(int(parent[i]), k, n)
        matrix, size, slot = int(delassus_places[c]), sizes[c], row - starts[c]
        if n == len(elements[k].codes):  # friction: a row of the columns behind the matrix, as if it were of that height
            slot, height = size + row - equations - clusters[c][L.CLUSTER_FRICTION], size + clusters[c][L.CLUSTER_FRICTIONS]
            matrix, size = matrix + L.delassus_columns_work(size) - size * height, height
        path_entries.append([row, on, slot, matrix, size, path_at[i, k, n]])
    frictions = []
    for k in tables.sliding:
        load, point, plane = rubbing[elements[k].name]
        n = len(elements[k].codes)
        frictions.append([load, tables.first_row[k], row_of(k, n), load_at(point, k, n), load_at(plane, k, n)])
    named = {
        "constraint": constraints,
        "row": rows,
        "cluster": clusters,
        "path_entry": path_entries,
        "attachment": attachments,
        "term": terms,
        "friction": frictions,
    }
    return {name: np.array(rows, np.int64).ravel() for name, rows in named.items()}
