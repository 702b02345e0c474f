"""Copies of a model: one that may be changed without changing it, and one that is kept as the model was.

What stands in a model's tables never changes (parts, loads and constraints are replaced, not altered), so that copies share
it: a copy costs its tables alone.
"""

import copy
from typing import Any, NoReturn

from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model

TABLES = ("parts", "rotors", "loads", "inputs", "constraints", "contacts", "shapes")


class _Kept(dict[str, Any]):
    """A table of a kept model, which refuses to be changed; copies of the table do not."""

    def __init__(self, table: dict[str, Any], model: Model):
        super().__init__(table)
        self._model = model

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ModelError(self._model._refusal)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


def variant(model: Model) -> Model:
    """A copy whose tables may change."""
    other = copy.copy(model)
    vars(other).pop("is_kept", None)
    for table in TABLES:
        setattr(other, table, dict(getattr(model, table)))
    other.frames = {body: dict(frames) for body, frames in model.frames.items()}
    other.plans = {}
    return other


def kept(model: Model) -> Model:
    """A copy that cannot be changed; the model itself where it is one."""
    if model.is_kept:
        return model
    other = variant(model)
    for table in TABLES:
        setattr(other, table, _Kept(getattr(other, table), other))
    other.frames = _Kept({body: _Kept(frames, other) for body, frames in other.frames.items()}, other)
    other.is_kept = True
    return other


__all__ = ["kept", "variant"]
