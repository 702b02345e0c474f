"""The order in which points, vectors and equations are eliminated, and what fills in: once for a system.

Points and vectors are in the reverse Cuthill-McKee order of the graph in which those of a body, or of an equation, are
neighbours; an equation follows the last of its points and vectors. Eliminated in this order, each of them, a block of three
coordinates or of one multiplier, leaves entries between all blocks that it meets and that come later. Runs of blocks that
leave nearly the same are a supernode (see `supernodes`): zeros that are kept cost less than rows that are short. (By least
degree a ring has a fifth fewer products; but an equation that is nearly redundant then came where its pivot was hard to tell
from the errors of stages, and Bricard's linkage took nearly twice the steps.)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from kaneflex.kernels.ops import LANES

Array = np.ndarray
NARROW, ZEROS = 8, 1.25  # pivots that a supernode may have in any case; how much larger it may be than its parts for more


def ordered(count: int, cliques: Iterable[list[int]]) -> list[int]:
    """Points and vectors by the reverse Cuthill-McKee order of the graph in which those of a clique are neighbours."""
    pairs = np.array([pair for clique in cliques for pair in combinations(sorted(set(clique)), 2)] or [(0, 0)])
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), (count, count))
    return [int(k) for k in reverse_cuthill_mckee((graph + graph.T).tocsr(), symmetric_mode=True)] if count else []


@dataclass(frozen=True)
class Supernode:
    """Blocks that are eliminated together.

    Attributes:
        blocks: numbers of the blocks that are its pivots, then of those that they meet, in the order of elimination.
        pivots: how many blocks are pivots.
        first: place of the first pivot among the unknowns.
        sizes: numbers of pivots, of all columns, and of these in whole vectors.
        rows: where its rows of U are.
        column: of each of its blocks, the first column.
    """

    blocks: list[int]
    pivots: int
    first: int
    sizes: tuple[int, int, int]
    rows: int
    column: dict[int, int]


class Ordering:
    """Places of all unknowns, and the supernodes.

    Args:
        count: number of points and vectors.
        bodies: points and vectors of every body.
        equations: those of every equation.

    Attributes:
        position: place of every coordinate and multiplier in the order of elimination.
        block: number of the block of every point and vector, then of every equation.
        start: place of the first unknown of every block.
        supernodes: in the order of elimination.
        entries: numbers in all their rows.
    """

    def __init__(self, count: int, bodies: list[list[int]], equations: list[list[int]]):
        rank = {k: n for n, k in enumerate(ordered(count, [*bodies, *equations]))}
        after: list[list[int]] = [[] for _ in range(count + 1)]
        for r, own in enumerate(equations):
            after[max((rank[k] for k in own), default=count)].append(r)
        order = [n for k in sorted(rank, key=rank.__getitem__) for n in (k, *(count + r for r in after[rank[k]]))]
        order += [count + r for r in after[count]]
        self.block = np.empty(len(order), np.int64)
        self.block[order] = np.arange(len(order))
        sizes = np.where(np.array(order, np.int64) < count, 3, 1)
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        firsts = self.start[self.block]
        self.position = np.concatenate([(firsts[:count, None] + np.arange(3)).ravel(), firsts[count:]])
        cliques = [[int(self.block[k]) for k in own] for own in bodies]
        cliques += [[int(self.block[k]) for k in (*own, count + r)] for r, own in enumerate(equations)]
        self.supernodes, self.entries = self._join(self._fill(cliques))
        self._owner = {b: s for s in self.supernodes for b in s.blocks[: s.pivots]}

    def _fill(self, cliques: list[list[int]]) -> list[set[int]]:
        """For every block the later ones that it meets when it is eliminated."""
        met: list[set[int]] = [set() for _ in self.block]
        for clique in cliques:
            if clique:
                met[min(clique)].update(clique)
        for b, own in enumerate(met):
            own.discard(b)
            if own:
                met[min(own)].update(own)
        return met

    def _join(self, met: list[set[int]]) -> tuple[list[Supernode], int]:
        """Supernodes of blocks that follow each other, each met by the one before."""
        found: list[Supernode] = []
        sizes, at, rows = np.diff(self.start), 0, 0
        width = lambda blocks: sum(int(sizes[k]) for k in blocks)
        while at < len(met):
            end, pivots = at + 1, int(sizes[at])
            apart = pivots * (pivots + width(met[at]))
            while end < len(met) and end in met[end - 1]:
                more = int(sizes[end])
                whole, parts = (pivots + more) * (pivots + more + width(met[end])), apart + more * (more + width(met[end]))
                if pivots + more > NARROW and whole > ZEROS * parts:
                    break
                end, pivots, apart = end + 1, pivots + more, parts
            blocks = [*range(at, end), *sorted(met[end - 1])]
            columns = np.concatenate([[0], np.cumsum(sizes[blocks])])
            all_columns = int(columns[-1])
            padded = -(-all_columns // LANES) * LANES
            column = dict(zip(blocks, columns[:-1].tolist(), strict=True))
            three = (pivots, all_columns, padded)
            found.append(Supernode(blocks, end - at, int(self.start[at]), three, rows, column))
            rows += pivots * padded
            at = end
        return found, rows

    @property
    def products(self) -> int:
        """Multiplications of one factorisation, zeros included."""
        total = 0
        for s in self.supernodes:
            p, n, _ = s.sizes
            i = np.arange(n)
            total += int((np.minimum(i, p) * (n - i)).sum())
        return total

    def place(self, a: int, b: int) -> tuple[int, int]:
        """Where the entries of blocks a and b, not before it, are, from the first row of U on, and from row to row."""
        s = self._owner[a]
        return s.rows + (int(self.start[a]) - s.first) * s.sizes[2] + s.column[b], s.sizes[2]

    def diagonal(self) -> list[int]:
        """Where the diagonal's entries are."""
        found = []
        for b, size in enumerate(np.diff(self.start).tolist()):
            at, stride = self.place(b, b)
            found += [at + k * (stride + 1) for k in range(size)]
        return found

    def targets(self, s: Supernode) -> tuple[list[int], list[int], list[tuple[int, int]]]:
        """Columns of a supernode beyond its pivots, by their places; lists of the columns that these are in the supernodes
        which have them as pivots, one after the other; and of every such row the place, and where its list begins, as if it
        went from the first column of s on."""
        sizes = np.diff(self.start)
        beyond = s.blocks[s.pivots :]
        index = [int(self.start[b]) + k for b in beyond for k in range(int(sizes[b]))]
        lists: list[int] = []
        rows: list[tuple[int, int]] = []
        begun: dict[int, int] = {}
        for n, b in enumerate(beyond):
            owner = self._owner[b]
            if owner.first not in begun:
                begun[owner.first] = len(lists) - s.column[b]
                lists += [owner.column[c] + k for c in beyond[n:] for k in range(int(sizes[c]))]
            at, stride = owner.rows + (int(self.start[b]) - owner.first) * owner.sizes[2], owner.sizes[2]
            rows += [(at + k * stride, begun[owner.first]) for k in range(int(sizes[b]))]
        return index, lists, rows
