"""Natural frequencies by CalculiX (`ccx`, Debian's calculix-ccx): writes the deck, runs it, reads the table."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

missing = pytest.mark.skipif(
    shutil.which("ccx") is None,
    reason="CalculiX is not installed: apt-get install calculix-ccx (scripts/install-debian-packages)",
)


def solid_frequencies(folder: Path, kind: str, nodes, elements, material, held, count: int) -> np.ndarray:
    """Lowest natural frequencies, Hz, of a solid.

    Args:
        folder: where the files go.
        kind: element type, "C3D10" or "C3D20R".
        nodes: coordinates (n, 3), m.
        elements: node numbers from 0, in CalculiX's order: corners, then middles of edges.
        material: Young's modulus (Pa), Poisson's ratio, density (kg/m^3).
        held: numbers of the nodes whose displacements are zero; none for a free body, whose six rigid motions are left out.
        count: how many.
    """
    extra = 0 if len(held) else 6
    (folder / "model.inp").write_text(_deck(kind, nodes, elements, material, held, count + extra))
    run = subprocess.run(["ccx", "model"], cwd=folder, capture_output=True, text=True, timeout=300)
    table = folder / "model.dat"
    if run.returncode or not table.exists():
        raise RuntimeError(f"ccx failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return _frequencies(table.read_text())[extra:]


def _deck(kind, nodes, elements, material, held, count) -> str:
    E, nu, density = material
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{k + 1}, {x:.12e}, {y:.12e}, {z:.12e}" for k, (x, y, z) in enumerate(nodes)]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=BODY")
    for k, element in enumerate(elements):
        numbers = [str(k + 1)] + [str(n + 1) for n in element]
        pieces = [", ".join(numbers[i : i + 12]) for i in range(0, len(numbers), 12)]
        lines += [piece + "," for piece in pieces[:-1]] + pieces[-1:]
    lines += ["*MATERIAL, NAME=METAL", "*ELASTIC", f"{E:.12e}, {nu:.12e}", "*DENSITY", f"{density:.12e}"]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=METAL"]
    if len(held):
        lines += ["*NSET, NSET=HELD", *[f"{n + 1}," for n in held], "*BOUNDARY", "HELD, 1, 3"]
    lines += ["*STEP", "*FREQUENCY", str(count), "*END STEP", ""]
    return "\n".join(lines)


def _frequencies(text: str) -> np.ndarray:
    """The column of cycles per time in the first table of eigenvalues."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if found and len(words) != 5:
            break
        if len(words) == 5 and words[0].isdigit() and int(words[0]) == len(found) + 1:
            found.append(float(words[3]))
    return np.array(found)


def brick_mesh(size, divisions):
    """A box meshed by 20-node bricks in CalculiX's order: nodes (n, 3), elements (e, 20)."""
    points, elements = {}, []

    def node(i, j, k):  # on the lattice of half elements
        return points.setdefault((i, j, k), len(points))

    nx, ny, nz = divisions
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    middles = [tuple((a + b) // 2 for a, b in zip(corners[p], corners[q], strict=True)) for p, q in pairs]
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                elements.append([node(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in corners + middles])
    lattice = np.array(list(points), dtype=float)
    return lattice * np.array(size) / (2 * np.array(divisions)), np.array(elements)
