"""Compiled kernels on disk: files that cannot be read are written again, and of two processes one compiles.

Numba keeps an index and one file per signature for each function. A process that finds nothing there takes a lock on the
folder, looks again, for another process may have been at work, and holds the lock until what it compiles is written. The
lock is the operating system's: it ends with the process that holds it.
"""

import os
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core.caching import FunctionCache

from kaneflex.kernels.progress import progress

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not there on Windows, where processes may compile the same thing twice
    fcntl = None

PATIENCE = 900.0  # s: longest wait for another process
_warned: set[str] = set()


class FolderLock:
    """A lock on a folder among processes, which nests within one."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self.depth = 0
        self._file: int | None = None

    def enter(self) -> bool:
        """Take the lock, waiting for it where another process has it; False when it is held already."""
        self.depth += 1
        if self.depth > 1:
            return False
        if fcntl is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
                self._wait(fcntl)
            except OSError:  # a file system without locks, or a folder that cannot be written to
                self._close()
            except BaseException:
                self.drop()
                raise
        return True

    def _wait(self, fcntl: ModuleType) -> None:
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.02)

    def leave(self) -> None:
        """Undo one `enter`."""
        if self.depth == 1:
            self.drop()
        elif self.depth:
            self.depth -= 1

    def drop(self) -> None:
        """Let go of it, however often it was entered."""
        self.depth = 0
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class KernelCache(FunctionCache):
    """Numba's cache of one function, whose files may be damaged, and which takes turns with other processes."""

    def __init__(self, function: Any, lock: FolderLock) -> None:
        super().__init__(function)
        self._lock = lock

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is on disk for a signature; where there is nothing, the lock is held until `save_overload`."""
        with progress.compiling(self._py_func.__name__):
            found = self._attempt(sig, target_context)
            if found is None and self._lock.enter():
                found = self._attempt(sig, target_context)
                if found is not None:
                    self._lock.leave()
        return found

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
            self._lock.leave()
