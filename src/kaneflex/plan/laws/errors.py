"""What a law may warn of and raise. Touches nothing."""

from typing import Any


class SlowLawWarning(UserWarning):
    """A user function runs in the Python interpreter."""


class LawNotDifferentiable(TypeError):
    """A user function cannot be differentiated by the complex step; `remedy` says what to write instead."""

    def __init__(self, name: str, remedy: str) -> None:
        super().__init__(f"{name} cannot be differentiated: {remedy}")
        self.name, self.remedy = name, remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.remedy)


class LawNotSymbolic(TypeError):
    """A user function does not run on symbols."""
