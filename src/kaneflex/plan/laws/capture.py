"""What a user's function refers to, as it is at one moment: numbers, helpers, modules, constants.

A `Capture` holds the values of that moment. Its `structure` describes the code and the kinds of the numbers, and not
their values: functions of equal structure are the same machine code on other data. Runs no user code.
"""

import functools
import hashlib
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kaneflex.kernels.numba_compat import Dispatcher, builtin_registry, cpu_target
from kaneflex.model.profiles import Ready
from kaneflex.model.rebinding import captured_by, copied, is_library, is_own, keeps_state, names_in
from kaneflex.model.recipes import nominal
from kaneflex.plan.laws.cells import bytes_of, frozen_number, kind_of
from kaneflex.plan.laws.profiles import value_curve

_MOST = 200  # functions that one refers to, directly or not
_registered = -1  # functions that Numba knew at the last look
_PLAIN = {"nopython", "boundscheck", "nogil"}  # options of numba.njit that change no results


class Slot(NamedTuple):
    """A number: data of compiled code."""

    number: int


class Helper(NamedTuple):
    """A Python function, the user's own."""

    number: int


class Namespace(NamedTuple):
    """A module of the user's, with those of its attributes whose names are in the code."""

    module: types.ModuleType
    parts: dict[str, Any]


class Bound(NamedTuple):
    """A functools.partial."""

    function: Any
    positional: tuple[Any, ...]
    keywords: dict[str, Any]


class Curve(NamedTuple):
    """A ready-made profile, which compiled code calls as a function of t."""

    profile: Ready
    helper: Helper


class Constant(NamedTuple):
    """Anything else, taken as it is."""

    value: Any


