"""Heun's method of order 2 with a fixed step."""

from kaneflex.simulate.methods.contract import RungeKutta, hermite, lower

_B = [1 / 2, 1 / 2]

#: Heun, Zeitschrift fuer Mathematik und Physik 45 (1900) 23. Dense output: cubic Hermite.
HEUN = RungeKutta(
    name="heun",
    order=2,
    dense_order=2,  # the step's own error is larger than the cubic's
    A=lower([], [1]),
    b=_B,
    c=[0, 1],
    D=hermite(_B, slots=3, first=0, last=2),
)
