"""Controllers that run at a fixed period, between steps of the integrator."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
from kaneflex.model.blocks import BlockBase
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Sampled:
    """A controller in plain Python, called every `period` seconds; its outputs are held in between.

    Args:
        period: s.
        law: function (t, x) of time and of the values of the channels in `sees`, giving the values of the inputs in
            `drives` (one number where there is one).
        sees: channels.
        drives: names of inputs.
    """

    period: float
    law: Callable[..., Any]
    sees: Sequence[str] | str
    drives: Sequence[str] | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", checks.positive(self.period, "period of a Sampled controller"))
        if not checks.is_function(self.law):
            raise ModelError(f"law of a Sampled controller is {self.law!r}: give a function of t and x")
        for field in ("sees", "drives"):
            value = getattr(self, field)
            several = (value,) if isinstance(value, str) else value
            object.__setattr__(self, field, checks.names(several, f"{field} of a Sampled controller"))
        if not self.drives:
            raise ModelError("a Sampled controller drives nothing: name the inputs in drives=")


def check_drivers(
    names: Iterable[str], given: Iterable[str], controllers: Sequence[Any], blocks: Mapping[str, BlockBase]
) -> None:
    """Raise an error where an input is not known or has two drivers.

    Args:
        names: of the system's inputs.
        given: inputs with a value or a function of their own.
        controllers: Sampled controllers.
        blocks: of the system.
    """
    known, driver = list(names), dict.fromkeys(given, "its entry in inputs=")
    for name in driver:
        checks.known(name, known, "input")
        block = next((b for b, x in blocks.items() if name in x.drives), None)
        if block is not None:
            raise ModelError(f'input "{name}" is driven by block "{block}" and by {driver[name]}: let one drive it')
    driver |= {name: f'block "{b}"' for b, block in blocks.items() for name in block.drives}
    for k, controller in enumerate(controllers):
        if not isinstance(controller, Sampled):
            raise ModelError(f"controller {k + 1} is {controller!r}: give a Sampled")
        for name in controller.drives:
            checks.known(name, known, f"controller {k + 1} drives input")
            if name in driver:
                raise ModelError(f'input "{name}" is driven by {driver[name]} and by controller {k + 1}: let one drive it')
            driver[name] = f"controller {k + 1}"
