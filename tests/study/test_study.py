"""A study in this process: its runs are those of `simulate`; what goes wrong is kept; what is stored is not done again."""

import errno
import gc
import json
import multiprocessing
import tempfile
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import swings
from click.testing import CliRunner

import kaneflex as kf
from kaneflex.cli import main
from kaneflex.study import drive
from kaneflex.study.store import Store

pytest.importorskip("zarr", reason="zarr is not installed (pip install 'kaneflex[study]')")


def study(path=None, subject=None, runs=12, **words):
    words = {"keep": swings.KEEP, "design": "sobol", "seed": 5} | swings.SHORT | words
    return kf.Study(subject or swings.system(), swings.LENGTH, runs=runs, store=path, **words)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    made = study(tmp_path_factory.mktemp("study") / "a.zarr")
    return made, made.run(workers=0)


def test_a_run_of_a_study_is_a_run_alone(done):
    made, found = done
    assert found.complete and found.done.all() and not found.messages()
    for k in (0, 7, 11):
        run = swings.system().simulate(0.5, times=np.array(found.data["t"]), parameters=found.values_of(k))
        assert run["rod.q"].tobytes() == found["rod.q"][k].tobytes()
        assert run["rod.q"][-1] == found["final rod.q"][k] and np.abs(run["rod.rate"]).max() == found["peak rod.rate"][k]
        assert (run["rod.position"][[2, 4]] == found["rod.position at 0.2, 0.33"][k]).all()
    data = found.data
    assert data["rod.q"].dims == ("run", "t") and data["rod.q"].attrs["units"] == "rad"
    assert list(data["rod.position.component"].values) == ["x", "y", "z"]
    assert data["mass"].values.tobytes() == made.table["mass"].tobytes()
    # by a function that builds each system the numbers are the same
    swings.same(found, study(subject=swings.build).run(workers=0))


def test_reductions_are_those_of_closed_forms():
    """A mass that falls: x = g t^2/2 has the mean g T^2/6 and the root mean square g T^2/sqrt 20."""

    def drop(values):
        falling = kf.System("drop", gravity=(9.0, 0, 0))
        falling.add("mass", kf.PointMass(values["mass"]), kf.Prismatic("x"))
        return falling

    keep = ["min mass.q", "max mass.q", "mean mass.q", "rms mass.q", "final mass.q", "peak mass.q"]
    made = kf.Study(drop, {"mass": [2.0]}, design="grid", duration=2.0, output=0.002, keep=keep)
    found = made.run(workers=0)
    values = [float(found[name][0]) for name in keep]
    assert values == pytest.approx([0.0, 18.0, 6.0, 36 / np.sqrt(20), 18.0, 18.0], rel=1e-6)


def test_what_goes_wrong_is_kept_with_its_reason():
    troubles = ["none", "raises", "no system", "bad model", "nan", "also none"]
    words = {"duration": 0.5, "keep": ["final rod.q"]}
    found = kf.Study(swings.troubled, {"trouble": troubles}, design="table", **words).run(workers=0)
    assert found.complete and list(found.status) == [1, 2, 2, 2, 2, 1]
    reasons = ["ZeroDivisionError: the user's own", "let it return a System or a Run", "com", "finite"]
    for k, words in enumerate(reasons, start=1):
        assert words in found.messages()[k], found.messages()[k]
    assert found["final rod.q"][0] == found["final rod.q"][1] and np.isnan(found.data["final rod.q"][1:5]).all()


def test_only_what_users_are_warned_of_is_kept_with_a_run():
    def careless(values):
        with pytest.raises(AttributeError):
            tempfile.TemporaryDirectory().missing  # noqa: B018  (collected here, with a ResourceWarning)
        if values["length"] > 1.0:
            warnings.warn("longer than the room", stacklevel=1)
        return swings.build(values)

    found = kf.Study(careless, {"length": [0.5, 1.5]}, design="table", keep=["final rod.q"], **swings.SHORT).run(workers=0)
    assert found.done.all() and found.messages() == {1: "longer than the room"}


def test_a_forked_process_leaves_the_folder_of_a_study():
    studies = [study()]
    folder = studies[0].path.parent

    def collect():
        studies.clear()
        gc.collect()

    child = multiprocessing.get_context("fork").Process(target=collect)
    child.start()
    child.join()
    assert child.exitcode == 0 and folder.is_dir()
    collect()
    assert not folder.exists()


