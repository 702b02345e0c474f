"""Integration methods, one file each; `METHODS` has them by name, `integrator` makes one.

A file NAME.py has its method as NAME in capitals; what is in the folder is found.
"""

from kaneflex.kernels.kinds import modules_in, short_name
from kaneflex.simulate.integrator import Integrator, Method, Problem
from kaneflex.simulate.methods.contract import RungeKutta

__all__ = ["METHODS", "Integrator", "Method", "Problem", "RungeKutta", "integrator"]

_found: list[Method] = [getattr(module, short_name(module).upper()) for module in modules_in(__name__)]
METHODS: dict[str, Method] = {method.name: method for method in _found}


def integrator(method: str, problem: Problem) -> Integrator:
    """An integrator of the method of this name."""
    if method not in METHODS:
        raise ValueError(f"no integration method {method!r}; there are {', '.join(METHODS)}")
    return METHODS[method].integrator(problem)
