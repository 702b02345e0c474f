"""All valid calls, and the public callables that are not fuzzed, with the reason why."""

from fuzz import calls_model, calls_parts, calls_runs, calls_steps, calls_structures, calls_studies, calls_symbolic

from kaneflex import blocks, parts
from kaneflex.model.forces import LOADS

TABLES = (calls_model, calls_parts, calls_runs, calls_steps, calls_structures, calls_studies, calls_symbolic)
CALLS = {name: call for table in TABLES for name, call in table.CALLS.items()}


def owners(module, method):
    """Names of the classes that define a method which classes of a module have."""
    kinds = [kind for kind in (getattr(module, name) for name in module.__all__) if isinstance(kind, type)]
    return {owner.__name__ for kind in kinds for owner in kind.__mro__ if method in vars(owner)}


NOT_FUZZED = {
    "ModelError": "an exception, which takes any message",
    "FileError": "an exception, which the package makes",
    "SimulationError": "an exception, which the package makes",
    "profiles.Piece": "a row of numbers, which profiles are made of by themselves",
    "profiles.curve": "evaluates pieces, compiled: a check would cost every step of a run",
    **{f"{name}.law": "is called when a plan is built, with what is in it" for name in ("Block", "BlockBase")},
    **{f"blocks.{name}.law": "is called when a plan is built, with what is in it" for name in owners(blocks, "law")},
    **{
        f"{owner.__name__}.{name}": "is called by model, planning, audit and pictures, with what these have"
        for load in LOADS.values()
        for owner in load.__mro__
        for name in ("check", "fill", "said", "is_internal", "arrow")
        if name in vars(owner)
    },
    **{f"orbits.{name}": "compiled in laws: a check would cost every step of a run" for name in ("in_cone", "in_cylinder")},
    "orbits.elements": "compiled in laws: a check would cost every step of a run",
    "from_nastran": "needs files of Nastran and a reader of them: see tests/structures/test_nastran.py",
    **{f"parts.{name}.install": "is called when a part is installed, with its site" for name in owners(parts, "install")},
    **{f"{name}.integrator": "is called when a run starts, with what it integrates" for name in ("AlphaMethod", "Newmark")},
    "BodyBase.law": "written for a kind of body, called by planning: takes what `plan.build` has",
    "Distribution": "made by `normal`, `uniform`, `choice`, ..., which check what it holds",
    **{f"{name}.on": "is called by equations in symbols, with these" for name in ("Expression", "Parameter")},
    **{
        f"symbolic.{name}": "SymPy's own, which raises what SymPy raises"
        for name in ("LagrangesMethod", "LagrangesMethod.to_linearizer", "Linearizer")
    },
    "Remembering.beyond": "is called by derivatives, with values of known parameters: `at` is the one that checks them",
    "Simulation": "made by `System.start`, with options that it has checked",
    "Dynamics.channels": "takes the tables of `plan.channels`, not values of a user's",
}
