"""Random sweeps: an eighth of the examples in `make test`, all of them in `make thorough`."""

import os

import pytest
from hypothesis import settings

MANY = os.environ.get("KANEFLEX_SWEEPS") == "many"


def sweep(examples: int):
    """In place of `settings`: a test that Hypothesis runs on this many examples in `make thorough`."""

    def decorated(test):
        return pytest.mark.sweep(settings(max_examples=examples if MANY else max(5, examples // 8))(test))

    return decorated
