"""What loads by fields have in common: they are forces or torques by a law."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from kaneflex.model.forces.contract import Load, LoadTable

if TYPE_CHECKING:
    from kaneflex.model.model import Model


class FieldLoad(Load):
    """A load that is said by others: forces and torques whose laws see places in a field. Its power is applied power."""

    @abstractmethod
    def said(self, model: "Model") -> tuple[Load, ...]:
        """The forces and torques, for a model."""

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where it acts on no body of the model; `what` names it."""
        for load in self.said(model):
            load.check(model, what)

    def fill(self, table: LoadTable) -> None:
        """Add the rows of its forces and torques to a table."""
        for load in self.said(table.model):
            load.fill(table)


def given(value: Any, size: int) -> Any:
    """What a law may call for a value that is a constant, a function of t, or of t and channels: a function of (t, x).

    Args:
        value: checked, a number or numbers, or a function.
        size: how many numbers the channels that it sees hold; 0 for a function of t alone.
    """
    if not callable(value):
        return lambda t, x: value
    return (lambda t, x: value(t, x)) if size else (lambda t, x: value(t))


__all__ = ["FieldLoad", "given"]
