"""Where a segment of a run begins, and the plan that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.plan import Plan
from kaneflex.simulate.block_events import own_events
from kaneflex.simulate.contact.contacts import Contacts
from kaneflex.simulate.feeding import feed_events
from kaneflex.simulate.trajectory import Options

Due = tuple[str, Any]  # what happens at an instant: ("event", its number), or what a contact's event says and its point


@dataclass
class Start:
    """Where a segment of a run begins: the model as it is from then on, time, and y.

    Of the instant at which the last segment ended, `pending` is what has still to act, `fired` what events happened with the
    values of their functions; `stopped` says why the run ends there, and `unloaded` which contacts touch without being held,
    see `Contacts`. `planned` are its contacts and its plan, where these are made already, `dynamics` those of that plan,
    `inputs` the values of its inputs where they are not those of before.
    """

    model: Model
    t: float
    y: np.ndarray
    pending: list[Due] = field(default_factory=list)
    fired: Mapping[int, float] = field(default_factory=dict)
    stopped: str | None = None
    unloaded: tuple[str, ...] = ()
    planned: tuple[Contacts, Plan] | None = None
    dynamics: Dynamics | None = None
    inputs: np.ndarray | None = None


def planned(
    model: Model, options: Options, driven: Mapping[str, Any], unloaded: tuple[str, ...] = ()
) -> tuple[Contacts, Plan]:
    """The contacts of a segment, and its plan with the functions of inputs and events and of these contacts compiled in."""
    contacts = Contacts(model, options, unloaded)
    plan = build(
        model,
        options.formulation,
        options.speeds,
        inputs=driven["inputs"],
        events=[*own_events(model, driven), *feed_events(model), *contacts.events],
        watches=contacts.watches,
    )
    return contacts, plan


__all__ = ["Due", "Start", "planned"]
