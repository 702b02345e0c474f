"""The page that leads through the theory in the order of Banerjee's book, written when the documentation is built.

For each chapter: the sections of the theory pages, where each of their equations stands in the sources, and the systems
of the gallery.
"""

import re
from pathlib import Path
from typing import Any

from equations import citations, displayed

from kaneflex.gallery import Example, in_order
from kaneflex.model.files import write_text

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src" / "kaneflex"

#: Chapters of the book, what they are about, and the modules whose equations they are.
CHAPTERS = {
    "chapter 1": (
        "Derivation of equations of motion",
        "kernels/kinematics kernels/inertia kernels/energy formulations/dense kernels/constraints/__init__ "
        "kernels/constraints/rolling "
        "formulations/embedded symbolic/system/system_equations symbolic/kanes_method/kinematics "
        "symbolic/kanes_method/generalized_forces symbolic/kanes_method/constraint_forces "
        "symbolic/linearizer "
        "symbolic/kanes_method/lagrange symbolic/system/lagrange",
    ),
    "chapter 2": (
        "Tethers in orbit: deployment, station-keeping, retrieval",
        "kernels/forces/central_force kernels/forces/oblate_force kernels/forces/orbit_force "
        "kernels/forces/orbit_oblate_force",
    ),
    "chapter 3": (
        "Linearization, and a beam in large overall motion",
        "structures/theories/book_beam symbolic/linear_motion",
    ),
    "chapter 4": ("A plate in large overall motion", "structures/theories/book_plate"),
    "chapter 5": (
        "An arbitrary flexible body in large overall motion",
        "kernels/bodies/modal structures/modes/motion_stiffness structures/modes/mass_integrals "
        "structures/modes/mean_axes "
        "structures/elements/beam structures/elements/shell",
    ),
    "chapter 6": ("Flexible multibody dynamics in dense matrices", "kernels/node kernels/rotation"),
    "chapter 7": ("Component modes", "structures/modes/modal_data"),
    "chapter 8": ("Block-diagonal formulation", "formulations/recursive formulations/modal_elimination"),
    "chapter 9": (
        "Efficient variables, recursion, and constraints between bodies",
        "formulations/loop_elimination formulations/least_norm formulations/sliding_friction",
    ),
    "chapter 10": (
        "Beams with large deflection",
        "kernels/forces/rod_bending kernels/forces/rod_modes kernels/forces/rod_shear "
        "kernels/forces/rod_shear_in_plane "
        "simulate/stepping/alpha formulations/tree_matrix formulations/tension model/rods/hanging kernels/twists "
        "kernels/bodies/strain_rod",
    ),
    "chapter 11": (
        "Deployment and retraction of beams and cables",
        "kernels/bodies/fed_rod kernels/bodies/reel kernels/forces/exit_spring kernels/medium kernels/added_inertia "
        "kernels/forces/morison kernels/forces/added_mass kernels/forces/ground_contact",
    ),
    "chapter 12": ("A flexible rocket", "kernels/bodies/variable_mass"),
    "appendix A": ("Efficient modal speeds", "kernels/constant_mass structures/modes/efficient_speeds"),
    "appendix B": ("The order-n algorithm as a program", ""),
}
BEYOND = "Beyond the book"
Section = tuple[str, str, str, list[int]]
HEAD = "| section | equations | where they are computed |\n|---|---|---|"
INTRODUCTION = """# The theory in the book's order

A. K. Banerjee's *Flexible Multibody Dynamics* (Wiley, 2016) is what this package began with. Its chapters are taken one by
one: the sections of the theory pages, for each equation the line of the source that displays it and the functions that say
that they compute it, and the gallery's systems, of which `kaneflex run NAME` runs one. Files are those of `src/kaneflex`.
"""


def sections() -> dict[str, Section]:
    """By module: its theory page, heading, anchor and the numbers of its equations."""
    found = {}
    for page in sorted(HERE.glob("theory*.md")):
        heading = ""
        for part in re.split(r"(?m)^(?=#+ )|(?=Module `)", page.read_text(encoding="utf-8")):
            title = re.match(r"#+ (.*)", part)
            heading = title[1] if title else heading
            module = re.match(r"Module `([\w/]+)\.py`", part)
            if module:
                anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
                numbers = [int(n) for n in re.findall(r"(?:\\qquad|&) \((\d+)\)", part)]
                found[module[1]] = page.name, heading, anchor, numbers
    return found


def cited() -> dict[tuple[str, int], list[str]]:
    """Functions that cite an equation, by module and number; those of other modules with their file."""
    files = sorted(SOURCE.rglob("*.py"))
    texts = {path.relative_to(SOURCE).with_suffix("").as_posix(): path.read_text() for path in files}
    found: dict[tuple[str, int], list[str]] = {}
    for module, text in texts.items():
        for owner, number, function in citations(text):
            homes = [name for name in texts if owner is None or name.endswith(f"/{owner}")]
            home = module if owner is None else min(homes, key=lambda name: Path(name).parent != Path(module).parent)
            if owner is None and number not in displayed(texts[home]):
                home = f"{Path(module).parent}/__init__"
            where = f"`{function}`" if home == module else f"`{module}.py: {function}`"
            if function and where not in found.setdefault((home, number), []):
                found[home, number].append(where)
    return found


def rows(modules: list[str], known: dict[str, Section], used: dict[tuple[str, int], list[str]]) -> str:
    """Rows of the table of some modules."""
    lines = []
    for module in modules:
        page, heading, anchor, numbers = known[module]
        lines_of = displayed((SOURCE / f"{module}.py").read_text())
        places = []
        for n in numbers:
            places.append(", ".join([f"({n}) line {lines_of.get(n, '')}", *used.get((module, n), [])[:4]]))
        where = f"`{module}.py`: " + "; ".join(places) if places else f"`{module}.py`"
        shown = f"({numbers[0]})" if len(numbers) == 1 else f"({numbers[0]}) to ({numbers[-1]})" if numbers else ""
        lines.append(f"| [{heading}]({page}#{anchor}) | {shown} | {where} |")
    return "\n".join(lines)


def text() -> str:
    """The page."""
    known, used, parts = sections(), cited(), [INTRODUCTION]
    systems: dict[str, list[Example]] = {}
    for example in in_order():
        if example.document.startswith("Banerjee, Flexible"):
            for one in re.findall(r"\d+", example.chapter) or [""]:
                systems.setdefault(f"chapter {one}" if one else example.chapter, []).append(example)
    left = list(known)
    for chapter, (title, named) in CHAPTERS.items():
        parts.append(f"## {chapter[0].upper() + chapter[1:]}: {title}")
        modules = named.split()
        left = [module for module in left if module not in modules]
        if modules:
            parts.append(f"{HEAD}\n{rows(modules, known, used)}")
        if systems.get(chapter):
            parts.append("Gallery: " + ", ".join(f"[{e.name}](gallery/{e.name}.md)" for e in systems[chapter]) + ".")
    parts.append(f"## {BEYOND}\n\n{HEAD}\n{rows(left, known, used)}")
    return "\n\n".join(parts) + "\n"


def write(*_: Any) -> None:
    """Write the page where it has changed."""
    path, page = HERE / "book.md", text()
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        write_text(path, page)


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx write the page before it reads."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
