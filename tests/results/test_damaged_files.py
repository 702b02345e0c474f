"""A file of a run is read as it was written, or refused by an error that names it and says what is wrong."""

import hashlib
import itertools
import json
import multiprocessing
import pickle
import time
import warnings

import h5py
import numpy as np
import pytest

import kaneflex as kf
from kaneflex.results.sealed import BLOCK, seal


def system() -> kf.System:
    s = kf.System("crane", gravity=(0, 0, -9.81))
    s.add("cart", kf.Rigid(2.0), kf.Prismatic("x"), rates=0.3)
    body = kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02), frames={"tip": (0, 0, -1.0)})
    s.add("arm", body, kf.Revolute("y"), parent="cart", q=0.4)
    s.add_input("motor", kf.JointForce("cart"))
    s.apply("spring", kf.JointSpring("arm", stiffness=3.0, damping=0.1))
    return s


@pytest.fixture(scope="module")
def run() -> kf.Run:
    return system().simulate(0.5, output=0.05, inputs={"motor": 0.2})


@pytest.fixture(scope="module")
def content(run, tmp_path_factory) -> bytes:
    return run.save(tmp_path_factory.mktemp("files") / "run.h5").read_bytes()


def same(again: kf.Run, run: kf.Run) -> bool:
    ours, theirs = again.trajectory, run.trajectory
    arrays = all(np.array_equal(getattr(ours, n), getattr(theirs, n)) for n in ("t", "y", "inputs", "final_inputs"))
    words = all(getattr(ours, n) == getattr(theirs, n) for n in ("options", "status", "message", "statistics", "events"))
    stepper = ours.stepper.keys() == theirs.stepper.keys() and all(
        np.array_equal(ours.stepper[k], theirs.stepper[k]) for k in ours.stepper
    )
    return arrays and words and stepper and np.array_equal(again.plan.P, run.plan.P)


def test_flips_and_truncations_are_refused_by_name(run, content, tmp_path):
    rng = np.random.default_rng(7)
    path, refused = tmp_path / "some-run.h5", 0
    for trial in range(400):
        data = bytearray(content)
        if trial % 4 == 3:
            del data[rng.integers(len(data)) :]
        for _ in range(trial % 3 + 1 if trial % 4 != 3 else 0):
            data[rng.integers(len(data) if trial % 5 else BLOCK)] ^= 1 << rng.integers(8)
        path.write_bytes(data)
        try:
            again = kf.Run.load(path)
        except kf.FileError as e:
            assert "some-run.h5" in str(e) and len(str(e)) > len(str(path)) + 5
            refused += 1
        else:
            assert same(again, run)
    assert refused >= 399  # two flips of one bit may undo each other


def test_what_follows_the_content_is_noticed(content, tmp_path):
    path = tmp_path / "run.h5"
    path.write_bytes(content + b"\0")
    with pytest.raises(kf.FileError, match="length"):
        kf.Run.load(path)


def test_damage_without_a_seal_never_ends_in_another_error(run, content, tmp_path):
    """As in files of before there were seals: samples may be altered there, but every refusal is ours."""
    rng = np.random.default_rng(8)
    path = tmp_path / "some-run.h5"
    write_old(content, path)
    old = path.read_bytes()
    for trial in range(60):
        data = bytearray(old)
        if trial % 3 == 2:
            del data[rng.integers(len(data)) :]
        data[rng.integers(len(data) or 1)] ^= 1 << rng.integers(8)
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                kf.Run.load(path)
            except kf.FileError as e:
                assert "some-run.h5" in str(e)


def write_old(content: bytes, path) -> None:
    """A file as the first version wrote it: no seal, format 1."""
    path.write_bytes(content)
    with h5py.File(path, "r") as new, h5py.File(path.with_suffix(".old"), "w") as old:
        for name in new:
            new.copy(name, old)
        for name, value in new.attrs.items():
            old.attrs[name] = value
        old.attrs["kaneflex_format"] = 1
    path.with_suffix(".old").replace(path)


def test_files_without_a_checksum_load_with_a_warning(run, content, tmp_path):
    path = tmp_path / "old.h5"
    write_old(content, path)
    with pytest.warns(UserWarning, match=r"old\.h5 was written before files had checksums"):
        again = kf.Run.load(path)
    assert same(again, run)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(kf.Run.load(again.save(path)), run)


# -- files that are made to do harm, or by another program: their checksums are right -----------------------------------


def sealed(path) -> None:
    """Give a file that was changed a seal that fits."""
    data = path.read_bytes()
    digest = hashlib.sha256(data[BLOCK:]).hexdigest()
    path.write_bytes(seal(len(data) - BLOCK, digest) + data[BLOCK:])


@pytest.fixture
def edited(content, tmp_path):
    """What makes a file with something changed in it, and loads it."""
    path = tmp_path / "edited.h5"

    def load(change):
        path.write_bytes(content)
        with h5py.File(path, "r+") as file:
            change(file)
        sealed(path)
        return kf.Run.load(path)

    return load


def put(name, value, **how):
    def change(file):
        del file[name]
        file.create_dataset(name, data=value, **how)

    return change


