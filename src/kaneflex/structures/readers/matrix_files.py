"""Matrices by name from files of finite-element programs: op4, op2, DMIG entries, MSC Nastran's HDF5, NumPy, MATLAB."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kaneflex.model.checks import ModelError

MSC_MATRICES = "NASTRAN/RESULT/MATRIX/GENERAL"
MOST = 10_000_000  # rows of a matrix that is not damaged
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
    """The matrices of a file by name, in capitals; what is in it several times must be chosen.

    Args:
        path: of the file.
        superelement: which of several of one name: its id where the file has it, else counted from 1; None where there is
            one.
    """

    def __init__(self, path: str | Path, superelement: int | None = None) -> None:
        self.path = there(path)
        self._found = _read(self.path)
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


def nastran_tools() -> Any:
    """The module that reads Nastran's files."""
    try:
        with np.printoptions():  # pyyeti changes how NumPy prints, for everybody
            return importlib.import_module("pyyeti.nastran")
    except ImportError as e:
        raise ModelError("reading Nastran's files needs pyyeti: pip install 'kaneflex[fe]'") from e


def rounding_of(*matrices: Any) -> float:
    """Relative error of entries, from the digits that they have: of single precision, of decimal text, else of doubles."""
    values = np.concatenate([np.asarray(a.data if sparse.issparse(a) else a, dtype=float).ravel() for a in matrices])
    values = values[(values != 0) & np.isfinite(values)]
    values = values[:: 1 + len(values) // 2000]
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


def _read(path: Path) -> dict[str, list[NamedMatrix]]:
    kinds: dict[str, tuple[str, Callable[[Path], dict[str, list[NamedMatrix]]]]] = {
        ".op2": ("Nastran's op2 matrices", _op2), ".h5": ("MSC Nastran's HDF5 matrices", _msc),
        ".hdf5": ("MSC Nastran's HDF5 matrices", _msc), ".pch": ("DMIG entries", _dmig), ".dmig": ("DMIG entries", _dmig),
        ".bdf": ("DMIG entries", _dmig), ".dat": ("DMIG entries", _dmig), ".npz": ("NumPy's npz", _numpy),
        ".mat": ("MATLAB's matrices", _matlab),
    }  # fmt: skip
    words, read = kinds.get(path.suffix.lower(), ("Nastran's op4 matrices", _op4))
    try:
        found = read(path)
    except ModelError:
        raise
    except (Exception, SystemExit) as e:  # the libraries raise whatever their parsing trips over
        raise ModelError(f"{path} cannot be read as {words}: {_short(e)}{_other_kind(path)}") from e
    if not found:
        raise ModelError(f"{path} has no matrices: it was read as {words}{_other_kind(path)}")
    return found


def _short(e: BaseException) -> str:
    text = " ".join(f"{type(e).__name__}: {e}".split())
    return text if len(text) < 200 else text[:200] + " ..."


def _other_kind(path: Path) -> str:
    """What a file seems to be that is not what its name says."""
    with open(path, "rb") as file:
        head = file.read(200)
    if head.startswith(b"\x89HDF"):
        return "; it is an HDF5 file: name it .h5"
    text = head.decode("latin-1").lstrip()
    if text[:4].upper() in ("DMIG", "GRID", "SOL ", "CEND", "BEGI", "ASSI", "INIT") or text.startswith("$"):
        return "; it is a text with bulk data: give it as the geometry, or name it .pch if it has DMIG entries"
    return ""


def _op4(path: Path) -> dict[str, list[NamedMatrix]]:
    nastran = nastran_tools()
    _, sizes, _, _ = nastran.op4.dir(str(path), verbose=False)
    if sum(8 * a * b for a, b in sizes) > 50 * path.stat().st_size + 10_000_000 and any(a * b > 1e9 for a, b in sizes):
        raise ModelError(f"{path}: its headers tell of matrices that the file cannot hold: it is damaged, export it again")
    lists = nastran.op4.load(str(path), into="list", sparse=None)
    found: dict[str, list[NamedMatrix]] = {}
    owner = None
    for name, values in zip(lists[0], lists[1], strict=False):
        if name.lower() == "se_start":  # pyyeti's nas2cam writes one superelement after the other
            owner = int(np.asarray(values.todense() if sparse.issparse(values) else values).ravel()[0])
        else:
            found.setdefault(name.upper(), []).append(NamedMatrix(values, owner=owner))
    return found


def _op2(path: Path) -> dict[str, list[NamedMatrix]]:
    with nastran_tools().op2.OP2(str(path)) as file:
        lists = file.rdop2mats(which="all")
    return {name.upper(): [NamedMatrix(a) for a in many] for name, many in lists.items()}


def _dmig(path: Path) -> dict[str, list[NamedMatrix]]:
    frames = nastran_tools().rddmig(str(path)) or {}
    labels = lambda index: np.array([tuple(k) for k in index], dtype=int).reshape(-1, 2) if index.nlevels == 2 else None
    return {n.upper(): [NamedMatrix(f.to_numpy(dtype=float), labels(f.index), labels(f.columns))] for n, f in frames.items()}


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
            found.setdefault(row["NAME"].decode().strip().upper(), []).append(NamedMatrix(sparse.csr_array(A)))
    return found


def _numpy(path: Path) -> dict[str, list[NamedMatrix]]:
    with np.load(path, allow_pickle=False) as file:
        return {name.upper(): [NamedMatrix(np.atleast_2d(file[name]))] for name in file.files if file[name].ndim <= 2}


def _matlab(path: Path) -> dict[str, list[NamedMatrix]]:
    from scipy.io import loadmat

    numbers = {k: v for k, v in loadmat(path).items() if not k.startswith("__") and getattr(v, "dtype", None) is not None}
    return {k.upper(): [NamedMatrix(v)] for k, v in numbers.items() if v.dtype.kind in "fiu" and v.ndim == 2}
