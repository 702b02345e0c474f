"""HDF5 files under a seal: a block in front, which HDF5 leaves to its users, tells the length and the SHA-256 of the rest.

The seal is looked at before HDF5 sees the file, so that a file that was cut off or altered on its way is refused by name and
never half read. Below it, every dataset and attribute is asked for by the shape and type it must have; links to other files,
virtual or compressed data, and whatever a program of ours would not have written are refused. Nothing is ever unpickled.
"""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kaneflex.model.files import FileError, atomic_write

BLOCK = 512  # bytes of the seal: the least that HDF5 leaves free
HDF5 = b"\x89HDF\r\n\x1a\n"  # what a file without a seal begins with
KINDS = {"f": np.dtype("<f8"), "i": np.dtype("<i8")}


def seal(length: int, digest: str) -> bytes:
    """The block in front of a file.

    Args:
        length: of what follows, bytes.
        digest: its SHA-256, in hexadecimal.
    """
    text = f"kaneflex run, HDF5 after {BLOCK} bytes\nlength {length}\nsha256 {digest}\n"
    return text.encode("ascii").ljust(BLOCK, b"\0")


def sealed(fill: Any) -> io.BytesIO:
    """The content of an HDF5 file with its seal; `fill` is called with the open h5py.File."""
    memory = io.BytesIO()  # HDF5 recovers badly when a disk is full
    with h5py.File(memory, "w", userblock_size=BLOCK) as file:
        fill(file)
    with memory.getbuffer() as content:
        content[:BLOCK] = seal(len(content) - BLOCK, hashlib.sha256(content[BLOCK:]).hexdigest())
    return memory


def write_sealed(path: Path, fill: Any) -> Path:
    """Write an HDF5 file with its seal, whole or not at all.

    Args:
        path: the file.
        fill: called with the open h5py.File.
    """
    with sealed(fill).getbuffer() as content, atomic_write(path) as partial:
        partial.write_bytes(content)
    return path


def is_sealed(stream: io.BufferedReader, path: Path) -> bool:
    """Whether a file has a seal, which is checked; False for an HDF5 file of before there were seals."""
    front = stream.read(BLOCK)
    if front.startswith(HDF5):
        return False
    if not front:
        raise FileError(f"{path} is empty")
    if not front.startswith(seal(0, "")[:8]):
        raise FileError(f"{path} is not a readable HDF5 file of a run: it begins with {front[:16]!r}")
    digest = hashlib.file_digest(stream, "sha256").hexdigest()
    length = stream.tell() - len(front)
    if front != seal(length, digest):
        told = front.split(b"\n")[1:2] == [b"length %d" % length]
        what = "its checksum is not that of its content" if told else "its length is not the one it had when written"
        raise FileError(f"{path} is damaged: {what}")
    return True


class Sheet:
    """A group of a file, read with care; every error names the file and what in it is wrong.

    Args:
        group: of h5py.
        path: the file.
    """

    def __init__(self, group: Any, path: Path):
        self._group, self.path = group, path

    def wrong(self, what: str) -> FileError:
        """The error that says what is wrong in this group."""
        inside = self._group.name.strip("/")
        place = f'{self.path}, group "{inside}"' if inside else self.path
        return FileError(f"{place}: {what}")

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute that is one text.

        Args:
            name: of the attribute.
            default: what it is where there is none; None to refuse that.
        """
        attributes = self._group.attrs
        if name not in attributes:
            if default is None:
                raise self.wrong(f'there is no attribute "{name}"')
            return default
        found = attributes.get_id(name)
        if found.shape != () or h5py.check_string_dtype(found.dtype) is None:
            raise self.wrong(f'attribute "{name}" is not one text')
        value = attributes[name]
        if not isinstance(value, str):
            raise self.wrong(f'attribute "{name}" is not a text in UTF-8')
        return value

    def data(self, name: str, kind: type | tuple[type, ...], default: str | None = None) -> Any:
        """What an attribute says in JSON.

        Args:
            name: of the attribute.
            kind: of the data.
            default: as for `text`.
        """
        try:
            value = json.loads(self.text(name, default))
        except ValueError as e:
            raise e if isinstance(e, FileError) else self.wrong(f'attribute "{name}" is not JSON: {e}') from e
        except RecursionError as e:
            raise self.wrong(f'attribute "{name}" is nested too deep') from e
        if not isinstance(value, kind):
            raise self.wrong(f'attribute "{name}" holds {type(value).__name__}, which it should not')
        return value

    def sheets(self) -> dict[str, "Sheet"]:
        """The groups in this one, by name."""
        return {name: Sheet(self._group[name], self.path) for name in self._group if self._is(name, h5py.Group)}

    def sheet(self, name: str) -> "Sheet":
        """One of the groups in this one."""
        if not self._is(name, h5py.Group):
            raise self.wrong(f'there is no group "{name}"')
        return Sheet(self._group[name], self.path)

    def _is(self, name: str, kind: Any) -> bool:
        """Whether something of that name and kind is in the group; links, to other files even, are not followed."""
        if not self._group.id.links.exists(name.encode()):
            return False
        if not isinstance(self._group.get(name, getlink=True), h5py.HardLink):
            raise self.wrong(f'"{name}" is a link to somewhere else, which is not followed')
        return self._group.get(name, getclass=True) is kind

    def names(self) -> list[str]:
        """Names of the datasets in this group."""
        return [name for name in self._group if self._is(name, h5py.Dataset)]

    def has(self, name: str) -> bool:
        """Whether there is a dataset of that name."""
        return self._is(name, h5py.Dataset)

    def numbers(self, name: str, shape: tuple[int | None, ...], kind: str = "f") -> np.ndarray:
        """A dataset.

        Args:
            name: of the dataset.
            shape: that it must have; None for any length.
            kind: "f" for reals of double precision, "i" for integers of 64 bits.
        """
        if not self.has(name):
            raise self.wrong(f'there is no dataset "{name}"')
        dataset = self._group[name]
        what = f'dataset "{name}"'
        if dataset.shape is None or dataset.dtype != KINDS[kind]:
            raise self.wrong(f"{what} holds {dataset.dtype}, not {KINDS[kind]}")
        fits = len(dataset.shape) == len(shape) and all(n in (k, None) for k, n in zip(dataset.shape, shape, strict=True))
        if not fits:
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            raise self.wrong(f"{what} has shape {dataset.shape}, not ({wanted}) as its system demands")
        if dataset.is_virtual or dataset.external or dataset.id.get_storage_size() != dataset.nbytes:
            raise self.wrong(f"{what} is not stored in the file as plain numbers")
        return np.array(dataset[()])


__all__ = ["Sheet", "is_sealed", "write_sealed"]
