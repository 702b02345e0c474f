"""A system in plain words."""

from kaneflex.model.model import Model


def describe(model: Model) -> str:
    """The tree of a system, joint by joint, then parts, loads, groups and blocks."""
    segments = {name: rod for rod, placed in model.rods.items() for name in placed.segments}
    installed = {body for placed in model.installed.values() for body in placed.bodies}
    count = f"{len(model.parts) - len(segments) - len(installed)} bodies"
    count += f", {len(model.rods)} rods" if model.rods else ""
    count += f", {len(model.installed)} parts" if model.installed else ""
    lines = [f"{model.name}: {count}, gravity {model.gravity} m/s^2"]
    depth = {"N": 0}
    for part in model.parts.values():
        rod = segments.get(part.name)
        first = rod is None or model.rods[rod].segments[0] == part.name
        depth[part.name] = depth[part.parent] + first
        indent = "  " * min(depth[part.name], 20)
        on = segments.get(part.parent, part.parent)
        if rod is not None:
            placed = model.rods[rod]
            if first:
                mass = sum(model.parts[name].body.mass_properties()[0] for name in placed.segments)
                lines.append(f"{indent}{rod}: {type(placed.rod).__name__} on {on}, {mass:g} kg, {placed.describe()}")
            continue
        if part.name in installed:
            continue
        mass, when = part.body.mass_properties()[0], " at t = 0" if part.body.facts.outputs else ""
        lines.append(f"{indent}{part.name}: {type(part.joint).__name__} on {on}, {mass:g} kg{when}")
        lines += [f"{indent}  {line}" for line in part.body.describe().splitlines()]
    lines += [f"  {name}: {placed.describe()}" for name, placed in model.installed.items()]
    told = {*model.rods, *model.installed}.union(*(placed.names for placed in model.installed.values()))
    for name, load in {**model.loads, **model.inputs, **model.constraints, **model.contacts}.items():
        lines += [] if name in told else [f"  {name}: {type(load).__name__}"]
    for name, bodies in model.groups.items():
        members = dict.fromkeys(segments.get(body, body) for body in bodies)
        lines.append(f"  {name}: group of {', '.join(members)}")
    for name, block in model.blocks.items():
        if name in told:
            continue
        states, drives = ", ".join(block.state_names) or "none", ", ".join(block.drives) or "nothing"
        lines.append(f"  {name}: {type(block).__name__} block, states {states}, drives {drives}")
    return "\n".join(lines)


__all__ = ["describe"]
