"""What the package uses of Numba beyond its public interface is there, and all of it is in one module."""

import ast
import importlib
from pathlib import Path

import pytest

import kaneflex
from kaneflex.kernels import numba_compat

SOURCE = Path(kaneflex.__file__).parent
COMPAT = Path(numba_compat.__file__)


def modules_imported(path):
    """(module, name) of every import in a file; the name is None where a module is imported whole."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def is_private(module):
    parts = (module or "").split(".")
    return parts[:2] in (["numba", "core"], ["numba", "np"], ["numba", "cpython"]) or (parts[0] == "llvmlite")


PRIVATE = sorted((m, n) for m, n in modules_imported(COMPAT) if is_private(m))


def test_only_one_module_looks_into_numba():
    found = {
        (path.relative_to(SOURCE).as_posix(), module)
        for path in SOURCE.rglob("*.py")
        for module, name in modules_imported(path)
        if is_private(module) and path != COMPAT and (module, name) != ("llvmlite", None)  # for its version
    }
    assert not found, f"take these from kernels/numba_compat.py: {sorted(found)}"
    assert len(PRIVATE) > 20


@pytest.mark.parametrize(("module", "name"), PRIVATE, ids=[f"{m}.{n}" for m, n in PRIVATE])
def test_what_is_imported_is_there(module, name):
    home = importlib.import_module(module)
    found = hasattr(home, name) or importlib.util.find_spec(f"{module}.{name}") is not None
    assert found, f"Numba has no {module}.{name} any more, which kernels/numba_compat.py imports"


NAMED = [(owner, name) for owner, names in numba_compat.ATTRIBUTES.items() for name in names]


@pytest.mark.parametrize(("owner", "name"), NAMED, ids=[f"{o}.{n}" for o, n in NAMED])
def test_what_is_used_of_it_is_there(owner, name):
    holder = getattr(numba_compat, owner)
    assert hasattr(holder, name), f"Numba's {owner} has no {name} any more; find who uses it below src/kaneflex"


def test_attributes_of_objects_are_there(tmp_path):
    """What instances get when they are made, which their classes do not show."""
    import numba

    compiled = numba.njit(lambda x: x + 1.0)
    compiled(1.0)
    for name in ("py_func", "targetoptions", "_can_compile", "_cache", "stats", "overloads"):
        assert hasattr(compiled, name), f"Numba's functions have no {name} any more"
    (result,) = compiled.overloads.values()
    for name in ("library", "fndesc"):
        assert hasattr(result, name), f"Numba's compile results have no {name} any more"
    assert hasattr(result.library, "_final_module"), "Numba's libraries have no _final_module any more"
    kept = numba.njit(lambda x: x)
    kept.enable_caching()
    assert kept._cache._cache_file._index_path.endswith(".nbi"), "Numba's cache has no _cache_file._index_path any more"
    assert hasattr(numba.config, "CACHE_DIR") and hasattr(numba.config, "CPU_NAME")
    made = numba.cfunc("float64(float64)")(lambda x: x)
    for name in ("_cache", "_library"):
        assert hasattr(made, name), f"Numba's C functions have no {name} any more"
    assert numba_compat.cpu_target.target_context.codegen().magic_tuple()
    assert numba_compat.cpu_target.typing_context._globals
    assert numba_compat.builtin_registry.globals


def test_a_numba_that_lacks_something_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "numba.core.caching", None)
    with pytest.raises(ImportError, match=r"Numba [\d.]+ is built otherwise .*caching.* pip install"):
        exec(compile(COMPAT.read_text(), "numba_compat", "exec"), {"__name__": "trial"})
