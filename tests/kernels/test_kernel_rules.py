"""The rules that kernels keep so that one source serves floats, complex numbers and symbols."""

import ast
import builtins
import dis
import importlib
import inspect
import types

import pytest

from kaneflex.kernels import backend

ON_NUMBERS = (
    "kaneflex.formulations.multipliers",
    "kaneflex.formulations.least_norm",
    "kaneflex.formulations.projection",
    "kaneflex.formulations.embedded",
    "kaneflex.formulations.row_solve",
    "kaneflex.formulations.tree_matrix",
    "kaneflex.formulations.tension",
    "kaneflex.formulations.absolute_error",
    "kaneflex.formulations.coordinate_step",
    "kaneflex.formulations.momentum",
    "kaneflex.formulations.cartesian.supernodes",
    "kaneflex.formulations.cartesian.equations",
    "kaneflex.formulations.cartesian.matrix",
    "kaneflex.formulations.cartesian.motion",
    "kaneflex.formulations.cartesian.rates",
)  # their docstrings say so
MODULES = [
    m
    for m in backend._modules
    if m.__name__.startswith(("kaneflex.kernels.", "kaneflex.formulations."))
    and m.__name__ not in ON_NUMBERS
    and backend.kernel_functions(m)
]
FORBIDDEN_NAMES = {"np", "numpy", "math", "cmath", "numba", "scipy", "sympy", "symengine"}
FORBIDDEN_CALLS = {"abs", "max", "min", "norm", "float", "int", "complex", "round", "print", "isinstance", "list", "dict"}
INTEGER_TABLES = {"I", "S"}
INTEGER_PARAMETERS = {"axis", "e", "i", "k", "s", "m", "n", "r", "wp", "solved"}
REAL_LAYOUT = {"rate"}  # the one function of `layout` that gives no place


def functions(module):
    tree = ast.parse(inspect.getsource(module))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


CASES = [pytest.param(f, id=f"{m.__name__.removeprefix('kaneflex.')}.{f.name}") for m in MODULES for f in functions(m)]
LAYOUTS = (
    "kaneflex.kernels.offsets",
    "kaneflex.kernels.block_offsets",
    "kaneflex.kernels.layout",
    "kaneflex.formulations.cartesian.layout",
    "kaneflex.simulate.stepping.layout",
)
LAYOUT = {f.name for home in LAYOUTS for f in functions(importlib.import_module(home))} - REAL_LAYOUT


class Integers:
    """Which expressions of a function are integers: constants, tables of integers, places, and sums of them."""

    def __init__(self, function):
        self.names = {a.arg for a in function.args.args} & INTEGER_PARAMETERS
        self.tables = set(INTEGER_TABLES)
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.For)]
        for _ in range(3):  # names made of names made of names
            for node in assigned:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                value = node.value if isinstance(node, ast.Assign) else node.iter
                for name, source in self.pairs(target, value):
                    if ast.unparse(source).startswith(("pointer(I)", "pointer(S)", "integers_at(")):
                        self.tables.add(name)
                    if self.has(source):
                        self.names.add(name)
        for node in assigned:  # a name that is also something else is no integer
            if isinstance(node, ast.Assign):
                self.names -= {name for name, source in self.pairs(node.targets[0], node.value) if not self.has(source)}

    @staticmethod
    def pairs(target, value):
        if isinstance(target, ast.Name):
            return [(target.id, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            return [(t.id, v) for t, v in zip(target.elts, value.elts, strict=True) if isinstance(t, ast.Name)]
        return [(t.id, ast.Constant(None)) for t in getattr(target, "elts", ()) if isinstance(t, ast.Name)]

    def has(self, e):
        if isinstance(e, ast.Constant):
            return isinstance(e.value, int)
        if isinstance(e, ast.Name):
            return (e.id.isupper() and len(e.id) > 1) or e.id in self.names
        if isinstance(e, ast.Subscript):
            shape = isinstance(e.value, ast.Attribute) and e.value.attr == "shape"
            return shape or (isinstance(e.value, ast.Name) and e.value.id in self.tables)
        if isinstance(e, ast.Attribute):
            return e.attr == "size"
        if isinstance(e, ast.BinOp):
            return self.has(e.left) and self.has(e.right) and not isinstance(e.op, ast.Div)
        if isinstance(e, ast.Call):
            called = e.func.id if isinstance(e.func, ast.Name) else ""
            return called == "range" or called in LAYOUT
        return False


def problems(function):
    integers = Integers(function)
    if function.decorator_list or function.args.kwonlyargs or function.args.vararg or function.args.kwarg:
        yield "decorators, stars or keywords"
    if not ast.get_docstring(function):
        yield "no docstring"
    for node in ast.walk(function):
        if node is not function and isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield f"line {node.lineno}: a function within a function"
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal | ast.Try | ast.Raise | ast.With):
            yield f"line {node.lineno}: {type(node).__name__}"
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            yield f"line {node.lineno}: {node.id}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield f"line {node.lineno}: {node.func.id}(...)"
        if isinstance(node, ast.List | ast.Dict | ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp):
            yield f"line {node.lineno}: allocates a {type(node).__name__}"
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value != 0.0:
            yield f"line {node.lineno}: {node.value}, which is no exact number for symbols"
        if isinstance(node, ast.Compare) and not all(map(integers.has, (node.left, *node.comparators))):
            yield f"line {node.lineno}: compares {ast.unparse(node)}, which may be a state"
        if isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.Compare | ast.BoolOp):
            yield f"line {node.lineno}: branches on {ast.unparse(node.test)}"


