"""Files of runs whose system changes: they hold the model once and then what changed, and give back all of it."""

import math
from functools import cache

import h5py
import numpy as np
import pytest

import kaneflex as kf
from kaneflex.results import store
from kaneflex.results.sealed import write_sealed

LINK = kf.Rigid(0.1, com=(0.05, 0, 0), inertia=(1e-5, 1e-4, 1e-4), frames={"tip": (0.1, 0, 0)})


@cache
def every(interval):
    return lambda t: math.sin(math.pi * t / interval)


def chain(n: int) -> kf.System:
    s = kf.System("chain")
    s.add("l0", LINK, kf.Free(), rates=(0, 0, 0, 0.1, 0.2, 0.3))
    for k in range(1, n):
        s.add(f"l{k}", LINK, kf.Revolute("z"), parent=f"l{k - 1}", at="tip", rates=0.01 * math.sin(k))
    return s


def to_and_fro(n: int):
    """An action that adds a link to a chain of n, and takes it away the next time."""

    def action(state, change):
        last = len(change.model.parts) - 1
        if last < n:
            change.add(f"l{last + 1}", LINK, kf.Revolute("z"), parent=f"l{last}", at="tip")
        else:
            change.remove(f"l{last}")

    return action


def changing(n: int, changes: int, interval=1e-3) -> kf.Run:
    event = kf.Event(every(interval), action=to_and_fro(n), name="chain")
    return chain(n).simulate((changes + 0.5) * interval, events=[event], output=interval)


def same_model(a, b) -> bool:
    from kaneflex.model.codec import model_to_data

    return model_to_data(a) == model_to_data(b)


def varied() -> kf.Run:
    """A run with changes of every kind: bodies come, go, are replaced, attached and re-ordered, loads and others too."""
    s = chain(3)
    s.apply("spring", kf.JointSpring("l1", stiffness=0.1))
    s.add_input("push", kf.Force("l2", (1, 0, 0)))

    def action(state, change):
        steps.append(state.t)
        if len(steps) == 1:
            change.add("arm", LINK, kf.Revolute("y"), parent="l0", at="tip", q=0.3)
            change.apply("pull", kf.JointForce("arm", 0.01))
            change.add_rotor("wheel", "l1", kf.Rotor("x", 1e-6, rate=50.0))
        elif len(steps) == 2:
            change.detach("l1")
            change.attach("l1", "arm", kf.Revolute("z"))  # now the arm must stand before it
            change.constrain("gear", kf.Gear("arm", "l2", 1.0))
        elif len(steps) == 3:
            change.replace("l0", kf.Rigid(1.0, inertia=(0.1, 0.1, 0.1)))
            change.remove("gear")
            change.remove("spring")
        elif len(steps) == 4:
            change.remove("l2", into_parent=True)
            change.lock("l1")

    steps: list[float] = []
    event = kf.Event(every(0.05), action=action, name="change")
    return s.simulate(0.24, events=[event], inputs={"push": 0.001}, output=0.01)


def test_all_of_a_changing_run_comes_back(tmp_path):
    run = varied()
    assert len(run.segments) == 4 and run.audit.ok
    back = kf.Run.load(run.save(tmp_path / "run.h5"))
    again = kf.Run.load(back.save(tmp_path / "again.h5"))
    assert (tmp_path / "again.h5").stat().st_size < 1.1 * (tmp_path / "run.h5").stat().st_size
    for other in (back, again):
        for a, b in zip((*run.segments, run.last), (*other.segments, other.last), strict=True):
            assert same_model(a.model, b.model) and list(a.model.parts) == list(b.model.parts)
            assert np.array_equal(a.trajectory.y, b.trajectory.y) and np.array_equal(a.plan.P, b.plan.P)
        assert other.impacts == run.impacts and other.events == run.events
        for name in ("l2.q", "arm.position", "wheel.rate", "momentum.angular", "push"):
            assert np.array_equal(other[name], run[name], equal_nan=True)
        assert other.audit == run.audit
        on, exact = other.extend(0.1, events=()), run.extend(0.1, events=())
        assert np.array_equal(on["l0.position"], exact["l0.position"]) and on.audit.ok
        whole = other.extend(0.1, events=(), joined=True)
        assert kf.Run.load(whole.save(tmp_path / "whole.h5"))["arm.q"][-1] == whole["arm.q"][-1]


