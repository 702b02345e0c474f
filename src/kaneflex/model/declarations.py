"""Declarations that are found in a folder, one in each file."""

from types import ModuleType
from typing import Any

from kaneflex.kernels.kinds import modules_in


def declared_in(package: str, base: type) -> dict[str, Any]:
    """Dataclasses of a kind, by name, that the modules of a package define."""
    return {kind.__name__: kind for module in modules_in(package) for kind in _declared_by(module, base)}


def _declared_by(module: ModuleType, base: type) -> list[type]:
    own = [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]
    return [x for x in own if issubclass(x, base) and "__dataclass_params__" in vars(x)]  # one itself, no base of others
