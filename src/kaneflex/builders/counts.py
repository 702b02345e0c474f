"""What builders ask of their arguments."""

from kaneflex.model.checks import ModelError


def at_least(value: int, least: int, what: str) -> int:
    """A count that is not too small."""
    if isinstance(value, bool) or int(value) != value or value < least:
        raise ModelError(f"{what}: {value!r} are asked for: give a whole number of at least {least}")
    return int(value)


def angle_between(value: float, low: float, high: float, what: str) -> float:
    """An angle strictly between two others, rad."""
    if not low < value < high:
        raise ModelError(
            f"{what} is {value:g} rad: give one between {low:g} and {high:g}, where it is neither flat nor folded"
        )
    return float(value)
