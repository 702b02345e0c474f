"""SymPy's own tests of KanesMethod, run on ours: what they say of public results holds.

Left out are tests of private functions of SymPy's class and of its operation counts.
"""

import importlib

import pytest

from kaneflex.symbolic import KanesMethod

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
