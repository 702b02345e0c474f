"""Files that appear whole or not at all, and the error that names a file."""

import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from kaneflex.model.checks import ModelError


class FileError(ModelError, OSError):
    """A file cannot be written, or is damaged, or is not what it is said to be: the message names it and says why."""


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Write a file that appears whole or not at all; its folder is made when missing.

    What is to be written goes to the path that `with` gives, in the same folder and with the same ending. When the block
    ends well, it is on the disk and then takes the place of `path` in one stroke, so that who reads `path` meanwhile sees
    the file that was there or the new one; of two who write it, the last one's stays. When anything fails, nothing is left
    behind. What a process that was killed left behind is taken away by the next one that writes to the folder.

    Args:
        path: the file; a link is followed, and a device is written to as it is.
    """
    target = Path(os.path.realpath(path))
    with _named(path):
        if target.is_dir():
            raise FileError(f"cannot write {path}: it is a folder")
        if target.exists() and not target.is_file():
            yield target
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        partial = target.with_name(f"{_mark()}{os.getpid()}-{secrets.token_hex(6)}{target.suffix[:20]}")
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            yield partial
            with suppress(FileNotFoundError):
                os.chmod(partial, target.stat().st_mode & 0o7777)
            _to_disk(partial, os.O_RDWR)
            os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
    with suppress(OSError):  # some systems open no folders
        _to_disk(target.parent, os.O_RDONLY)


def write_text(path: str | Path, text: str) -> Path:
    """Write a text as UTF-8, lines ending as they do in it, whole or not at all."""
    with atomic_write(path) as partial:
        partial.write_bytes(text.encode("utf-8", "replace"))
    return Path(path)


def file_name(name: str) -> str:
    """A name that is to be part of a file's, without what some system does not take there."""
    return re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", name)


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Turn what the operating system says into an error that names the file, not the one written in its place."""
    try:
        yield
    except FileError:
        raise
    except OSError as e:
        error = FileError(f"cannot write {path}: {e.strerror or e}")
        error.errno = e.errno
        raise error from e


def _to_disk(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@cache
def _mark() -> str:
    """Beginning of the names of files that are being written on this machine; the number of the process follows."""
    place = socket.gethostname()
    with suppress(OSError):  # in a container, processes are numbered anew
        place += os.readlink("/proc/self/ns/pid")
    return f".kaneflex-{sha256(place.encode()).hexdigest()[:8]}-"


_swept: set[Path] = set()


def _sweep(folder: Path) -> None:
    """Remove what processes of this machine that are no more were writing in a folder; once in a process."""
    if folder in _swept or os.name != "posix":
        return
    _swept.add(folder)
    for left in folder.glob(f"{_mark()}*"):
        number = left.name.removeprefix(_mark()).partition("-")[0]
        if number.isdigit() and not _alive(int(number)):
            with suppress(OSError):
                left.unlink()


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


__all__ = ["FileError", "atomic_write", "file_name", "write_text"]
