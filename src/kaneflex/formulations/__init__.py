"""Kane's equations solved for u-dot: dense and recursive, from the same stages."""

from kaneflex.formulations import dense, evaluate, recursive
from kaneflex.kernels import backend

backend.register(dense, recursive)
backend.register(evaluate, fastmath=False)
