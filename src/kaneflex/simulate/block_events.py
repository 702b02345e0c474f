"""Events that blocks bring along: a tank runs empty."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kaneflex.plan.plan import Event

if TYPE_CHECKING:
    from kaneflex.model.model import Model


def _value(t: Any, x: Any) -> Any:
    return x[0]


def _setting(block: str, values: Mapping[str, float]) -> Callable[[Any], None]:
    """An action that gives states of a block these values."""

    def action(state: Any) -> None:
        for name, value in values.items():
            state[f"{block}.{name}"] = value

    return action


def own_events(model: "Model", driven: Mapping[str, Any]) -> list[Event]:
    """Events of the user, then those of the model's blocks."""
    found = list(driven["events"])
    for name, block in model.blocks.items():
        for c in block.crossings:
            found.append(Event(_value, (f"{name}.{c.falls}",), -1, action=_setting(name, c.sets), name=f"{name} {c.word}"))
    return found


__all__ = ["own_events"]
