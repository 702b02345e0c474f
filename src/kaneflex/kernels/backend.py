"""One source, four scalars: every kernel re-created with its globals rebound, compiled or plain.

`compiled()` gives the kernels as Numba functions (float64 and, when first called so, complex128 and lanes); `plain()` gives
them as Python functions on SymEngine objects. Inner calls stay in the same world, which is why kernels are module level,
closure free and uniquely named. Compiled code is cached on disk in a folder named by a hash of all kernel sources, for
Numba does not notice a change in a callee's file.

A kernel may be compiled in the middle of another, when that first calls it. What goes wrong there cannot be raised
through compiled code: it is in `noted`, and whoever calls kernels from Python looks there (`attend`, `checked`).
"""

import ctypes
import hashlib
import inspect
import os
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numba
import numpy as np

from kaneflex.kernels import layout, ops
from kaneflex.kernels.cache import FolderLock, KernelCache
from kaneflex.kernels.numba_compat import CFunc, LinkedCompiler, sigutils
from kaneflex.kernels.progress import progress

# Kernels that Python calls: only these get a wrapper that takes Python objects, which costs compile time.
ENTRIES = ("call_", "advance_")
# Those that take long let other threads of Python run meanwhile. For the others handing the interpreter to and fro, which
# takes some ten microseconds, would cost more than it gives.
LONG_ENTRIES = ("advance_", "call_channels", "call_udot_repeatedly")

_OWN_SOURCES = (
    *("backend.py", "compiled_lanes.py", "compiled_ops.py", "compiled_rows.py", "compiled_vectors.py"),
    *("kinds.py", "numba_compat.py", "ops.py"),
)
_modules: list[ModuleType] = []
_strict: set[str] = set()
_apart: set[str] = set()
_stages: dict[tuple[str, str], "Stage"] = {}  # by module and name

_one_folder = threading.RLock()

noted: list[tuple[int, BaseException | None]] = []  # since the last `attend`: thread, and what failed, if anything did


class Stage(NamedTuple):
    """A kernel that is reached through its address and compiled when first called: its code is in no caller's, and what a
    system never needs is never compiled."""

    arguments: str  # a letter each: I integers, P parameters, w numbers of the run's scalar, t float, n integer
    returns: str = ""  # "n" or nothing

    @classmethod
    def of(cls, kernel: types.FunctionType) -> "Stage":
        """The stage of a kernel whose arguments have the usual names: W, q, u and qdot are numbers, others integers."""
        letters = {"I": "I", "P": "P", "t": "t"} | dict.fromkeys(("W", "q", "u", "qdot"), "w")
        return cls("".join(letters.get(name, "n") for name in inspect.signature(kernel).parameters))


def register(
    *modules: ModuleType, fastmath: bool = True, inline: bool = True, stages: Mapping[str, Stage] | None = None
) -> None:
    """Add kernel modules. With fastmath=False their arithmetic keeps NaN and infinity meaningful, and they are not
    inlined into their callers; with inline=False they are only the latter, which keeps long loops out of hot code.
    Kernels named in `stages` are reached through their address."""
    homes = {name: m.__name__ for m in modules for name in kernel_functions(m)}
    _stages.update({(homes[name], name): stage for name, stage in (stages or {}).items()})
    for module in modules:
        if module not in _modules:
            _modules.append(module)
            if not fastmath:
                _strict.add(module.__name__)
            if not (fastmath and inline):
                _apart.add(module.__name__)
    compiled.cache_clear()
    plain.cache_clear()


def kernel_functions(module: ModuleType) -> dict[str, types.FunctionType]:
    """The kernels that a module defines."""
    return {
        name: f for name, f in vars(module).items() if isinstance(f, types.FunctionType) and f.__module__ == module.__name__
    }


def source_hash() -> str:
    """Hash of all kernel sources, of Numba's version and of the machine's processor: the key of the cache."""
    digest = hashlib.sha256()
    for module in _modules:
        digest.update(Path(str(module.__file__)).read_bytes())
    for name in _OWN_SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    digest.update(repr((_stages, sorted(_strict), sorted(_apart))).encode())  # numbers of stages are in compiled code
    digest.update(f"{numba.__version__} {np.__version__} {numba.config.CPU_NAME}".encode())  # type: ignore[attr-defined]
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder of all kernel caches: $KANEFLEX_CACHE, or the user's cache folder."""
    base = os.environ.get("KANEFLEX_CACHE")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kaneflex"


def cache_folder() -> Path:
    """Folder of the cache that matches the sources as they are now."""
    return cache_root() / source_hash()


