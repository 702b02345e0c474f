"""Kinds of joints, loads and bodies: found in their folders, and told apart by branches that are written out for each.

A folder such as `kernels/joints` has one kind in each file: a module with FACTS, whose `code` is the kind's number in the
tables, a constant of that value whose name begins with the kind's in capitals, and functions named after it. Nothing lists
the kinds: what is in the folder is there, and what others have written is added by `Chains.add`.

The folder's `dispatch` has the functions that choose among kinds. Each is written once, with a branch for any kind,

    if code == EACH:
        compose_pose(P, W, i, each("pose"))

and `Chains` puts as many branches into the place of this one as there are kinds with such a function:

    if code == REVOLUTE:
        compose_pose(P, W, i, revolute_pose(q, k, P, g))
    elif code == PRISMATIC:
        ...

A function of a kind takes what it names among what is there, in any order. `each()` is the function named as the kind
itself. A line whose function a kind does not have is left out, and so is a branch without lines. No kind has the last
branch by default, and planning refuses codes that are nobody's. What was written out is `Chains.text`; debuggers and error
messages find it as further lines of the file of `dispatch`.
"""

import importlib
import linecache
import pkgutil
import re
import sys
from itertools import takewhile
from types import FunctionType, ModuleType
from typing import Any

EACH = -1  # stands for the code of any kind
APART_FROM_KINDS = ("contract", "dispatch")  # files of a folder that are no kinds

_BRANCH = re.compile(r"( *)(?:if|elif) (\w+) == EACH:\n")
_CALL = re.compile(r'\beach\((?:"(\w+)")?\)')


def each(part: str = "") -> Any:
    """Stands for the call of a kind's function of this name."""
    raise TypeError(f"the branches of this function have not been written out: {part}")


def modules_in(package: str) -> list[ModuleType]:
    """The modules of a package, by name, but for `contract` and `dispatch`."""
    path = sys.modules[package].__path__
    names = sorted(found.name for found in pkgutil.iter_modules(path) if found.name not in APART_FROM_KINDS)
    return [importlib.import_module(f"{package}.{name}") for name in names]


class Chains:
    """The kinds of a folder, and the functions of its `dispatch` that choose among them.

    Args:
        home: name of the module `dispatch`, which is being imported.
        without: files whose kind has no branch of its own in these functions.

    Attributes:
        kinds: the modules, by code.
        codes: of all of them.
        text: the functions as they are written out.
    """

    def __init__(self, home: str, without: tuple[str, ...] = ()) -> None:
        self.home, self.without = sys.modules[home], without
        self.kinds = [module for module in modules_in(home.rpartition(".")[0]) if hasattr(module, "FACTS")]
        self._lines = linecache.getlines(str(self.home.__file__))
        sources = [_source_of(f, self._lines) for f in _functions_of(self.home).values()]
        self._patterns = [source for source in sources if _BRANCH.search(source)]
        self._write()

    def add(self, kind: ModuleType) -> None:
        """Add a kind that is not in the folder."""
        self.kinds.append(kind)
        try:
            self._write()
        except Exception:
            self.kinds.remove(kind)
            self._write()
            raise

    def facts(self, code: int) -> Any:
        """FACTS of the kind with this code."""
        return next(kind.FACTS for kind in self.kinds if kind.FACTS.code == code)

    def _write(self) -> None:
        """Put the functions, with branches for all kinds, in the place of those that stand for them."""
        self.kinds.sort(key=lambda kind: kind.FACTS.code)
        self.codes = frozenset(kind.FACTS.code for kind in self.kinds)
        for one, next_one in zip(self.kinds, self.kinds[1:], strict=False):
            if one.FACTS.code == next_one.FACTS.code:
                raise NameError(f"{one.__name__} and {next_one.__name__} have the same code, {one.FACTS.code}: give another")
        space, used = vars(self.home), dict[str, Any]()
        chosen = [kind for kind in self.kinds if short_name(kind) not in self.without]
        for kind in self.kinds:
            used |= {constant_of(kind): kind.FACTS.code}
            used |= _functions_of(kind)
        text = "\n\n".join(written_out(pattern, chosen) for pattern in self._patterns)
        file = str(self.home.__file__)
        code = compile("\n" * (len(self._lines) + 2) + text, file, "exec")
        for function in code.co_consts:
            unknown = set(getattr(function, "co_names", ())) - set(space) - set(used) - {"range"}
            if unknown:
                raise NameError(f"{function.co_name} has no {', '.join(sorted(unknown))}, which a function of a kind takes")
        whole = [*self._lines, "\n", "\n", *text.splitlines(keepends=True)]
        linecache.cache[file] = (sum(map(len, whole)), None, whole, file)
        self.text = text
        space.update(used)
        exec(code, space)


def _functions_of(module: ModuleType) -> dict[str, FunctionType]:
    found = [f for f in vars(module).values() if isinstance(f, FunctionType) and f.__module__ == module.__name__]
    return {f.__name__: f for f in found}


def _source_of(function: FunctionType, lines: list[str]) -> str:
    """The source of a function among the lines of its file: up to the next line that is not indented."""
    first = function.__code__.co_firstlineno - 1
    body = takewhile(lambda line: line[0] in " \n", lines[first + 1 :])
    return "".join([lines[first], *body]).rstrip() + "\n"


def _arguments_of(function: FunctionType) -> str:
    return ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])


def short_name(kind: ModuleType) -> str:
    """The name of a kind: that of its file."""
    return kind.__name__.rpartition(".")[2]


def constant_of(kind: ModuleType) -> str:
    """The name of the constant that is the code of a kind."""
    start = short_name(kind).upper()
    if vars(kind).get(start) == kind.FACTS.code:
        return start
    for name, value in vars(kind).items():
        if name.startswith(start) and name.isupper() and value == kind.FACTS.code and type(value) is int:
            return name
    raise NameError(f"{kind.__name__} has no constant {start} with the code of its FACTS, {kind.FACTS.code}")


def written_out(pattern: str, kinds: list[ModuleType]) -> str:
    """The source of a function with its branches for each of the kinds."""
    lines = pattern.splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if _BRANCH.match(line))
    found = _BRANCH.match(lines[first])
    assert found is not None
    indent, code = found.groups()
    last = first + 1
    while last < len(lines) and lines[last].startswith(indent + " "):
        last += 1
    word, branches = lines[first].split()[0], []
    for kind in kinds:
        inner = [_filled(line, kind) for line in lines[first + 1 : last]]
        kept = [line for line in inner if line is not None]
        if kept:
            branches += [f"{indent}{word} {code} == {constant_of(kind)}:\n", *kept]
            word = "elif"
    return "".join([*lines[:first], *branches, *lines[last:]])


def _filled(line: str, kind: ModuleType) -> str | None:
    """A line of a branch with the calls of a kind's functions; None where the kind does not have them."""
    missing = False

    def call(found: re.Match[str]) -> str:
        nonlocal missing
        name = short_name(kind) + (f"_{found[1]}" if found[1] else "")
        function = getattr(kind, name, None)
        if function is None:
            missing = True
            return ""
        return f"{name}({_arguments_of(function)})"

    filled = _CALL.sub(call, line)
    return None if missing else filled