def say(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def model(change):
    """What changes the model that a file holds."""

    def edit(file):
        data = json.loads(file.attrs["model"])
        change(data)
        file.attrs["model"] = json.dumps(data)

    return edit


def link(name, target):
    def change(file):
        del file[name]
        file[name] = target

    return change


def external(file):
    del file["t"]
    file.create_dataset("t", shape=(11,), dtype="<f8", external=[("/dev/zero", 0, 88)])


def references(file):
    del file["t"]
    file.create_dataset("t", data=np.array([file.ref] * 11, dtype=h5py.ref_dtype))


def huge(file):
    del file["t"], file["y"]
    file.create_dataset("t", shape=(2**40,), dtype="<f8", chunks=(1024,))
    file.create_dataset("y", shape=(2**40, 6), dtype="<f8", chunks=(1024, 6))


DEEP = "[" * 200_000 + "]" * 200_000
PICKLE = np.void(pickle.dumps(print))
HOSTILE = {
    "few columns": (put("y", np.zeros((11, 5))), r'dataset "y" has shape \(11, 5\), not \(11, 6\)'),
    "many columns": (put("y", np.zeros((11, 7))), r'dataset "y" has shape \(11, 7\), not \(11, 6\)'),
    "few rows": (put("y", np.zeros((10, 6))), r'dataset "y"'),
    "one dimension": (put("y", np.zeros(66)), r'dataset "y"'),
    "inputs": (put("inputs", np.zeros((11, 2))), r'dataset "inputs" has shape \(11, 2\), not \(11, 1\)'),
    "final inputs": (put("final_inputs", np.zeros(0)), r'dataset "final_inputs"'),
    "times that go back": (put("t", np.linspace(1, 0, 11)), r'dataset "t" does not ascend'),
    "times that are no numbers": (put("t", np.full(11, np.nan)), r'dataset "t"'),
    "single precision": (put("t", np.linspace(0, 1, 11), dtype="f4"), r'dataset "t" holds float32'),
    "texts for numbers": (put("t", ["a"] * 11), r'dataset "t" holds object'),
    "references": (references, r'dataset "t" holds object'),
    "pickled times": (put("t", PICKLE), r'dataset "t" holds'),
    "no times": (lambda file: file.__delitem__("t"), r'there is no dataset "t"'),
    "group for dataset": (lambda file: (file.__delitem__("t"), file.create_group("t")), r'there is no dataset "t"'),
    "no stepper": (lambda file: file.__delitem__("stepper"), r'there is no group "stepper"'),
    "strange stepper": (lambda file: file["stepper"].create_dataset("more", data=[1.0]), r"more"),
    "compressed": (put("y", np.zeros((11, 6)), compression="gzip"), r'dataset "y" is not stored .* plain'),
    "huge": (huge, r'dataset "t" is not stored .* plain'),
    "other file": (link("t", h5py.ExternalLink("/etc/passwd", "t")), r'"t" is a link to somewhere else'),
    "link inside": (link("t", h5py.SoftLink("/stepper/reals")), r'"t" is a link to somewhere else'),
    "link in a circle": (link("t", h5py.SoftLink("/t")), r'"t" is a link to somewhere else'),
    "other file's bytes": (external, r'dataset "t" is not stored'),
    "no format": (lambda file: file.attrs.__delitem__("kaneflex_format"), "format is None"),
    "later format": (say("kaneflex_format", 99), "format is .*99"),
    "format as text": (say("kaneflex_format", "2"), "format is '2'"),
    "no model": (lambda file: file.attrs.__delitem__("model"), r'there is no attribute "model"'),
    "model that is a number": (say("model", 3.0), r'attribute "model" is not one text'),
    "model that is a list": (say("model", "[]"), r'attribute "model" holds list'),
    "many models": (say("model", ["{}", "{}"]), r'attribute "model" is not one text'),
    "pickled model": (say("model", PICKLE), r'attribute "model" is not one text'),
    "model in no alphabet": (say("model", b"\xff\xfe"), r'attribute "model"'),
    "half a model": (say("model", '{"name": "cr'), r'attribute "model" is not JSON'),
    "empty model": (say("model", "{}"), "KeyError: 'name'"),
    "deep model": (say("model", '{"name": ' + DEEP + "}"), "nested too deep"),
    "deep events": (say("events", DEEP), "nested too deep"),
    "unknown status": (say("status", "fine"), r'attribute "status" is "fine"'),
    "unknown option": (say("options", '{"max_step": "inf", "size": 3}'), "size"),
    "unknown method": (say("options", '{"max_step": "inf", "method": "magic"}'), "magic"),
    "events of nothing": (say("events", "[3]"), "edited"),
    "statistics of words": (say("statistics", '{"steps": "many"}'), "'many' stands where a number"),
    "assembly of little": (say("assembly", '{"state": {"t": 0, "q": [1], "rates": []}}'), "where 2 numbers"),
    "impacts of words": (say("impacts", '[{"t": "x"}]'), "where a number"),
    "missing segment": (lambda file: file.create_group("segment1"), "a segment of the run is missing"),
    "strange segment": (lambda file: file.create_group("segments"), "edited"),
    "empty segment": (lambda file: file.create_group("segment0"), r'group "segment0": there is no attribute "model"'),
    "name of a system": (model(lambda d: d.update(name="../../x")), "no dots"),
    "name of a body": (model(lambda d: d["parts"][1].update(name="a/b")), "no slashes"),
    "name with escapes": (model(lambda d: d["parts"][1].update(name="\x1b[31m")), r"\\x1b\[31m"),
    "name that is none": (model(lambda d: d["parts"][1].update(name=["a"])), "give a name"),
    "two of a name": (model(lambda d: d["parts"][1].update(name="cart")), 'two bodies "cart"'),
    "name of a frame": (model(lambda d: d["parts"][1]["frames"][0].__setitem__(0, "a.b")), "no dots"),
    "name of a load": (model(lambda d: d["loads"][0].__setitem__(0, "")), "give a name"),
    "parent": (model(lambda d: d["parts"][1].update(parent="nobody")), r'parent of body "arm": "nobody"'),
    "own parent": (model(lambda d: d["parts"][1].update(parent="arm")), r'parent of body "arm"'),
    "number of coordinates": (model(lambda d: d["parts"][1].update(q=[0.0, 1.0])), r'"arm": q has shape'),
    "coordinate": (model(lambda d: d["parts"][1].update(q=[float("nan")])), r'"arm": q'),
    "unknown type": (model(lambda d: d["parts"][1]["body"].update(type="os.system")), "'os.system' is no type"),
    "no type": (model(lambda d: d["parts"][1]["body"].pop("type")), "None is no type"),
    "joint for a body": (model(lambda d: d["parts"][1].update(body=d["parts"][1]["joint"])), 'body "arm" is Revolute'),
    "body for a load": (model(lambda d: d["loads"][0].__setitem__(1, d["parts"][1]["body"])), '"spring" is Rigid'),
    "unknown argument": (model(lambda d: d["loads"][0][1].update(more=1)), "more"),
    "load on nobody": (model(lambda d: d["loads"][0][1].update(joint="nobody")), "nobody"),
    "mass": (model(lambda d: d["parts"][1]["body"].update(mass=-1.0)), "must not be negative"),
    "gravity": (model(lambda d: d.update(gravity=[0, 0])), "gravity has shape"),
    "huge array": (model(lambda d: d["parts"][0]["body"].update(com={"array": [1.0], "shape": [2**40]})), "reshape"),
    "more samples than bodies": (model(lambda d: d["parts"].pop()), "edited"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_run_has_is_refused(edited, name):
    change, words = HOSTILE[name]
    with pytest.raises(kf.FileError, match=words) as caught:
        edited(change)
    assert "edited.h5" in str(caught.value) and len(str(caught.value)) < 1000


def test_an_edit_that_is_right_is_read(edited, run):
    again = edited(model(lambda d: d.update(gravity=[0, 0, -1.62])))
    assert again.model.gravity == (0, 0, -1.62) and np.array_equal(again.q, run.q)


def test_an_integrator_of_another_system_is_not_taken_up(edited):
    """Its integers are places in arrays: wrong ones would be read from and written to."""

    def change(file):
        ints = file["stepper/ints"][()]
        ints[18:30] = 10**6
        file["stepper/ints"][()] = ints

    with pytest.raises(kf.ModelError, match="not of this run"):
        edited(change).extend(0.1)


@pytest.mark.parametrize(
    "data", [b"", b"x", b"kaneflex", b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + b"\0" * 2000, b"\x80\x04K\x01."]
)
def test_other_files_are_refused(tmp_path, data):
    path = tmp_path / "other.h5"
    path.write_bytes(data)
    with pytest.raises(kf.FileError, match=r"other\.h5 is"):
        kf.Run.load(path)


def test_folders_are_refused(tmp_path):
    with pytest.raises(kf.FileError, match=r"cannot read .*: Is a directory"):
        kf.Run.load(tmp_path)


# -- several who write and read ------------------------------------------------------------------------------------------


def _save_until(run, path, stop):
    while not stop.is_set():
        run.save(path)


def test_a_reader_sees_whole_runs_while_two_save(run, tmp_path):
    fork = multiprocessing.get_context("fork")
    other = system().simulate(0.5, output=0.1)
    path, stop, seen, limit = run.save(tmp_path / "run.h5"), fork.Event(), set(), time.monotonic() + 30
    savers = [fork.Process(target=_save_until, args=(r, path, stop)) for r in (run, other)]
    for saver in savers:
        saver.start()
    try:
        for k in itertools.count():
            again = kf.Run.load(path)
            assert same(again, run if len(again.t) == len(run.t) else other)
            seen.add(len(again.t))
            if (k > 10 and len(seen) == 2) or time.monotonic() > limit:
                break
    finally:
        stop.set()
        for saver in savers:
            saver.join()
    assert seen == {len(run.t), len(other.t)} and [f.name for f in tmp_path.iterdir()] == ["run.h5"]
