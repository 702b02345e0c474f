"""q and u over time: integrators, step loop, events, sampled control."""

from kaneflex.kernels import backend
from kaneflex.simulate import stepping

backend.register(*stepping.MODULES, fastmath=False)
