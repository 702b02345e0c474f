"""Linear forms, derivatives and linear systems of SymEngine expressions. Nothing is expanded or simplified."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import symengine

from kaneflex.model.checks import ModelError
from kaneflex.symbolic.errors import NotLinearError
from kaneflex.symbolic.translate import ONE, ZERO
from kaneflex.symbolic.unknown_functions import unknowns

Expr = Any
Rows = list[list[Expr]]


def total(terms: Sequence[Expr]) -> Expr:
    """Sum of expressions."""
    if not terms:
        return ZERO
    return terms[0] if len(terms) == 1 else symengine.Add(*terms)


def free(e: Expr) -> set[Expr]:
    """Symbols in an expression."""
    return e.free_symbols if isinstance(e, symengine.Basic) else set()


def replaced(e: Expr, values: Mapping[Expr, Expr]) -> Expr:
    """The expression with symbols replaced, all at once."""
    here = {s: values[s] for s in free(e) if s in values}
    return e.xreplace(here) if here else e


def number(e: Expr) -> float:
    """The number that an expression without symbols is."""
    try:
        found = complex(e).real
    except RuntimeError:
        found = float("nan")
    if not abs(found) < float("inf"):
        what = "; ".join(sorted(map(str, unknowns(e)))) or str(e)
        raise ModelError(f"{what[:200]} has no number: a function is not known, or something is divided by zero")
    return found


def coefficients(e: Expr, symbols: Mapping[Expr, int], what: str) -> tuple[dict[int, Expr], Expr]:
    """Coefficients by number of the symbols that an expression is linear in, and what is left of it without them."""
    present = [s for s in free(e) if s in symbols]
    if not present:
        return {}, e
    found = {}
    for s in present:
        c = e.diff(s)
        if any(x in symbols for x in free(c)):
            c = symengine.expand(c)
            if any(x in symbols for x in free(c)):
                raise NotLinearError(f"{what} is not linear in {s}: {e}")
        if c != 0:
            found[symbols[s]] = c
    return found, e.xreplace(dict.fromkeys(present, ZERO))


def time_derivative(e: Expr, rate: Callable[[Expr], Expr]) -> Expr:
    """Total derivative, by the rates of the symbols in it."""
    terms = []
    for s in sorted(free(e), key=str):
        r = rate(s)
        if r != 0:
            terms.append(e.diff(s) * r)
    return total(terms)


def jacobian(column: Sequence[Expr], symbols: Sequence[Expr]) -> Rows:
    """Derivatives of a column by symbols."""
    rows = []
    for e in column:
        here = free(e)
        rows.append([e.diff(s) if s in here else ZERO for s in symbols])
    return rows


def times(A: Rows, B: Rows) -> Rows:
    """Matrix product."""
    width = len(B[0]) if B else 0
    return [[total([a * B[k][j] for k, a in enumerate(row) if a != 0 and B[k][j] != 0]) for j in range(width)] for row in A]


def plus(A: Rows, B: Rows) -> Rows:
    """Matrix sum."""
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def negative(A: Rows) -> Rows:
    """Minus a matrix."""
    return [[-x for x in row] for row in A]


def transposed(A: Rows, width: int = 0) -> Rows:
    """Transpose; `width` is the number of columns of a matrix without rows."""
    return [[row[j] for row in A] for j in range(len(A[0]) if A else width)]


class Probe:
    """Numbers at a random point, which tell a pivot that is zero from one that only looks as if it were not."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._values: dict[Expr, float] = {}
        self._known: dict[Expr, complex] = {}

    def __call__(self, e: Expr) -> complex:
        """Value of the expression at the point, all symbols in (0.3, 1.3)."""
        found = self._known.get(e)
        if found is None:
            self._choose(free(e))
            try:
                found = complex(e.xreplace(self._values))
            except RuntimeError:  # unknown functions have no values of their own
                self._choose(unknowns(e))
                found = complex(e.xreplace(self._values))
            self._known[e] = found
        return found

    def _choose(self, things: set[Expr]) -> None:
        """Values for what has none yet."""
        for s in sorted(things, key=str):
            if s not in self._values:
                self._values[s] = 0.3 + self._random.random()


