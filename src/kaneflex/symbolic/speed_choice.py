"""A choice of generalized speeds, and the operations that its equations take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows
from kaneflex.symbolic.program import Program

if TYPE_CHECKING:
    from kaneflex.symbolic.kanes_method.method import KanesMethod
    from kaneflex.symbolic.system.derivation import Equations

Expr = Any


@typed
@dataclass
class SpeedChoice:
    """A choice of speeds: what they are, the kinematical equations, the equations of motion and their cost.

    Attributes:
        name: of the choice.
        speeds: symbols u1(t), ..., or u1, ... of a system; `definitions` are what they stand for, in terms of rates of the
            coordinates (q1', ...) and of rotors (by name).
        operations: of q', M and F together, common parts counted once, by name.
        method: the KanesMethod with its equations formed; a system's `Equations`.
    """

    name: str
    speeds: list[Any]
    definitions: list[Any]
    operations: dict[str, int]
    method: "KanesMethod | Equations"

    def __post_init__(self) -> None:
        if not (hasattr(self.method, "M") or hasattr(self.method, "mass_matrix")):
            raise ModelError(f"method of a SpeedChoice is {shown(self.method)}: give a KanesMethod, or a system's Equations")

    def __str__(self) -> str:
        return f"{self.name}: {self.operations['total']} operations"


def operations(qdot: Sequence[Expr], M: Rows, F: Sequence[Expr]) -> dict[str, int]:
    """Operations of q', M and F together, common parts counted once."""
    outputs = [*qdot, *(e for row in M for e in row), *F]
    symbols = set().union(*(e.free_symbols for e in outputs))
    return Program(sorted(symbols, key=str), outputs).counts()


__all__ = ["SpeedChoice", "operations"]
