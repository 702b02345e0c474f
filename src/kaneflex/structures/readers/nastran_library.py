"""The library that reads Nastran's files, and the choice of a superelement in these."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional


def nastran_tools() -> Any:
    """The module that reads Nastran's files."""
    with np.printoptions():  # pyyeti changes how NumPy prints, for everybody
        return optional("pyyeti.nastran", "reading Nastran's files needs pyyeti", "fe")


def chosen(ids: Sequence[int], superelement: int | None, path: Path) -> int:
    """Which superelement of a file: the only one, or the one that is asked for."""
    if len(ids) == 1:
        return ids[0]
    listed = ", ".join(map(str, sorted(ids)))
    if superelement is None:
        raise ModelError(f"{path} has superelements {listed}: say which with superelement= (--superelement)")
    if superelement not in ids:
        raise ModelError(f"{path} has no superelement {superelement}: there are {listed}")
    return superelement
