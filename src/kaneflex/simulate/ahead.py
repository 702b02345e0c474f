"""What a run needs late, compiled by a second process while the run compiles what it needs first.

A run first wants u-dot at its start, with the stages of the formulation; then the step loop, and when it is done what
reads its results. These take about as long to compile as those.
"""

from kaneflex.kernels import backend, helper
from kaneflex.simulate.methods import method_named

# Arguments of the entries, see `compiled_ops.entry_signature`; what is not here is a stage.
_ARGUMENTS = {
    "advance_explicit": "n",
    "advance_implicit": "IPwIwwwwcIww",
    "call_mass_matrix": "IPwtww",
    "call_channels": "IPwIPwWWnWWw",
}


def compile_ahead(method: str, constrained: bool, events: bool) -> None:
    """Start to compile what a run by this method will need, unless its step loop is compiled already."""
    try:
        implicit = getattr(
            method_named(method), "implicit", False
        )  # methods that make their own steps have the explicit loop
    except ValueError:  # there is none of this name, as the run will say
        return
    loop = "advance_implicit" if implicit else "advance_explicit"
    if not backend.is_kept(loop):
        helper.start(__name__, "compile_late", loop, constrained, events)


def compile_late(loop: str, constrained: bool, events: bool) -> None:
    """Compile a step loop and what comes after it."""
    stages = {"project": constrained, "search_turn": events}
    some = [name for name, wanted in stages.items() if wanted]
    for name in (loop, "call_mass_matrix", *some, "call_channels", "placed", "signals", "moving"):
        backend.compile_only(name, _ARGUMENTS.get(name, ""))
