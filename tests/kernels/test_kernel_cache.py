"""Compiled kernels on disk: damaged files, two processes at the same time, a process that dies while it compiles."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from kaneflex.kernels import cache
from kaneflex.kernels.cache import FolderLock, KernelCache


def twice(x):
    return x + x


def compiled(folder, kernel=twice):
    """A function as kernels are compiled, its value at 21, and whether it came from disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        made = numba.njit(kernel)
        made._cache = KernelCache(kernel, FolderLock(Path(folder)))
    finally:
        numba.config.CACHE_DIR = before
    value = made(21.0)
    return value, bool(sum(made.stats.cache_hits.values()))


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04."], ids=["empty", "garbage", "cut off"])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_file_is_written_again(content, suffix, tmp_path):
    assert compiled(tmp_path) == (42.0, False)
    assert compiled(tmp_path) == (42.0, True)
    (file,) = tmp_path.rglob(f"*.{suffix}")
    file.write_bytes(content)
    assert compiled(tmp_path) == (42.0, False)
    assert compiled(tmp_path) == (42.0, True)


def test_copies_of_a_source_share_what_is_compiled(tmp_path):
    """Two environments with the same version, or a worker whose sources lie elsewhere, compile once."""
    hits = []
    for copy in ("here", "there"):
        (tmp_path / copy).mkdir()
        source = tmp_path / copy / "thrice.py"
        source.write_text("def thrice(x):\n    return 3 * x\n")
        os.utime(source, (0, len(hits)))
        spec = importlib.util.spec_from_file_location("thrice", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        hits.append(compiled(tmp_path / "cache", module.thrice))
    assert hits == [(63.0, False), (63.0, True)]


def test_a_folder_that_cannot_be_written_to_is_said_once(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.FunctionCache, "save_overload", refuse)
    monkeypatch.setattr(cache, "_warned", set())
    with pytest.warns(UserWarning, match="No space left"):
        assert compiled(tmp_path) == (42.0, False)


HOLD = """
import fcntl, os, sys, time
fcntl.lockf(os.open(sys.argv[1] + "/lock", os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


def holder(folder, seconds):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder), str(seconds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_waits_for_its_holder_and_not_for_one_that_died(tmp_path):
    process, lock = holder(tmp_path, 600), FolderLock(tmp_path)
    began = time.monotonic()
    try:
        patience, cache.PATIENCE = cache.PATIENCE, 0.3
        lock.enter("kernel")
        assert 0.3 <= time.monotonic() - began < 60
        lock.drop()
    finally:
        cache.PATIENCE = patience
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    assert lock.enter("kernel") and not lock.enter("kernel") and lock.enter("other")
    lock.leave("kernel")
    assert len(lock.held) == 1 and lock.enter("kernel")
    lock.drop()
    assert not lock.held


def test_processes_wait_for_the_same_kernel_only(tmp_path):
    hold = "import sys, time; from pathlib import Path; from kaneflex.kernels.cache import FolderLock\n"
    hold += "FolderLock(Path(sys.argv[1])).enter('kernel'); print('held', flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    lock, patience = FolderLock(tmp_path), cache.PATIENCE
    try:
        cache.PATIENCE = 60.0
        began = time.monotonic()
        lock.enter("other")
        assert time.monotonic() - began < 30
        cache.PATIENCE = 0.3
        began = time.monotonic()
        lock.enter("kernel")
        assert time.monotonic() - began >= 0.3
    finally:
        cache.PATIENCE = patience
        process.kill()
        process.wait()
        process.stdout.close()


CALLER = """
import sys, time
import numba
import numpy as np
from kaneflex.kernels import backend, compiled_ops
point_place, pointer = backend.compiled().inner.point_place, compiled_ops.pointer

@numba.njit
def call(W):
    return point_place(pointer(W), np.int64(len(W) - 200), (1.0, 2.0, 3.0))

print("ready", flush=True)
sys.stdin.readline()
print(call(np.arange(200.0))[0], sum(point_place.stats.cache_hits.values()))
"""


def test_of_two_processes_one_compiles(tmp_path):
    environment = os.environ | {"KANEFLEX_CACHE": str(tmp_path)}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", CALLER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate() for process in both]
    values, hits = zip(*(map(float, out.split()) for out, _ in outputs), strict=True)
    assert values[0] == values[1] and sorted(hits) == [0.0, 1.0]
    assert all(process.returncode == 0 for process in both)
