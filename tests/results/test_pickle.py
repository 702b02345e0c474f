"""Systems and runs between processes: pickled as their files hold them, functions by name and never as code."""

import copy
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.codec import model_to_data

HERE = Path(__file__).parent


def push(t: float) -> float:
    return math.sin(3 * t)


def hold(t: float, x: np.ndarray) -> float:
    return -4.0 * x[0]


def low(t: float, x: np.ndarray) -> float:
    return x[0] + 0.2


def pendulum(law=push) -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5)), kf.Revolute("y"), q=0.3)
    s.apply("push", kf.JointForce("rod", law))
    s.add_input("motor", kf.JointForce("rod"))
    return s


def test_a_system_comes_back_with_its_functions():
    s = pendulum()
    content = pickle.dumps(s)
    other = pickle.loads(content)
    assert type(other) is kf.System and model_to_data(other) == model_to_data(s)
    assert other.loads["push"].value is push
    assert np.array_equal(other.simulate(0.5).q, s.simulate(0.5).q)
    other.gravity = (0, 0, 0)  # it may be changed, and what a run holds may not
    with pytest.raises(kf.ModelError, match="when a run was made"):
        pickle.loads(pickle.dumps(s.simulate(0.1).model)).gravity = (0, 0, 0)


def test_a_function_without_a_name_is_refused_by_its_place():
    s = pendulum(lambda t: t)
    with pytest.raises(kf.ModelError, match=r'"push.value" is .*lambda.*no name in a module'):
        pickle.dumps(s)
    assert copy.deepcopy(s).loads["push"].value is s.loads["push"].value
    run = s.simulate(0.2)
    again = pickle.loads(pickle.dumps(run))  # as a file: what was computed is there, the function is not
    assert np.array_equal(again.q, run.q)
    with pytest.raises(kf.ModelError, match=r"push.value"):
        again.extend(0.1)


def test_a_run_comes_back_whole_and_goes_on():
    s = pendulum()
    controller = kf.Sampled(0.05, hold, sees="rod.q", drives="motor")
    down = kf.Event(low, ["rod.q"], name="low")
    run = s.simulate(0.5, controllers=[controller], events=[down])
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.t, run.t) and np.array_equal(again["rod.q"], run["rod.q"])
    assert again.events == run.events and again.statistics == run.statistics
    assert str(again.audit) == str(run.audit)
    assert np.array_equal(again.extend(0.5).q, run.extend(0.5).q)


@pytest.mark.thorough
def test_another_process_reads_a_pickled_run(tmp_path):
    run = pendulum().simulate(0.5)
    (tmp_path / "run.pickle").write_bytes(pickle.dumps(run))
    code = "import pickle; r = pickle.load(open('run.pickle', 'rb')); print(r.q[-1, 0].hex(), r.extend(0.1).q[-1, 0].hex())"
    environment = {"PYTHONPATH": f"{HERE}:{':'.join(p for p in sys.path if p)}"}
    out = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert out.stdout.split() == [run.q[-1, 0].hex(), run.extend(0.1).q[-1, 0].hex()]
