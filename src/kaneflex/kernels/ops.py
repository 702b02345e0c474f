"""Scalar functions that kernels call by bare name; the backend rebinds each of them for its scalar.

The definitions here serve plain Python floats. Compiled code sees NumPy's functions and the overloads in
`backend`; symbolic code sees SymEngine's.
"""

from math import cos, sin, sqrt

__all__ = [
    "add_row", "call_law", "complexes", "cos", "integers_at", "offset", "pointer", "ramp", "reals_at", "row", "row_of", "sin",
    "sqrt", "step", "store_row",
]  # fmt: skip

LANES = 8  # longest row


def pointer(array):
    """The array as kernels take it: no bounds, no reference count (compiled code only; else the array itself)."""
    return array


def integers_at(address):
    """The integers at an address (compiled code only)."""
    raise TypeError("only compiled code reads addresses")


def reals_at(address):
    """The reals at an address (compiled code only)."""
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


def row(A, a, n):
    """n numbers, up to eight, from A[a] on: together one vector in compiled code, see `compiled_rows`."""
    return tuple(A[a + k] for k in range(n))


def row_of(x, n):
    """x n times."""
    return (x,) * n


def add_row(y, f, A, a, n):
    """The row y of n numbers and f times those from A[a] on."""
    return tuple(y[k] + f * A[a + k] for k in range(n))


def store_row(W, k, y, n):
    """Write the n numbers of a row from W[k] on."""
    for j in range(n):
        W[k + j] = y[j]
