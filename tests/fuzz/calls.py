"""All valid calls, and the public callables that are not fuzzed, with the reason why."""

from fuzz import calls_model

CALLS = {**calls_model.CALLS}
NOT_FUZZED = {}
