"""Systems of the literature, one runnable file each."""

import importlib
import pkgutil
from functools import cache

from kaneflex.gallery.contract import DOCUMENTS, Check, Example


@cache
def examples() -> dict[str, Example]:
    """All gallery systems by name: every module of this folder that has an EXAMPLE."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        example = getattr(importlib.import_module(f"{__name__}.{module.name}"), "EXAMPLE", None)
        if example is not None:
            found[example.name] = example
    return dict(sorted(found.items()))


def in_order() -> list[Example]:
    """All gallery systems by document and chapter."""
    return sorted(examples().values(), key=lambda example: example.place)


__all__ = ["DOCUMENTS", "Check", "Example", "examples", "in_order"]
