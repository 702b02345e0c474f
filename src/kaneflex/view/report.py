"""The report of a run: one page without scripts or network that says what was run and whether to trust it."""

import base64
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kaneflex
from kaneflex.model.constraints import Closure
from kaneflex.model.model import GROUND
from kaneflex.results.audit import VIOLATION
from kaneflex.simulate.impacts import Impact

if TYPE_CHECKING:
    from kaneflex.results.run import Run

_LARGEST_SVG = 400_000  # bytes; a larger drawing is stored as pixels
_MOST_BODIES = 200  # rows of the model's table

_STYLE = """
:root { color-scheme: light dark; --ground: #f6f7f8; --card: #ffffff; --ink: #1f272d; --soft: #5b6770; --line: #dde2e6;
  --good: #17784a; --good-ground: #e2f4ea; --bad: #b3261e; --bad-ground: #fce8e6; --accent: #2563a8; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181b; --card: #1d2327; --ink: #e4e8eb; --soft: #9aa6af;
  --line: #333c43; --good: #6fd8a2; --good-ground: #16382a; --bad: #ff9b92; --bad-ground: #45211f; --accent: #83b7ee; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
header { margin: 0 0 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 .7rem; }
p { margin: .2rem 0; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem;
  margin: 0 0 1rem; }
.soft { color: var(--soft); font-size: .92rem; }
.mark { display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .85rem; font-weight: 600;
  white-space: nowrap; }
.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); background: var(--bad-ground); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--line); }
th, td { padding: .35rem .9rem .35rem 0; vertical-align: top; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { margin: 0; padding: .8rem; background: var(--ground); border-radius: 6px; overflow-x: auto; font-size: .86rem; }
figure { margin: 0; }
figure + figure { margin-top: .8rem; }
figure img { display: block; width: 100%; min-width: 30rem; background: #fff; border-radius: 6px; padding: 6px; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem 1rem; margin: 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 1.2rem .7rem 2rem; } section { padding: .9rem .8rem; }
  table.stack thead { display: none; }
  table.stack tr { display: block; padding: .5rem 0; }
  table.stack td { display: flex; justify-content: space-between; gap: 1rem; padding: .12rem 0; border: 0;
    white-space: normal; text-align: right; overflow-wrap: anywhere; }
  table.stack td::before { content: attr(data-label); color: var(--soft); text-align: left; white-space: nowrap; }
  table.stack td:first-child { justify-content: flex-start; text-align: left; font-weight: 600; }
  table.stack td:first-child::before { content: none; }
  table.stack tbody tr + tr > * { border-top: 0; } table.stack tbody tr + tr { border-top: 1px solid var(--line); }
}
@media print { body { background: #fff; } section { break-inside: avoid; } }
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{content}
</main>
</body>
</html>
"""


