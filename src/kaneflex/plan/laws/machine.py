"""Machine code of user functions: compiled once for each code and kinds of numbers, and kept on disk.

Touches Numba's compiler, the cache folder, and `_known`, in which all compiled code of the process is.
"""

import functools
import hashlib
import importlib.util
import inspect
import itertools
import os
import pickle
import sys
import tempfile
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import carray
from numba.extending import intrinsic

from kaneflex.kernels import backend, compiled_ops
from kaneflex.kernels.numba_compat import ENVIRONMENT, NumbaWarning, cgutils, cpu_target, ir, lookup_environment
from kaneflex.kernels.progress import progress
from kaneflex.model.rebinding import copied
from kaneflex.plan.laws.capture import Bound, Capture, Constant, Curve, Helper, Namespace, Slot, fill
from kaneflex.plan.laws.cells import loader, packed, size_of
from kaneflex.plan.laws.entries import DATA, INTERPRETER, quiet
from kaneflex.plan.laws.messages import summary
from kaneflex.plan.laws.passes import CELLS, LawCompiler, PowersCompiler, Read, Space

_FILES = 4000  # on disk
_BAKED = 64  # compiled functions with numbers in their code that are kept


@dataclass(frozen=True)
class Shape:
    """How compiled code calls a function of (t) or (t, x), and what that returns: "scalar", "tuple" or "array"."""

    takes_x: bool
    form: str
    inputs: int
    outputs: int
    complex: bool = False


@dataclass(frozen=True)
class Machine:
    """Machine code at an address, or why there is none; `failure` is an exception that may not come again, and `final`
    says that constants in the place of data would not help."""

    address: int = 0
    owner: Any = None
    reason: str = ""
    failure: BaseException | None = None
    final: bool = False


_known: dict[Any, Machine] = {}
_baked: dict[Any, Machine] = {}  # the last used one last
_others = itertools.count(1)


def machine_of(capture: Capture, shape: Shape) -> tuple[Machine, bytes, Any]:
    """Machine code of a function of (t) or (t, x), the data it needs, and what these point into.

    The numbers that it refers to are data. Where Numba needs one of them as a constant all are compiled in.
    """
    key = capture.structure, shape
    machine = _known.get(key)
    if machine is None or (capture.live and not machine.final):  # an object may have changed, but not into another type
        machine = _known[key] = _made(capture, shape)
    if machine.address:
        values = [value for value, _ in capture.numbers]
        return machine, b"".join(packed(v, kind) for v, kind in capture.numbers), values
    if not machine.final:
        machine = _with_constants(capture, shape)
    return machine, b"", None


def _made(capture: Capture, shape: Shape) -> Machine:
    """From disk, or compiled and put there."""
    if capture.opaque:
        return _fresh(capture, shape, f"{next(_others)}_{os.getpid()}")
    name = hashlib.sha256(repr((_versions(), capture.structure, shape)).encode()).hexdigest()[:40]
    path = backend.cache_folder() / "functions" / f"{name}.function"
    machine = _load(path)
    if machine is None:
        machine = _fresh(capture, shape, name)
        _store(path, machine)
    return machine


def _fresh(capture: Capture, shape: Shape, name: str) -> Machine:
    """Compiled; where that fails with data and with constants, it is final."""
    machine = _compiled(capture, shape, name)
    if not (machine.address or machine.final):
        constant = _with_constants(capture, shape)
        machine = machine if constant.address else constant
    return machine


def _with_constants(capture: Capture, shape: Shape) -> Machine:
    """Compiled with the numbers in the code, which is good for these numbers only."""
    key = capture.fingerprint, shape
    machine = None if capture.live else _baked.pop(key, None)
    if machine is None:
        machine = _compiled(capture, shape, f"{next(_others)}_{os.getpid()}", constants=True)
    _baked[key] = machine
    if len(_baked) > _BAKED:
        del _baked[next(iter(_baked))]
    return machine


# ---- compiling


