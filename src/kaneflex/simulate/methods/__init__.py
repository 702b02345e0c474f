"""Integration methods, one file each; `METHODS` has them by name, `integrator` makes one.

A file NAME.py has its method as NAME in capitals; what is in the folder is found. Methods with numbers of their own are
named with these, "generalized-alpha(rho=0.8)": that is what is kept with a run.
"""

import re

from kaneflex.kernels.kinds import modules_in, short_name
from kaneflex.simulate.alpha_method import GeneralizedAlpha, Newmark
from kaneflex.simulate.integrator import Integrator, Method, Problem
from kaneflex.simulate.methods.contract import RungeKutta

__all__ = ["METHODS", "Integrator", "Method", "Problem", "RungeKutta", "integrator", "method_named"]

_found: list[Method] = [getattr(module, short_name(module).upper()) for module in modules_in(__name__)]
METHODS: dict[str, Method] = {method.name: method for method in _found}


_WITH_NUMBERS = {"newmark": Newmark, "generalized-alpha": GeneralizedAlpha}


def method_named(name: str) -> Method:
    """The method of this name, with the numbers that are in it: "newmark(beta=0.3025, gamma=0.6)"."""
    if name in METHODS:
        return METHODS[name]
    found = re.fullmatch(r"([a-z-]+)\((.*)\)", name)
    if found and found[1] in _WITH_NUMBERS:
        pairs = [part.partition("=") for part in found[2].split(",") if part.strip()]
        try:
            return _WITH_NUMBERS[found[1]](**{key.strip(): float(value) for key, _, value in pairs})
        except (TypeError, ValueError) as e:
            raise ValueError(f"method {name!r}: {e}") from e
    raise ValueError(f"no integration method {name!r}; there are {', '.join(METHODS)}")


def integrator(method: str, problem: Problem) -> Integrator:
    """An integrator of the method of this name."""
    return method_named(method).integrator(problem)
