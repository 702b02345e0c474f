"""User functions of time and measured quantities, made callable from compiled kernels by address.

A function is compiled by Numba on its own, behind a fixed C signature void(double t, const T* x, T* out), so that a new
law never compiles a kernel anew. What Numba cannot compile runs in the interpreter, behind the same signature. Either
way an exception in a run ends in `pending_error`, and the law's values become NaN: a compiled law that raises is
evaluated once more in the interpreter, which knows the message.

Names that the function refers to are read when the law is made; a compiled law does not notice later changes.

The modules, each of which imports only those before it: errors, rebinding, profiles, words, symbols, powers, jit, entries,
code, reuse, law.
"""

from kaneflex.plan.laws.entries import pending_error
from kaneflex.plan.laws.errors import LawNotDifferentiable, LawNotSymbolic, SlowLawWarning
from kaneflex.plan.laws.law import Law
from kaneflex.plan.laws.words import source_of

__all__ = [
    "Law",
    "LawNotDifferentiable",
    "LawNotSymbolic",
    "SlowLawWarning",
    "pending_error",
    "source_of",
]
