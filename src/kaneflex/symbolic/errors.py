"""Errors in what SymPy's users give: ours, and the kinds by which SymPy tells the same, so that what catches those works."""

from sympy.solvers.solveset import NonlinearError

from kaneflex.model.checks import ModelError


class NotLinearError(ModelError, NonlinearError):
    """An equation is not linear in what it must be linear in."""


class KindError(ModelError, TypeError):
    """Something is given that is of another kind than what is asked for."""


class MissingError(ModelError, AttributeError):
    """Something is asked for that could only be made of what was not given."""


__all__ = ["KindError", "MissingError", "NotLinearError"]