def _world(wrap: Callable[[types.FunctionType, ModuleType], Any], scalar: dict[str, Any]) -> SimpleNamespace:
    bound = {name: scalar[name] for name in ops.__all__}
    world: dict[str, Any] = dict(bound)
    owner: dict[str, str] = dict.fromkeys(bound, "ops")
    for module in _modules:
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, int):
                if world.setdefault(name, value) != value:
                    raise NameError(f"constant {name} means two things, one of them in {module.__name__}")
        for name, f in kernel_functions(module).items():
            if name in bound:
                continue
            if name in owner:
                raise NameError(f"kernel {name} is defined in {owner[name]} and again in {module.__name__}")
            owner[name] = module.__name__
            twin = types.FunctionType(f.__code__, world, name, f.__defaults__)
            twin.__module__ = module.__name__  # else the cache's pickler searches every module for each function
            world[name] = wrap(twin, module)
    return SimpleNamespace(**{k: v for k, v in world.items() if not k.startswith("__")})


@cache
def compiled() -> SimpleNamespace:
    """The kernels that Python calls, as Numba functions cached on disk; all others, for compiled code only, in `inner`."""
    from kaneflex.kernels import compiled_ops

    folder = cache_folder()  # of the sources as they are now: they may change before the last stage is compiled
    lock = FolderLock(folder)
    bodies: dict[tuple[str, str], Any] = {}

    def wrap(f: types.FunctionType, module: ModuleType) -> Any:
        # Names of machine code are one space for the whole process, and the number that Numba adds to them begins anew in
        # every process: from the cache, a kernel of one world would be called by those of another.
        f.__qualname__ = f"{f.__name__}_{folder.name}"
        fast = module.__name__ not in _strict
        entry = f.__name__.startswith(ENTRIES)
        options: dict[str, Any] = {"fastmath": fast, "error_model": "numpy"}
        key = (module.__name__, f.__name__)
        if key in _stages:
            bodies[key] = (f, options)
            return compiled_ops.stage_caller(f, _stages[key], list(_stages).index(key))
        options |= {"forceinline": module.__name__ not in _apart}
        options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": not entry}
        options["nogil"] = f.__name__.startswith(LONG_ENTRIES)
        if not entry:
            options["pipeline_class"] = LinkedCompiler
        made = numba.njit(**options)(f)
        made._cache = KernelCache(f, lock)
        return made

    with _cache_in(folder):
        world = _world(wrap, vars(np) | vars(compiled_ops))
    entries = {name: f for name, f in vars(world).items() if name.startswith(ENTRIES)}
    return SimpleNamespace(**entries, inner=world, bodies=bodies, stages={}, tables={}, alive=[], folder=folder, lock=lock)


def attend() -> None:
    """After a call of kernels by Python: raise what went wrong in the midst of compiled code, and tell what was compiled."""
    compiled().lock.drop()
    own = threading.get_ident()
    failures = [error for thread, error in noted if error is not None and thread == own]
    noted[:] = [(thread, error) for thread, error in noted if error is not None and thread != own]
    progress.tell()
    if failures:
        raise failures[0]


def checked(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """An entry that raises what goes wrong in the midst of compiled code."""

    def call(*arguments: Any) -> Any:
        try:
            value = kernel(*arguments)
        except BaseException:
            compiled().lock.drop()
            raise
        if noted or progress.untold:
            attend()
        return value

    return call


class StageTable:
    """Addresses of the stages, where compiled code looks for them: a tables I holds the address of one in STAGES, of one on
    complex numbers in COMPLEX_STAGES, and the table must live as long as that is used.

    Args:
        instead: what stands in the place of a stage, by the stage's name: the name of another stage that takes the same
            arguments, or the address of a function that does (a float one).
        scalar: float, complex, or Lanes of `compiled_ops`.
        notes: integers behind the addresses, for functions that are at addresses.
    """

    def __init__(self, instead: Mapping[str, str | int] | None = None, scalar: type = float, notes: Sequence[int] = ()):
        places = {key[1]: key for key in _stages}
        self._place = layout.COMPLEX_STAGES if scalar is complex else layout.STAGES
        cells = np.array([0, *(0 for _ in _stages), *notes], np.int64)
        self.addresses = cells[1:]
        self._address = self.addresses.ctypes.data
        self._until_compiled: list[Any] = []
        for name in (instead or {}).keys() - places.keys():
            raise NameError(f'there is no stage "{name}": there are {", ".join(places)}')
        names = [(instead or {}).get(key[1], key[1]) for key in _stages]
        for n, (key, there) in enumerate(zip(_stages, names, strict=True)):
            if isinstance(there, str):
                if _stages[places[there]] != _stages[key]:
                    raise TypeError(f'stage "{there}" does not take the arguments of "{key[1]}", in whose place it is put')
                self.compile_when_called(n, places[there], scalar)
            else:
                self.addresses[n] = there
        if scalar not in (float, complex):
            cells[0] = self._hook([places[str(name)] for name in names], scalar)

    def compile_when_called(self, n: int, key: tuple[str, str], scalar: type) -> None:
        """Put at place n the address of a function that compiles a stage, takes its own place by it, and goes on there; the
        stage itself where it is compiled already. Of lanes nothing: there `_hook` compiles it."""
        world, stage, table = compiled(), _stages[key], self.addresses
        if (key, scalar) in world.stages:
            table[n] = world.stages[key, scalar]
            return
        if scalar not in (float, complex):
            return
        letters: dict[str, Any] = dict.fromkeys("IPw", ctypes.c_void_p) | {"t": ctypes.c_double, "n": ctypes.c_int64}
        prototype = ctypes.CFUNCTYPE(letters.get(stage.returns), *(letters[k] for k in stage.arguments))

        def first_call(*arguments: Any) -> Any:
            address = _made_in_the_midst(key, scalar)
            if not address:
                return 0
            table[n] = address
            return prototype(address)(*arguments)

        table[n] = self._keep(prototype(first_call))

    def _hook(self, keys: Sequence[tuple[str, str]], scalar: type) -> int:
        """Address of a function that puts the address of stage n into the table; where the stage does not compile, that of
        one that does nothing, whatever it is called with."""
        table = self.addresses
        nothing = self._keep(ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: 0))

        def compile_stage(n: int) -> None:
            table[n] = _made_in_the_midst(keys[n], scalar) or nothing

        return self._keep(ctypes.CFUNCTYPE(None, ctypes.c_int64)(compile_stage))

    def _keep(self, callback: Any) -> int:
        """The address of a function of ctypes, which lives as long as this."""
        self._until_compiled.append(callback)
        return int(ctypes.cast(callback, ctypes.c_void_p).value or 0)

    def put_into(self, I: np.ndarray) -> None:
        """Make these the stages of the tables I."""
        I[self._place] = self._address


