"""Controllers that run at a fixed period, between steps of the integrator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kaneflex.model import checks
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
