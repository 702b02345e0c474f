"""Matrices by name from files of finite-element programs: op4, op2, DMIG entries, MSC Nastran's HDF5, NumPy, MATLAB."""

import importlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.readers.bulk_data import superelement_entries
from kaneflex.structures.readers.file_kinds import UNKNOWN, WORDS, kind_of
from kaneflex.structures.readers.fortran_records import check_records
from kaneflex.structures.readers.nastran_library import nastran_tools
from kaneflex.structures.readers.nastran_op2 import superelements
from kaneflex.structures.readers.op2_matrices import read_matrix

MSC_MATRICES = "NASTRAN/RESULT/MATRIX/GENERAL"
MOST = 10_000_000  # rows of a matrix that is not damaged
FULL = 3  # bytes that a matrix takes for each byte of a file whose matrices are full
DMIG_TABLE = (114, 1, 120)  # header of a table in an op2 file that holds DMIG entries
GIVE_MATRICES = "give matrices as op4, op2, DMIG entries (.pch), MSC Nastran's HDF5, .npz or .mat"
SINGLE = 6e-8  # relative error of single precision


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix of a file, with the grid id and component (0: scalar point) of its rows where the file tells them."""

    values: Any
    rows: np.ndarray | None = None  # (n, 2)
    columns: np.ndarray | None = None
    owner: int | None = None  # id of the superelement, where the file tells it

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (int(self.values.shape[0]), int(self.values.shape[1]))


class MatrixFile:
    """The matrices of a file, or of several, by name, in capitals; what is there several times must be chosen.

    Args:
        path: of the file, or paths of several.
        superelement: which of several of one name: its id where the file has it, else counted from 1; None where there is
            one.
    """

    def __init__(self, path: str | Path | Sequence[str | Path], superelement: int | None = None) -> None:
        paths = [there(p) for p in ([path] if isinstance(path, str | Path) else path)]
        self.path = paths[0]
        self._found: dict[str, list[NamedMatrix]] = {}
        for own in paths:
            for name, matrices in _read(own).items():
                self._found.setdefault(name, []).extend(matrices)
        self._which = superelement

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(self._found)

    def __contains__(self, name: str) -> bool:
        return name.upper() in self._found

    def __getitem__(self, name: str) -> NamedMatrix:
        known = self._found.get(name.upper())
        if known is None:
            raise ModelError(f'{self.path} has no matrix "{name}": there are {", ".join(self.names) or "none"}')
        if len(known) == 1:
            return known[0]
        told = [a.owner for a in known if a.owner is not None]
        owners = told if len(told) == len(known) else list(range(1, len(known) + 1))
        if self._which is None or self._which not in owners:
            listed = ", ".join(f"{k} ({a.shape[0]} by {a.shape[1]})" for k, a in zip(owners, known, strict=True))
            raise ModelError(
                f'{self.path} has {len(known)} matrices "{name.upper()}", of superelements {listed}: say which with '
                "superelement="
            )
        return known[owners.index(self._which)]


def there(path: str | Path) -> Path:
    """The path of a file that is there."""
    file = Path(path)
    if not file.is_file():
        raise ModelError(f"{file} is not there: give the path of a file")
    if file.stat().st_size == 0:
        raise ModelError(f"{file} is empty: export it again")
    return file


def rounding_of(*matrices: Any) -> float:
    """Relative error of entries, from the digits that they have: of single precision, of decimal text, else of doubles."""
    values = np.concatenate([_some_of(a.data if sparse.issparse(a) else np.ravel(a)) for a in matrices])
    if not len(values):
        return 1e-9
    with np.errstate(over="ignore", under="ignore"):
        if len(values) > 5 and np.array_equal(values.astype(np.float32).astype(float), values) and np.any(values % 1):
            return SINGLE
    scale = 10.0 ** np.floor(np.log10(np.abs(values)))
    for digits in range(5, 13):
        if np.all(np.abs(np.round(values / scale, digits - 1) - values / scale) < 1e-14):
            return max(1e-9, 0.5 * 10.0 ** (1 - digits)) if digits > 5 else 1e-9  # few digits are those of round numbers
    return 1e-9


def _some_of(values: np.ndarray) -> np.ndarray:
    """Up to some thousands of the numbers that are not zero, from all over."""
    for step in (1 + len(values) // 20_000, 1):  # a matrix may be nearly empty
        part = np.asarray(values[::step], dtype=float)
        part = part[(part != 0) & np.isfinite(part)]
        if len(part) > 100:
            break
    return part[:: 1 + len(part) // 2000]


def check_symmetric(A: Any, name: str, rounding: float) -> None:
    """An error for a mass or stiffness that is none, before more is made of it."""
    if not np.isfinite(A.data if sparse.issparse(A) else A).all():
        raise ModelError(f"{name} has entries that are not finite: its file is damaged, export it again")
    skew = A - A.T
    error, size = (float(max(B.max(), -B.min())) for B in (skew, A))
    if error > 10 * rounding * size:
        i, j = np.unravel_index(int(skew.argmax()), skew.shape)
        raise ModelError(
            f"{name} is not symmetric: entry ({i}, {j}) is {A[i, j]:g} and ({j}, {i}) is {A[j, i]:g}: it is no mass or "
            "stiffness, or its file is damaged"
        )


def _read(path: Path) -> dict[str, list[NamedMatrix]]:
    """What a file is, is told by what is in it: names of files are as they come."""
    readers: dict[str, tuple[str, Callable[[Path], dict[str, list[NamedMatrix]]]]] = {
        "op4": ("Nastran's op4 matrices", _op4), "op2": ("Nastran's op2 matrices", _op2), "npz": ("NumPy's npz", _numpy),
        "hdf5": ("MSC Nastran's HDF5 matrices", _msc), "mat": ("MATLAB's matrices", _matlab),
        "dmig": ("DMIG entries", _dmig), "bulk": ("DMIG entries", _dmig),
    }  # fmt: skip
    kind = kind_of(path)
    if kind not in readers:
        raise ModelError(f"{path} is {WORDS.get(kind, UNKNOWN)}: {GIVE_MATRICES}")
    words, read = readers[kind]
    try:
        found = read(path)
    except ModelError:
        raise
    except (Exception, SystemExit) as e:  # the libraries raise whatever their parsing trips over
        raise ModelError(f"{path} cannot be read as {words}: {_short(e)}") from e
    if not found:
        raise ModelError(f"{path} has no matrices: it was read as {words}")
    return found


def _short(e: BaseException) -> str:
    text = " ".join(f"{type(e).__name__}: {e}".split())
    return text if len(text) < 200 else text[:200] + " ..."


def _too_large(path: Path) -> str:
    return f"{path}: its headers tell of matrices that the file cannot hold: it is damaged, export it again"


def _op4(path: Path) -> dict[str, list[NamedMatrix]]:
    nastran = nastran_tools()
    check_records(path)
    _, sizes, _, _ = nastran.op4.dir(str(path), verbose=False)
    there = path.stat().st_size
    if any(max(size) > there for size in sizes):
        raise ModelError(_too_large(path))
    # what is mostly empty stays so, also where it is stored in full columns
    empty = sum(8 * a * b for a, b in sizes) > FULL * there
    lists = nastran.op4.load(str(path), into="list", sparse=True if empty else None)
    found: dict[str, list[NamedMatrix]] = {}
    owner = None
    for name, values in zip(lists[0], lists[1], strict=False):
        if name.lower() == "se_start":  # pyyeti's nas2cam writes one superelement after the other
            owner = int(np.asarray(values.todense() if sparse.issparse(values) else values).ravel()[0])
        else:
            found.setdefault(name.upper(), []).append(NamedMatrix(values, owner=owner))
    return found


def _op2(path: Path) -> dict[str, list[NamedMatrix]]:
    """Matrices, and DMIG entries that stand in tables (EXTSEOUT with DMIGOP2)."""
    nastran = nastran_tools()
    check_records(path)
    with nastran.op2.OP2(str(path)) as file:
        if any(max(block.size) > block.nbytes for block in file.dblist):
            raise ModelError(_too_large(path))
        found: dict[str, list[NamedMatrix]] = {}
        for block in file.dblist:
            if block.dbtype == 1:
                found.setdefault(block.name.upper(), []).append(NamedMatrix(read_matrix(path, block)))
        tables = ", ".join(dict.fromkeys(file.dbnames))
        for name, many in file.dbdct.items():
            if many[0].headers and tuple(many[0].headers[0][0]) == DMIG_TABLE:
                found[name.upper()] = [a for block in many for a in _dmig_table(path, file, block)]
        if any(len(many) > 1 for many in found.values()):
            owners = superelements(file, path)
            owners = owners[:-1] if owners[-1] == 0 else owners  # what joins them has no matrices
            told = lambda many: owners if len(owners) == len(many) > 1 else [None] * len(many)
            found = {n: [replace(a, owner=o) for a, o in zip(many, told(many), strict=True)] for n, many in found.items()}
    if not found:
        raise ModelError(f"{path} has no matrices, but tables {tables}: it may be the geometry; give matrices beside it")
    return found


def _dmig_table(path: Path, file: Any, block: Any) -> list[NamedMatrix]:
    """The matrix of one table, read from a file that has no other of its name: pyyeti would give the last one."""
    with tempfile.TemporaryDirectory() as folder, open(path, "rb") as whole:
        part = Path(folder) / "part.op2"
        head = whole.read(file.dblist[0].start)
        whole.seek(block.start)
        part.write_bytes(head + whole.read(block.stop - block.start))
        return list(_frames(str(part)).values())


def _dmig(path: Path) -> dict[str, list[NamedMatrix]]:
    """DMIG entries of a text, those of each superelement on their own."""
    parts = superelement_entries(path)[1]
    given = {ident: own["dmig"] for ident, own in parts.items() if "dmig" in own}
    if not given:
        advice = "give it as the geometry, and as matrices the file that EXTSEOUT(DMIGPCH) wrote, or an op4 file"
        raise ModelError(f"{path} is a text with bulk data and has no DMIG entries: {advice}")
    found: dict[str, list[NamedMatrix]] = {}
    for ident, lines in given.items():
        heads = [k for k, line in enumerate(lines) if _is_head(line)]
        for first, last in zip(heads, [*heads[1:], len(lines)], strict=True):
            for name, matrix in _frames(StringIO("".join(lines[first:last]))).items():
                found.setdefault(name, []).append(replace(matrix, owner=ident if len(given) > 1 else None))
    return found


def _is_head(line: str) -> bool:
    """Whether a line begins a matrix: of a DMIG entry whose second field is 0."""
    if line[:4].lower() != "dmig":
        return False
    width = 16 if "*" in line[:8] else 8
    fields = line.split(",")[1:3] if "," in line else [line[8 : 8 + width], line[8 + width : 8 + 2 * width]]
    return len(fields) == 2 and fields[1].strip() == "0"


def _frames(source: Any) -> dict[str, NamedMatrix]:
    """DMIG entries as matrices; those over numbered columns (form 9) have those that are zeros too."""
    frames = nastran_tools().rddmig(source) or {}
    labels = lambda index: np.array([tuple(k) for k in index], dtype=int).reshape(-1, 2) if index.nlevels == 2 else None
    numbered = any(f.columns.nlevels == 1 for f in frames.values())
    wide = nastran_tools().rddmig(source, expanded=True) if numbered else {}
    found = {}
    for name, frame in frames.items():
        values = frame.to_numpy(dtype=float)
        if frame.columns.nlevels == 1:
            whole = np.zeros((len(values), len(wide[name].columns)))
            whole[:, frame.columns.to_numpy(dtype=int) - 1] = values
            values = whole
        found[name.upper()] = NamedMatrix(values, labels(frame.index), labels(frame.columns))
    return found


def _msc(path: Path) -> dict[str, list[NamedMatrix]]:
    """Matrices that CRDB_MTX wrote: columns one after the other, with positions of their data."""
    h5py = importlib.import_module("h5py")
    found: dict[str, list[NamedMatrix]] = {}
    with h5py.File(path, "r") as file:
        if MSC_MATRICES not in file:
            raise ModelError(
                f"{path} has no group {MSC_MATRICES}: export matrices with HDF5OUT MTX YES and CRDB_MTX in a DMAP alter"
            )
        group = file[MSC_MATRICES]
        column, data = group["COLUMN"]["POSITION"], group["DATA"]
        for row in group["IDENTITY"]:
            at, n, start, count = (int(row[k]) for k in ("COLUMN_POS", "COLUMN", "DATA_POS", "NON_ZERO"))
            pointers, own = np.asarray(column[at : at + n + 1]) - start, data[start : start + count]
            shape = (int(row["ROW"]), n)
            inside = len(own) == count and np.all((own["ROW"] >= 0) & (own["ROW"] < shape[0]))
            in_order = len(pointers) == n + 1 and pointers[0] == 0 and np.all(np.diff(pointers) >= 0)
            in_order = in_order and pointers[-1] <= count
            if not (inside and in_order and 0 < n <= MOST and 0 < shape[0] <= MOST):
                raise ModelError(f"{path}: columns or rows of {row['NAME']!r} are not inside of it: the file is damaged")
            pointers[-1] = count
            A = sparse.csc_array((own["VALUE"], own["ROW"], pointers), shape=shape)
            full = FULL * A.nnz > shape[0] * n
            values = A.toarray() if full else sparse.csr_array(A)
            found.setdefault(row["NAME"].decode().strip().upper(), []).append(NamedMatrix(values))
    return found


def _numpy(path: Path) -> dict[str, list[NamedMatrix]]:
    with np.load(path, allow_pickle=False) as file:
        return {name.upper(): [NamedMatrix(np.atleast_2d(file[name]))] for name in file.files if file[name].ndim <= 2}


def _matlab(path: Path) -> dict[str, list[NamedMatrix]]:
    from scipy.io import loadmat

    numbers = {k: v for k, v in loadmat(path).items() if not k.startswith("__") and getattr(v, "dtype", None) is not None}
    return {k.upper(): [NamedMatrix(v)] for k, v in numbers.items() if v.dtype.kind in "fiu" and v.ndim == 2}