def _compiled(capture: Capture, shape: Shape, name: str, constants: bool = False) -> Machine:
    with progress.compiling("user function"), quiet(NumbaWarning):
        try:
            function = _jitted(capture, shape, name, constants)
            made = _entry(function, shape, name, bool(capture.numbers) and not constants)
        except Exception as error:
            failure = error if isinstance(error, OSError | MemoryError) else None
            return Machine(reason=summary(error), failure=failure, final=constants or not capture.numbers)
    progress.count(functions=1)
    return Machine(int(made.address or 0), made)


def _jitted(capture: Capture, shape: Shape, name: str, constants: bool) -> Any:
    """The function for Numba, with its helpers. Names are unique: code that is kept on disk is linked by name."""
    pipeline = PowersCompiler if shape.complex else LawCompiler
    jit = numba.njit(error_model="numpy", boundscheck=True, pipeline_class=pipeline)
    with_cells = bool(capture.numbers) and not constants
    places, place = [], DATA
    for _, kind in capture.numbers:
        places.append(place)
        place += size_of(kind)
    made: dict[int, Any] = {}

    def stand_in(reference: Any) -> Any:
        if isinstance(reference, Slot):
            value, kind = capture.numbers[reference.number]
            return Read(loader(kind, places[reference.number])) if with_cells else value
        if isinstance(reference, Helper | Curve):
            return function_of((reference.helper if isinstance(reference, Curve) else reference).number)
        if isinstance(reference, Namespace):
            return Space({k: stand_in(v) for k, v in reference.parts.items()})
        return reference.value if isinstance(reference, Constant) else _nothing(reference)

    def function_of(number: int) -> Any:
        if number in made:
            return made[number]
        f, references = capture.functions[number]
        space: dict[str, Any] = {"__builtins__": f.__globals__.get("__builtins__", __builtins__)}
        copy, free = copied(f, space)
        copy.__qualname__ = f"{''.join(c for c in f.__name__ if c.isalnum())}_{number}_{name}"
        _set_signature(copy, f, with_cells)
        made[number] = jit(copy)
        fill(references, space, free, stand_in)
        return made[number]

    return stand_in(capture.root)


def _nothing(reference: Bound) -> Any:
    """Numba has no functools.partial: what it makes of None is an error where it is used."""
    return None


def _set_signature(copy: types.FunctionType, f: types.FunctionType, with_cells: bool) -> None:
    """What Numba goes by: with the cells as one more argument, the first, and without arguments by keyword only, which it
    does not know."""
    signature, kind = inspect.signature(f), inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = list(signature.parameters.values())
    kinds = {p.kind for p in parameters}
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters = [p.replace(kind=kind) if p.kind is p.KEYWORD_ONLY else p for p in parameters]
    if with_cells:
        first = inspect.Parameter.POSITIONAL_ONLY if inspect.Parameter.POSITIONAL_ONLY in kinds else kind
        parameters.insert(0, inspect.Parameter(CELLS, first))
        setattr(copy, CELLS, True)
    vars(copy)["__signature__"] = signature.replace(parameters=parameters)


def _entry(function: Any, shape: Shape, name: str, with_cells: bool) -> Any:
    """A C function that calls a Numba function, and the interpreter where that raises or returns another length."""
    scalar = numba.complex128 if shape.complex else numba.float64
    good, store = "done", [f"out[{k}] = r[{k}]" for k in range(shape.outputs)]
    if shape.form == "scalar":
        store = ["out[0] = r"]
    elif shape.form == "array":
        good, store = "done and len(r) == outputs", ["for k in range(outputs):", "    out[k] = r[k]"]
    arguments = ["cells"] * with_cells + ["t"] + ["carray(x, (inputs,))"] * shape.takes_x
    lines = [
        f"def entry_{name}(t, x, out, cells):",
        f"    done, r = attempt(function, ({', '.join(arguments)},))",
        f"    if {good}:",
        *("        " + line for line in store or ["pass"]),
        "    else:",
        "        interpret(t, x, out, cells)",
    ]
    space = {"attempt": _attempt, "interpret": _interpret, "function": function, "carray": carray}
    space |= {"inputs": shape.inputs, "outputs": shape.outputs}
    exec("\n".join(lines), space)
    pointer, cells = numba.types.CPointer(scalar), numba.types.CPointer(numba.int64)
    if function._can_compile:  # for the sake of its messages
        function.compile((cells,) * with_cells + (numba.float64,) + (scalar[::1],) * shape.takes_x)
    signature = numba.void(numba.float64, pointer, pointer, cells)
    return numba.cfunc(signature, error_model="numpy")(space[f"entry_{name}"])


