"""A joint, a load, a kind of body, a block, a part and an integrator added as somebody else would: by files of their own.

What each needs is a folder of `tests/exercises`; docs/architecture.md says how many files these are. `checks.py` there
holds what the new things must then do.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_house import ROOT, table

import kaneflex

EXERCISES = ROOT / "tests" / "exercises"
KINDS = {
    "a joint": "joint",
    "a load": "load",
    "a kind of body": "body",
    "a block": "block",
    "a part": "part",
    "an integrator": "integrator",
}
CHECKS = re.findall(r"^def ((?:joint|load|body|block|part|integrator)_\w+)", (EXERCISES / "checks.py").read_text(), re.M)


def files_of(kind):
    return sorted(path.relative_to(EXERCISES / kind) for path in (EXERCISES / kind).rglob("*.py"))


@pytest.mark.parametrize("kind", KINDS)
def test_as_many_files_as_the_docs_say(kind):
    """All of them are new: nothing that is there is touched."""
    (row,) = [row for row in table("To add something") if row[0] == kind]
    files = files_of(KINDS[kind])
    assert row[1] == str(len(files))
    package = Path(kaneflex.__file__).parent
    patterns = {re.sub(r"\w+\.py$", "", pattern) for pattern in re.findall(r"`([\w/]+\.py)`", row[2])}
    assert {f"{path.parent.as_posix()}/" for path in files} == patterns
    assert not [path for path in files if (package / path).exists()]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The package with all the exercises in it."""
    folder = tmp_path_factory.mktemp("exercises")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(kaneflex.__file__).parent, folder / "kaneflex", ignore=ignore)
    for kind in KINDS.values():
        shutil.copytree(EXERCISES / kind, folder / "kaneflex", ignore=ignore, dirs_exist_ok=True)
    return folder


def python(folder, *arguments, **variables):
    """What a Python process prints in a folder, with the package that is there."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "KANEFLEX_CACHE": str(folder / "cache"), **variables}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


@pytest.mark.thorough
def test_all_that_is_promised_holds(package):
    """In one process, which compiles the kernels of the package as it is then."""
    assert len(CHECKS) == 15
    assert python(package, str(EXERCISES / "checks.py"), *CHECKS) == CHECKS


OUTSIDE = """
import pin_slot, slots
import kaneflex as kf
from kaneflex.kernels import backend
from kaneflex.kernels.joints import dispatch
from kaneflex.model.codec import model_from_data, model_to_data
from kaneflex.model.joints import add_joint

s = kf.System("s")
s.add("rod", kf.Rigid(2.0, inertia=(0.3, 0.3, 0.3)), slots.PinSlot("z"), q=(0.1, 0.2))
try:
    s.dynamics()
except kf.ModelError as error:
    assert "code 40 of PinSlot" in str(error) and "before the first run" in str(error), error
before, text = backend.source_hash(), dispatch.CHAINS.text
add_joint(pin_slot, slots.PinSlot)
assert backend.source_hash() != before and "elif code == PIN_SLOT:" not in text
assert "elif code == PIN_SLOT:\\n        pin_slot_columns(q, k, W, c)\\n" in dispatch.CHAINS.text
eq = s.equations()
assert [[str(e) for e in row] for row in eq.M] == [["m_rod", "0"], ["0", "I_rod_zz"]], eq.M
again = model_from_data(model_to_data(s), {})
assert again.parts["rod"].joint == s.parts["rod"].joint
for wrong in (NameError, RuntimeError):
    try:
        add_joint(pin_slot, slots.PinSlot)
    except wrong as error:
        assert "same code, 40" in str(error) or "too late" in str(error), error
    else:
        raise AssertionError("added twice, or too late")
    backend.compiled()
print("done")
"""


def test_a_joint_outside_the_package(tmp_path):
    """Its two files are the user's own; here only in symbols, which need no compiled kernels."""
    kernel, declaration = (EXERCISES / "joint" / path for path in files_of("joint"))
    shutil.copy(kernel, tmp_path / "pin_slot.py")
    text = declaration.read_text()
    assert text.count("from kaneflex.kernels.joints import pin_slot\n") == 1
    (tmp_path / "slots.py").write_text(text.replace("from kaneflex.kernels.joints import pin_slot\n", "import pin_slot\n"))
    here = os.pathsep.join([str(tmp_path), str(Path(kaneflex.__file__).parents[1])])
    assert python(tmp_path, "-c", OUTSIDE, PYTHONPATH=here) == ["done"]


WRONG_CODES = """
import kaneflex as kf
from kaneflex.kernels.joints import revolute
from kaneflex.kernels.forces import point_force

class Odd(kf.Revolute):
    facts = revolute.FACTS._replace(code=99)

class Strange(kf.Force):
    kind = point_force.FACTS._replace(code=99)

for joint, load in ((Odd("z"), None), (kf.Revolute("z"), Strange("a", (1.0, 0, 0)))):
    s = kf.System("s")
    s.add("a", kf.Rigid(1.0, inertia=(1, 1, 1)), joint)
    if load is not None:
        s.apply("f", load)
    try:
        s.simulate(0.1)
    except kf.ModelError as error:
        print("99" in str(error) and ("Odd" in str(error) if load is None else '"f"' in str(error)))
"""


def test_codes_that_no_kernel_has_are_refused(tmp_path):
    """They would fall into no branch of the kernels, and nothing would move the body, or push it."""
    assert python(tmp_path, "-c", WRONG_CODES, PYTHONPATH=str(Path(kaneflex.__file__).parents[1])) == ["True", "True"]
