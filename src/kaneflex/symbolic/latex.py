"""LaTeX and Markdown of derivations: partial velocities, generalized forces, equations of motion."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from kaneflex.model.files import write_text

if TYPE_CHECKING:
    from kaneflex.symbolic.system.derivation import Equations, PartialVelocities

Expr = Any
_GREEK = set(
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega".split()  # noqa: SIM905
)
_GREEK |= {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"}
#: What marks that mean something to TeX, or to Markdown around it, are written as in a formula.
_MARKS = {c: f"\\{c}" for c in "#%&$_{}"} | {"~": "{\\sim}", "^": "{\\wedge}", "\\": "{\\backslash}", "|": "{\\vert}"}
_MARKS |= {"<": "{<}", ">": "{>}", "*": "{\\ast}", "`": "\\grave{\\ }"}


def escape(text: str) -> str:
    """A text as it may stand in a formula; nothing in it is a command of TeX."""
    return "".join(_MARKS.get(c, c) for c in text)


def name(symbol: Any) -> str:
    """LaTeX of a symbol's name: q1 -> q_{1}, u2' -> a dotted u, m_bob -> m_{bob}. A name with a backslash in it, which only
    a symbol of the user's own can have, is LaTeX already."""
    text = str(symbol)
    dots = len(text) - len(text.rstrip("'"))
    text = text.rstrip("'")
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", text)
    head, tail = match.groups() if match else text.partition("_")[::2]
    if not head or "\\" in text:
        head, tail = text, ""
    if head in _GREEK:
        head = f"\\{head}"
    elif "\\" not in text:
        head = escape(head) if len(head) == 1 else f"\\mathrm{{{escape(head)}}}"
    if dots:
        head = f"\\{'d' * dots}ot{{{head}}}" if dots <= 4 else head + "'" * dots
    if not tail:
        return head
    parts = [escape(p) if len(p) == 1 or p.isdigit() else f"\\mathrm{{{escape(p)}}}" for p in tail.split("_")]
    return f"{head}_{{{','.join(parts)}}}"


def expression(e: Any) -> str:
    """LaTeX of a SymEngine expression."""
    shown = sympy.sympify(e)
    return str(sympy.latex(shown, symbol_names={s: name(s) for s in shown.free_symbols}))


def matrix(rows: Iterable[Iterable[Expr]]) -> str:
    """LaTeX of a matrix."""
    lines = [" & ".join(expression(e) for e in row) for row in rows]
    return "\\begin{bmatrix}" + " \\\\ ".join(lines) + "\\end{bmatrix}"


def vector(v: Sequence[Expr], unit: str) -> str:
    """LaTeX of a vector along the unit vectors unit_1, unit_2, unit_3."""
    terms = []
    for k, x in enumerate(v, start=1):
        if x == 0:
            continue
        text = "" if x == 1 else "-" if x == -1 else expression(x)
        if getattr(x, "is_Add", False):
            text = f"\\left({text}\\right)"
        terms.append(f"{text}\\,\\hat{{{unit}}}_{{{k}}}".removeprefix("\\,"))
    return " + ".join(terms).replace("+ -", "- ") or "0"


def partial_velocities(table: "PartialVelocities") -> str:
    """The table as a LaTeX array: a row per speed, for each body its partial angular velocity and partial velocity (for a
    rotor the former alone)."""
    unit = "n" if table.axes == "inertial" else "b"
    pairs = [("\\omega", table.angular, b) for b in table.bodies] + [("v", table.velocity, b) for b in table.velocity]
    pairs.sort(key=lambda column: table.bodies.index(column[2]))  # stable: the angular one is first
    lines = ["r & " + " & ".join(f"{letter}_r^{{{escape(b)}}}" for letter, _, b in pairs) + " \\\\ \\hline"]
    for r, s in enumerate(table.speeds):
        cells = [vector(columns[b][r], unit) for _, columns, b in pairs]
        lines.append(f"{name(s)} & " + " & ".join(cells) + " \\\\")
    layout = "".join("|ll" if b in table.velocity else "|l" for b in table.bodies)
    return "\\begin{array}{c" + layout + "}\n" + "\n".join(lines) + "\n\\end{array}"


def sections(eq: "Equations") -> list[tuple[str, list[str]]]:
    """Titles and formulas of a derivation, in the order of the books."""
    rates = [f"\\dot{{{name(s)}}} = {expression(e)}" for s, e in zip(eq.q, eq.qdot, strict=True)]
    active = [
        f"(F_{{{r + 1}}})_{{\\mathrm{{{escape(b)}}}}} = {expression(e)}"
        for b, rows in eq.active.items()
        for r, e in enumerate(rows)
        if e != 0
    ]
    inertia = [
        f"(F^*_{{{r + 1}}})_{{\\mathrm{{{escape(b)}}}}} = {expression(e)}"
        for b, rows in eq.inertia.items()
        for r, e in enumerate(rows)
        if e != 0
    ]
    motion = [f"{matrix(eq.M)} {matrix([[s] for s in eq.udot])} = {matrix([[e] for e in eq.F])}"]
    found = [
        ("Kinematical equations", rates),
        ("Partial velocities", [partial_velocities(eq.partial_velocities())]),
        ("Generalized active forces", active or ["F_r = 0"]),
        ("Generalized inertia forces", inertia),
        ("Equations of motion", motion),
    ]
    if eq.constraints:
        found.append(("Constraint equations", [f"{expression(c.speed)} = 0" for c in eq.constraints]))
    return found


def report(eq: "Equations") -> str:
    """The whole derivation in LaTeX."""
    parts = []
    for title, formulas in sections(eq):
        parts.append(f"\\paragraph{{{title}}}\n" + "\n".join(f"\\[{f}\\]" for f in formulas))
    return "\n".join(parts)


def plain(text: str) -> str:
    """A text that Markdown shows as it is."""
    return re.sub(r"([\\`*_<>\[\]#$~|{}&])", r"\\\1", text)


def code(text: str) -> str:
    """A text in Markdown's type of code, whatever backticks are in it."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def markdown(eq: "Equations") -> str:
    """The whole derivation in Markdown, with what the symbols mean and what the equations cost."""
    lines = [f"# {plain(eq.name)}", ""]
    lines += [f"- ${name(s)}$: {code(meaning)}" for s, meaning in eq.names.items()]
    if eq.values:
        lines += ["", "| parameter | value |", "|---|---|"]
        lines += [f"| ${name(s)}$ | {v:.12g} |" for s, v in eq.values.items()]
    for title, formulas in sections(eq):
        lines += ["", f"## {title}", ""]
        for f in formulas:
            lines += [f"$${f}$$", ""]
    counts = eq.operations()
    lines += [
        f"Operations of $M$ and $F$: {counts['total']} ({', '.join(f'{v} {k}' for k, v in counts.items() if k != 'total')})."
    ]
    return "\n".join(lines) + "\n"


def write_markdown(eq: "Equations", path: Any) -> None:
    """Write `markdown` to a file."""
    write_text(path, markdown(eq))