@pytest.mark.thorough
def test_a_run_that_never_ends_is_ended():
    troubles = ["none", "never ends", "never ends in a load", "also none"]
    words = {"duration": 0.5, "keep": ["final rod.q"], "limit": 6.0}
    found = kf.Study(swings.troubled, {"trouble": troubles}, design="table", **words).run(workers=0)
    assert list(found.status) == [1, 2, 2, 1] and set(found.messages().values()) == {"did not end within 6 s"}


def test_a_kept_value_that_is_no_number_fails_its_run_alone():
    keep = {"odd": lambda run: np.nan if run["rod.q"][-1] < 0.0 else 1.0}
    found = study(keep=keep).run(workers=0)
    assert 0 < found.failed.sum() < 12 and set(found.messages().values()) == {'"odd" is not finite'}
    every = study(keep=["final rod.q"]).run(workers=0)["final rod.q"]
    assert (found.failed == (every < 0.0)).all()


def test_what_is_stored_is_not_done_again(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("STUDY_LOG", str(log))
    monkeypatch.setattr(drive, "LARGEST_BLOCK", 3)
    full = OSError(errno.ENOSPC, "No space left on device")
    from zarr.storage import _local as local

    put, left = local._put, [80]

    def short_of_room(path, value, exclusive=False):
        left[0] -= 1
        if left[0] < 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            raise full
        return put(path, value, exclusive)

    monkeypatch.setattr(local, "_put", short_of_room)
    made = study(tmp_path / "b.zarr", subject=swings.logged, runs=30)
    with pytest.raises(kf.FileError, match=r"No space left.*[1-9]\d* of 30 runs are stored") as raised:
        made.run(workers=0)
    assert raised.value.errno == errno.ENOSPC
    before = kf.Ensemble(tmp_path / "b.zarr")
    stored = set(before["length"])
    assert len(stored) == before.done.sum() > 0 and not before.complete
    log.unlink()
    monkeypatch.setattr(local, "_put", put)
    found = made.run(workers=0)
    again = [float(line) for line in log.read_text().split()]
    assert not stored & set(again) and len(stored) + len(again) == 30 == len(stored | set(again))
    log.unlink()
    swings.same(found, study(tmp_path / "c.zarr", subject=swings.logged, runs=30).run(workers=0))
    log.unlink()
    swings.same(found, made.run(workers=0))
    assert not log.exists()


def test_a_store_of_another_study_is_refused(done, tmp_path):
    path = done[0].path
    for other, word in (({"seed": 6}, "seed"), ({"rtol": 1e-9}, "options"), ({"keep": ["rod.q"]}, "keep")):
        with pytest.raises(kf.ModelError, match=rf"holds another study, different in .*{word}"):
            study(path, **other).run(workers=0)
    (tmp_path / "d.zarr").mkdir()
    with pytest.raises(kf.FileError, match="no store of a study"):
        study(tmp_path / "d.zarr").run(workers=0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"keep": ["largest rod.q"]}, '"largest" is none of'),
        ({"keep": [lambda run: 1.0]}, "lambda without a name"),
        ({"keep": ["rod.q", "rod.q"]}, "twice"),
        ({"keep": ["rod.q at 0.7"]}, "the runs last from 0 to 0.5 s"),
        ({"keep": {"mass": "rod.q"}}, 'parameter "mass"'),
        ({"duration": None}, "duration= is missing"),
        ({"progress": True}, "progress= is said by the study"),
        ({"design": "sobel"}, "design"),
        ({"limit": -1.0}, "limit"),
        ({"runs": 0}, "runs"),
    ],
)
def test_wrong_arguments_are_named(words, message):
    with pytest.raises(kf.ModelError, match=message):
        study(**words)


def test_what_an_ensemble_does_not_have_is_named(done):
    found = done[0].results
    for asked, message in (
        (lambda: found.values_of(found.store.runs), "numbered from 0"),
        (lambda: found.title("rod.q[99999]"), "there is no number 99999"),
        (lambda: found.percentiles("final rod.q[3]"), r"has the shape \(\): there is no number 3"),
        (lambda: found.percentiles("final rod.q", [50, 200]), "numbers from 0 to 100"),
        (lambda: found.unit("rod.qq"), r'"rod.qq" is not known'),
    ):
        with pytest.raises(kf.ModelError, match=message):
            asked()


