"""Compiled code follows its sources; the workspace is written before it is read; sines and cosines are exact."""

import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numba
import numpy as np
import pytest
from trees import WAYS, Recipe

import kaneflex
from kaneflex.kernels import backend, compiled_ops
from kaneflex.kernels import layout as L

# -- cache ----------------------------------------------------------------------------------------

CALLER = """
import numba
import numpy as np
from kaneflex.kernels import backend, compiled_ops
point_place, pointer = backend.compiled().inner.point_place, compiled_ops.pointer

@numba.njit
def call(W):
    return point_place(pointer(W), np.int64(len(W) - 200), (1.0, 2.0, 3.0))

print(*call(np.arange(200.0)), sum(point_place.stats.cache_hits.values()))
"""
RIGHT = "return (a[0] + b[0], a[1] + b[1], a[2] + b[2])"
WRONG = "return (a[0] - b[0], a[1] - b[1], a[2] - b[2])"


def test_edited_callee_reaches_its_caller(tmp_path):
    """point_place is in another file than `add`, which it calls; Numba alone looks at the caller's file only."""
    package = tmp_path / "source" / "kaneflex"
    original = Path(kaneflex.__file__).parent
    for source in original.rglob("*"):
        if source.is_file() and "__pycache__" not in source.parts:
            copy = package / source.relative_to(original)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    algebra = package / "kernels" / "algebra.py"
    text = algebra.read_text()
    assert text.count(RIGHT) == 1

    def run():
        environment = os.environ | {"PYTHONPATH": str(package.parent), "KANEFLEX_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "-c", CALLER], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        *place, hits = map(float, done.stdout.split())
        return np.array(place), hits

    W, p = np.arange(200.0), np.array([1.0, 2.0, 3.0])
    turned = W[L.R_NM : L.R_NM + 9].reshape(3, 3) @ p
    first, hits = run()
    assert np.array_equal(first, W[L.P_NM : L.P_NM + 3] + turned) and hits == 0
    algebra.write_text(text.replace(RIGHT, WRONG))
    second, hits = run()
    assert np.array_equal(second, W[L.P_NM : L.P_NM + 3] - turned) and hits == 0
    algebra.write_text(text)
    third, hits = run()
    assert np.array_equal(third, first) and hits == 1


# -- workspace ----------------------------------------------------------------------------------------

RECIPE = Recipe(
    ("Universal", "Spherical", "Planar", "Fixed", "Screw", "Free"),
    (-1, 0, 1, 2, 1, 0),
    rotors=(True, False, True),
    loads=(("SpringDamper", "between"), ("JointSpring", "ball"), ("CentralGravity", "all")),
    seed=4,
)


@pytest.mark.parametrize("placed", [0, 1])
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_velocities_write_their_fields_only(way, placed):
    tree = RECIPE.tree()
    plan = tree.plan(*way)
    I, W = plan.I.copy(), plan.workspace()
    I[L.PLACED] = placed
    backend.plain().velocities([int(i) for i in I], plan.P, W, tree.q, tree.w)
    rows = ~np.isnan(W[: I[L.BODIES] * L.BODY_WIDTH].reshape(-1, L.BODY_WIDTH))
    written = np.zeros(L.BODY_WIDTH, bool)
    written[L.R_MP : L.J_] = True
    if not placed:
        written[L.V_ : L.V_ + 3] = False
    assert np.array_equal(rows[1:], np.tile(written, (I[L.BODIES] - 1, 1)))
    inertial = np.zeros(L.BODY_WIDTH, bool)
    for place, size in ((L.OMEGA, 3), (L.V_, 3), (L.ALPHA, 3), (L.A_, 3), (L.R_NM, 9), (L.P_NM, 3)):
        inertial[place : place + size] = True
    assert np.array_equal(rows[0], inertial)
    columns = ~np.isnan(W[I[L.W_COLUMN] : I[L.W_LAW_OUTPUT]].reshape(-1, L.COLUMN_WIDTH))
    axes = I[I[L.I_COLUMN] :][: plan.nu * L.COLUMN_INTS].reshape(-1, L.COLUMN_INTS)[:, L.AXIS]
    for k, column in enumerate(columns):
        wanted = np.zeros(L.COLUMN_WIDTH, bool)
        wanted[[L.RATE, L.PRESCRIBED_RATE]] = True
        wanted[L.S_ : L.S_ + 6] = axes[k] == L.GENERAL
        assert np.array_equal(column, wanted), plan.index.speeds[k]
    rest = ~np.isnan(W[I[L.W_LAW_INPUT] :])
    assert rest.sum() == 2 * plan.nu  # the given joint forces, and the speeds that stay zero


@pytest.mark.parametrize("base", ["inertial", "tumbling"])
@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_nothing_is_read_before_it_is_written(way, base):
    """The result does not depend on what is in the workspace, and a second evaluation gives the same bits."""
    tree = RECIPE.only(base=base).tree()
    d = tree.dynamics(*way)
    u = d.speeds_from_rates(tree.q, tree.w)
    given, y = ~np.isnan(d.plan.workspace()), np.concatenate([tree.q, u, [0.0, 0.0]])
    results = []
    for fill in (np.nan, 1e300, -1.0, None):
        if fill is not None:
            d.W[~given] = fill
        d.set_inputs(tree.inputs)
        results.append((d.udot(tree.q, u, tree.tau), d.inverse_dynamics(tree.q, u, u), d.derivative(0.0, y)))
    for result in results:
        for got, first in zip(result, results[0], strict=True):
            assert np.all(np.isfinite(got)) and np.array_equal(got, first)


# -- sine and cosine ----------------------------------------------------------------------------------------


@numba.njit
def sine(x):
    return compiled_ops.sin(x)


@numba.njit
def cosine(x):
    return compiled_ops.cos(x)


RANDOM = np.random.default_rng(5)
ARGUMENTS = {
    "tiny": 10.0 ** RANDOM.uniform(-300, -1, 300),
    "small": RANDOM.uniform(-1, 1, 1500),
    "turns": RANDOM.uniform(-100, 100, 1500),
    "many turns": RANDOM.uniform(-1e5, 1e5, 1500),
    "where the library takes over": np.nextafter(1e5, [0.0, 1e5, 1e6]),
    "huge": np.append(10.0 ** RANDOM.uniform(5, 308, 300), np.finfo(float).max),
    "at multiples of pi/2": np.array([np.nextafter(k * np.pi / 2, d) for k in range(-300, 301) for d in (-1e9, 1e9)]),
    "at far multiples of pi/2": np.arange(60000, 63600, 7) * (np.pi / 2),
}


@pytest.mark.parametrize("what", ARGUMENTS)
@pytest.mark.parametrize(("compiled", "exact"), [(sine, mpmath.sin), (cosine, mpmath.cos)], ids=["sin", "cos"])
def test_sine_and_cosine(compiled, exact, what):
    """Within 2 ulp of the value; at a zero, where an ulp shrinks to nothing, within 1e-26 of one."""
    with mpmath.workprec(1200):
        for x in ARGUMENTS[what]:
            wanted = exact(mpmath.mpf(float(x)))
            off = abs(mpmath.mpf(float(compiled(x))) - wanted)
            assert off <= 2 * np.spacing(abs(float(wanted))) + 1e-26, f"at {x!r}: off by {float(off):.3g}"


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
def test_sine_and_cosine_of_what_is_no_number(x):
    assert np.isnan(sine(x)) and np.isnan(cosine(x))


def test_sine_and_cosine_are_odd_and_even():
    for x in ARGUMENTS["turns"]:
        assert sine(-x) == -sine(x) and cosine(-x) == cosine(x)
    assert sine(0.0) == 0.0 and cosine(0.0) == 1.0


def test_complex_sine_and_cosine():
    z = RANDOM.normal(size=50) + 1j * RANDOM.normal(size=50)
    assert np.allclose([sine(x) for x in z], np.sin(z), rtol=1e-15, atol=0)
    assert np.allclose([cosine(x) for x in z], np.cos(z), rtol=1e-15, atol=0)
