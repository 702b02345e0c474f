"""Small op2 files as Nastran writes them: tables and matrices in Fortran records, between markers."""

import struct

import numpy as np

EXTRN, GRID, SECONCT = (1627, 16, 463), (4501, 45, 1), (427, 4, 453)
SPOINT, ASET, DMIG = (5551, 49, 105), (5561, 76, 215), (114, 1, 120)


def marker(*keys):
    return b"".join(struct.pack("<iii", 4, key, 4) for key in keys)


def record(content):
    return struct.pack("<i", len(content)) + content + struct.pack("<i", len(content))


def _block(name, trailer, kind, content):
    label = name.ljust(8).encode()
    head = marker(2) + record(label) + marker(-1, 7) + record(struct.pack("<7i", *trailer)) + marker(-2, 1, 0, 2)
    return head + record(label) + marker(-3, 1, kind) + content


def table(name, *records):
    """A table; each record is a list of integers and single-precision floats."""
    content, number = b"", -4
    for values in records:
        words = b"".join(struct.pack("<f" if isinstance(v, float) else "<i", v) for v in values)
        content += marker(len(values)) + record(words) + marker(number, 1, 0)
        number -= 1
    return _block(name, [101, *[0] * 6], 0, content + marker(0))


def matrix(name, A):
    """A matrix of doubles, column by column."""
    A = np.asarray(A, dtype=float)
    content, number = b"", -4
    for column in A.T:
        used = np.flatnonzero(column)
        if len(used):
            first, last = used[0], used[-1] + 1
            words = struct.pack("<i", first + 1) + column[first:last].astype("<f8").tobytes()
            content += marker(1 + last - first) + record(words)
        content += marker(number, 1, 1)
        number -= 1
    # the last column is followed by the marker of no further one
    content = content[: -len(marker(1))] + marker(0) + marker(0) if A.shape[1] else content
    return _block(name, [101, A.shape[1], A.shape[0], 6, 2, 0, 0], 1, content)


def dmig(name, labels, A):
    """A symmetric matrix as a table of DMIG entries of doubles."""
    words = [*DMIG, *struct.unpack("<2i", name.ljust(8).encode()), 0, 6, 2, 0, 0, 0, 0]
    for j, (g, c) in enumerate(labels):
        words += [g, c]
        for i in range(j, len(labels)):
            words += [*labels[i], *struct.unpack("<2i", struct.pack("<d", A[i, j]))]
        words += [-1, -1]
    return table(name, [*words, -1, -1])


def file(*blocks):
    return b"".join(blocks) + marker(0)


def geometry(grids, scalars, suffix="S", connected=()):
    """GEOM1 with grids in basic axes and EXTRN, GEOM2 with scalar points, GEOM4 with ASET."""
    kept = [v for g in grids for v in (g, 123456)] + [v for s in scalars for v in (s, 1)]
    entries = [v for g, (x, y, z) in grids.items() for v in (g, 0, float(x), float(y), float(z), 0, 0, 0)]
    first = [[*GRID, *entries]] + ([[*SECONCT, *connected]] if connected else [[*EXTRN, *kept, -1, -1]])
    return b"".join([table("GEOM1" + suffix, *first), table("GEOM2" + suffix, [*SPOINT, *scalars]),
                     table("GEOM4" + suffix, [*ASET, *kept])])  # fmt: skip
