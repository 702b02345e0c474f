"""The second process that compiles kernels: what it puts on disk, and that nothing but time depends on it."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kaneflex as kf
from kaneflex import precompile
from kaneflex.kernels import backend, cache, compiled_ops, helper
from kaneflex.simulate import ahead

pytestmark = pytest.mark.skipif(cache.fcntl is None, reason="there is no helper without locks")

RUN = """
import time
import kaneflex as kf
from kaneflex.kernels import backend, helper
s = kf.System("one")
s.add("a", kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(1, 1, 1)), kf.Revolute("z"), q=0.3)
"""


def pendulum():
    """The system of `RUN`."""
    s = kf.System("one")
    s.add("a", kf.Rigid(1.0, com=(0.5, 0, 0), inertia=(1, 1, 1)), kf.Revolute("z"), q=0.3)
    return s


def python(code, folder, **variables):
    """A Python process with this code and cache, in which a helper may start."""
    environment = os.environ | {"KANEFLEX_CACHE": str(folder), helper.SWITCH: "1"} | variables
    arguments = [sys.executable, "-c", RUN + code]
    return subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def outcome(code, folder, **variables):
    process = python(code, folder, **variables)
    out, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    return out.split()


@pytest.fixture
def started(monkeypatch):
    """Commands that would have been started, on a machine where a helper is of use."""
    commands = []

    class Process:
        returncode = None

        def __init__(self, command, **options):
            commands.append((command, options))

        def wait(self):
            pass

        def kill(self):
            self.returncode = -9

    monkeypatch.setattr(helper.subprocess, "Popen", Process)
    monkeypatch.setattr(helper, "_helpers", [])
    monkeypatch.setattr(helper.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(helper.sys, "executable", "/somewhere/bin/python3")
    monkeypatch.setenv(helper.SWITCH, "1")
    return commands


def test_it_is_started_once_and_silent(started):
    assert helper.start("somewhere", "something", 1)
    assert not helper.start("somewhere", "something", 1)
    ((command, options),) = started
    assert command[:2] == ["/somewhere/bin/python3", "-c"] and "'somewhere', 'something', (1,)" in command[2]
    assert {options[name] for name in ("stdin", "stdout", "stderr")} == {subprocess.DEVNULL}
    assert options["env"][helper.SWITCH] == "0"  # a helper has no helper
    helper.stop()
    assert helper.start("somewhere", "something", 1)


@pytest.mark.parametrize("case", ["switched off", "one processor", "no locks", "worker", "no Python", "frozen"])
def test_there_is_none_where_it_would_hurt(case, started, monkeypatch):
    if case == "switched off":
        monkeypatch.setenv(helper.SWITCH, "0")
    elif case == "one processor":
        monkeypatch.setattr(helper.os, "sched_getaffinity", lambda _: {0}, raising=False)
    elif case == "no locks":
        monkeypatch.setattr(cache, "fcntl", None)
    elif case == "worker":
        monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    elif case == "no Python":
        monkeypatch.setattr(helper.sys, "executable", "/somewhere/bin/editor")
    else:
        monkeypatch.setattr(helper.sys, "frozen", True, raising=False)
    assert not helper.start("somewhere", "something")
    assert not started


def test_compiled_kernels_need_none(started, monkeypatch):
    monkeypatch.setattr(backend, "is_kept", lambda name: True)
    ahead.compile_ahead("dopri5", False, False)
    assert not started
    monkeypatch.setattr(backend, "is_kept", lambda name: False)
    ahead.compile_ahead("no method of ours", False, False)
    assert not started
    ahead.compile_ahead("sdirk4", True, False)
    assert "'compile_late', ('advance_implicit', True, False)" in started[0][0][2]


def test_all_kernels_are_compiled_by_two(started, monkeypatch):
    monkeypatch.setattr(precompile, "KINDS", {"floats": lambda: iter(()), "derivatives": lambda: iter(())})
    precompile.compile_kernels("floats")
    assert not started
    precompile.compile_kernels()
    assert "'compile_kernels', ('derivatives',)" in started[0][0][2]


def test_arguments_are_those_of_real_calls():
    """What is compiled ahead is what a run asks for, and not the same kernel for other types."""
    s = pendulum()
    for method in ("dopri5", "sdirk4"):
        s.simulate(0.1, method=method).audit  # noqa: B018
    assert len(ahead._ARGUMENTS) >= 4
    for name, letters in ahead._ARGUMENTS.items():
        entry = getattr(backend.compiled(), name)
        assert compiled_ops.entry_signature(letters, float) in entry.signatures, name


FILL = """
started = helper.start("kaneflex.kernels.backend", "compile_only", "call_derivative", "IPwtww")
while helper._running():
    time.sleep(0.05)
there = backend.is_kept("call_derivative")
backend.compile_only("call_derivative", "IPwtww")
stats = backend.compiled().call_derivative.stats
print(started, there, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_it_fills_the_cache(tmp_path):
    assert outcome(FILL, tmp_path) == ["True", "True", "1", "0"]


def test_switched_off_it_leaves_the_cache_alone(tmp_path):
    assert outcome(FILL, tmp_path, KANEFLEX_HELPER="0") == ["False", "False", "0", "1"]


SLOW = """
import time
import kaneflex.kernels.helper as helper
print(helper.start("time", "sleep", 600), flush=True)
"""


def children(pid):
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ended(pid, seconds=30.0):
    """Whether a process is gone, not as much as a zombie, within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes by /proc")
@pytest.mark.parametrize("end", ["kill", "finish", "stop", "interrupt"])
def test_it_ends_with_its_parent(end, tmp_path):
    more = {"finish": "", "stop": "helper.stop(); time.sleep(600)", "interrupt": "time.sleep(600)"}
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in jobs in the background
    process = python(heard + SLOW + more.get(end, "time.sleep(600)"), tmp_path)
    try:
        assert process.stdout.readline() == "True\n"
        if end in ("kill", "interrupt"):
            (child,) = children(process.pid)
            time.sleep(1.0)
            process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGINT)
            process.wait(60)
            assert ended(child)
        elif end == "stop":
            until = time.monotonic() + 30
            while children(process.pid) and time.monotonic() < until:
                time.sleep(0.05)
            assert not children(process.pid)
        else:
            assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_helper_that_fails_is_not_noticed(tmp_path):
    code = """
helper._PROGRAM = "raise SystemExit('no')  # {path!r} {task!r}"
backend.is_kept = lambda name: False
run = s.simulate(1.0)
print(len(helper._helpers), repr(float(run["a.q"][-1])))
"""
    usual = float(pendulum().simulate(1.0)["a.q"][-1])
    process = python(code, backend.cache_root())
    out, error = process.communicate(timeout=600)
    assert process.returncode == 0 and out.split() == ["1", repr(usual)]
    assert "no" not in error.split()


def test_a_helper_that_is_killed_holds_nothing_up(tmp_path):
    """Killed in the midst of a kernel it leaves no lock and no half of a file: the kernel is compiled here."""
    code = """
import os
helper.start("kaneflex.kernels.backend", "compile_only", "call_mass_matrix", "IPwtww")
while not os.path.exists(backend.compiled().lock.path):
    time.sleep(0.01)
time.sleep(0.3)
helper.stop()
began = time.monotonic()
backend.compile_only("call_mass_matrix", "IPwtww")
print(sum(backend.compiled().call_mass_matrix.stats.cache_misses.values()), time.monotonic() - began < 300)
"""
    assert outcome(code, tmp_path) == ["1", "True"]