def test_all_kernels_are_looked_at():
    assert len(CASES) > 120


@pytest.mark.parametrize("function", CASES)
def test_kernel_keeps_the_rules(function):
    assert list(problems(function)) == []


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_module_imports_no_library(module):
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        assert all(n.startswith(("kaneflex.", "typing")) or n in ("typing", "math") for n in names), names
        assert "math" not in names or module.__name__.endswith("ops")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("def f(q, k):\n    'd'\n    return q[k] if q[k] > 0 else 0 * q[k]", "compares q[k] > 0"),
        ("def f(W, c):\n    'd'\n    x = W[c]\n    if x > 0:\n        x = 0 * x\n    return x", "compares x > 0"),
        ("def f(q, k):\n    'd'\n    return np.sin(q[k])", "np"),
        ("def f(q, k):\n    'd'\n    return abs(q[k])", "abs"),
        ("def f(q, k):\n    'd'\n    return 0.5 * q[k]", "0.5"),
        ("def f(q, k):\n    'd'\n    g = lambda x: x\n    return g(q[k])", "within"),
        ("def f(q, k):\n    'd'\n    return [q[k]]", "allocates"),
        ("def f(I, W, k):\n    'd'\n    k, x = I[k], W[k]\n    return 1 if x == k else 2", "compares x == k"),
    ],
)
def test_rules_can_be_broken(source, complaint):
    found = list(problems(ast.parse(source).body[0]))
    assert len(found) == 1 and complaint in found[0]


# -- names -------------------------------------------------------------------------------------------------------------


def global_names(code):
    """Names that a function's code takes from its module or from Python."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return found.union(*(global_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def unknown_names(module):
    """Names in a module's functions that mean nothing there."""
    known = set(vars(module)) | set(vars(builtins))
    return sorted({name for f in backend.kernel_functions(module).values() for name in global_names(f.__code__)} - known)


@pytest.mark.parametrize("module", backend._modules, ids=lambda m: m.__name__.removeprefix("kaneflex."))
def test_every_name_is_known(module):
    """The linter does not look for names where the layout is taken whole."""
    assert not unknown_names(module)


@pytest.mark.parametrize("module", backend._modules, ids=lambda m: m.__name__.removeprefix("kaneflex."))
def test_every_name_is_of_one_module(module):
    """Only layouts are taken whole, and no name of theirs is made or imported again from elsewhere."""
    tree = ast.parse(inspect.getsource(module))
    whole, others = [], set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names = {alias.asname or alias.name for alias in node.names}
            if "*" in names:
                whole.append(node.module)
            else:
                others |= names
        elif isinstance(node, ast.FunctionDef):
            others.add(node.name)
        elif isinstance(node, ast.Assign):
            others |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    assert set(whole) <= set(LAYOUTS)
    taken = [name for home in whole for name in vars(importlib.import_module(home)) if not name.startswith("_")]
    assert len(taken) == len(set(taken)) and not others & set(taken)


def test_an_unknown_name_is_found():
    module = types.ModuleType("trial")
    exec("def f(I):\n    return I[BODIES] + sum(SPEEDS for _ in range(2))\nf.__module__ = 'trial'\nBODIES = 0", vars(module))
    assert unknown_names(module) == ["SPEEDS"]
