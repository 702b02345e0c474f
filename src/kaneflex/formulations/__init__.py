"""Kane's equations solved for u-dot: dense and recursive, from the same stages."""

from kaneflex.formulations import dense, dense_solve, embedded, evaluate, loops, multipliers, projection, recursive
from kaneflex.kernels import backend

backend.register(multipliers, loops, fastmath=False)
backend.register(dense_solve)
backend.register(embedded, fastmath=False)
backend.register(dense, recursive)
backend.register(evaluate, projection, fastmath=False)
