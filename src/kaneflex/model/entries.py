"""What the tables of a model may hold: each entry is checked before it is put in."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kaneflex.model import checks
from kaneflex.model.blocks import BlockBase
from kaneflex.model.checks import ModelError
from kaneflex.model.constraints import ConstraintBase
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import LOADS, Load
from kaneflex.model.frames import GROUND, as_frame
from kaneflex.model.shapes import Shape

if TYPE_CHECKING:
    from kaneflex.model.model import Model

#: tables that share names
NAMED = ("rods", "installed", "parts", "rotors", "loads", "inputs", "blocks", "constraints", "contacts", "groups")


def check_load(model: "Model", name: str, load: Any) -> None:
    """A load, with all that it names there."""
    what = f'load "{name}"'
    if not isinstance(load, Load):
        raise ModelError(f"{what} is {load!r}: give a load, e.g. Force or JointSpring")
    load.check(model, what)


def check_input(model: "Model", name: str, load: Any) -> None:
    """A load that an input drives: one with a gain that is a number."""
    if not isinstance(load, Load) or not load.gain:
        fit = " or ".join(kind for kind, declaration in LOADS.items() if declaration.gain)
        raise ModelError(f'input "{name}" drives {load!r}: give a {fit}')
    if callable(getattr(load, load.gain)):
        raise ModelError(f'input "{name}": its load has a function as value: give a constant direction or gain')
    check_load(model, name, load)


def check_constraint(model: "Model", name: str, constraint: Any) -> None:
    """A constraint whose ends and channels are there."""
    what = f'constraint "{name}"'
    if not isinstance(constraint, ConstraintBase):
        raise ModelError(f"{what} is {constraint!r}: give a constraint, e.g. Distance")
    for place in constraint.ends():
        if isinstance(place, str):
            model.locate(place, what)
        else:
            as_frame(place, f"{what}: end fixed in N")
    for channel in (*constraint.channels(), *constraint.coordinates()):
        checks.known(channel.partition(".")[0], model.parts, f"{what}: body")


def check_contact(model: "Model", name: str, contact: Any) -> None:
    """A contact between places that are there, its point on a body."""
    if not isinstance(contact, Contact):
        raise ModelError(f'contact "{name}" is {contact!r}: give a Contact')
    for place in (contact.point, contact.on):
        model.locate(place, f'contact "{name}"')
    if contact.point.partition(".")[0] == GROUND:
        raise ModelError(f'contact "{name}": its point is fixed in N: name a point of a body')


def check_group(model: "Model", name: str, bodies: Any) -> None:
    """Names of bodies, each once, that have mass together."""
    what = f'group "{name}"'
    if not isinstance(bodies, tuple) or not bodies:
        raise ModelError(f"{what} is {checks.shown(bodies)}: give the names of its bodies, one or more")
    for body in bodies:
        checks.known(body, model.parts, f"{what}: body")
    if len(set(bodies)) < len(bodies):
        raise ModelError(f"{what} has a body twice: name each once")
    if not any(model.parts[body].body.mass_properties()[0] for body in bodies):
        raise ModelError(f"{what} has no mass, so that it has no mass centre: name a body that has some")


def check_unit(model: "Model", channel: str, unit: Any) -> None:
    """A unit of a channel whose owner is there."""
    if not isinstance(channel, str) or not isinstance(unit, str) or not unit.isprintable():
        raise ModelError(f'unit of channel {checks.shown(channel)} is {checks.shown(unit)}: give a text, e.g. "N m"')
    heads = [name for table in NAMED for name in getattr(model, table)]
    checks.known(channel.partition(".")[0], heads, "channel to have a unit: owner")


def check_shapes(model: "Model", name: str, shapes: Any) -> None:
    """Shapes of a body that is there."""
    checks.known(name, [GROUND, *model.parts], "body to show:")
    if not isinstance(shapes, tuple):
        raise ModelError(f'shapes of body "{name}" are {shapes!r}: give a tuple of shapes')
    for k, shape in enumerate(shapes):
        if not isinstance(shape, Shape):
            raise ModelError(f'shape {k + 1} of body "{name}" is {shape!r}: give a shape, e.g. shapes.Box((1, 1, 1))')


def check_block(model: "Model", name: str, block: Any) -> None:
    """A block whose inputs are there, and driven by no other."""
    if not isinstance(block, BlockBase):
        raise ModelError(f'block "{name}" is {checks.shown(block)}: give a Block, or one of kaneflex.blocks')
    for driven in block.drives:
        checks.known(driven, model.inputs, f'block "{name}": input that it drives:')
        other = next((n for n, b in model.blocks.items() if n != name and driven in b.drives), None)
        if other is not None:
            raise ModelError(f'block "{name}" drives input "{driven}", which block "{other}" drives already')


CHECKS: dict[str, Callable[["Model", str, Any], None]] = {
    "loads": check_load,
    "inputs": check_input,
    "blocks": check_block,
    "constraints": check_constraint,
    "contacts": check_contact,
    "groups": check_group,
    "units": check_unit,
    "shapes": check_shapes,
}

__all__ = ["CHECKS", "NAMED"]
