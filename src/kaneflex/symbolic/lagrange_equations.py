"""Lagrange's equations of a system as derived: what both ways of describing a system lead to."""

from dataclasses import dataclass, field
from typing import Any

from kaneflex.model.typed import typed
from kaneflex.symbolic.calculus import Rows
from kaneflex.symbolic.program import Program

Expr = Any


@typed
@dataclass
class LagrangeEquations:
    """M u' = F by Lagrange's way; `kinetic` is T(q, u), `quasi` tells whether quasi-coordinates were needed.

    `values` are the numbers that a system has for its parameters. Where constraints act, J^T lambda comes to F as in Kane's
    equations, J being that of `Equations.constraints`.
    """

    kinetic: Expr
    M: Rows
    F: list[Expr]
    quasi: bool
    values: dict[Expr, float] = field(default_factory=dict)

    def operations(self) -> dict[str, int]:
        """Operations that M and F take as they come out, common parts counted once."""
        outputs = [*(e for row in self.M for e in row), *self.F]
        symbols = set().union(*(e.free_symbols for e in outputs))
        return Program(sorted(symbols, key=str), outputs).counts()


__all__ = ["LagrangeEquations"]