def test_unknown_names_are_named():
    with pytest.raises(kf.ModelError, match="lenght"):
        kf.Study(swings.system(), {"lenght": kf.uniform(0, 1)}, runs=3, duration=1.0)
    with pytest.raises(kf.ModelError, match=r"none of the first 12 runs.*rod\.qq"):
        study(keep=["rod.qq"]).run(workers=0)


def apart(ax):
    """Whether no two words below an axis meet in its picture."""
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
    return len(boxes) > 2 and all(a.x1 + 2 < b.x0 for a, b in pairwise(boxes))


def test_figures_percentiles_and_page(done, tmp_path):
    found = done[1]
    values = found.numbers("peak rod.rate")
    assert found.percentiles("peak rod.rate", [50]) == pytest.approx([np.median(values)])
    assert found.percentiles("rod.q").shape == (5, 7)
    assert found.importance("peak rod.rate").order[0] == "length"
    assert found.title("rod.position at 0.2, 0.33[1]").startswith("rod.position")
    assert len(found.plot("rod.q", "peak rod.rate").axes) == 2
    assert apart(found.plot("peak rod.rate").axes[0]) and apart(found.plot(*["peak rod.rate"] * 3).axes[1])
    assert len(found.scatter("peak rod.rate").axes) == 2 and found.tornado("peak rod.rate").axes
    page = found.report(tmp_path / "page.html").read_text()
    assert "12 runs done" in page and page.count("<img") >= 3 and "kf.normal" not in page and "normal(1, 0.1)" in page
    with pytest.raises(kf.ModelError, match='needs design="saltelli"'):
        found.importance("peak rod.rate", by="sobol")


def test_the_command_does_what_a_file_says(tmp_path, monkeypatch):
    (tmp_path / "swings_of_mine.py").write_text(Path(swings.__file__).read_text())
    file = tmp_path / "swing.toml"
    file.write_text(
        'system = "swings_of_mine.py:system_of_mine"\nruns = 6\ndesign = "latin"\nkeep = ["final rod.q"]\n'
        "[parameters]\nmass = { normal = { mean = 1.0, deviation = 0.1, low = 0.5 } }\nlength = { uniform = [0.5, 1.5] }\n"
        "[simulate]\nduration = 0.5\n"
    )
    with (tmp_path / "swings_of_mine.py").open("a") as module:
        module.write("\n\nsystem_of_mine = system()\n")
    words = ["study", str(file), "--workers", "0", "--json", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert told["done"] == 6 and len(told["percentiles"]["final rod.q"]) == 5
    assert (tmp_path / "out" / "study.html").exists() and Store.open(tmp_path / "swing.zarr").runs == 6
    wrong = {"runs = 3": "say which system", 'system = "nobody"': "nobody", "x = 1": "key of", "=": "TOML"}
    for text, word in wrong.items():
        file.write_text(text)
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 2 and word in result.output


def test_runs_side_by_side_are_those_alone_and_the_same_bits_in_any_block(monkeypatch):
    alone = study(runs=24, lanes=False).run(workers=0)
    found = study(runs=24, lanes=True).run(workers=0)
    for name in ("rod.q", "final rod.q", "peak rod.rate"):
        assert found[name] == pytest.approx(alone[name], rel=1e-11, abs=1e-12)
    monkeypatch.setattr("kaneflex.study.study.block_size", lambda *_: 5)
    swings.same(found, study(runs=24, lanes=True).run(workers=0))


def test_a_run_that_fails_beside_others_fails_alone():
    mass = kf.Parameter("mass", 1.0, unit="kg")
    swing = kf.System("swing", gravity=(0, 0, -9.81))
    swing.add("rod", kf.Rigid(mass, com=(0, 0, -1.0)), kf.Revolute("y"), q=0.3)
    swing.apply("odd", kf.JointForce("rod", lambda t: np.sqrt(mass - 0.7 - t)))  # NaN before the end where mass < 1.2
    values = {"mass": np.array([1.5, 0.9, 2.0])}
    words = {"design": "table", "keep": ["final rod.q"], **swings.SHORT}
    side, alone = (kf.Study(swing, values, lanes=lanes, **words).run(workers=0) for lanes in (True, False))
    assert list(side.done) == list(alone.done) == [True, False, True]
    assert side.messages() == alone.messages()
    assert side["final rod.q"] == pytest.approx(alone["final rod.q"], rel=1e-11)
