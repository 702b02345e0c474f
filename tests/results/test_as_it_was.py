"""A run is of the system as it was when it was simulated, whatever becomes of the system afterwards."""

import gc
import re

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model.model import Model


def crane() -> kf.System:
    s = kf.System("crane", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), rates=0.3)
    body = kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02), frames={"tip": (0, 0, -1.0)})
    s.add("arm", body, kf.Revolute("y"), parent="cart", q=0.4)
    s.add_rotor("wheel", "arm", kf.Rotor("z", 0.01, rate=5.0))
    s.add_input("motor", kf.JointForce("cart"))
    s.apply("spring", kf.JointSpring("arm", stiffness=3.0, damping=0.1))
    return s


def add_body(s):
    s.add("more", kf.Rigid(0.7, inertia=(1, 1, 1)), kf.Revolute("y"), parent="arm", at="tip")


def apply_load(s):
    s.apply("wind", kf.Force("arm.tip", (20.0, 0, 5.0), axes="inertial"))


def turn_gravity(s):
    s.gravity = (3.0, 0.0, 2.0)


def remove_load(s):
    del s.loads["spring"]


def swap_load(s):
    s.loads["spring"] = kf.JointSpring("arm", stiffness=30.0)


def constrain(s):
    s.constrain("rod", kf.Distance("arm.tip", (5.0, 0, 0), 5.2))


def add_frame(s):
    s.add_frame("arm", "middle", kf.Frame((0, 0, -0.5)))


def add_things(s):
    s.add_input("push", kf.Force("arm.tip", (1.0, 0, 0)))
    s.add_rotor("second", "arm", kf.Rotor("z", 0.005))
    s.contact("floor", kf.Contact("arm.tip"))
    s.show("arm", kf.shapes.Sphere(3.0))


CHANGES = (add_body, apply_load, turn_gravity, remove_load, swap_load, constrain, add_frame, add_things)
CHANNELS = ("arm.q", "arm.acceleration", "arm.tip.acceleration", "arm.load", "cart.load", "spring.power", "energy.total")


def simulated(s: kf.System) -> kf.Run:
    return s.simulate(0.5, output=0.05, inputs={"motor": 0.2})


@pytest.fixture(scope="module")
def plain() -> kf.Run:
    return simulated(crane())


@pytest.fixture(params=CHANGES, ids=lambda f: f.__name__)
def run(request) -> kf.Run:
    s = crane()
    done = simulated(s)
    request.param(s)
    return done


def same(run: kf.Run, plain: kf.Run) -> None:
    assert run.channels == plain.channels
    for name in CHANNELS:
        assert np.array_equal(run[name], plain[name]), name


def test_channels(run, plain):
    same(run, plain)


def test_loads(run, plain):
    for name in ("cart", "arm"):
        ours, theirs = run.loads(name, at="arm.tip", axes="arm.tip"), plain.loads(name, at="arm.tip", axes="arm.tip")
        assert np.array_equal(ours.force, theirs.force) and np.array_equal(ours.torque, theirs.torque)


def test_audit(run, plain):
    assert run.audit == plain.audit and run.audit.ok


def test_states(run, plain):
    assert repr(run.final) == repr(plain.final) and run.model.parts.keys() == plain.model.parts.keys()


def test_extension(run, plain):
    further, reference = run.extend(0.5), plain.extend(0.5)
    assert np.array_equal(further.q, reference.q) and np.array_equal(further.u, reference.u)
    same(further, reference)


def test_file(run, plain, tmp_path):
    again = kf.Run.load(run.save(tmp_path / "run.h5"))
    same(again, plain)
    assert again.audit == plain.audit
    assert np.array_equal(again.extend(0.5).q, plain.extend(0.5).q)


def page(run: kf.Run, folder) -> list[str]:
    """What a report says but for its figures, which take long to draw, and its duration."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kaneflex.view.report._figures", lambda *_: [])
        text = run.report(folder / "report.html").read_text(encoding="utf-8")
    return [re.sub(r"<dt>integration</dt><dd>.*?</dd>", "", line) for line in text.splitlines()]


def test_report(run, plain, tmp_path):
    ours, theirs = page(run, tmp_path), page(plain, tmp_path)
    assert len(ours) > 50 and ours == theirs


def test_a_loaded_run_is_of_what_its_file_says(tmp_path):
    """The acceleration of a cart that nothing pushed stays nought when a force is applied after the run."""
    s = kf.System("c")
    s.add("c", kf.Rigid(1.0), kf.Prismatic("x"), rates=1.0)
    run = s.simulate(1.0)
    s.apply("g", kf.JointForce("c", 10.0))
    assert kf.Run.load(run.save(tmp_path / "run.h5"))["c.acceleration"][-1] == pytest.approx(np.zeros(3), abs=1e-15)
    assert s.simulate(1.0)["c.acceleration"][-1][0] == pytest.approx(10.0)


def test_dynamics_are_of_the_system_as_it_was():
    s = crane()
    dynamics = s.dynamics()
    add_body(s)
    assert set(dynamics.plan.model.parts) == {"cart", "arm"}


def test_shapes_given_between_two_runs_are_those_of_the_second_alone():
    s = crane()
    first = simulated(s)
    s.show("arm", kf.shapes.Sphere(0.1))
    assert not first.model.shapes and list(simulated(s).model.shapes) == ["arm"]


@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_the_system_of_a_run_cannot_be_changed(change):
    run = simulated(crane())
    with pytest.raises(kf.ModelError, match=r"crane.*as it was"):
        change(run.model)
    same(run, simulated(crane()))


def test_the_system_of_a_run_can_be_simulated_and_examined():
    run = simulated(crane())
    again = simulated(run.model)
    assert np.array_equal(again.q, run.q) and len(run.model.modes()) > 0 and "arm" in run.model.describe()


def test_runs_of_one_system_share_one_copy_of_it():
    s = crane()
    assert simulated(s).model is simulated(s).model
    chain = simulated(s)
    assert chain.extend(0.1).extend(0.1).model is chain.extend(0.1).model


def models() -> int:
    """How many models there are, now that what is not in use is gone."""
    gc.collect()
    return sum(issubclass(type(x), Model) for x in gc.get_objects())


def test_copies_go_with_their_runs():
    s = crane()
    event = kf.Event(lambda t: t - 0.25)
    s.simulate(0.5, events=[event])
    before = models()
    for k in range(4):
        s.simulate(0.5, events=[event]).extend(0.1)
        s.apply(f"load{k}", kf.JointForce("cart", 0.1))
        s.simulate(0.1)
    assert models() <= before + 2