def test_later_segments_hold_what_changed_only(tmp_path):
    path = changing(40, 6).save(tmp_path / "run.h5")
    with path.open("rb") as stream, h5py.File(stream, "r") as file:
        first, others = file["segment0"], [file[f"segment{k}"] for k in range(1, 6)] + [file]
        assert len(first.attrs["model"]) > 10_000
        for group in others:
            assert "model" not in group.attrs and len(group.attrs["model_changes"]) < 1500


def test_files_in_which_every_segment_has_its_whole_model_are_read(tmp_path):
    """As they were written before."""
    run, path = varied(), tmp_path / "old.h5"

    def fill(file):
        file.attrs["kaneflex_format"], file.attrs["lost"], file.attrs["assembly"] = 2, '["events"]', "null"
        for k, segment in enumerate((*run.segments, run.last)):
            store._save_segment(segment, file if segment is run.last else file.create_group(f"leg{k}"), None)

    back = kf.Run.load(write_sealed(path, fill))
    assert all(same_model(a.model, b.model) for a, b in zip(run.segments, back.segments, strict=True))
    assert np.array_equal(back["arm.q"], run["arm.q"], equal_nan=True)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ('{"parts": {"gone": ["l0"]}}', "l0"),
        ('{"parts": {"gone": ["nobody"]}}', "nobody"),
        ('{"parts": {"order": ["l0"]}}', "order"),
        ('{"bodies": {}}', "bodies"),
        ('{"parts": {"put": [{"name": "x"}]}}', "joint"),
        ("[]", "model_changes"),
        ("{", "JSON"),
    ],
)
def test_changes_that_make_no_sense_are_refused_by_name(tmp_path, monkeypatch, wrong, message):
    run, path = changing(3, 2), tmp_path / "run.h5"
    right = store._save_segment

    def spoilt(segment, file, before):
        right(segment, file, before)
        if before is not None:
            file.attrs["model_changes"] = wrong

    monkeypatch.setattr(store, "_save_segment", spoilt)
    run.save(path)
    with pytest.raises(kf.FileError, match=message) as error:
        kf.Run.load(path)
    assert "run.h5" in str(error.value)


@pytest.mark.parametrize("changes", [100, pytest.param(400, marks=pytest.mark.thorough)])
def test_hundreds_of_changes_of_200_bodies_stay_small(tmp_path, changes):
    """Less than 50 kB for each, with saving, loading, and audit."""
    changing(3, 3)
    run = changing(200, changes)
    path = run.save(tmp_path / "run.h5")
    back = kf.Run.load(path)
    assert len(run.segments) == len(back.segments) == changes and run.audit.ok
    assert np.array_equal(back["l200.q"], run["l200.q"], equal_nan=True)
    assert path.stat().st_size < 50e3 * changes


def test_point_that_rests_on_a_moving_body_comes_back(tmp_path):
    """The place where it is held is a frame of that body, with a name that no user's has."""
    s = kf.System("tray", gravity=(0, 0, -9.81))
    s.add("tray", kf.Rigid(2.0, inertia=(1, 1, 1)), kf.Prismatic("x"), rates=0.2)
    s.add("cup", kf.PointMass(0.5), kf.Translational(), q=(0, 0, 0.01), rates=(0.2, 0, 0))
    s.contact("foot", kf.Contact("cup", on="tray", friction=0.5))
    run = s.simulate(0.2)
    assert "sticking foot" in run.model.frames["tray"]
    back = kf.Run.load(run.save(tmp_path / "run.h5"))
    assert same_model(back.model, run.model) and np.array_equal(back["cup.q"], run["cup.q"])