@intrinsic
def _attempt(typingctx: Any, function: Any, arguments: Any) -> Any:
    """(True, value), or (False, nothing) when the function raises."""
    inner = function.get_call_type(typingctx, tuple(arguments), {})
    pair = numba.types.Tuple((numba.boolean, inner.return_type))

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = function.dispatcher.get_compile_result(inner)
        context.add_linking_libs([made.library])
        values = cgutils.unpack_tuple(builder, args[1])
        values = [context.cast(builder, *v) for v in zip(values, arguments, inner.args, strict=True)]
        status, value = context.call_internal_no_propagate(builder, made.fndesc, inner, values)
        value = builder.select(status.is_ok, value, value.type(None))
        return context.make_tuple(builder, pair, (status.is_ok, value))

    return pair(function, arguments), codegen


@intrinsic
def _interpret(typingctx: Any, t: Any, x: Any, out: Any, cells: Any) -> Any:
    """Call the interpreter, whose address is in the cells."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        t, x, out, cells = args
        pointers = [builder.bitcast(p, cgutils.voidptr_t) for p in (x, out, cells)]
        prototype = ir.FunctionType(ir.VoidType(), [ir.DoubleType(), *(cgutils.voidptr_t,) * 3])
        address = builder.load(builder.gep(cells, [cgutils.intp_t(INTERPRETER)]))
        builder.call(builder.inttoptr(address, prototype.as_pointer()), [t, *pointers])
        return context.get_dummy_value()

    return numba.void(numba.float64, x, out, cells), codegen


# ---- disk


@functools.cache
def _versions() -> tuple[Any, ...]:
    """What compiled code depends on besides the function: sources that make it, versions, the processor."""
    digest = hashlib.sha256(Path(compiled_ops.__file__).read_bytes())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    loaded = [(n, getattr(sys.modules.get(n), "__version__", "")) for n in ("scipy",)]
    versions = numba.__version__, llvmlite.__version__, np.__version__, *loaded, importlib.util.MAGIC_NUMBER
    return digest.hexdigest(), versions, cpu_target.target_context.codegen().magic_tuple()


def _load(path: Path) -> Machine | None:
    """What `_store` wrote; None where there is nothing, or nothing that can be read."""
    try:
        name, data, reason, final = pickle.loads(path.read_bytes())
        if reason:
            return Machine(reason=reason, final=final)
        context = cpu_target.target_context
        context.refresh()
        library = context.codegen().unserialize_library(data)
        os.utime(path)
        return Machine(int(library.get_pointer_to_function(name)), library)
    except FileNotFoundError:
        return None
    except Exception:  # emptied, cut off, of another format: to be written again
        return None


def _store(path: Path, machine: Machine) -> None:
    """Put machine code on disk, unless it points into this process; a folder that cannot be written to is let be."""
    if machine.failure is not None:  # it may pass
        return
    content: tuple[Any, ...] = ("", None, machine.reason, machine.final)
    if machine.address:
        library = machine.owner._library
        if library.has_dynamic_globals or _needs_environment(library):
            return
        content = (machine.owner.native_name, library.serialize_using_object_code(), "", False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(pickle.dumps(content))
        os.replace(file.name, path)
        _prune(path.parent)
    except OSError:
        pass


def _prune(folder: Path) -> None:
    """Of too many files remove those that were not used for longest."""
    files = [entry for entry in os.scandir(folder) if entry.name.endswith(".function")]
    if len(files) > _FILES:
        for entry in sorted(files, key=lambda f: f.stat().st_mtime)[: len(files) - _FILES // 2]:
            os.unlink(entry.path)


def _needs_environment(library: Any) -> bool:
    """Whether the code looks up Python objects."""
    names = [g.name for g in library._final_module.global_variables if g.name.startswith(ENVIRONMENT)]
    return any(environment is not None and environment.consts for environment in map(lookup_environment, names))
