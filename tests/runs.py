"""Runs of gallery systems that several tests look at: each is made once in a process."""

from functools import cache
from typing import Any

from kaneflex import Run
from kaneflex.gallery import examples


def gallery_run(name: str, changes: dict[str, Any] | None = None, formulation: str = "recursive", speeds: str = "customary"):
    """The run of a gallery system, with parameters changed as on the command line; and these parameters.

    Tests share it, so none of them may alter it.
    """
    return _run(name, tuple(sorted((key, str(value)) for key, value in (changes or {}).items())), formulation, speeds)


@cache
def _run(name: str, changes: tuple[tuple[str, str], ...], formulation: str, speeds: str) -> tuple[Run, dict[str, Any]]:
    example = examples()[name]
    p = example.settings(dict(changes))
    return example.simulate(example.build(p), p, formulation=formulation, speeds=speeds), p
