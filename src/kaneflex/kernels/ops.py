"""Scalar functions that kernels call by bare name; the backend rebinds each of them for its scalar.

The definitions here serve plain Python floats. Compiled code sees NumPy's functions and the overloads in
`backend`; symbolic code sees SymEngine's.
"""

from math import cos, exp, sin, sqrt

__all__ = [
    "call_law", "complexes", "cos", "eight_totals", "exp", "integers_at", "lanes", "lanes_at", "offset", "one_run",
    "pointer", "ramp", "reals_at", "row", "row_of", "row_part", "row_total", "runs", "sin", "sqrt", "step", "store_row",
]  # fmt: skip

LANES = 8  # numbers in a row of compiled floats, see `compiled_rows`; of all others 1, a row being the number itself


def pointer(array):
    """The array as kernels take it: no bounds, no reference count (compiled code only; else the array itself)."""
    return array


def integers_at(address):
    """The integers at an address (compiled code only)."""
    raise TypeError("only compiled code reads addresses")


def reals_at(address):
    """The reals at an address (compiled code only)."""
    raise TypeError("only compiled code reads addresses")


def lanes_at(address):
    """The lanes at an address (compiled code only)."""
    raise TypeError("only compiled code reads addresses")


def complexes(array):
    """The same memory, taken as complex numbers (compiled code only)."""
    raise TypeError("only compiled code takes reals as complex numbers")


def offset(array, n):
    """The array from its n-th entry on."""
    return array[n:]


def ramp(x):
    """x where x is positive, else 0 (judged on the real part of a complex x)."""
    return x if x > 0 else 0 * x


def step(x):
    """1 where x is positive, else 0 (judged on the real part of a complex x)."""
    return 0 * x + 1 if x > 0 else 0 * x


def call_law(address, t, x, first, out, start):
    """Call the user's function at `address`: it reads t and x[first:], and writes out[start:]."""
    raise TypeError("user functions are reached through a backend")


def runs(W):
    """Runs that have their numbers in W."""
    return 1


def one_run(W, k):
    """The numbers of run k alone, for kernels that do not the same for all runs."""
    return W


def lanes(z):
    """Numbers in a row of such as z."""
    return 1


def row(z, A, k):
    """The row of numbers such as z from A[k] on."""
    return A[k]


def row_part(z, A, k, n):
    """The row of numbers such as z from A[k] on, with zeros for those after the first n."""
    return A[k]


def row_of(z):
    """A row of z alone."""
    return z


def row_total(y):
    """Sum of the numbers in a row."""
    return y


def eight_totals(a, b, c, d, e, f, g, h):
    """`row_total` of eight rows."""
    return a, b, c, d, e, f, g, h


def store_row(W, k, y, n):
    """Write a row, or its first n numbers if it has more, from W[k] on."""
    W[k] = y
