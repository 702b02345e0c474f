"""The states of a contact, what may happen to it in each, and the state that it then takes.

A run keeps a state for every contact. What happens to one, a `Condition`, is found from gaps, slips and forces; the state
that it takes is then looked up in TRANSITIONS, and the model gets the constraint and the friction of that state (`impose`
of `closing`). There is no other way from one state to another.
"""

from enum import Enum


class ContactState(Enum):
    """What a contact's point does.

    OPEN: it is off its plane, or on it and moving away.
    STRIKING: it takes part in an impact; this lasts for an instant.
    SLIDING: it stays on its plane and moves along it, against friction if there is any: one constraint equation.
    STICKING: it stays where it is on its plane, by friction or because it is told to: three equations.
    UNLOADED: it touches its plane without being held there, for the other closed contacts keep it there and carry its
        load: so does the fourth foot of a rigid table when three carry all of the weight.
    """

    OPEN = "open"
    STRIKING = "striking"
    SLIDING = "sliding"
    STICKING = "sticking"
    UNLOADED = "unloaded"


class Condition(Enum):
    """What is found of a contact.

    APPROACHES: its gap closes: the point touches its plane and moves towards it, or is pressed on there.
    JOLTED: it touches its plane while another contact strikes.
    SEPARATES: after an impact it moves away from its plane, or it was left for an impact of its own.
    PULLED: its plane would have to pull: its normal multiplier would be negative, or is zero and nothing keeps it there.
    SLIPS: it is pressed on, and slips, or friction does not hold it.
    STICKS: it is pressed on, does not slip, and a force within the friction cone holds it.
    RELIEVED: it is not pressed on, and the other closed contacts keep it on its plane.
    """

    APPROACHES = "approaches"
    JOLTED = "jolted"
    SEPARATES = "separates"
    PULLED = "pulled"
    SLIPS = "slips"
    STICKS = "sticks"
    RELIEVED = "relieved"


_ON_PLANE = {
    Condition.JOLTED: ContactState.STRIKING,
    Condition.PULLED: ContactState.OPEN,
    Condition.SLIPS: ContactState.SLIDING,
    Condition.STICKS: ContactState.STICKING,
    Condition.RELIEVED: ContactState.UNLOADED,
}
TRANSITIONS: dict[ContactState, dict[Condition, ContactState]] = {
    ContactState.OPEN: {Condition.APPROACHES: ContactState.STRIKING, Condition.JOLTED: ContactState.STRIKING},
    ContactState.STRIKING: {
        Condition.SEPARATES: ContactState.OPEN,
        Condition.PULLED: ContactState.OPEN,
        Condition.SLIPS: ContactState.SLIDING,
        Condition.STICKS: ContactState.STICKING,
        Condition.RELIEVED: ContactState.UNLOADED,
    },
    ContactState.SLIDING: _ON_PLANE,
    ContactState.STICKING: _ON_PLANE,
    ContactState.UNLOADED: _ON_PLANE,
}
CLOSED = (ContactState.SLIDING, ContactState.STICKING)  # held to their planes by constraints


def next_state(state: ContactState, condition: Condition) -> ContactState:
    """The state that a contact takes."""
    return TRANSITIONS[state][condition]


def printed() -> str:
    """The table of transitions, for the documentation: a row for every state, a column for every condition."""
    lines = ["| state | " + " | ".join(c.value for c in Condition) + " |", "|---|" + "---|" * len(Condition)]
    for state, row in TRANSITIONS.items():
        cells = [row[c].value if c in row else "" for c in Condition]
        lines.append(f"| {state.value} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