def _made_in_the_midst(key: tuple[str, str], scalar: type) -> int:
    """The address of a stage that compiled code calls for the first time; 0, and a note, where it cannot be compiled."""
    world, own = compiled(), threading.get_ident()
    if any(thread == own and error is not None for thread, error in noted):
        return 0  # numbers are lost already
    try:
        if (key, scalar) not in world.stages:
            made = _compiled_stage(world, key, scalar)
            world.alive.append(made)
            world.stages[key, scalar] = int(made.address or 0)
    except BaseException as error:  # goes nowhere from here
        error.add_note(f'while the kernel "{key[1]}" was compiled')
        noted.append((own, error))
        return 0
    finally:
        world.lock.drop()
    noted.append((own, None))
    return int(world.stages[key, scalar])


def stage_count() -> int:
    """Number of stages: where the notes of a StageTable begin."""
    return len(_stages)


def stage_number(name: str) -> int:
    """Where in a table of addresses a stage is."""
    return [key[1] for key in _stages].index(name)


def connect(I: np.ndarray, scalar: type = float, instead: Mapping[str, str | int] | None = None) -> None:
    """Note in the tables I of a system where the compiled stages are, for a scalar, with some `instead` of others (see
    `StageTable`). Tables for lanes serve nothing else; what is connected for float has the usual stages for complex too."""
    if scalar is float:
        connect(I, complex)
    tables = compiled().tables
    key = (scalar, *sorted((instead or {}).items()))
    if key not in tables:
        tables[key] = StageTable(instead, scalar)
    tables[key].put_into(I)


def _compiled_stage(world: SimpleNamespace, key: tuple[str, str], scalar: type) -> Any:
    """A stage as a C function, from disk or compiled."""
    from kaneflex.kernels import compiled_ops

    f, options = world.bodies[key]
    signature = sigutils.normalize_signature(compiled_ops.stage_signature(_stages[key], scalar))
    with progress.compiling(f.__name__), _cache_in(world.folder):
        made: Any = CFunc(f, signature, locals={}, options=options)
        made._cache = KernelCache(f, world.lock)
        made.compile()
    progress.count(kernels=not made.cache_hits)
    return made


def is_kept(name: str) -> bool:
    """Whether the entry is compiled, here or in the cache on disk, for whatever arguments."""
    entry = getattr(compiled(), name)
    return bool(entry.overloads or entry._cache.is_there)


def compile_only(name: str, arguments: str = "", scalar: type = float) -> None:
    """Compile a stage, or an entry with arguments as `compiled_ops.entry_signature` takes them, without calling it."""
    from kaneflex.kernels import compiled_ops

    world = compiled()
    stage = next((key for key in _stages if key[1] == name), None)
    try:
        if stage is not None:
            _compiled_stage(world, stage, scalar)
        else:
            getattr(world, name).compile(compiled_ops.entry_signature(arguments, scalar))
    finally:
        world.lock.drop()


@contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Numba's cache in this folder, for functions made inside, by one thread at a time."""
    with _one_folder:
        before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


@cache
def plain() -> SimpleNamespace:
    """The kernels as Python functions on SymEngine objects (they take plain floats as well)."""
    from kaneflex.kernels import symbolic_ops

    return interpreted(vars(symbolic_ops))


def interpreted(scalar: dict[str, Any]) -> SimpleNamespace:
    """The kernels as Python functions, with the functions of `ops` that a scalar brings."""
    return _world(lambda f, _: f, scalar)
