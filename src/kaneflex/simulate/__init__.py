"""q and u over time: integrators, step loop, events, sampled control."""

from kaneflex.kernels import backend
from kaneflex.kernels.backend import Stage
from kaneflex.simulate import stepping

backend.register(
    *stepping.MODULES,
    fastmath=False,
    stages={"slope_from_neighbours": Stage("IPwIwwtwwt"), "search_turn": Stage("IIww", "n")},
)
