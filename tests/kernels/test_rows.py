"""Rows of compiled code: sums, products and the symmetric elimination in lengths that are no multiple of a row's, against
NumPy: on floats, whose rows are vectors, on complex numbers, and in the interpreter. What lies behind is left as it was."""

import numba
import numpy as np
import pytest

import kaneflex.formulations as formulations
from kaneflex.kernels import backend, compiled_ops
from kaneflex.kernels.layout import TILE
from kaneflex.kernels.ops import LANES

LENGTHS = (1, 2, 3, LANES - 1, LANES, LANES + 1, 2 * LANES + 3)
BEHIND = -7.25

assert formulations  # which registers the elimination


def run_row_sums(P, W, m, end):
    """To W[2 m:] the first numbers of P with W[:m] times the rows of the tiles behind them, then W[m : 2 m] times these."""
    row_sums(pointer(P), end, 0, end, m, pointer(W), 0, 2 * m)  # noqa: F821
    row_sums_of_two(pointer(P), end, 0, end, m, pointer(W), 0, m, 2 * m + end, 2 * m + 2 * end)  # noqa: F821


def run_products(W, m):
    """The product of two vectors, and of three with another, to the end of W."""
    w = pointer(W)  # noqa: F821
    W[7 * m] = product_with(w, 0, m, m)  # noqa: F821
    W[7 * m + 1], W[7 * m + 2], W[7 * m + 3] = three_products(w, 0, 3 * m, m)  # noqa: F821


def run_second_order(P, W, m, out):
    """`second_order` of three components to `out`."""
    linear, columns, rates = (0, m, 2 * m), (2 * m, 3 * m, 4 * m), (5 * m, 6 * m, 7 * m)
    found = second_order(pointer(P), linear, pointer(W), columns, rates, 0, m, m)  # noqa: F821
    for k in range(3):
        for n in range(3):
            out[3 * k + n] = found[k][n]


def run_solve(A, x, m, width):
    """Factors of A, and what is behind x solved by them."""
    factor_symmetric(pointer(A), 0, m, width)  # noqa: F821
    solve_forward(pointer(A), 0, m, width, m * width)  # noqa: F821
    solve_backward(pointer(A), 0, m, width, m * width)  # noqa: F821


def bound(function, world):
    """A function of this file in a world of kernels."""
    return type(function)(function.__code__, world, function.__name__)


@pytest.fixture(scope="module", params=["compiled", "plain"])
def world(request):
    if request.param == "plain":
        kernels = vars(backend.plain())
        return lambda f: bound(f, kernels)
    kernels = vars(backend.compiled().inner) | {"pointer": compiled_ops.pointer}
    made = {}
    return lambda f: made.setdefault(f, numba.njit(error_model="numpy")(bound(f, kernels)))


def random(rng, n, kind):
    x = rng.standard_normal(n + LANES)
    x = x + 1j * rng.standard_normal(n + LANES) if kind is complex else x
    x[n:] = BEHIND
    return x


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("m", LENGTHS)
def test_sums_and_products(world, kind, m):
    rng, end = np.random.default_rng(m), 2 * m + 1
    A, first, W = rng.standard_normal((m, end)), rng.standard_normal(end), random(rng, 2 * m + 3 * end, kind)
    columns = np.zeros((m, -(-end // TILE) * TILE))
    columns[:, :end] = A
    tiles = columns.reshape(m, -1, TILE).swapaxes(0, 1)
    x, s = W[: 2 * m].reshape(2, m)
    expected = np.concatenate([x, s, first + x @ A, first + x @ A, s @ A, W[2 * m + 3 * end :]])
    world(run_row_sums)(np.concatenate([first, tiles.ravel(), np.zeros(LANES)]), W, m, end)
    assert pytest.approx(expected, rel=1e-13, abs=1e-13) == W
    W = random(rng, 7 * m + 4, kind)
    v = W[: 7 * m].reshape(7, m).copy()
    world(run_products)(W, m)
    assert W[7 * m] == pytest.approx(v[0] @ v[1], abs=1e-13)
    assert W[7 * m + 1 : 7 * m + 4] == pytest.approx(v[:3] @ v[3], abs=1e-13)
    assert (W[7 * m + 4 :] == BEHIND).all() and (W[: 7 * m] == v.ravel()).all()


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("m", LENGTHS)
def test_second_order(world, kind, m):
    rng = np.random.default_rng(m)
    P, W, out = random(rng, 3 * m, float), random(rng, 8 * m, kind), np.zeros(9, kind)
    world(run_second_order)(P, W, m, out)
    (eta, sigma), c, (g, z) = W[: 2 * m].reshape(2, m), P[: 3 * m].reshape(3, m), W[2 * m : 8 * m].reshape(2, 3, m)
    expected = np.concatenate([(c + g) @ eta / 2, g @ sigma, z @ sigma])
    assert out == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("positive", [1, 0.5])
@pytest.mark.parametrize("m", LENGTHS)
def test_symmetric_elimination(world, kind, positive, m):
    """Positive matrices, and such with negative rows after the positive ones; NaN in the half that is not given, but where
    the second of two rows begins."""
    rng, width = np.random.default_rng(m), m + 7
    B, sign = rng.standard_normal((m, m)) / m, np.where(np.arange(m) < positive * m, 1.0, -1.0)
    if kind is complex:
        B = B + 0.1j * rng.standard_normal((m, m)) / m
    A = np.diag(2 * sign) + B @ B.T * np.sqrt(np.outer(sign, sign) + 0j).real
    given = np.full(m * width + m + LANES, BEHIND, kind)
    table = given[: m * width].reshape(m, width)
    table[:, :m] = np.where(np.arange(m) >= np.arange(m)[:, None] - np.arange(m)[:, None] % 2, A, np.nan)
    table[:, m:] = right = rng.standard_normal((m, 7))
    given[m * width : m * width + m] = b = rng.standard_normal(m)
    world(run_solve)(given, given, m, width)
    assert given[m * width : m * width + m] == pytest.approx(np.linalg.solve(A, b), rel=1e-11, abs=1e-12)
    U = np.triu(table[:, :m])
    D = np.diag(U).copy()
    U[np.diag_indices(m)] = 1 / D
    assert np.abs((U.T * D) @ U - A).max() < 1e-12
    assert np.abs((U.T * D) @ table[:, m:] - right).max() < 1e-11
    assert (given[m * width + m :] == BEHIND).all()
