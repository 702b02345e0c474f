"""The parts of Numba and llvmlite that are not of their public interface, all of them in one place.

Other modules take them from here, so that a new version of Numba is looked at in one file. `ATTRIBUTES` are the methods and
attributes of these objects that the package relies on besides the names imported below; a test looks for each.
"""

from typing import Any

import numba

try:
    from llvmlite import binding, ir
    from numba.core import cgutils, event, sigutils
    from numba.core import ir as numba_ir
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
    from numba.core.ccallback import CFunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, CompilerBase, CompileResult, DefaultPassBuilder
    from numba.core.compiler_machinery import FunctionPass, register_pass
    from numba.core.dispatcher import Dispatcher
    from numba.core.environment import lookup_environment
    from numba.core.errors import NumbaError, NumbaWarning, TypingError
    from numba.core.ir_utils import build_definitions, mk_unique_var
    from numba.core.registry import cpu_target
    from numba.core.typeconv import Conversion
    from numba.core.typing.templates import builtin_registry
    from numba.core.untyped_passes import InlineClosureLikes
    from numba.np.arrayobj import make_array, populate_array
except ImportError as error:
    raise ImportError(
        f"Numba {numba.__version__} is built otherwise than kaneflex expects ({error}): "
        'install a version that it knows, pip install "numba>=0.66,<0.70"'
    ) from error

ENVIRONMENT = "_ZN08NumbaEnv"  # how names of a function's Python objects begin in compiled code

# What is used of the objects above, by their names: methods that are called or replaced, and attributes that are set.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "CFunc": ("compile", "address", "cache_hits", "native_name"),
    "CompileResult": ("entry_point",),
    "Compiler": ("_compile_bytecode",),
    "CompilerBase": ("define_pipelines",),
    "Conversion": ("unsafe",),
    "DefaultPassBuilder": ("define_nopython_pipeline",),
    "Dispatcher": ("compile", "get_compile_result"),
    "CompileResultCacheImpl": ("_locator_classes",),
    "FunctionCache": ("load_overload", "save_overload", "flush", "cache_path", "_impl_class"),
    "JITCodeLibrary": (
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_get_module_for_linking",
        "_verify_declare_only_symbols",
        "enable_object_caching",
        "get_pointer_to_function",
        "has_dynamic_globals",
        "serialize_using_object_code",
    ),
    "UserProvidedCacheLocator": ("get_cache_path", "get_source_stamp"),
    "cgutils": ("intp_t", "unpack_tuple", "voidptr_t"),
    "cpu_target": ("target_context", "typing_context"),
    "event": ("Listener", "register"),
    "numba_ir": ("Arg", "Assign", "Const", "Expr", "FreeVar", "Global", "Var"),
    "sigutils": ("normalize_signature",),
}


class LinkedLibrary(JITCodeLibrary):
    """Code that is linked into that of its callers, and never called by its address: optimised, but not made into machine
    code of its own, which takes a seventh of the time that kernels compile."""

    def _finalize_final_module(self) -> None:
        """Keep the optimised code for linking; only the places of Python objects, which Numba fills, become real."""
        whole = self._final_module
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
        self._get_module_for_linking()
        places = [str(g) for g in whole.global_variables if g.name.startswith(ENVIRONMENT)]
        head = [f'target triple = "{whole.triple}"', f'target datalayout = "{whole.data_layout}"']
        self._final_module = binding.parse_assembly("\n".join([*head, *places]))
        super()._finalize_final_module()


class LinkedCompiler(Compiler):
    """Numba's compiler of functions that only compiled functions call."""

    def _compile_bytecode(self) -> Any:
        state = self.state
        state.library = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super()._compile_bytecode()


__all__ = [
    "ATTRIBUTES",
    "ENVIRONMENT",
    "CFunc",
    "CompileResult",
    "CompileResultCacheImpl",
    "CompilerBase",
    "Conversion",
    "DefaultPassBuilder",
    "Dispatcher",
    "FunctionCache",
    "FunctionPass",
    "InlineClosureLikes",
    "LinkedCompiler",
    "NumbaError",
    "NumbaWarning",
    "TypingError",
    "UserProvidedCacheLocator",
    "binding",
    "build_definitions",
    "builtin_registry",
    "cgutils",
    "cpu_target",
    "event",
    "ir",
    "lookup_environment",
    "make_array",
    "mk_unique_var",
    "numba_ir",
    "populate_array",
    "register_pass",
    "sigutils",
]
