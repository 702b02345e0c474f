"""Every public callable refuses values that make no sense, by an error of the package that names the culprit.

From a valid call, one argument at a time is replaced by junk. The call must raise a ModelError (or another error of the
package), or the junk must be among what that argument may accept.
"""

import inspect
import random
import warnings
from functools import cache

import pytest
from fuzz.junk import JUNK

import kaneflex
import kaneflex.gallery
import kaneflex.symbolic
from kaneflex import blocks, orbits, parts, profiles, shapes
from kaneflex.view import sections

MODULES = (kaneflex, kaneflex.structures, kaneflex.symbolic, kaneflex.gallery, profiles, shapes, blocks, orbits, parts)
PARTS = 8


@cache
def table():
    """The valid calls, and the callables that are not fuzzed; some calls start runs, so not when tests are collected."""
    from fuzz.calls import CALLS, NOT_FUZZED

    return CALLS, NOT_FUZZED


@cache
def cases(border):
    """(callable, argument, junk) of what reaches the kernels' border directly, or of all else."""
    found = [
        (name, argument, junk)
        for name, call in table()[0].items()
        for argument in call.arguments
        for junk in JUNK
        if name.startswith(("Dynamics.", "State")) == border
    ]
    random.Random(0).shuffle(found)  # so that what one call leaves behind meets others than its neighbours in the table
    return found


def own(function) -> list[str]:
    """Names of the parameters, those by place with a star, without self and keywords that are passed on."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    names = [("*" if p.kind is p.VAR_POSITIONAL else "") + p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    return [n for n in names if n != "self" and not n.startswith("_")]


def public() -> dict[str, list[str]]:
    """Names of all public callables that take arguments, with these; a method by the class that defines it."""
    found = {}
    for module in MODULES:
        for word in module.__all__:
            thing = getattr(module, word)
            home = getattr(thing, "__module__", "")
            if not callable(thing) or not home.startswith("kaneflex"):
                continue
            prefix = f"{module.__name__.rpartition('.')[2]}." if module in (profiles, shapes, blocks, orbits, parts) else ""
            found[prefix + (word if "symbolic" not in home else f"symbolic.{word}")] = own(thing)
            for owner in thing.__mro__ if inspect.isclass(thing) else ():
                place = prefix + ("symbolic." if "symbolic" in owner.__module__ else "") + owner.__name__
                members = vars(owner).items() if owner.__module__.startswith("kaneflex") else ()
                for name, member in members:
                    if inspect.isroutine(member) and not name.startswith("_"):
                        found[f"{place}.{name}"] = own(getattr(owner, name))
    return {name: arguments for name, arguments in found.items() if arguments}


def call(name, argument=None, junk=None):
    """The call with one argument replaced."""
    function, given = table()[0][name].make(), {a: v.value for a, v in table()[0][name].arguments.items()}
    if argument is not None:
        given[argument] = (JUNK[junk](),) if argument.startswith("*") else JUNK[junk]()
    star = next((a for a in given if a.startswith("*")), None)
    if star is None:
        return function(**given)
    before = own(function)[: own(function).index(star)]
    return function(*(given.pop(a) for a in before), *given.pop(star), **given)


def outcome(name, argument, junk) -> str | None:
    """What is wrong with what a call does with junk; None for nothing."""
    given = table()[0][name].arguments[argument]
    try:
        call(name, argument, junk)
    except Exception as error:
        ours = type(error).__module__.startswith("kaneflex")
        if ours or (given.missing_file and isinstance(error, FileNotFoundError)):
            return None if len(str(error)) < 3000 else f"tells {len(str(error))} characters"
        return f"{type(error).__name__}: {str(error)[:150]}"
    return None if junk in given.accepts else "accepted"


@pytest.fixture
def quiet(tmp_path_factory, monkeypatch):
    """A folder of its own to write to, no warnings, and no pictures drawn."""
    monkeypatch.chdir(tmp_path_factory.getbasetemp())
    monkeypatch.setattr(sections, "image", lambda figure: "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_there_are_many_cases():
    assert len(cases(False)) > 5000


def test_the_table_has_a_valid_call_of_every_public_callable():
    wanted, (CALLS, NOT_FUZZED) = public(), table()
    missing = sorted(set(wanted) - set(CALLS) - set(NOT_FUZZED))
    assert not missing, missing
    stale = sorted(name for name in NOT_FUZZED if name not in wanted)
    assert not stale, stale
    for name in set(wanted) & set(CALLS):
        left = [a for a in wanted[name] if a not in CALLS[name].arguments]
        assert not left, f"{name}: {left}"


def test_the_valid_calls_are_valid(quiet):
    for name in table()[0]:
        call(name)


def check(chosen):
    wrong = [(*case, found) for case in chosen if (found := outcome(*case)) is not None]
    assert not wrong, "\n".join(f"{n}({a}={j}): {w}" for n, a, j, w in sorted(wrong))


@pytest.mark.parametrize("part", range(PARTS))
def test_junk_is_refused(part, quiet):
    check(cases(False)[part::PARTS])


def test_junk_is_refused_before_kernels_read_it(quiet):
    check(cases(True))
