"""Integration methods, one file each; `METHODS` has them by name, `integrator` makes one."""

from kaneflex.simulate.integrator import Integrator, Method, Problem
from kaneflex.simulate.methods.contract import RungeKutta
from kaneflex.simulate.methods.cvode import CVODE
from kaneflex.simulate.methods.dop853 import DOP853
from kaneflex.simulate.methods.dopri5 import DOPRI5
from kaneflex.simulate.methods.radau5 import RADAU5
from kaneflex.simulate.methods.rk4 import RK4
from kaneflex.simulate.methods.sdirk4 import SDIRK4

__all__ = ["METHODS", "Integrator", "Method", "Problem", "RungeKutta", "integrator"]

METHODS: dict[str, Method] = {method.name: method for method in (RK4, DOPRI5, DOP853, RADAU5, SDIRK4, CVODE)}


def integrator(method: str, problem: Problem) -> Integrator:
    """An integrator of the method of this name."""
    if method not in METHODS:
        raise ValueError(f"no integration method {method!r}; there are {', '.join(METHODS)}")
    return METHODS[method].integrator(problem)
