"""Runge-Kutta methods, one file each; `METHODS` has them by name."""

from kaneflex.simulate.methods.contract import Method
from kaneflex.simulate.methods.dop853 import DOP853
from kaneflex.simulate.methods.dopri5 import DOPRI5
from kaneflex.simulate.methods.rk4 import RK4
from kaneflex.simulate.methods.sdirk4 import SDIRK4

__all__ = ["METHODS", "Method"]

METHODS: dict[str, Method] = {method.name: method for method in (RK4, DOPRI5, DOP853, SDIRK4)}
