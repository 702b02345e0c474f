"""SymPy's own tests of KanesMethod, and PyDy's, run on ours: what they say holds, but for operation counts and the like."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kaneflex.symbolic import KanesMethod

ROOT = Path(__file__).parents[2]
TESTS = {
    "test_kane": (
        "test_aux",
        "test_invalid_coordinates",
        "test_issue_24887",
        "test_one_dof",
        "test_parallel_axis",
        "test_pend",
        "test_rolling_disc",
        "test_two_dof",
    ),
    "test_kane2": ("test_aux_dep", "test_non_central_inertia", "test_sub_qdot", "test_sub_qdot2"),
    "test_kane4": ("test_replace_qdots_in_force",),
    "test_kane5": ("test_kane_rolling_disc_kdes_callable",),
    "test_linearize": (
        "test_linearize_pendulum_kane_minimal",
        "test_linearize_pendulum_kane_nonminimal",
        "test_linearize_rolling_disc_kane",
    ),
}


LONG = ("test_linearize", "test_linearize_rolling_disc_kane")
CASES = [(m, n) for m, names in TESTS.items() for n in names if (m, n) != LONG]
CASES.append(pytest.param(*LONG, marks=pytest.mark.thorough))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("module", "name"), CASES)
def test_of_sympy(module, name, monkeypatch):
    tests = pytest.importorskip(f"sympy.physics.mechanics.tests.{module}")
    monkeypatch.setattr(importlib.import_module(tests.__name__), "KanesMethod", KanesMethod)
    getattr(tests, name)()


#: Tests that compare forms: numbers of operations, an expression that holds sin^2 + cos^2 here, the text of generated code.
OF_FORM = {
    "sympy": {"test_implicit_kinematics", "test_complete_simple_double_pendulum"},
    "pydy": {"test_OctaveMatrixGenerator"},
}
FOLDERS = {"sympy": ["sympy.physics.mechanics"], "pydy": ["pydy.tests", "pydy.codegen.tests"]}


def failures(package, folder, *plugin):
    """Names of the tests of a package that fail, without their parameters; they run in a folder without our settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *plugin, "--pyargs", *FOLDERS[package]]
    places = {"PYTHONPATH": os.pathsep.join(map(str, [ROOT, ROOT / "src"]))}
    said = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=os.environ | places, check=False)
    assert re.search(r"\d+ passed", said.stdout), said.stdout[-2000:] + said.stderr[-2000:]
    return set(re.findall(r"^FAILED \S*::(\w+)", said.stdout, re.MULTILINE))


@pytest.mark.thorough
@pytest.mark.parametrize("package", FOLDERS)
def test_all_tests_of(package, tmp_path):
    """With ours in the place of SymPy's class nothing fails but what compares forms; of PyDy what fails with SymPy's."""
    pytest.importorskip(package)
    ours = failures(package, tmp_path, "-p", "tests.symbolic.in_sympys_place")
    theirs = failures(package, tmp_path) if package == "pydy" else set()  # it wants tools that may not be there
    assert ours - theirs <= OF_FORM[package]