def solve(A: Rows, B: Rows, what: str) -> Rows:
    """X of A X = B, by elimination with pivots that are not zero at a random point; the shortest of them first.

    Raises a ModelError with the words of `what` when A is singular.
    """
    n, width = len(A), len(B[0]) if B else 0
    A, B, probe = [list(row) for row in A], [list(row) for row in B], Probe()
    for k in range(n):
        rows = [(_length(A[i][k]), i) for i in range(k, n) if A[i][k] != 0 and abs(probe(A[i][k])) > 1e-9]
        if not rows:
            raise ModelError(what)
        _, p = min(rows)
        A[k], A[p], B[k], B[p] = A[p], A[k], B[p], B[k]
        inverse = ONE / A[k][k]
        for i in range(k + 1, n):
            if A[i][k] == 0:
                continue
            factor = A[i][k] * inverse
            for j in range(k + 1, n):
                if A[k][j] != 0:
                    A[i][j] = A[i][j] - factor * A[k][j]
            for j in range(width):
                if B[k][j] != 0:
                    B[i][j] = B[i][j] - factor * B[k][j]
            A[i][k] = ZERO
    for k in range(n - 1, -1, -1):
        for j in range(width):
            rest = [A[k][i] * B[i][j] for i in range(k + 1, n) if A[k][i] != 0 and B[i][j] != 0]
            B[k][j] = (B[k][j] - total(rest)) / A[k][k] if rest or B[k][j] != 0 else ZERO
    return B


def solve_regular(A: Rows, B: Rows, what: str) -> Rows:
    """X of A X = B that is finite wherever A is regular, as long as what is left after the plain rows is small.

    A pivot that is not zero in general may vanish at the very point of interest (an upright bicycle). So rows and columns
    with one number only are taken out first, and what remains, up to four, is solved with its determinant as the one
    divisor; beyond that pivots are chosen as in `solve`.
    """
    n = len(A)
    rows, columns, fixed = list(range(n)), list(range(n)), []
    found = True
    while found:
        found = False
        for i in rows:
            here = [j for j in columns if A[i][j] != 0]
            if len(here) == 1 and A[i][here[0]].is_Number:
                fixed.append((i, here[0]))
                rows.remove(i)
                columns.remove(here[0])
                found = True
                break
    if len(rows) > 4 or not rows or not B:
        return solve(A, B, what)
    width = len(B[0])
    X: Rows = [[ZERO] * width for _ in range(n)]
    for i, j in fixed:  # a fixed column may stand in other rows; those of later fixed rows hold it already solved
        others = [k for k in range(n) if k != j and A[i][k] != 0]
        rest = [[A[i][k] * X[k][m] for k in others if X[k][m] != 0] for m in range(width)]
        X[j] = [(b - total(r)) / A[i][j] if r or b != 0 else ZERO for b, r in zip(B[i], rest, strict=True)]
    known = [j for _, j in fixed]
    right = [[B[i][m] - total([A[i][k] * X[k][m] for k in known if A[i][k] != 0]) for m in range(width)] for i in rows]
    small = [[A[i][j] for j in columns] for i in rows]
    determinant = _determinant(small)
    if determinant == 0 or abs(Probe()(determinant)) < 1e-12:
        raise ModelError(what)
    for k, j in enumerate(columns):
        for m in range(width):
            if any(right[i][m] != 0 for i in range(len(rows))):
                replaced_column = [[right[i][m] if c == k else e for c, e in enumerate(row)] for i, row in enumerate(small)]
                X[j][m] = _determinant(replaced_column) / determinant
    return X


def _determinant(A: Rows) -> Expr:
    """By expansion along the first row."""
    if len(A) == 1:
        return A[0][0]
    terms = []
    for j, a in enumerate(A[0]):
        if a != 0:
            minor = _determinant([[e for k, e in enumerate(row) if k != j] for row in A[1:]])
            terms.append(a * minor if j % 2 == 0 else -a * minor)
    return total(terms)


def _length(e: Expr) -> int:
    """A rough measure of an expression's size: 0 for a number, then its parts two levels deep."""
    if not e.args:
        return 0 if e.is_Number else 1
    return 1 + sum(1 + len(a.args) for a in e.args)
