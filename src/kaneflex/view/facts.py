"""What a page says of a body when it is clicked: its joint, what it hangs on, its mass."""

from kaneflex.model.model import GROUND, Model
from kaneflex.view.rods import owners_of


def facts_of(model: Model, name: str) -> dict[str, str]:
    """Words and their values, of a body or of a rod.

    Args:
        model: the model.
        name: of the body or rod.
    """
    rod = model.rods.get(name)
    bodies = [model.parts[segment] for segment in rod.segments] if rod is not None else [model.parts[name]]
    joint = type(bodies[0].joint).__name__ if rod is None else f"{type(rod.rod).__name__}, root {rod.root}"
    parent = bodies[0].parent
    facts = {
        "joint": f"{joint}, prescribed" if rod is None and bodies[0].joint.motion is not None else joint,
        "on": "ground" if parent == GROUND else owners_of(model).get(parent, parent),
        "mass": f"{sum(body.body.mass_properties()[0] for body in bodies):.6g} kg",
    }
    if rod is not None:
        facts["segments"] = str(len(rod.segments))
    elif bodies[0].body.is_flexible:
        facts["body"] = "flexible"
    return facts