class Capture:
    """A callable with all that it refers to, now.

    `opaque` says that it refers to objects that cannot be described, so that its code is good for this process only;
    `live` that such an object may change while it stays the same object. With `anew` every Numba function of the user's
    counts as its Python source.
    """

    def __init__(self, function: Any, anew: bool = False) -> None:
        self.function, self._anew = function, anew
        self.functions: list[tuple[types.FunctionType, dict[str, Any]]] = []
        self.numbers: list[tuple[Any, Any]] = []  # value and kind
        self.originals: list[Any] = []  # of the values
        self.opaque = self.live = False
        self.proved: dict[tuple[int, int], str] = {}  # form of its values by inputs and outputs, where machine code agreed
        self._objects: list[Any] = []  # those that may change
        self._known: dict[int, int] = {}
        self._bodies: list[Any] = []
        self.root, described = self._reference(function, frozenset(), 0)
        self.structure = (described, *self._bodies)

    @functools.cached_property
    def fingerprint(self) -> Any:
        """Equal when code, values and objects are."""
        return self.structure, tuple(bytes_of(value) for value, _ in self.numbers), tuple(map(id, self._objects))

    @property
    def keeps_state(self) -> bool:
        """Whether some function assigns to names outside of it."""
        return any(keeps_state(f.__code__) for f, _ in self.functions)

    def twin(self, arrays: bool = True) -> Any:
        """The callable with the values of the capture; with `arrays` False arrays are the user's own, which may be
        written to."""
        made: dict[int, Any] = {}

        def value_of(reference: Any) -> Any:
            if isinstance(reference, Slot):
                value, original = self.numbers[reference.number][0], self.originals[reference.number]
                return value if arrays or not isinstance(original, np.ndarray) else original
            if isinstance(reference, Helper):
                return function_of(reference.number)
            if isinstance(reference, Bound):
                words = {k: value_of(v) for k, v in reference.keywords.items()}
                return functools.partial(value_of(reference.function), *map(value_of, reference.positional), **words)
            if isinstance(reference, Namespace):
                return reference.module
            if isinstance(reference, Curve):
                return reference.profile
            return reference.value.py_func if isinstance(reference.value, Dispatcher) else reference.value

        def function_of(number: int) -> Any:
            if number not in made:
                f, references = self.functions[number]
                space = dict(f.__globals__)
                made[number], free = copied(f, space)
                fill(references, space, free, value_of)
            return made[number]

        return value_of(self.root)

    # ---- reading

    def _reference(self, value: Any, names: frozenset[str], depth: int) -> tuple[Any, Any]:
        """A reference to the value, and its description. A parameter is the number that it is."""
        value = nominal(value)
        kind = kind_of(value)
        if kind is not None:
            self.numbers.append((frozen_number(value), kind))
            self.originals.append(value)
            return Slot(len(self.numbers) - 1), kind
        if isinstance(value, Dispatcher) and (_is_plain(value) or (self._anew and is_own(value.py_func))):
            value = value.py_func
        if isinstance(value, Ready):
            helper, described = self._helper(value_curve(value))
            return Curve(value, helper), described
        if is_own(value) and not _numba_knows(value):
            return self._helper(value)
        if isinstance(value, functools.partial):
            return self._bound(value, names, depth)
        if isinstance(value, types.ModuleType) and not is_library(value.__name__) and depth < 4:
            found = {n: self._reference(getattr(value, n), names, depth + 1) for n in sorted(names) if hasattr(value, n)}
            parts = {n: reference for n, (reference, _) in found.items()}
            return Namespace(value, parts), ("module", *((n, described) for n, (_, described) in found.items()))
        return Constant(value), self._describe(value)

    def _bound(self, value: functools.partial[Any], names: frozenset[str], depth: int) -> tuple[Any, Any]:
        function, described = self._reference(value.func, names, depth)
        positional = [self._reference(v, names, depth) for v in value.args]
        words = {k: self._reference(v, names, depth) for k, v in value.keywords.items()}
        made = Bound(function, tuple(r for r, _ in positional), {k: r for k, (r, _) in words.items()})
        return made, ("partial", described, *(d for _, d in positional), *((k, d) for k, (_, d) in words.items()))

    def _helper(self, f: types.FunctionType) -> tuple[Helper, Any]:
        if id(f) in self._known:
            number = self._known[id(f)]
            return Helper(number), ("function", number)
        self._known[id(f)] = number = len(self.functions)
        references: dict[str, Any] = {}
        self.functions.append((f, references))
        self._bodies.append(None)
        if number > _MOST:
            self.opaque = self.live = True
            return Helper(number), ("object", id(f))
        names, described = frozenset(names_in(f.__code__)), []
        for name, value in captured_by(f).items():
            references[name], what = self._reference(value, names, 0)
            described.append((name, what))
        defaults = [self._describe(v) for v in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values())]
        self._bodies[number] = (_digest(f.__code__), tuple(defaults), tuple(described))
        return Helper(number), ("function", number)

    def _describe(self, value: Any) -> Any:
        """Of a constant something hashable that is the same in another process; noted when there is no such thing."""
        if value is None or isinstance(value, bool | int | float | complex | str | bytes) or value is Ellipsis:
            return type(value).__name__, repr(value)
        if type(value) is tuple:
            return ("tuple", *(self._describe(v) for v in value))
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return "array", value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest()
        if isinstance(value, types.ModuleType):
            return "module", value.__name__
        named = isinstance(value, type | types.BuiltinFunctionType | types.FunctionType | np.ufunc)
        home = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else None)
        if named and home and (is_library(home) or home.startswith("kaneflex.kernels")):
            return "name", home, getattr(value, "__qualname__", value.__name__)
        self.opaque = True
        if named or isinstance(value, Dispatcher):
            return "object", id(value)
        self.live = True
        self._objects.append(value)
        return "object of", type(value).__module__, type(value).__qualname__


def fill(
    references: dict[str, Any], space: dict[str, Any], free: dict[str, types.CellType], change: Callable[[Any], Any]
) -> None:
    """Put change(reference) in the place of each name: in cells, or in globals."""
    for name, reference in references.items():
        if name in free:
            free[name].cell_contents = change(reference)
        else:
            space[name] = change(reference)


def _is_plain(function: Any) -> bool:
    """Whether a Numba function is what numba.njit makes of a user's function, without types or options of its own."""
    options = {k for k, v in function.targetoptions.items() if v not in (None, False)}
    return function._can_compile and options <= _PLAIN and is_own(function.py_func)


def _numba_knows(function: types.FunctionType) -> bool:
    """Whether Numba has its own compiled version of a Python function."""
    global _registered
    context = cpu_target.typing_context
    if len(builtin_registry.globals) != _registered:  # it takes a while
        _registered = len(builtin_registry.globals)
        context.refresh()
    return function in context._globals


@functools.lru_cache(maxsize=4096)
def _digest(code: types.CodeType) -> str:
    """Hash of all that a code does: not of its name, file and line."""
    constants = []
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            constants.append(_digest(c))
        else:
            constants.append(repr(sorted(map(repr, c)) if isinstance(c, frozenset) else c))
    parts = (
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        code.co_code,
        getattr(code, "co_exceptiontable", b""),
        constants,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()
