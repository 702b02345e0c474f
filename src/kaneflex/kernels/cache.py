"""Compiled kernels on disk: files that cannot be read are written again, and of two processes one compiles.

Numba keeps an index and one file per signature for each function. A process that finds nothing there locks the
function, looks again, for another process may have been at work, and holds the lock until what it compiles is written, so
that processes that start together share the work. Locks are the operating system's: they end with the process that holds
them.

Files are named by module and function, not by where the sources lie, for their folder is named by a hash of these: copies
of the same sources, in another environment or for another worker, find each other's work.
"""

import contextlib
import hashlib
import os
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from kaneflex.kernels.numba_compat import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from kaneflex.kernels.progress import progress

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not there on Windows, where processes may compile the same thing twice
    fcntl = None

PATIENCE = 900.0  # s: longest wait for another process
_warned: set[str] = set()


class FolderLock:
    """Locks among processes on what is compiled into a folder, each a byte of one file.

    A kernel is locked before the kernels that it calls, and no kernel calls itself, so that processes never wait for one
    another in a circle.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self.held: set[int] = set()
        self._file: int | None = None

    def enter(self, what: str) -> bool:
        """Lock something by its name, waiting where another process has it; False when it is locked here already."""
        place = _place_of(what)
        if place in self.held:
            return False
        self.held.add(place)
        if fcntl is not None:
            try:
                if self._file is None:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
                self._wait(fcntl, place)
            except OSError:  # a file system without locks, or a folder that cannot be written to
                pass
            except BaseException:
                self.drop()
                raise
        return True

    def _wait(self, fcntl: ModuleType, place: int) -> None:
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                return
            except (BlockingIOError, PermissionError):  # held by another process, as systems say it
                time.sleep(0.02)

    def leave(self, what: str) -> None:
        """Undo `enter`."""
        place = _place_of(what)
        if place in self.held:
            self.held.discard(place)
            if fcntl is not None and self._file is not None:
                with contextlib.suppress(OSError):
                    fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)

    def drop(self) -> None:
        """Let go of all that is locked."""
        self.held.clear()
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _place_of(what: str) -> int:
    return int.from_bytes(hashlib.sha256(what.encode()).digest()[:4]) >> 1


class KernelLocator(UserProvidedCacheLocator):
    """Where Numba keeps a kernel: below numba.config.CACHE_DIR, in a folder of its module."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = os.path.join(os.path.dirname(self._cache_path), py_func.__module__.removeprefix("kaneflex."))

    def get_source_stamp(self) -> str:
        """Nothing: another source has another folder."""
        return ""


class KernelCacheImpl(CompileResultCacheImpl):
    """Numba's way to write compiled functions, at the places of `KernelLocator`."""

    _locator_classes = [KernelLocator]  # noqa: RUF012 (an attribute of Numba's)


class KernelCache(FunctionCache):
    """Numba's cache of one function, whose files may be damaged, and which takes turns with other processes."""

    _impl_class = KernelCacheImpl

    def __init__(self, function: Any, lock: FolderLock) -> None:
        super().__init__(function)
        self._lock = lock

    @property
    def is_there(self) -> bool:
        """Whether something of the function is on disk, for whatever signature."""
        return os.path.exists(self._cache_file._index_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is on disk for a signature; where there is nothing, the lock is held until `save_overload`."""
        with progress.compiling(self._py_func.__name__):
            found = self._attempt(sig, target_context)
            if found is None and self._lock.enter(self._lock_name(sig)):
                found = self._attempt(sig, target_context)
                if found is not None:
                    self._lock.leave(self._lock_name(sig))
        return found

    def _lock_name(self, sig: Any) -> str:
        return f"{self._py_func.__module__}.{self._py_func.__name__} {sig}"

    def _attempt(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # emptied, cut off, garbage: as good as not there
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write what was compiled, over files that cannot be read; where that fails, say so once."""
        try:
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # of an index that cannot be read
                self.flush()
                super().save_overload(sig, data)
        except OSError as error:
            if self._cache_path not in _warned:
                _warned.add(self._cache_path)
                warnings.warn(f"compiled kernels cannot be kept for other processes: {error}", UserWarning, stacklevel=2)
        finally:
            self._lock.leave(self._lock_name(sig))
