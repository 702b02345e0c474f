"""Parts of a report: what was run, how far to trust it, what the model is."""

import base64
import io
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from kaneflex.model.constraints import Closure
from kaneflex.model.model import GROUND
from kaneflex.results.audit import VIOLATION
from kaneflex.simulate.contact.records import Impact
from kaneflex.structures.rod_tables import RodData
from kaneflex.view.page import listing, mark, number, section, table
from kaneflex.view.rods import owners_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run

_LARGEST_SVG = 400_000  # bytes; a larger drawing is stored as pixels
_MOST_BODIES = 200  # rows of the model's table
_DEEPEST = 30  # steps of the tree's indentation


def header(run: "Run", title: str, source: str | None, checks: Sequence[Any]) -> str:
    """Heading with the verdicts.

    Args:
        run: the run.
        title: of the page.
        source: where the system comes from.
        checks: numbers beside references.
    """
    failed, real = sum(not c.ok for c in checks), [c.ok for c in checks if c.kind == "check"]
    marks = [mark(run.audit.ok, "audit passed" if run.audit.ok else "audit failed")]
    if checks:
        marks.insert(0, mark(failed == 0, f"{sum(real)} of {len(real)} checks passed"))
    if run.status != "done":
        marks.append(mark(run.status == "event", run.status))
    below = f'\n<p class="soft">{escape(source)}</p>' if source else ""
    return f"<header>\n<h1>{escape(title)}</h1>\n<p>{' '.join(marks)}</p>{below}\n</header>"


def checks_section(checks: Sequence[Any]) -> str:
    """Numbers beside references; nothing without any.

    Args:
        checks: as of the gallery.
    """
    if not checks:
        return ""
    rows = [
        (
            escape(c.name),
            number(c.value, ".9g" if c.reference else ".3g"),
            number(c.reference, ".9g"),
            number(c.tolerance, ".2g"),
            mark(c.ok, c.verdict),
            escape(c.source),
        )
        for c in checks
    ]
    heads = ("check", "value", "reference", "tolerance", "result", "source")
    return section("Checks", table(heads, rows, (1, 2, 3)))


def figure_section(figures: Sequence[tuple[Any, str]]) -> str:
    """Figures one below another.

    Args:
        figures: Matplotlib figures, each with words for those who do not see it.
    """
    if not figures:
        return ""
    images = "\n".join(picture(drawing, words) for drawing, words in figures)
    return section("Figure" if len(figures) == 1 else "Figures", images)


def picture(figure: Any, words: str) -> str:
    """A figure as wide as the page; on a narrow screen it is larger while it has the focus, and can be moved.

    Args:
        figure: of Matplotlib.
        words: for those who do not see it.
    """
    return f'<figure class="wide" tabindex="0"><img alt="{escape(words)}" src="{image(figure)}"></figure>'


