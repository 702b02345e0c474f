"""Structures from Abaqus: matrices of *MATRIX OUTPUT or *SUBSTRUCTURE MATRIX OUTPUT (.mtx), and the nodes of the deck."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.readers.deck_nodes import deck_nodes
from kaneflex.structures.readers.labelled import from_labelled, symmetric
from kaneflex.structures.readers.matrix_files import there
from kaneflex.structures.structure import Structure

Labelled = tuple[sparse.csr_array, list[tuple[int, int]]]


@typed
def from_abaqus(
    matrices: Sequence[str | Path], deck: str | Path, names: Mapping[str, int] | None = None,
    length_unit: float = 1.0, mass_unit: float = 1.0,
) -> Structure:  # fmt: skip
    """A structure from Abaqus matrices of the free body.

    Args:
        matrices: job_STIF2.mtx and job_MASS2.mtx of *MATRIX OUTPUT, STIFFNESS, MASS, FORMAT=MATRIX INPUT (node, dof, node,
            dof, value in each line), or the one file of *SUBSTRUCTURE MATRIX OUTPUT, STIFFNESS=YES, MASS=YES. Rows of
            internal nodes (numbers below 1) and components above 6 are modal coordinates.
        deck: the .inp file with the nodes.
        names: more names, name -> node number.
        length_unit: metres per unit of length of the deck, e.g. 1e-3 for mm.
        mass_unit: kilograms per unit of mass, e.g. 1e3 for t; seconds are seconds.
    """
    found: dict[str, Labelled] = {}
    paths = [there(p) for p in matrices]
    for path in paths:
        found |= _substructure(path) if _starts_with_keyword(path) else _coordinates(path)
    missing = [word for word in ("STIFFNESS", "MASS") if word not in found]
    if missing:
        raise ModelError(
            f"{', '.join(p.name for p in paths)}: there is no {missing[0].lower()} matrix: export both with *MATRIX OUTPUT, "
            "STIFFNESS, MASS, FORMAT=MATRIX INPUT, or *SUBSTRUCTURE MATRIX OUTPUT, STIFFNESS=YES, MASS=YES"
        )
    places = deck_nodes(there(deck))
    labels = sorted({label for _, own in found.values() for label in own})
    at = {label: k for k, label in enumerate(labels)}
    wide = {}
    for word, (A, own) in found.items():
        pick = sparse.csr_array((np.ones(len(own)), ([at[r] for r in own], np.arange(len(own)))), shape=(len(at), len(own)))
        wide[word] = pick @ A @ pick.T
    rows = np.array([(g, c) if g > 0 and 1 <= c <= 6 else (0, 0) for g, c in labels], dtype=int)
    return from_labelled(wide["MASS"], wide["STIFFNESS"], rows, places, paths[0].name, names, length_unit, mass_unit)


def _starts_with_keyword(path: Path) -> bool:
    with open(path, errors="replace") as file:
        for line in file:
            if line.strip() and not line.startswith("**"):
                if line.startswith("%%MatrixMarket"):
                    raise ModelError(
                        f"{path} is a MatrixMarket file, which does not tell its rows: give it with ANSYS's .mapping file, "
                        "or put M, K, nodes and dofs into an .npz file"
                    )
                return line.lstrip().startswith("*")
    raise ModelError(f"{path} has no line but comments: export it again")


def _coordinates(path: Path) -> dict[str, Labelled]:
    """Lines of node, dof, node, dof, value: of one triangle, or of both."""
    kinds = {"STIF": "STIFFNESS", "MASS": "MASS"}
    kind = next((word for key, word in kinds.items() if key in path.stem.upper()), None)
    if kind is None:
        raise ModelError(f"{path}: its name tells neither stiffness nor mass: call it ..._STIF2.mtx or ..._MASS2.mtx")
    try:
        entries = np.loadtxt(path, delimiter=",", comments="*", ndmin=2)
        if entries.shape[1] != 5:
            raise ValueError(f"{entries.shape[1]} numbers in a line, not 5")
        if not np.isfinite(entries).all():
            raise ValueError("a number that is not finite")
    except ValueError as e:
        raise ModelError(
            f"{path} cannot be read as node, dof, node, dof, value: {str(e)[:150]}; write it with FORMAT=MATRIX INPUT"
        ) from e
    pairs = entries[:, :4].astype(int).reshape(-1, 2, 2)
    labels, where = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    row, column = where.reshape(-1, 2).T
    A = sparse.csr_array(sparse.coo_array((entries[:, 4], (row, column)), shape=(len(labels),) * 2))
    mirrored = abs(A).multiply(abs(A.T)).nnz > np.count_nonzero(A.diagonal())
    return {kind: (A if mirrored else symmetric(A), [(int(g), int(c)) for g, c in labels])}


def _substructure(path: Path) -> dict[str, Labelled]:
    """*USER ELEMENT with its nodes in comments, dofs by node, and *MATRIX, TYPE=: columns down to the diagonal."""
    lines = path.read_text(errors="replace").splitlines()
    labels = _user_element(path, lines)
    n, found = len(labels), {}
    starts = [k for k, line in enumerate(lines) if line.upper().replace(" ", "").startswith("*MATRIX,TYPE=")]
    for start in starts:
        word = lines[start].upper().replace(" ", "").split("=")[1].split(",")[0]
        values: list[float] = []
        try:
            for line in lines[start + 1 :]:
                if line.startswith("*"):
                    break
                values += [float(v) for v in re.split(r"[,\s]+", line.strip()) if v]
        except ValueError as e:
            raise ModelError(f"{path}: matrix {word} has an entry that is no number: {e}") from e
        if len(values) != n * (n + 1) // 2:
            raise ModelError(f"{path}: matrix {word} has {len(values)} entries, {n} dofs need {n * (n + 1) // 2}")
        A = np.zeros((n, n))
        A[np.tril_indices(n)] = values  # upper columns one after the other are lower rows
        found[word] = (symmetric(A), labels)
    return found


def _user_element(path: Path, lines: Sequence[str]) -> list[tuple[int, int]]:
    numbers = lambda line: [int(v) for v in re.findall(r"-?\d+", line)]
    heads = [k for k, line in enumerate(lines) if line.upper().replace(" ", "").startswith("*USERELEMENT")]
    if len(heads) != 1:
        raise ModelError(f"{path} has {len(heads)} *USER ELEMENT lines: give a file of one substructure")
    nodes: list[int] = []
    given: dict[int, list[int]] = {}
    listing = False
    for line in lines[heads[0] + 1 :]:
        if line.startswith("**"):
            listing = listing or "NODES" in line.upper()
            nodes += numbers(line) if listing and re.fullmatch(r"\*\*[\s,\d-]+", line) else []
        elif line.startswith("*"):
            break
        elif line.strip():
            first, *rest = numbers(line)
            given[1 if not given else first] = [first, *rest] if not given else rest
    count = re.search(r"NODES\s*=\s*(\d+)", lines[heads[0]].upper())
    if count is None or len(nodes) != int(count.group(1)) or not given:
        raise ModelError(f"{path}: *USER ELEMENT does not list its nodes in comments and their dofs: it is damaged")
    labels: list[tuple[int, int]] = []
    own: list[int] = []
    for position, node in enumerate(nodes, start=1):  # dofs stay those of the node before until others are given
        own = given.get(position, own)
        labels += [(node, c) for c in own]
    return labels
