"""Small files of Abaqus and ANSYS for matrices over nodes, and of meshes."""

import io

import numpy as np
from scipy import sparse
from scipy.io import hb_write, mmwrite

DOFS = ("UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ")


def deck(path, points, ids, elements=""):
    lines = [f"{g}, {x!r}, {y!r}, {z!r}" for g, (x, y, z) in zip(ids, points.tolist(), strict=True)]
    path.write_text("** a deck\n*NODE\n" + "\n".join(lines) + "\n" + elements)
    return path


def matrix_input(path, A, ids):
    """*MATRIX OUTPUT, FORMAT=MATRIX INPUT: the lower triangle."""
    half = sparse.coo_array(sparse.tril(A))
    rows = [f"{ids[i // 6]},{i % 6 + 1}, {ids[j // 6]},{j % 6 + 1}, {x!r}" for i, j, x in
            zip(half.row.tolist(), half.col.tolist(), half.data.tolist(), strict=True)]  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    return path


def substructure(path, M, K, ids):
    """*SUBSTRUCTURE MATRIX OUTPUT: a user element with six dofs at each node; columns down to the diagonal."""
    nodes = ", ".join(map(str, ids))
    text = [f"*USER ELEMENT,NODES={len(ids)},LINEAR", "** ELEMENT NODES", f"** {nodes}", "1, 2, 3, 4, 5, 6"]
    for word, A in (("STIFFNESS", K), ("MASS", M)):
        text.append(f"*MATRIX,TYPE={word}")
        for j in range(len(A)):
            column = [repr(float(x)) for x in A[: j + 1, j]]
            text += [", ".join(column[k : k + 4]) for k in range(0, len(column), 4)]
    path.write_text("\n".join(text) + "\n")
    return path


def harwell_boeing(path, A):
    """A symmetric matrix, its lower triangle, as HBMAT writes it."""
    text = io.StringIO()
    hb_write(text, sparse.csc_array(sparse.tril(A)))
    head, second, third, rest = text.getvalue().split("\n", 3)
    path.write_text("\n".join([head, second, "RSA" + third[3:], rest]))
    return path


def matrix_market(path, A):
    with open(path, "wb") as file:
        mmwrite(file, sparse.coo_array(A), symmetry="symmetric", precision=17)
    return path


def mapping(path, ids):
    rows = [f"{6 * k + c + 1:12d}{g:12d}{DOFS[c]:>12}" for k, g in enumerate(ids) for c in range(6)]
    path.write_text("\n".join(["  Matrix Eqn        Node         DOF", *rows]) + "\n")
    return path


def cdb(path, points, ids, element=181, cells=()):
    """NBLOCK, and EBLOCK of one type of element."""
    lines = ["/PREP7", f"ET,1,{element}", f"NBLOCK,6,SOLID,{max(ids)},{len(ids)}", "(3i9,6e21.13e3)"]
    lines += [f"{g:9d}{0:9d}{0:9d}" + "".join(f"{x:20.13E}".replace("E+", "E+0").replace("E-", "E-0") for x in p)
              for g, p in zip(ids, points.tolist(), strict=True)]  # fmt: skip
    lines += ["N,R5.3,LOC,       -1,", f"EBLOCK,19,SOLID,{len(cells)},{len(cells)}", "(19i9)"]
    for k, nodes in enumerate(cells):
        lines.append("".join(f"{v:9d}" for v in (1, 1, 1, 1, 0, 0, 0, 0, len(nodes), 0, k + 1, *nodes)))
    path.write_text("\n".join([*lines, "       -1", "/GO", "FINISH"]) + "\n")
    return path


def box(cells=(3, 1, 1), size=(0.6, 0.1, 0.08)):
    """Points and hexahedra of a box."""
    axes = [np.linspace(0, s, n + 1) for s, n in zip(size, cells, strict=True)]
    points = np.stack([c.ravel() for c in np.meshgrid(*axes, indexing="ij")], axis=1)
    at = lambda i, j, k: (i * (cells[1] + 1) + j) * (cells[2] + 1) + k
    turn = ((0, 0), (1, 0), (1, 1), (0, 1))
    hexahedra = [[at(i + a, j + b, k + c) for c in (0, 1) for a, b in turn]
                 for i in range(cells[0]) for j in range(cells[1]) for k in range(cells[2])]  # fmt: skip
    return points, np.array(hexahedra)