def image(figure: Any) -> str:
    """A figure as a data address: lines where they are few, pixels otherwise.

    Args:
        figure: of Matplotlib.
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    kind = "svg+xml"
    if buffer.tell() > _LARGEST_SVG:
        buffer, kind = io.BytesIO(), "png"
        figure.savefig(buffer, format="png", dpi=144)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def audit_rows(run: "Run") -> list[tuple[str, float | None, float, bool]]:
    """Name, value (None where it does not apply), limit and verdict of every drift and defect.

    Args:
        run: the run.
    """
    a = run.audit
    drifts = {
        "energy against work": a.energy_drift,
        "linear momentum": a.linear_momentum_drift,
        "angular momentum": a.angular_momentum_drift,
    }
    if any(joint.quaternion is not None for joint in run.plan.index.joints.values()):
        drifts["quaternion length"] = a.quaternion_drift
    rows = [(name, drift, a.limit, drift is None or drift <= a.limit) for name, drift in drifts.items()]
    defects = {
        "constraints, coordinates": a.position_violation,
        "constraints, speeds": a.velocity_violation,
        "points below their planes, m": a.penetration,
    }
    limits = {name: a.position_limit if name == "constraints, coordinates" else VIOLATION for name in defects}
    return rows + [(name, x, limits[name], x <= limits[name]) for name, x in defects.items() if x is not None]


def audit_section(run: "Run") -> str:
    """Drifts, defects, energies and impacts.

    Args:
        run: the run.
    """
    a, rows = run.audit, []
    for name, value, limit, ok in audit_rows(run):
        shown = "not conserved here" if value is None else number(value, ".2e")
        verdict = "–" if value is None else mark(ok, "ok" if ok else "failed")
        rows.append((escape(name), shown, number(limit, ".0e"), verdict))
    energies = {
        "energy at the start": f"{number(a.energy_start)} J",
        "energy at the end": f"{number(a.energy_end)} J",
        "work of applied loads": f"{number(a.applied_work)} J",
        "energy lost in dampers and impacts": f"{number(a.dissipated_work)} J",
    }
    drifts = table(("drift", "largest, relative", "limit", "result"), rows, (1, 2))
    jumps = [(f"{i.t:.6g}", escape(i.name), *(number(x) for x in i.energy), _impulse(i)) for i in a.impacts[:30]]
    impacts = table(("t, s", "impact", "energy before, J", "after, J", "impulse, N s"), jumps, (0, 2, 3)) if jumps else ""
    return section("Audit", f"{drifts}\n<div style='height:.8rem'></div>\n{listing(energies)}\n{impacts}")


def _impulse(impact: Impact) -> str:
    return "–" if impact.impulse is None else ", ".join(number(x) for x in impact.impulse)


def statistics(run: "Run") -> dict[str, str]:
    """How a run was integrated, in words.

    Args:
        run: the run.
    """
    s, o = run.statistics, run.trajectory.options
    items = {
        "time": f"{run.t[0]:g} to {run.t[-1]:g} s, {len(run.t)} samples",
        "status": f"{run.status}: {run.message}",
        "method": run.method if not run.method_choice else f"{run.method}, chosen: {run.method_choice}",
        "tolerances": f"rtol {o.rtol:g}, atol {o.atol:g}",
        "formulation": o.formulation,
        "speeds": o.speeds,
        "steps": f"{s['steps']:.0f}, {s['rejected']:.0f} rejected",
        "evaluations": f"{s['evaluations']:.0f}",
        "integration": f"{s['seconds']:.3g} s",
    }
    if run.events:
        shown = ", ".join(f"{name} at {t:.6g} s" for t, name in run.events[:10])
        items["events"] = shown + (f" and {len(run.events) - 10} more" if len(run.events) > 10 else "")
    return items


def parameters_section(run: "Run", parameters: Mapping[str, Any]) -> str:
    """What a system was built with, and the values of its Parameters in the run; nothing without any.

    Args:
        run: the run.
        parameters: values by name.
    """
    shown = {k: f"{v:.9g}" if isinstance(v, float) else str(v) for k, v in parameters.items()}
    own = [
        (escape(p.name), number(p.value, ".9g"), escape(p.unit), *("" if x is None else f"{x:.6g}" for x in (p.low, p.high)))
        for p in run.parameters.values()
    ]
    content = listing(shown) if shown else ""
    content += table(("parameter", "value", "unit", "low", "high"), own) if own else ""
    return section("Parameters", content) if content else ""


def model_section(run: "Run") -> str:
    """The bodies as a table and as a tree, and what acts on them.

    Args:
        run: the run.
    """
    model, index = run.model, run.plan.index
    rows = []
    owners, count = owners_of(model), len(model.parts)
    for name, _, _ in _tree(run):
        if name in model.rods:
            rows.append(_rod_row(run, name))
            count -= len(model.rods[name].segments) - 1
            continue
        part, joint = model.parts[name], index.joints[name]
        parent = "ground" if part.parent == GROUND else owners.get(part.parent, part.parent)
        modes = ""
        if name in index.modes:
            word = "coefficients of strain" if isinstance(index.modes[name].modal, RodData) else "modes"
            modes = f"{index.modes[name].modes} {word}"
        names = [n for n in joint.coordinate_names if not n.startswith("mode")][:8]
        words = (name, type(part.joint).__name__, parent, ", ".join([*names, *([modes] if modes else [])]) or "none")
        rows.append((*(escape(w) for w in words), number(part.body.mass_properties()[0])))
    remark = f"Gravity {', '.join(f'{g:g}' for g in model.gravity)} m/s²; {run.plan.nq} coordinates, {run.plan.nu} speeds."
    if run.plan.layout.nz:
        remark = f"{remark[:-1]}, {run.plan.layout.nz} states of blocks."
    if count > len(rows):
        remark = f"The first {len(rows)} of {count} bodies. {remark}"
    body = table(("body", "joint", "on", "coordinates", "mass, kg"), rows, (4,))
    kind = lambda name: type(model.rods[name].rod if name in model.rods else model.parts[name].joint).__name__
    tree = "\n".join(["N", *(f"{lead}{name}: {kind(name)}" for name, _, lead in _tree(run))])
    body += f'\n<details><summary>As a tree</summary>\n<pre tabindex="0">{escape(tree)}</pre>\n</details>'
    others = {**{n: r for n, (_, r) in model.rotors.items()}, **model.loads, **model.inputs, **model.blocks}
    told = {*model.rods, *model.installed}.union(*(placed.names for placed in model.installed.values()))
    others = {name: x for name, x in others.items() if name not in told}
    if model.installed:
        listed = ", ".join(f"{name} ({placed.describe()})" for name, placed in list(model.installed.items())[:40])
        remark += f" Parts: {listed}{f' and {len(model.installed) - 40} more' if len(model.installed) > 40 else ''}."
    if others:
        listed = ", ".join(f"{n} ({type(x).__name__})" for n, x in list(others.items())[:40])
        more = f" and {len(others) - 40} more" if len(others) > 40 else ""
        remark += f" Rotors, loads, inputs and blocks: {listed}{more}."
    ties = {**model.constraints, **model.contacts}
    if ties:
        listed = ", ".join(f"{n} ({_kind(x)})" for n, x in list(ties.items())[:40])
        remark += f" Constraints and contacts: {listed}{f' and {len(ties) - 40} more' if len(ties) > 40 else ''}."
    return section("Model", body, remark)


def _rod_row(run: "Run", name: str) -> tuple[str, ...]:
    """A rod in the table of bodies."""
    model, rod = run.model, run.model.rods[name]
    parent = model.parts[rod.segments[0]].parent
    owner = "ground" if parent == GROUND else owners_of(model).get(parent, parent)
    words = (name, f"{type(rod.rod).__name__}, root {rod.root}", owner, f"{len(rod.segments)} segments")
    mass = sum(model.parts[segment].body.mass_properties()[0] for segment in rod.segments)
    return (*(escape(w) for w in words), number(mass))


def _kind(constraint: Any) -> str:
    return (
        f"loop closed by {type(constraint.joint).__name__}" if isinstance(constraint, Closure) else type(constraint).__name__
    )


def _tree(run: "Run") -> list[tuple[str, int, str]]:
    """Bodies and rods, their depths and lines that lead to them, children after their parents, at most `_MOST_BODIES`."""
    children: dict[str, list[str]] = {}
    owners = owners_of(run.model)
    for name, part in run.model.parts.items():
        own, parent = owners.get(name, name), owners.get(part.parent, part.parent)
        if own == name or run.model.rods[own].segments[0] == name:
            children.setdefault(parent, []).append(own)
    found: list[tuple[str, int, str]] = []

    def waiting_on(parent: str, depth: int, lead: str) -> list[tuple[str, int, str, bool]]:
        own = children.get(parent, [])
        return [(name, depth, lead, name == own[-1]) for name in reversed(own)]

    waiting = waiting_on(GROUND, 0, "")
    while waiting and len(found) < _MOST_BODIES:
        name, depth, lead, last = waiting.pop()
        found.append((name, depth, lead + ("└─ " if last else "├─ ")))
        below = lead if depth >= _DEEPEST else lead + ("   " if last else "│  ")
        waiting += waiting_on(name, depth + 1, below)
    return found


def call(run: "Run") -> str:
    """The call of `simulate` that gives the same run.

    Args:
        run: the run.
    """
    o = run.trajectory.options
    words = [f"{float(run.t[-1] - run.t[0]):.9g}", f"method={o.method!r}", f"formulation={o.formulation!r}"]
    words += [f"speeds={o.speeds!r}", f"rtol={o.rtol:g}", f"atol={o.atol:g}"]
    if o.step is not None:
        words.append(f"step={o.step:g}")
    if math.isfinite(o.max_step):
        words.append(f"max_step={o.max_step:g}")
    return f'run = system.simulate({", ".join(words)})\nrun.report("report.html")'
