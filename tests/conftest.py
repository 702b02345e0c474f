"""What all tests share: where `oracles`, `trees` and `benchmarks` are found, how Hypothesis draws, what is slow."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).resolve().parent
for place in (HERE, HERE.parent):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

os.environ.setdefault("KANEFLEX_HELPER", "0")  # the workers of a test run share the processors already

# The same examples in every run: a red test stays red until it is mended. The first example may compile kernels.
settings.register_profile(
    "kaneflex",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("kaneflex")

# What `make check` leaves out: two thirds of the time of `make test`. Whole folders and files, by path below this one.
SLOW = (
    "formulations/test_derivatives.py",
    "formulations/test_loops.py",
    "fuzz/",
    "gallery/",
    "kernels/test_backend.py",
    "kernels/test_helper.py",
    "kernels/test_kernel_cache.py",
    "meta/test_change_exercises.py",
    "meta/test_docs.py",
    "meta/test_flexible_benchmark.py",
    "meta/test_loops_benchmark.py",
    "plan/test_captured_values.py",
    "properties/",
    "simulate/test_feet.py",
    "simulate/test_impacts.py",
    "simulate/test_memory.py",
    "structures/test_book_theories.py",
    "symbolic/",
    "test_cli.py",
    "test_killed.py",
    "view/test_browser",
)


# What `make test` leaves to `make thorough`: tests that took more than 1.5 s by themselves, by path and name.
HEAVY = set((HERE / "heavy.txt").read_text(encoding="utf-8").split("\n"))


def pytest_collection_modifyitems(items):
    for item in items:
        if f"{item.path.relative_to(HERE).as_posix()}::{item.name}" in HEAVY:
            item.add_marker(pytest.mark.thorough)
        if item.path.relative_to(HERE).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)
