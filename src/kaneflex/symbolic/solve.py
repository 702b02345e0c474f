"""The linear equations A z = b of a system as code: C99 and compiled.

z = (u', multipliers), and A = [M -J^T; J 0] once it has multipliers. The speeds are eliminated with row pivots, which leaves
J M^-1 J^T for the multipliers. That is positive but for redundant equations: those whose pivot is nothing beside the `size`
that it would have if nothing cancelled are left out, with multipliers of zero, by the measure of the kernels.
"""

from typing import Any

import numba

REDUNDANT = 1e-11  # of its size: a pivot of a redundant equation

_ELIMINATE = """
/* Solve a z = b; z is left in b. 0, or -1 when a is singular.{note} */
static int {name}_solve(double a[{m}][{m}], double b[{m}]{measure})
{{
    for (int k = 0; k < {n}; ++k) {{
        int p = k;
        for (int i = k + 1; i < {n}; ++i)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        if (!(fabs(a[p][k]) > 0.0))
            return -1;
        for (int j = k; j < {m}; ++j) {{
            const double x = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = x;
        }}
        const double x = b[k];
        b[k] = b[p];
        b[p] = x;
        for (int i = k + 1; i < {m}; ++i) {{
            const double f = a[i][k] / a[k][k];
            for (int j = k + 1; j < {m}; ++j)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }}
    }}"""

_MULTIPLIERS = """
    for (;;) {{
        int p = -1;
        double best = {redundant};
        for (int i = {n}; i < {m}; ++i)
            if (s[i - {n}] > 0.0 && a[i][i] > best * s[i - {n}]) {{
                p = i;
                best = a[i][i] / s[i - {n}];
            }}
        if (p < 0)
            break;
        s[p - {n}] = -1.0;
        for (int i = {n}; i < {m}; ++i)
            if (i != p) {{
                const double f = a[i][p] / a[p][p];
                for (int j = {n}; j < {m}; ++j)
                    a[i][j] -= f * a[p][j];
                b[i] -= f * b[p];
            }}
    }}
    for (int i = {n}; i < {m}; ++i)
        b[i] = s[i - {n}] < 0.0 ? b[i] / a[i][i] : 0.0;"""

_BACK = """
    for (int k = {n} - 1; k >= 0; --k) {{
        for (int j = k + 1; j < {m}; ++j)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }}
    return 0;
}}
"""


def c_solve(name: str, n: int, m: int) -> str:
    """Text of <name>_solve for n speeds among m unknowns; with multipliers it takes their sizes too, and overwrites them."""
    note = (
        " Multipliers of redundant equations,\n * whose pivots are nothing beside s, are zero; s is overwritten."
        if m > n
        else ""
    )
    measure = f", double s[{m - n}]" if m > n else ""
    text = _ELIMINATE + (_MULTIPLIERS if m > n else "") + _BACK
    return text.format(name=name, n=n, m=m, note=note, measure=measure, redundant=REDUNDANT)


@numba.njit(error_model="numpy")
def solve_in_place(a: Any, b: Any, size: Any) -> None:
    """Solve a z = b; z is left in b.

    Args:
        a, b: overwritten.
        size: of each multiplier's pivot, the multipliers being the last unknowns; overwritten.
    """
    m = len(b)
    n = m - len(size)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(k, m):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, m):
            f = a[i, k] / a[k, k]
            for j in range(k + 1, m):
                a[i, j] -= f * a[k, j]
            b[i] -= f * b[k]
    solve_multipliers(a, b, size, n)
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, m):
            b[k] -= a[k, j] * b[j]
        b[k] /= a[k, k]


@numba.njit(error_model="numpy")
def solve_multipliers(a: Any, b: Any, size: Any, n: int) -> None:
    """The last unknowns, from the n-th on, the speeds being eliminated from their rows: the largest pivots first."""
    m = len(b)
    while True:
        p, best = -1, REDUNDANT
        for i in range(n, m):
            if size[i - n] > 0.0 and a[i, i] > best * size[i - n]:
                p, best = i, a[i, i] / size[i - n]
        if p < 0:
            break
        size[p - n] = -1.0
        for i in range(n, m):
            if i != p:
                f = a[i, p] / a[p, p]
                for j in range(n, m):
                    a[i, j] -= f * a[p, j]
                b[i] -= f * b[p]
    for i in range(n, m):
        b[i] = b[i] / a[i, i] if size[i - n] < 0.0 else 0.0


__all__ = ["c_solve", "solve_in_place"]
