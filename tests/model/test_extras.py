"""What needs a package that is not there says what needs it, and the command that installs it."""

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

import kaneflex as kf
from kaneflex import doctor
from kaneflex.model import extras
from kaneflex.structures.readers import meshes

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def bar(mass=1.0):
    s = kf.System("bar", gravity=(0, -9.81, 0))
    s.add("bar", kf.Rigid(mass, com=(1, 0, 0)), kf.Revolute("z"))
    return s


def study(at):
    kf.Study(
        lambda values: bar(values["mass"]), {"mass": kf.normal(1.0, 0.1)}, duration=0.01, runs=2, store=at / "store"
    ).run(workers=0)


def test_in_a_source_tree_its_own_extra_is_installed_and_elsewhere_that_of_the_package(monkeypatch, tmp_path):
    assert extras.ROOT == ROOT
    assert extras.installation("fe") == f'python -m pip install -e "{ROOT}[fe]"'
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    assert extras.installation("fe") == 'python -m pip install "kaneflex[fe]"'
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\n')
    assert extras.installation("fe") == 'python -m pip install "kaneflex[fe]"'


@pytest.mark.parametrize(
    ("package", "extra", "ask"),
    [
        ("pandas", "frames", lambda at: bar().simulate(0.01).to_pandas()),
        ("xarray", "frames", lambda at: bar().simulate(0.01).to_xarray()),
        ("imageio_ffmpeg", "film", lambda at: bar().simulate(0.01).animate(at / "x.mp4")),
        ("control", "control", lambda at: bar().to_control()),
        ("control", "control", lambda at: bar().linearize().to_control()),
        ("meshio", "mesh", lambda at: meshes.from_mesh(at / "x.msh", 1e9, 0.3, 1e3)),
        ("sksundae", "sundials", lambda at: bar().simulate(0.01, method="cvode")),
        ("zarr", "study", study),
        ("gymnasium", "gym", lambda at: importlib.import_module("kaneflex.gym")),
    ],
)
def test_a_missing_package_is_said_with_its_extra(package, extra, ask, monkeypatch, tmp_path):
    assert extra in EXTRAS
    for name in [name for name in sys.modules if name.partition(".")[0] == package or name == "kaneflex.gym"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "x.msh").write_text("$MeshFormat")
    with pytest.raises(extras.MissingPackage, match=re.escape(f": {extras.installation(extra)}")) as said:
        ask(tmp_path)
    assert isinstance(said.value, ImportError) and re.search(r"\bneeds? \w", str(said.value))


def test_commands_that_install_come_from_one_place_and_their_extras_are_there():
    own = {ROOT / "src/kaneflex/model/extras.py", ROOT / "src/kaneflex/kernels/numba_compat.py"}
    texts = {path: path.read_text() for path in (ROOT / "src/kaneflex").rglob("*.py")}
    assert [
        path for path, text in texts.items() if "pip install" in text and "[oracles]" not in text and path not in own
    ] == []
    named = [re.findall(r'(?:installation\(|optional\([^()]*?, )["\'](\w+)["\'][,)]', text) for text in texts.values()]
    found = {name for names in named for name in names}
    assert len(found) > 6 and found <= set(EXTRAS)
    assert {extra for extra, _ in doctor.OPTIONAL.values()} <= set(EXTRAS)
