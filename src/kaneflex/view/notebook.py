"""What a notebook shows of a system, a run, a linear model and modes: plain HTML that needs no server and no widgets."""

import math
import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.view import sections as part
from kaneflex.view.page import number, table, viewer, write_page
from kaneflex.view.plots import default_channels, plot_channels
from kaneflex.view.scene import scene_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run

MOST = 60  # rows of a table, and
WIDE = 16  # columns of a matrix


def system_html(model: Model) -> str:
    """The tree of a system: bodies with their joints, masses and freedoms."""
    plan = build(model)
    depth, rows, total = {"N": 0}, [], 0.0
    for name, body in model.parts.items():
        depth[name] = depth[body.parent] + 1
        mass = float(body.body.mass_properties()[0])
        own = body.joint.facts.speeds + (plan.index.modes[name].modes if name in plan.index.modes else 0)
        total += mass
        indent = "&nbsp;" * 4 * (depth[name] - 1)
        joint = f"{type(body.joint).__name__} on {escape(body.parent)}"
        rows.append([f"{indent}{escape(name)}", type(body.body).__name__, joint, number(mass), str(own)])
    rows = [*rows[:MOST], *([[f"and {len(rows) - MOST} more", "", "", "", ""]] if len(rows) > MOST else [])]
    held = {what: list(getattr(model, what)) for what in ("loads", "inputs", "constraints", "contacts", "blocks")}
    others = [f"{what}: {escape(', '.join(names))}" for what, names in held.items() if names]
    head = f"<b>{escape(model.name)}</b>: {len(model.parts)} bodies, {number(total)} kg, {plan.nu} speeds"
    heads = ("body", "kind", "joint", "mass, kg", "freedoms")
    return f"<div>{head}{table(heads, rows, numbers=(3, 4))}{'<br>'.join(others)}</div>"


def run_html(run: "Run") -> str:
    """A run: what it was, its audit, plots of its first channels, and the moving picture."""
    pieces = [f"<p><b>{escape(run.model.name)}</b>: {escape(repr(run))}</p>"]
    try:
        names = default_channels(run)[:2]
        pieces.append(part.figure_section([(plot_channels(run, names), f"{', '.join(names)} over time")]))
    except ModelError as e:  # some channels need functions that a file does not hold
        pieces.append(f"<p>{escape(str(e))}</p>")
    pieces.append(part.audit_section(run))
    with tempfile.TemporaryDirectory() as folder:
        scene = scene_of({run.model.name: run}, run.model.name)
        page = write_page(Path(folder) / "scene.html", run.model.name, [viewer(scene)], scene).read_text("utf-8")
    pieces.append(f'<iframe srcdoc="{escape(page)}" width="100%" height="480" style="border:0"></iframe>')
    return f"<div>{''.join(pieces)}</div>"


def linear_html(linear: Any) -> str:
    """A linear model: its eigenvalues, and its matrices where they are small."""
    values = sorted(linear.eigenvalues(), key=lambda v: (abs(v), v.imag))
    rows = [[number(v.real), number(v.imag), number(abs(v) / math.tau)] for v in values[:MOST]]
    pieces = [
        f"<p>{len(linear.states)} states, {len(linear.inputs)} inputs, {len(linear.outputs)} outputs</p>",
        table(("real, 1/s", "imaginary, 1/s", "|eigenvalue|/2 pi, Hz"), rows, numbers=(0, 1, 2)),
    ]
    for name, matrix, columns in (("A", linear.A, linear.states), ("B", linear.B, linear.inputs)):
        if 0 < len(columns) <= WIDE and len(linear.states) <= WIDE:
            pieces.append(f"<p>{name}</p>{_matrix(matrix, linear.states, columns)}")
    return f"<div>{''.join(pieces)}</div>"


def _matrix(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    heads = ["", *columns]
    body = [[escape(name), *(number(float(x), ".4g") for x in row)] for name, row in zip(rows, values, strict=True)]
    return table(heads, body, numbers=range(1, len(heads)))


def modes_html(modes: Sequence[Any]) -> str:
    """A table of modes: frequency, damping, and the states that move most in each."""
    rows = []
    for k, mode in enumerate(modes[:MOST], start=1):
        most = np.argsort(-np.abs(mode.shape))[:3]
        moving = ", ".join(f"{escape(mode.states[i])} {abs(mode.shape[i]):.2g}" for i in most)
        rows.append([str(k), number(mode.frequency / math.tau), number(mode.damping, ".4g"), moving])
    heads = ("mode", "frequency, Hz", "damping", "largest entries of its shape")
    return f"<div>{table(heads, rows, numbers=(0, 1, 2))}</div>"


__all__ = ["linear_html", "modes_html", "run_html", "system_html"]
