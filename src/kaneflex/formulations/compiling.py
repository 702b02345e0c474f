"""Compiled kernels for a system, as Python calls them."""

from typing import Any

from kaneflex.kernels import backend
from kaneflex.kernels.interrupts import Held
from kaneflex.plan.plan import Plan


class Kernels:
    """The compiled kernels, ready for a plan. A call raises what the plan's user functions raised in it, and what went wrong
    when a kernel was compiled in its midst; there are no numbers then."""

    def __init__(self, plan: Plan) -> None:
        plan.connect(plan.I)
        plan.errors.clear()  # of a call that failed otherwise
        self.plan, self.raw = plan, backend.compiled()
        self._interpreted = any(not law.compiled for law in plan.laws)

    def held(self, kernel: Any) -> Any:
        """The kernel with Ctrl-C held back while it runs, if it may call functions in the interpreter."""
        if not self._interpreted:
            return kernel

        def call(*arguments: Any) -> Any:
            with Held():
                return kernel(*arguments)

        return call

    def __getattr__(self, name: str) -> Any:
        if "raw" not in vars(self):
            raise AttributeError(name)
        kernel, plan = self.held(backend.checked(getattr(self.raw, name))), self.plan

        def call(*arguments: Any) -> Any:
            value = kernel(*arguments)
            if plan.errors:
                plan.raise_errors()
            return value

        made = call if plan.laws else kernel
        setattr(self, name, made)
        return made
