"""What is said while kernels compile, and the seconds that are counted for it."""

import gc
import io
import random
import time

import pytest

import kaneflex as kf
from kaneflex.kernels import progress as module
from kaneflex.kernels.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def compile_three(progress, clock):
    with progress.call():
        for name in ("call_derivative", "forward_pass", "project"):
            with progress.compiling(name):
                clock[0] += 2.0
                with progress.compiling("_sin.<locals>.sine"):
                    clock[0] += 0.5
                progress.count(kernels=2)


def test_a_log_gets_one_line_when_all_is_done(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    compile_three(progress, clock)
    assert stream.getvalue() == "compiled 6 kernels in 7.5 s\n"
    assert progress.seconds == 7.5
    compile_three(progress, clock)
    assert stream.getvalue().splitlines() == ["compiled 6 kernels in 7.5 s"] * 2


def test_a_terminal_sees_how_far_it_is(clock):
    stream = Terminal()
    compile_three(Progress(stream), clock)
    lines = stream.getvalue().split("\r")
    assert lines[1].rstrip() == "compiling, for the first use only: first kernel, 2 s (derivative)"
    assert "2 kernels, 4 s (forward pass)" in stream.getvalue()
    assert "sine" not in stream.getvalue() and lines[-1].rstrip() == "compiled 6 kernels in 7.5 s"


def test_a_call_does_not_tell_of_what_was_compiled_before_it(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    with progress.compiling("derivative"):
        clock[0] += 2.0
    progress.count(kernels=1)
    with progress.call():
        pass
    assert stream.getvalue() == "" and progress.seconds == 2.0


def test_a_moment_is_not_worth_a_word(clock):
    stream = io.StringIO()
    progress = Progress(stream)
    with progress.compiling("derivative"):
        clock[0] += 0.1
    progress.count(kernels=1, functions=2)
    progress.tell()
    assert stream.getvalue() == "" and progress.seconds == 0.1
    with progress.compiling("derivative"):
        clock[0] += 1.0
    progress.count(kernels=1, functions=2)
    progress.tell()
    assert stream.getvalue() == "compiled 1 kernel and 2 user functions in 1.0 s\n"


def test_a_run_counts_all_that_was_compiled_for_it():
    """The law is new in every process: it is compiled before the integration begins."""
    s = kf.System("new")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    s.apply("push", kf.JointForce("c", eval(f"lambda t: {random.SystemRandom().random()!r} * t")))
    began = time.perf_counter()
    run = s.simulate(1.0)
    took = time.perf_counter() - began
    seconds, compiling = run.statistics["seconds"], run.statistics["compile_seconds"]
    assert compiling > 0.02 and seconds > 0
    assert 0.7 * took < seconds + compiling < took
    assert s.simulate(1.0).statistics["compile_seconds"] == 0.0


def test_no_garbage_is_collected_meanwhile():
    progress = Progress(io.StringIO())
    assert gc.isenabled()
    with progress.compiling("derivative"):
        with progress.compiling("sine"):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with progress.compiling("derivative"):
            pass
        assert not gc.isenabled()  # as the user wants it
    finally:
        gc.enable()
