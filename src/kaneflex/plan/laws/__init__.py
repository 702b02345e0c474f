"""User functions of time and measured quantities, made callable from compiled kernels by address.

A function is compiled by Numba on its own, behind a fixed C signature, so that a new law never compiles a kernel anew.
What Numba cannot compile runs in the interpreter, behind the same signature. Either way what the function raises in a run
is noted in the law's `errors`, and its values become NaN: a compiled law that raises is evaluated once more in the
interpreter, which knows the message.

Numbers, arrays and functions that a function refers to count as they are when the law is made, and within
`values_of_now` as they were when the function was first seen. Compiled code gets these numbers as data, so that a
function is compiled once, whatever they are; it is kept on disk, and other processes need not compile it at all.

Each module imports only those before it: errors, profiles, messages, symbols, cells, capture, moment,
passes, entries, machine, code, law.
"""

from kaneflex.plan.laws.errors import LawNotDifferentiable, LawNotSymbolic, SlowLawWarning
from kaneflex.plan.laws.law import CompiledFunction
from kaneflex.plan.laws.messages import source_of
from kaneflex.plan.laws.moment import frozen, values_of_now

__all__ = [
    "CompiledFunction",
    "LawNotDifferentiable",
    "LawNotSymbolic",
    "SlowLawWarning",
    "frozen",
    "source_of",
    "values_of_now",
]
