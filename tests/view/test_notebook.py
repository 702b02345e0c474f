"""What notebooks show, and files and systems for other programs."""

import numpy as np
import pytest
from scipy.io import loadmat

import kaneflex as kf


def arm() -> kf.System:
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("upper", kf.Rigid(2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5)), kf.Revolute("y"), q=0.4)
    lower = kf.Rigid(1.0, inertia=(0.05, 0.05, 0.05), com=(0, 0, -0.4))
    s.add("lower", lower, kf.Revolute("y"), parent="upper", at=(0, 0, -1))
    s.add_input("motor", kf.JointForce("upper"))
    s.add_input("brake", kf.JointForce("lower"))
    s.add_block("lag", kf.blocks.FirstOrder(0.2, sees="upper.rate", drives="brake", gain=-0.3))
    return s


@pytest.mark.thorough
def test_pages_of_a_notebook():
    s = arm()
    shown = s._repr_html_()
    assert "2 bodies, 3 kg, 2 speeds" in shown and "Revolute on upper" in shown and "motor, brake" in shown
    run = s.simulate(0.2, output=0.02)
    page = run._repr_html_()
    assert "<svg" in page or "data:image" in page
    # the policy of the embedded page lets nothing in from outside
    assert "<iframe srcdoc=" in page and "kaneflex-scene" in page and "default-src &#x27;none&#x27;" in page
    at = {"upper.q": 0.0, "lower.q": 0.0}
    modes = s.modes(at)
    table = modes._repr_html_()
    assert all(f"{mode.frequency / (2 * np.pi):.6g}" in table for mode in modes)
    linear = s.linearize(at)
    assert f"{linear.A[2, 0]:.4g}" in linear._repr_html_().replace("−", "-")


@pytest.mark.thorough
def test_equations_in_a_notebook():
    shown = arm().equations()._repr_latex_()
    assert shown.startswith("$$") and "dot u" in shown and shown.count("matrix") >= 4


def test_matlab_has_the_channels(tmp_path):
    run = arm().simulate(0.2, output=0.02)
    found = loadmat(run.to_mat(tmp_path / "run.mat", ["lower.position", "upper.q"]))
    assert np.array_equal(found["t"].ravel(), run.t) and np.array_equal(found["lower_position"], run["lower.position"])
    assert np.array_equal(found["upper_q"].ravel(), run["upper.q"]) and found["units"]["upper_q"][0, 0][0] == "rad"
    with pytest.raises(kf.ModelError, match="not known"):
        run.to_mat(tmp_path / "run.mat", ["upper.p"])


def test_python_control_integrates_the_same_motion():
    control = pytest.importorskip("control")
    s = arm()
    system = s.to_control(["lower.position", "lag.lag"])
    run = s.simulate(0.5, output=0.05, inputs={"motor": 0.8}, rtol=1e-10, atol=1e-12)
    assert system.ninputs == 1 and system.nstates == 5
    start = np.concatenate([run.q[0], run.u[0], run.z[0]])
    options = {"solve_ivp_kwargs": {"rtol": 1e-9, "atol": 1e-11}}
    theirs = control.input_output_response(system, run.t, np.full(len(run.t), 0.8), start, **options)
    assert np.abs(theirs.states.T - np.column_stack([run.q, run.u, run.z])).max() < 1e-7
    assert np.abs(theirs.outputs[:3].T - run["lower.position"]).max() < 1e-7
    s.contact("ground", kf.Contact("lower"))
    with pytest.raises(kf.ModelError, match='no contact "ground"'):
        s.to_control()
