"""Studies whose processes are killed, whose disk is full, whose runs never end: the store ends complete, each run once."""

import errno
import multiprocessing
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import swings

import kaneflex as kf
from kaneflex.study import study as study_module

pytest.importorskip("zarr", reason="zarr is not installed (pip install 'kaneflex[study]')")

FORK = multiprocessing.get_context("fork")
pytestmark = pytest.mark.thorough


def study(path, subject=swings.logged, runs=60, **words):
    words = {"keep": ["rod.q", "final rod.q"], "design": "latin", "audit": False} | swings.SHORT | words
    return kf.Study(subject, {"length": kf.uniform(0.5, 1.5)}, runs=runs, store=path, **words)


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDY_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def lengths(log):
    """What was begun, as often as it was; a line that was cut off by a kill does not count."""
    return [float(line) for line in log.read_text().splitlines() if line] if log.exists() else []


def workers_of(process):
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout
    return [int(word) for word in children.split()]


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_killed_twenty_times(tmp_path, log, monkeypatch):
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 16)
    made, dice = study(tmp_path / "killed.zarr", runs=2000), random.Random(4)
    swings.build({"length": 1.0}).simulate(0.1)  # what every process needs is loaded before it is forked
    stored, kills = set(), 0
    while kills < 20:
        log.unlink(missing_ok=True)
        child = FORK.Process(target=lambda: made.run(workers=0))
        child.start()
        blocks = len(list((tmp_path / "killed.zarr" / "status" / "c").glob("*[0-9]")))
        while child.is_alive() and len(list((tmp_path / "killed.zarr" / "status" / "c").glob("*[0-9]"))) < blocks + 4:
            time.sleep(0.005)
        time.sleep(dice.uniform(0, 0.05))
        assert child.is_alive(), "the study ended before it was killed twenty times"
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        kills += 1
        begun = lengths(log)
        first = begun[:2] if kills == 1 else []  # the run that tells sizes and time
        assert not stored & set(begun), "a run was done again that was stored"
        now = kf.Ensemble(tmp_path / "killed.zarr")
        assert not now.failed.any() and not now.messages() and np.isfinite(now["rod.q"]).all()
        new = set(now["length"]) - stored
        assert stored < set(now["length"]) and new <= set(begun)
        assert len(begun) - len(first) - len(new) <= 16 + 1, "more was lost than the block under way"
        stored |= new
    log.unlink()
    found = made.run(workers=0)
    assert found.done.all() and not stored & set(lengths(log)) and len(stored) + len(lengths(log)) == 2000
    swings.same(found, study(tmp_path / "whole.zarr", runs=2000).run(workers=0))


def test_workers_and_their_master_are_killed(tmp_path, log, monkeypatch):
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 4)
    monkeypatch.setenv("STUDY_SLOW", "0.02")
    made = study(tmp_path / "killed.zarr", runs=120)
    child = FORK.Process(target=lambda: made.run(workers=2))
    child.start()

    def wait_for(blocks):
        while len(list((tmp_path / "killed.zarr" / "status" / "c").glob("*[0-9]"))) < blocks:
            assert child.is_alive()
            time.sleep(0.02)

    wait_for(3)
    os.kill(workers_of(child.pid)[0], signal.SIGKILL)
    wait_for(10)
    orphans = workers_of(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert orphans
    until = time.monotonic() + 20
    while any(is_running(pid) for pid in orphans):
        assert time.monotonic() < until, "workers outlive the study"
        time.sleep(0.1)
    stored = set(kf.Ensemble(tmp_path / "killed.zarr")["length"])
    log.unlink()
    found = made.run(workers=2)
    assert 40 <= len(stored) < 120 and not stored & set(lengths(log)) and found.done.all()
    swings.same(found, study(tmp_path / "whole.zarr", runs=120).run(workers=0))


def test_a_run_that_ends_its_process_is_found(tmp_path, monkeypatch):
    """In a block with others, which are done; and alone, without end in compiled code."""
    monkeypatch.setattr(study_module, "GRACE", 1.0)
    words = {"design": "table", "keep": ["final rod.q"]} | swings.SHORT
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 4)
    found = kf.Study(ends_or_hangs, {"length": [1.0, 0.9, 7.0, 0.8, 1.1]}, **words).run(workers=1)
    assert list(found.status) == [1, 1, 2, 1, 1]
    assert "its process ended (status 3) each time" in found.messages()[2]
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 1)
    hung = kf.Study(ends_or_hangs, {"length": [1.0, 8.0, 0.9]}, limit=5.0, **words).run(workers=1)
    assert list(hung.status) == [1, 2, 1] and "its process ended (status 1) each time" in hung.messages()[1]
    alone = kf.Study(swings.build, {"length": [1.0, 0.9, 0.8, 1.1]}, **words).run(workers=0)
    assert found["final rod.q"].tobytes() == alone["final rod.q"].tobytes()


def ends_or_hangs(values):
    if values["length"] == 8.0:
        import numba

        @numba.njit
        def endless(n):
            while n > 0:
                n += 2
                if n < 0:
                    n = 1
            return n

        endless(1)
    return swings.ends_its_process(values)


def test_a_full_disk(tmp_path, log, monkeypatch):
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", place], check=False).returncode:
        pytest.skip("no right to mount a small file system")
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 4)
    try:
        made = study(place / "full.zarr", runs=120)
        with pytest.raises(kf.FileError, match=r"No space left on device.*of 120 runs are stored and sound") as raised:
            made.run(workers=1)
        assert raised.value.errno == errno.ENOSPC
        stored = set(kf.Ensemble(place / "full.zarr")["length"])
        assert 0 < len(stored) < 120
        log.unlink()
        subprocess.run(["mount", "-o", "remount,size=20m", place], check=True)
        found = made.run(workers=1)
        assert found.done.all() and not stored & set(lengths(log))
        swings.same(found, study(tmp_path / "whole.zarr", runs=120).run(workers=0))
    finally:
        subprocess.run(["umount", place], check=False)
