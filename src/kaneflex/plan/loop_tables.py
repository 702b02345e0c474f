"""Which constraint equations are solved together, where, and through which joints their loads pass.

A constraint's loads pass from the bodies it acts on down the tree to the body where its loop closes, the last that these
have in common. Constraints that close on the same body and share joints form a cluster, solved there. Others that share
joints with them pass through and stay open until they close further in. What a joint costs goes with the square of how many
equations are open at it: loops that are closed between neighbours cost what their number is, however many share bodies.
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
    """Constraints that close together: on which body, and those that share joints with them and are still open there."""

    body: int
    elements: list[int]
    open: list[int] = field(default_factory=list)
    next: int = -1  # cluster that those belong to next


@dataclass
class LoopTables:
    """Integer tables of all constraints, and the sizes of their places in W."""

    body_rows: np.ndarray  # PATH0, PATHS, CLOSE0, CLOSES of every body
    order: list[int]  # elements in the order of the tables
    first_row: dict[int, int]  # element -> its first equation
    clusters: list[Cluster]
    next: dict[int, int]  # body whose joint carries loads -> the first cluster, further in, that closes one of them
    sliding: list[int]  # elements that slide with friction, in that order
    path_entries: list[tuple[int, int, int]]  # body, element, equation of the element; the one after its last is friction


def find_paths(
    elements: list[Element], parent: np.ndarray, flexible: np.ndarray, column_body: list[int]
) -> tuple[list[int], list[list[int]]]:
    """Where each constraint closes, and the bodies whose joints carry its loads. A flexible body's own speeds may lie on the
    loop, so that none closes on it: it closes on the next body inboard. A point that slides with friction closes on the
    ground, and so does all that shares joints with it, see `formulations.sliding_friction`."""
    starts = [_starts(element, column_body) for element in elements]
    meets = [0 if element.slides else _meeting(start, parent) for element, start in zip(elements, starts, strict=True)]
    for k, meet in enumerate(meets):
        while flexible[meet]:
            meet = int(parent[meet])
        meets[k] = meet
    paths = [_path(start, meet, parent) for start, meet in zip(starts, meets, strict=True)]
    reached = {k for k, element in enumerate(elements) if element.slides}
    grounded = set[int]()
    while reached:
        grounded |= reached
        for k in reached:
            meets[k], paths[k] = 0, _path(starts[k], 0, parent)
        rubbing = {i for k in grounded for i in paths[k]}
        reached = {k for k, path in enumerate(paths) if k not in grounded and not rubbing.isdisjoint(path)}
    return meets, paths


def find_clusters(meets: list[int], paths: list[list[int]]) -> tuple[list[Cluster], dict[int, int]]:
    """Clusters in the order of the bodies where they close, and of every body whose joint carries loads the next of them."""
    crossing: dict[int, list[int]] = {}
    for k, path in enumerate(paths):
        for i in path:
            crossing.setdefault(i, []).append(k)
    leader = list(range(len(meets)))

    def lead(k: int) -> int:
        while leader[k] != k:
            leader[k] = k = leader[leader[k]]
        return k

    first_to_close = {}
    for i, on in crossing.items():
        closest = max(meets[k] for k in on)  # bodies of a path have rising numbers
        closing = [k for k in on if meets[k] == closest]
        first_to_close[i] = closing[0]
        for k in closing:
            leader[lead(k)] = lead(closing[0])
    groups: dict[int, list[int]] = {}
    for k in range(len(meets)):
        groups.setdefault(lead(k), []).append(k)
    clusters = [Cluster(meets[k], group) for k, group in sorted(groups.items(), key=lambda g: (meets[g[0]], g[1]))]
    of = {k: c for c, cluster in enumerate(clusters) for k in cluster.elements}
    following = {i: of[k] for i, k in first_to_close.items()}
    opened: list[set[int]] = [set() for _ in clusters]
    for i, on in crossing.items():
        opened[following[i]].update(k for k in on if meets[k] < clusters[following[i]].body)
    for cluster, open_ones in zip(clusters, opened, strict=True):
        cluster.open = sorted(open_ones, key=lambda k: (-meets[k], k))  # as they close: numbers rise in the next cluster too
        cluster.next = following[cluster.body] if cluster.open else -1
    return clusters, following


def _starts(element: Element, column_body: list[int]) -> list[tuple[int, bool]]:
    """Bodies that the equations load, and bodies whose own joint they contain (True)."""
    return [(b, False) for b in element.bodies] + [(column_body[c], True) for _, c, *_ in element.terms]


def _meeting(starts: list[tuple[int, bool]], parent: np.ndarray) -> int:
    """The last common ancestor: of a body itself where it is loaded, of its parent where its joint is meant."""
    meet: int | None = None
    for body, joint in starts:
        i = int(parent[body]) if joint else body
        j = i if meet is None else meet
        while i != j:
            i, j = (int(parent[i]), j) if i > j else (i, int(parent[j]))
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


def lay_out(
    elements: list[Element], parent: np.ndarray, flexible: np.ndarray, column_body: list[int], dense: bool
) -> LoopTables:
    """Order of equations and path entries; in the dense formulation all equations are one cluster without paths."""
    meets, paths = find_paths(elements, parent, flexible, column_body)
    if dense:
        meets, paths = [0] * len(elements), [[] for _ in elements]
    clusters, following = find_clusters(meets, paths)
    if dense and elements:
        clusters = [Cluster(0, list(range(len(elements))))]
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
    path_entries: list[tuple[int, int, int]] = []
    crossing: dict[int, set[int]] = {}
    for k, path in enumerate(paths):
        for i in path:
            crossing.setdefault(i, set()).add(k)
    for i in sorted(crossing):
        cluster = clusters[following[i]]
        through = [k for k in cluster.elements + cluster.open if k in crossing[i]]
        entries = [(i, k, n) for k in through for n in range(len(elements[k].codes))]
        entries += [(i, k, len(elements[k].codes)) for k in through if elements[k].slides]  # behind all equations
        body_rows[i, 0], body_rows[i, 1] = len(path_entries), len(entries)
        path_entries += entries
    sliding = [k for k in order if elements[k].slides]
    return LoopTables(body_rows, order, first_row, clusters, following, sliding, path_entries)


def slots_of(elements: list[Element], cluster: Cluster) -> dict[tuple[int, int], int]:
    """Numbers within a cluster of equations (element, equation of the element): those that close, the open ones, sliding
    points."""
    closing = [(k, n) for k in cluster.elements for n in range(len(elements[k].codes))]
    open_ones = [(k, n) for k in cluster.open for n in range(len(elements[k].codes))]
    sliding = [(k, len(elements[k].codes)) for k in cluster.elements if elements[k].slides]
    return {one: slot for slot, one in enumerate(closing + open_ones + sliding)}


def delassus_sizes(elements: list[Element], tables: LoopTables) -> list[int]:
    """Numbers that each cluster needs in W."""
    closing = [sum(len(elements[k].codes) for k in c.elements) for c in tables.clusters]
    heights = [len(slots_of(elements, c)) for c in tables.clusters]
    return [L.delassus_size_work(h, m) for h, m in zip(heights, closing, strict=True)]


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
    """The tables of constraints, equations, clusters, open equations, path_entries, attachments, terms and sliding points,
    in the order of the layout.

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
    delassus_places = np.concatenate([[0], np.cumsum(delassus_sizes(elements, tables))]).astype(int) + places["delassus"]
    slots = [slots_of(elements, c) for c in tables.clusters]
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
    open_ones: list[list[int]] = []
    for c, cluster in enumerate(tables.clusters):
        sliding = [k for k in tables.sliding if k in cluster.elements]
        first = tables.sliding.index(sliding[0]) if sliding else 0
        opened = [(k, n) for k in cluster.open for n in range(len(elements[k].codes))]
        closing = len(slots[c]) - len(opened) - len(sliding)
        at = [tables.first_row[cluster.elements[0]], closing, len(open_ones), len(opened), cluster.next]
        clusters.append([cluster.body, *at, int(delassus_places[c]), first, len(sliding)])
        open_ones += [[row_of(*one), path_at[cluster.body, *one] + L.PATH_P, slots[cluster.next][one]] for one in opened]
    path_entries = []
    for i, k, n in tables.path_entries:
        c = tables.next[i]
        matrix = [slots[c][k, n], int(delassus_places[c]), len(slots[c])]
        path_entries.append([row_of(k, n), load_at(int(parent[i]), k, n), *matrix, path_at[i, k, n]])
    frictions = []
    for k in tables.sliding:
        load, point, plane = rubbing[elements[k].name]
        n = len(elements[k].codes)
        frictions.append([load, tables.first_row[k], row_of(k, n), load_at(point, k, n), load_at(plane, k, n)])
    named = {
        "constraint": constraints,
        "row": rows,
        "cluster": clusters,
        "open": open_ones,
        "path_entry": path_entries,
        "attachment": attachments,
        "term": terms,
        "friction": frictions,
    }
    return {name: np.array(rows, np.int64).ravel() for name, rows in named.items()}