def write_report(
    run: "Run",
    path: str | Path,
    *,
    checks: Sequence[Any] = (),
    title: str | None = None,
    source: str | None = None,
    figure: Any = None,
    parameters: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> Path:
    """Write the report of a run as one self-contained HTML file.

    Args:
        run: the run.
        path: the file; its folder is made when missing.
        checks: numbers of the run beside references, each with name, value, reference, tolerance, ok and source.
        title: heading; the system's name when None.
        source: where the system comes from.
        figure: Matplotlib figure to show; None for the coordinates of the first joints.
        parameters: values the system was built with.
        command: what to type to get the same run; None for the call of `simulate`.
    """
    heading = run.model.name if title is None else title
    sections = [
        _header(run, heading, source, checks),
        _figures_section(run, figure),
        _checks_section(checks),
        _audit_section(run),
        _run_section(run),
        _parameters_section(parameters or {}),
        _model_section(run),
        _section("Reproduce", f"<pre>{escape(command or _call(run))}</pre>", f"kaneflex {kaneflex.__version__}"),
    ]
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    page = _PAGE.format(title=escape(heading), style=_STYLE, content="\n".join(s for s in sections if s))
    target.write_text(page, encoding="utf-8")
    return target


# -- pieces ------------------------------------------------------------------------------------------------------------


def _mark(ok: bool, words: str) -> str:
    return f'<span class="mark {"good" if ok else "bad"}">{escape(words)}</span>'


def _section(title: str, body: str, remark: str = "") -> str:
    below = f'\n<p class="soft">{escape(remark)}</p>' if remark else ""
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}{below}\n</section>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table that becomes a list of cards on a narrow screen; cells are HTML already."""
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in heads)
    body = []
    for row in rows:
        cells = "".join(
            f'<td data-label="{escape(heads[k])}"{" class=number" if k in numbers else ""}>{cell}</td>'
            for k, cell in enumerate(row)
        )
        body.append(f"<tr>{cells}</tr>")
    rest = "\n".join(body)
    return f'<table class="stack">\n<thead><tr>{top}</tr></thead>\n<tbody>\n{rest}\n</tbody>\n</table>'


def _list(items: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in items.items()) + "</dl>"


def _number(x: float | None, form: str = ".6g") -> str:
    if x is None:
        return "–"
    return f"{x:{form}}" if math.isfinite(x) else "not finite"


# -- sections ----------------------------------------------------------------------------------------------------------


def _header(run: "Run", title: str, source: str | None, checks: Sequence[Any]) -> str:
    failed = sum(not c.ok for c in checks)
    marks = [_mark(run.audit.ok, "audit passed" if run.audit.ok else "audit failed")]
    if checks:
        marks.insert(0, _mark(failed == 0, f"{len(checks) - failed} of {len(checks)} checks passed"))
    if run.status != "done":
        marks.append(_mark(run.status == "event", run.status))
    below = f'\n<p class="soft">{escape(source)}</p>' if source else ""
    return f"<header>\n<h1>{escape(title)}</h1>\n<p>{' '.join(marks)}</p>{below}\n</header>"


def _checks_section(checks: Sequence[Any]) -> str:
    if not checks:
        return ""
    rows = [
        (
            escape(c.name),
            _number(c.value, ".9g" if c.reference else ".3g"),
            _number(c.reference, ".9g"),
            _number(c.tolerance, ".2g"),
            _mark(c.ok, "ok" if c.ok else "failed"),
            escape(c.source),
        )
        for c in checks
    ]
    heads = ("check", "value", "reference", "tolerance", "result", "source")
    return _section("Checks", _table(heads, rows, (1, 2, 3)))


def _figures_section(run: "Run", figure: Any) -> str:
    from kaneflex.view.plots import default_channels, energy_figure, plot_channels

    first = figure if figure is not None else plot_channels(run, default_channels(run)[:-1] or ["energy.kinetic"])
    shown = ((first, f"{run.model.name} over time"), (energy_figure(run), "Kinetic, potential and total energy over time"))
    images = "\n".join(
        f'<figure class="wide"><img alt="{escape(words)}" src="{_image(drawing)}"></figure>' for drawing, words in shown
    )
    return _section("Motion", images)


def _image(figure: Any) -> str:
    """A figure as a data address: lines where they are few, pixels otherwise."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    kind = "svg+xml"
    if buffer.tell() > _LARGEST_SVG:
        buffer, kind = io.BytesIO(), "png"
        figure.savefig(buffer, format="png", dpi=144)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


def _audit_section(run: "Run") -> str:
    a = run.audit
    drifts = {
        "energy against work": a.energy_drift,
        "linear momentum": a.linear_momentum_drift,
        "angular momentum": a.angular_momentum_drift,
    }
    if any(joint.quaternion is not None for joint in run.plan.index.joints.values()):
        drifts["quaternion length"] = a.quaternion_drift
    rows = []
    for name, drift in drifts.items():
        if drift is None:
            rows.append((escape(name), "not conserved here", _number(a.limit, ".0e"), "–"))
        else:
            ok = drift <= a.limit
            rows.append((escape(name), _number(drift, ".2e"), _number(a.limit, ".0e"), _mark(ok, "ok" if ok else "failed")))
    defects = {
        "constraints, coordinates": a.position_violation,
        "constraints, speeds": a.velocity_violation,
        "points below their planes, m": a.penetration,
    }
    for name, defect in defects.items():
        if defect is not None:
            ok = defect <= VIOLATION
            rows.append(
                (escape(name), _number(defect, ".2e"), _number(VIOLATION, ".0e"), _mark(ok, "ok" if ok else "failed"))
            )
    energies = {
        "energy at the start": f"{_number(a.energy_start)} J",
        "energy at the end": f"{_number(a.energy_end)} J",
        "work of applied loads": f"{_number(a.applied_work)} J",
        "work lost in dampers": f"{_number(a.dissipated_work)} J",
    }
    table = _table(("drift", "largest, relative", "limit", "result"), rows, (1, 2))
    jumps = [(f"{i.t:.6g}", escape(i.name), *(_number(x) for x in i.energy), _impulse(i)) for i in a.impacts[:30]]
    impacts = _table(("t, s", "impact", "energy before, J", "after, J", "impulse, N s"), jumps, (0, 2, 3)) if jumps else ""
    return _section("Audit", f"{table}\n<div style='height:.8rem'></div>\n{_list(energies)}\n{impacts}")


