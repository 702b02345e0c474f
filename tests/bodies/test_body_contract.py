"""Every file of a kind of body holds what `bodies.contract` says."""

import importlib
import pkgutil

import pytest

from kaneflex.kernels import backend
from kaneflex.kernels import bodies as package
from kaneflex.kernels.bodies import dispatch
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model.bodies import BodyBase

FILES = {
    m.name: importlib.import_module(f"{package.__name__}.{m.name}")
    for m in pkgutil.iter_modules(package.__path__)
    if m.name not in ("contract", "dispatch")
}


def test_there_are_files():
    assert set(FILES) >= {"rigid", "modal", "variable_mass"}


@pytest.mark.parametrize("name", FILES)
def test_functions_are_there_and_dispatched(name):
    module = FILES[name]
    assert isinstance(module.FACTS, BodyFacts) and module in backend._modules
    assert callable(getattr(module, f"{name}_properties"))
    for part in ("inertia", "properties", "force", "attraction", "rates"):
        function = getattr(module, f"{name}_{part}", None)
        assert function is None or getattr(dispatch, f"{name}_{part}") is function, f"{name}_{part} is not in dispatch"
    assert hasattr(module, f"{name}_force") == bool(module.FACTS.force)
    assert all(callable(getattr(module, function)) for function in module.FACTS.apart)


def test_codes_differ_and_are_declared():
    importlib.import_module("kaneflex.structures.flexible")
    importlib.import_module("kaneflex.structures.strain_rod")
    codes = [m.FACTS.code for m in FILES.values()]
    assert len(set(codes)) == len(codes)

    def kinds(cls):
        return {cls.facts.code}.union(*(kinds(c) for c in cls.__subclasses__()))

    assert set(codes) <= kinds(BodyBase)
