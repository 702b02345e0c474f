"""The store of a study on disk: a Zarr group that xarray reads, which is sound at every moment.

Runs are stored in blocks of a fixed length, each of which is one chunk of every array. Who writes a block writes what was
kept of its runs first and their status last, and each chunk appears whole or not at all. So a block whose status is there is
complete whenever the process was killed, and a block without is to be done anew, by whomever: written twice it is the same.
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.model.files import FileError
from kaneflex.study.designs import Design
from kaneflex.study.keep import Shape
from kaneflex.version import __version__

if TYPE_CHECKING:
    from kaneflex.study.one_run import Scouted

FORMAT = 1
MISSING, DONE, FAILED = 0, 1, 2
_HEAD = "kaneflex_study"


@dataclass(frozen=True)
class Row:
    """What came of one run: its status, why it failed or what it warned of, how long it took, and what is kept of it."""

    status: int
    message: str = ""
    seconds: float = 0.0
    values: dict[str, np.ndarray] = field(default_factory=dict)


@contextmanager
def _named(path: Path, verb: str) -> Iterator[None]:
    """Name the store where the operating system refuses something."""
    try:
        yield
    except FileError:
        raise
    except OSError as e:
        error = FileError(f"cannot {verb} {path}: {e.strerror or e}")
        error.errno = e.errno
        raise error from e


def arrays_on_disk() -> Any:
    """The package that keeps a study on disk."""
    return optional("zarr", "a study needs zarr and xarray", "study")


class Store:
    """A study on disk; made by `create` or `open`."""

    def __init__(self, path: Path, group: Any, head: dict[str, Any]) -> None:
        self.path, self.group, self.head = path, group, head
        self.block: int = head["block"]
        self.runs: int = head["runs"]
        self.kept: dict[str, tuple[int, ...]] = {name: tuple(sizes) for name, sizes in head["kept"].items()}

    @property
    def blocks(self) -> int:
        """How many there are."""
        return -(-self.runs // self.block)

    def rows(self, block: int) -> range:
        """Numbers of the runs of a block."""
        return range(block * self.block, min((block + 1) * self.block, self.runs))

    @classmethod
    def create(
        cls,
        path: Path,
        description: Mapping[str, Any],
        design: Design,
        seen: "Scouted",
        block: int,
    ) -> "Store":
        """Make the store, without results; it appears whole or not at all.

        Args:
            path: a folder that is not there yet.
            description: of the study, by which it is known again.
            design: values of all runs.
            seen: what a first run told of all.
            block: runs of a block.
        """
        head = {
            "format": FORMAT,
            "version": __version__,
            "token": uuid.uuid4().hex,
            "runs": design.runs,
            "block": block,
            "design": design.name,
            "base": design.base,
            "parameters": list(design.table),
            "kept": {shape.name: list(shape.sizes) for shape in seen.shapes},
            "lanes": seen.lanes,
            "description": dict(description),
        }
        partial = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
        with _named(path, "write"):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                group = arrays_on_disk().open_group(str(partial), mode="w", attributes={_HEAD: json.dumps(head)})
                _fill(group, design, seen.shapes, seen.grid, block)
                os.rename(partial, path)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> "Store":
        """The store that is there.

        Args:
            path: its folder.
        """
        wrong = FileError(f"{path} is no store of a study")
        with _named(path, "read"):
            if not (path / "zarr.json").is_file():
                raise wrong
            try:
                group = arrays_on_disk().open_group(str(path), mode="r+")
                head = json.loads(group.attrs[_HEAD])
            except (KeyError, ValueError, TypeError) as e:
                raise wrong from e
        if head.get("format") != FORMAT:
            raise FileError(f"{path} was written in format {head.get('format')!r}: this version of kaneflex reads {FORMAT}")
        return cls(path, group, head)

    def check(self, description: Mapping[str, Any]) -> None:
        """Refuse a store of another study, and say in what they differ.

        Args:
            description: of the study that wants to go on here.
        """
        there, wanted = self.head["description"], json.loads(json.dumps(description))
        different = [key for key in {**there, **wanted} if there.get(key) != wanted.get(key)]
        if different:
            raise ModelError(
                f"{self.path} holds another study, different in {', '.join(sorted(different))}: "
                "give another store, or remove this one"
            )

    def status(self) -> np.ndarray:
        """Of each run: MISSING, DONE or FAILED."""
        with _named(self.path, "read"):
            return np.asarray(self.group["status"][:])

    def missing(self) -> list[int]:
        """Blocks that are not there yet."""
        first = self.status()[:: self.block]
        return [int(k) for k in np.flatnonzero(first == MISSING)]

    def table(self) -> dict[str, np.ndarray]:
        """Values of the parameters by run."""
        return {name: np.asarray(self.group[name][:]) for name in self.head["parameters"]}

    def grid(self) -> np.ndarray | None:
        """Times of histories, s."""
        return np.asarray(self.group["t"][:]) if "t" in self.group else None

    def write(self, block: int, rows: Sequence[Row]) -> None:
        """Store a block: what is kept first, the status last.

        Args:
            block: its number.
            rows: what came of its runs.
        """
        place = self.rows(block)
        if len(rows) != len(place) or any(row.status == MISSING for row in rows):
            raise ValueError(f"block {block} has {len(place)} runs, not {len(rows)}")
        part = slice(place.start, place.stop)
        with _named(self.path, "write"):
            for name, sizes in self.kept.items():
                nothing = np.full(sizes, np.nan)
                self.group[name][part] = np.stack([row.values.get(name, nothing) for row in rows])
            self.group["seconds"][part] = np.array([row.seconds for row in rows])
            self.group["message"][part] = np.array([row.message for row in rows], dtype=object)
            self.group["status"][part] = np.array([row.status for row in rows], np.int8)

    def dataset(self) -> Any:
        """All of it as an xarray Dataset, read when it is used."""
        xr = optional("xarray", "a study needs zarr and xarray", "study")
        with _named(self.path, "read"):
            data = xr.open_zarr(str(self.path), consolidated=False, chunks=None)
        for name, variable in data.variables.items():
            if variable.dtype.kind == "T":  # xarray mixes texts of this kind with nothing
                data[name] = variable.astype(object)
        data = data.set_coords([name for name in self.head["parameters"] if name in data])
        return data.assign_coords(run=np.arange(self.runs))


def _fill(group: Any, design: Design, shapes: Sequence[Shape], grid: np.ndarray | None, block: int) -> None:
    """Make the arrays of a new store: values of parameters with numbers, results without."""
    n = design.runs

    def known(name: str, values: np.ndarray, axes: Sequence[str], unit: str = "") -> None:
        kind = str if values.dtype.kind in "OUT" else values.dtype
        array = group.create_array(name, shape=values.shape, dtype=kind, dimension_names=tuple(axes))
        array[...] = values.astype(object) if kind is str else values
        array.attrs["units"] = unit

    def later(name: str, sizes: Sequence[int], axes: Sequence[str], dtype: Any, unit: str = "", empty: Any = None) -> None:
        array = group.create_array(
            name,
            shape=(n, *sizes),
            chunks=(block, *(max(k, 1) for k in sizes)),
            dtype=dtype,
            fill_value=empty,
            dimension_names=("run", *axes),
        )
        array.attrs["units"] = unit

    for name, column in design.table.items():
        known(name, column, ("run",))
    if design.shares is not None:
        known("shares", design.shares, ("run", "parameter"))
    if grid is not None:
        known("t", grid, ("t",), "s")
    labels = {axis: names for shape in shapes for axis, names in shape.labels.items()}
    for axis, names in labels.items():
        known(axis, np.array(names), (axis,))
    for shape in shapes:
        later(shape.name, shape.sizes, shape.axes, float, shape.unit, np.nan)
    later("seconds", (), (), float, "s", np.nan)
    later("message", (), (), str)
    later("status", (), (), np.int8, empty=MISSING)


__all__ = ["DONE", "FAILED", "MISSING", "Row", "Store"]
