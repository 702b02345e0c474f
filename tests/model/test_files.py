"""Files appear whole or not at all."""

import contextlib
import errno
import multiprocessing
import os
import resource
import signal
import stat
import time

import pytest

import kaneflex as kf
from kaneflex.model import files
from kaneflex.model.files import FileError, atomic_write, file_name, write_text
from kaneflex.view.page import write_page

FORK = multiprocessing.get_context("fork")


def test_a_file_is_written_and_its_folder_made(tmp_path):
    path = write_text(tmp_path / "new" / "deep" / "a.txt", "first\n")
    assert path.read_bytes() == b"first\n" and os.listdir(path.parent) == ["a.txt"]
    write_text(path, "second é\r\n")
    assert path.read_bytes() == "second é\r\n".encode() and os.listdir(path.parent) == ["a.txt"]


def test_whatever_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write_text(tmp_path / "a.txt", "old")
    for error in (RuntimeError("no"), KeyboardInterrupt()):
        with pytest.raises(type(error)), atomic_write(path) as partial:
            partial.write_text("half")
            assert path.read_text() == "old" and partial.parent == path.parent and partial.suffix == path.suffix
            raise error
        assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_a_failure_of_the_disk_names_the_file(tmp_path, monkeypatch):
    path = write_text(tmp_path / "a.txt", "old")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for call in ("fsync", "replace"):
        with (
            monkeypatch.context() as patch,
            pytest.raises(FileError, match=r"cannot write .*a\.txt: No space left") as caught,
        ):
            patch.setattr(os, call, full)
            write_text(path, "new")
        assert caught.value.errno == errno.ENOSPC and isinstance(caught.value, kf.ModelError | OSError)
        assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_places_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "plain").write_text("")
    with pytest.raises(FileError, match=rf"cannot write {tmp_path}: it is a folder"):
        write_text(tmp_path, "")
    with pytest.raises(FileError, match=r"cannot write .*plain/a\.txt"):
        write_text(tmp_path / "plain" / "a.txt", "")
    with pytest.raises(FileError, match=r"cannot write .*: File name too long"):
        write_text(tmp_path / ("a" * 300), "")


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files.os, "open", refuse)  # root may write anywhere
    with pytest.raises(FileError, match=r"cannot write .*a\.txt: Permission denied"):
        write_text(tmp_path / "a.txt", "")


def test_modes_and_links_stay(tmp_path):
    mask = os.umask(0o022)
    os.umask(mask)
    path = write_text(tmp_path / "a.txt", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    write_text(link, "through")
    assert link.is_symlink() and path.read_text() == "through" and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_is_written_to():
    write_text("/dev/null", "nothing")
    assert os.path.exists("/dev/null") and not os.path.isfile("/dev/null")


def _die_while_writing(target):
    with atomic_write(target) as partial:
        partial.write_text("half")
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_killed_processes_left_is_swept(tmp_path, monkeypatch):
    target = tmp_path / "a.txt"
    process = FORK.Process(target=_die_while_writing, args=(target,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL and not target.exists()
    (left,) = tmp_path.iterdir()
    mine = left.with_name(f"{files._mark()}{os.getpid()}-0.txt")  # of a process that is alive
    mine.write_text("")
    monkeypatch.setattr(files, "_swept", set())
    write_text(target, "whole")
    assert sorted(os.listdir(tmp_path)) == sorted(["a.txt", mine.name])


@contextlib.contextmanager
def disk_of(size: int):
    """Files may not grow beyond some bytes, which is what a full disk does to them."""
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, old)


def test_a_full_disk_leaves_the_run_that_was_there(tmp_path):
    s = kf.System("c")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    run = s.simulate(1.0, output=0.1)
    path = run.save(tmp_path / "run.h5")
    before = path.read_bytes()
    writers = {100: run.save, 511: run.save, 5000: run.save, 2000: lambda _: run.plot("c.q", path=tmp_path / "p.png")}
    writers[3000] = lambda _: write_page(tmp_path / "r.html", "title", ["x" * 4000])
    for size, write in writers.items():
        assert len(before) > size
        with disk_of(size), pytest.raises(FileError, match=r"cannot write .*: File too large"):
            write(path)
        assert path.read_bytes() == before and os.listdir(tmp_path) == ["run.h5"]
    assert kf.Run.load(run.save(path)).t[-1] == 1.0


def _write_until(path, mark, stop):
    while not stop.is_set():
        write_text(path, f"{mark}" * 50_000)


def test_a_reader_sees_whole_files_while_two_write(tmp_path):
    path = write_text(tmp_path / "a.txt", "0" * 50_000)
    stop, seen, reads, limit = FORK.Event(), set(), 0, time.monotonic() + 30
    writers = [FORK.Process(target=_write_until, args=(path, mark, stop)) for mark in (1, 2)]
    for writer in writers:
        writer.start()
    try:
        while (reads < 300 or not {"1", "2"} <= seen) and time.monotonic() < limit:
            text = path.read_text()
            assert len(text) == 50_000 and len(set(text)) == 1
            seen.add(text[0])
            reads += 1
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert all(writer.exitcode == 0 for writer in writers)
    assert {"1", "2"} <= seen and os.listdir(tmp_path) == ["a.txt"]


def test_names_of_files_are_for_every_system():
    assert file_name('a<b>:"c|d?*/\\\x07é') == "a_b___c_d_____é"