def _impulse(impact: Impact) -> str:
    return "–" if impact.impulse is None else ", ".join(_number(x) for x in impact.impulse)


def _run_section(run: "Run") -> str:
    s, o = run.statistics, run.trajectory.options
    items = {
        "time": f"{run.t[0]:g} to {run.t[-1]:g} s, {len(run.t)} samples",
        "status": f"{run.status}: {run.message}",
        "method": o.method,
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
    return _section("Run", _list(items))


def _parameters_section(parameters: Mapping[str, Any]) -> str:
    shown = {k: f"{v:.9g}" if isinstance(v, float) else str(v) for k, v in parameters.items()}
    return _section("Parameters", _list(shown)) if shown else ""


def _model_section(run: "Run") -> str:
    model, index = run.model, run.plan.index
    rows = []
    for name, depth in _tree(run):
        part, joint = model.parts[name], index.joints[name]
        indent = f'<span style="padding-left:{min(depth, 12) * 0.9:.1f}rem">{escape(name)}</span>'
        parent = "ground" if part.parent == GROUND else part.parent
        words = (type(part.joint).__name__, parent, ", ".join(joint.coordinate_names) or "none")
        rows.append((indent, *(escape(w) for w in words), _number(part.body.about_origin()[0])))
    remark = f"Gravity {', '.join(f'{g:g}' for g in model.gravity)} m/s²; {run.plan.nq} coordinates, {run.plan.nu} speeds."
    if len(model.parts) > len(rows):
        remark = f"The first {len(rows)} of {len(model.parts)} bodies. {remark}"
    body = _table(("body", "joint", "on", "coordinates", "mass, kg"), rows, (4,))
    others = {**{n: r for n, (_, r) in model.rotors.items()}, **model.loads, **model.inputs}
    if others:
        names = ", ".join(f"{n} ({type(x).__name__})" for n, x in list(others.items())[:40])
        more = f" and {len(others) - 40} more" if len(others) > 40 else ""
        remark += f" Rotors, loads and inputs: {names}{more}."
    ties = {**model.constraints, **model.contacts}
    if ties:
        names = ", ".join(f"{n} ({_kind(x)})" for n, x in list(ties.items())[:40])
        remark += f" Constraints and contacts: {names}{f' and {len(ties) - 40} more' if len(ties) > 40 else ''}."
    return _section("Model", body, remark)


def _kind(constraint: Any) -> str:
    return (
        f"loop closed by {type(constraint.joint).__name__}" if isinstance(constraint, Closure) else type(constraint).__name__
    )


def _tree(run: "Run") -> list[tuple[str, int]]:
    """Bodies and their depths, children after their parents, at most `_MOST_BODIES`."""
    children: dict[str, list[str]] = {}
    for name, part in run.model.parts.items():
        children.setdefault(part.parent, []).append(name)
    found: list[tuple[str, int]] = []
    waiting = [(name, 0) for name in reversed(children.get(GROUND, []))]
    while waiting and len(found) < _MOST_BODIES:
        name, depth = waiting.pop()
        found.append((name, depth))
        waiting += [(child, depth + 1) for child in reversed(children.get(name, []))]
    return found


def _call(run: "Run") -> str:
    o = run.trajectory.options
    words = [f"{float(run.t[-1] - run.t[0]):.9g}", f"method={o.method!r}", f"formulation={o.formulation!r}"]
    words += [f"speeds={o.speeds!r}", f"rtol={o.rtol:g}", f"atol={o.atol:g}"]
    if o.step is not None:
        words.append(f"step={o.step:g}")
    if math.isfinite(o.max_step):
        words.append(f"max_step={o.max_step:g}")
    return f'run = system.simulate({", ".join(words)})\nrun.report("report.html")'


__all__ = ["write_report"]
