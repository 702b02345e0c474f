"""What a MoorDyn input file says, read and written; nothing here knows of systems.

The format is that of MoorDyn v2 (https://moordyn.readthedocs.io, Input Files): sections under lines with dashes, tables with
two lines of headings, # for comments, and in the options a value before its key.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kaneflex.model.checks import ModelError, shown
from kaneflex.model.files import FileError, atomic_write


class LineType(NamedTuple):
    """A kind of line: volume-equivalent diameter (m), mass (kg/m), EA (N), BA (N s) or, where negative, a fraction of
    critical damping, EI (N m^2), and coefficients of drag and added mass across and along."""

    name: str
    diameter: float
    mass: float
    EA: float
    BA: float
    EI: float
    Cd: float
    Ca: float
    CdAx: float
    CaAx: float


class PointRow(NamedTuple):
    """A point: "fixed", "coupled", "free" or "body1", its place (m; on a body in its axes), mass (kg), volume (m^3), drag
    area (m^2), coefficient of added mass."""

    attachment: str
    place: tuple[float, float, float]
    mass: float
    volume: float
    CdA: float
    Ca: float


class BodyRow(NamedTuple):
    """A body: "fixed", "coupled" or "free", its place (m), angles (deg, about its x, y, z in turn), mass (kg), mass centre
    (m), principal inertia (kg m^2), volume (m^3), drag area (m^2), coefficients of added mass."""

    attachment: str
    place: tuple[float, float, float]
    angles: tuple[float, float, float]
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float]
    volume: float
    CdA: float
    Ca: tuple[float, float, float]


class RodType(NamedTuple):
    """A kind of rigid rod: diameter (m), mass (kg/m), coefficients of drag and added mass across it, and of its ends."""

    name: str
    diameter: float
    mass: float
    Cd: float
    Ca: float
    CdEnd: float
    CaEnd: float


class RodRow(NamedTuple):
    """A rigid rod: its kind; "fixed", "pinned" (by its end A), "coupled", "coupledpinned", "free", "body1" or "body1pinned";
    its ends A and B (m; on a body in its axes), number of segments."""

    kind: str
    attachment: str
    a: tuple[float, float, float]
    b: tuple[float, float, float]
    segments: int


End = int | str  # of a line: the number of a point, or "R1A", "R1B" for an end of a rod


class LineRow(NamedTuple):
    """A line: its kind, what its ends are attached to, its length without load (m), number of segments."""

    kind: str
    a: End
    b: End
    length: float
    segments: int


@dataclass(frozen=True)
class MooringFile:
    """What a file says, and in which lines, for messages.

    Args:
        path: of the file.
        types: kinds of lines, by name.
        rod_types: kinds of rigid rods, by name.
        bodies, rods, points, lines: rows by number.
        options: by key, as `KEYS` has them.
        rows: number of the line in the file of each thing, by "line 3", "point 2", ...
    """

    path: Path
    types: dict[str, LineType] = field(default_factory=dict)
    rod_types: dict[str, RodType] = field(default_factory=dict)
    bodies: dict[int, BodyRow] = field(default_factory=dict)
    rods: dict[int, RodRow] = field(default_factory=dict)
    points: dict[int, PointRow] = field(default_factory=dict)
    lines: dict[int, LineRow] = field(default_factory=dict)
    options: dict[str, float] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)

    def error(self, what: str, message: str) -> ModelError:
        """An error of something in the file."""
        return ModelError(f"{self.path.name}, line {self.rows.get(what, 0)}: {what} {message}")


SECTIONS = {  # by what stands between the dashes
    "types": ("LINE TYPES", "LINE DICTIONARY"),
    "rod types": ("ROD TYPES", "ROD DICTIONARY"),
    "bodies": ("BODIES", "BODY LIST", "BODY PROPERTIES"),
    "rods": ("RODS", "ROD LIST", "ROD PROPERTIES"),
    "points": ("POINTS", "POINT LIST", "POINT PROPERTIES", "CONNECTION PROPERTIES", "NODE PROPERTIES"),
    "lines": ("LINES", "LINE LIST", "LINE PROPERTIES"),
    "failure": ("FAILURE",),
    "control": ("CONTROL",),
    "external loads": ("EXTERNAL LOADS",),
    "options": ("OPTIONS", "SOLVER OPTIONS"),
    "outputs": ("OUTPUTS",),
    "end": ("NEED THIS LINE",),
}
KEYS = {  # of options that matter here, with other spellings of them, and their values where they are not given
    "g": (("g", "gravity"), 9.81),
    "rho": (("rho", "rhow", "wtrdnsty"), 1025.0),
    "WtrDpth": (("wtrdpth",), 0.0),
    "kBot": (("kbot", "kb"), 3.0e6),
    "cBot": (("cbot", "cb"), 3.0e5),
    "FrictionCoefficient": (("frictioncoefficient",), 0.0),
    "FricDamp": (("fricdamp",), 200.0),
}
OF_THE_PROGRAM = {  # options of MoorDyn's own steps, start and output
    "writelog", "dtm", "cfl", "tscheme", "dtic", "tmaxic", "cdscaleic", "icdfac", "threshic", "icthresh", "ictmax", "fileic",
    "icgendynamic", "disableoutput", "disableouttime", "dtout", "writeunits", "unifycurrentgrid", "dtwave",
}  # fmt: skip
MUST_BE = {"wavekin": 0.0, "currents": 0.0, "statdynfricscale": 1.0}
ATTACHMENTS = {
    "fixed": ("fixed", "fix", "anchor"),
    "coupled": ("coupled", "cpld", "vessel", "ves"),
    "free": ("free", "connect", "con", "point", "p", "c"),
}
OF_RODS = ATTACHMENTS | {
    "pinned": ("pinned", "pin"),
    "coupledpinned": ("coupledpinned", "cpldpin", "vesselpinned", "vespin"),
}


class _Words:
    """The words of a row, taken one by one."""

    def __init__(self, path: Path, number: int, text: str):
        self.path, self.number, self.words = path, number, text.split()
        self.all = text.strip()

    def error(self, message: str) -> FileError:
        return FileError(f"{self.path.name}, line {self.number}: {message}")

    def word(self, what: str) -> str:
        if not self.words:
            raise self.error(f"{what} is missing in {shown(self.all)}: every column of version 2 must have a value")
        return self.words.pop(0)

    def number_of(self, what: str, least: float | None = None) -> float:
        text = self.word(what)
        try:
            value = float(text)
        except ValueError:
            raise self.error(f"{what} is {shown(text)}: give a number") from None
        if not abs(value) < 1e300 or (least is not None and value < least):
            raise self.error(f"{what} is {text}: give a {'finite' if least is None else 'positive'} number")
        return value

    def whole(self, what: str) -> int:
        value = self.number_of(what)
        if value != int(value) or value < 1:
            raise self.error(f"{what} is {value:g}: give a whole number, 1 or more")
        return int(value)

    def several(self, what: str) -> list[float]:
        """Numbers with | between them."""
        text = self.word(what)
        found = [_Words(self.path, self.number, part).number_of(what) for part in text.split("|")]
        return found

    def three(self, what: str) -> tuple[float, float, float]:
        x, y, z = (self.number_of(f"{axis} of {what}") for axis in "XYZ")
        return x, y, z

    def attachment(self, what: str, kinds: Mapping[str, tuple[str, ...]] = ATTACHMENTS) -> str:
        text = self.word("attachment").lower()
        for name, spellings in kinds.items():
            if text in spellings:
                return name
        on_body = re.fullmatch(r"(body\d+)(pin|pinned)?", text)
        if on_body and (on_body[2] is None or "pinned" in kinds):
            return on_body[1] + ("pinned" if on_body[2] else "")
        words = ", ".join(f'"{kind}"' for kind in kinds)
        raise self.error(f'the attachment of {what} is {shown(text)}: {words} and "body1" are read here')


def read_moordyn(path: Path) -> MooringFile:
    """What a file says; errors name the file, the line and the value."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: cannot be read as text: {error}") from error
    file = MooringFile(path)
    readers: dict[str, Callable[[MooringFile, _Words], None]] = {
        "types": _line_type, "rod types": _rod_type, "bodies": _body, "rods": _rod, "points": _point, "lines": _line,
        "options": _option,
    }  # fmt: skip
    for section, row in _rows(path, text):
        if section in readers:
            readers[section](file, row)
        elif section in ("failure", "control", "external loads"):
            raise row.error(f'{shown(row.all)} is under "{section}", which is not read here: take it out of the file')
    if not file.lines and not file.rods:
        raise FileError(f"{path.name} has no lines and no rods: there must be a section LINES or RODS, with rows")
    return file


def _rows(path: Path, text: str) -> Iterator[tuple[str, _Words]]:
    """Rows of all sections, without headings and comments."""
    section, headings = "", 0
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.partition("#")[0].strip()
        if line.startswith("---"):
            words = " ".join(line.strip("- ").upper().split())
            section = next((name for name, known in SECTIONS.items() if any(words.startswith(k) for k in known)), "")
            if section == "end":
                return
            headings = 0 if section in ("options", "outputs") else 2
        elif headings:
            headings -= 1
        elif line and section:
            yield section, _Words(path, number, line)


def _keep(file: MooringFile, table: dict[Any, Any], what: str, key: Any, row: _Words, value: Any) -> None:
    if key in table:
        raise row.error(f"there is a {what} {key} already, in line {file.rows[f'{what} {key}']}")
    table[key] = value
    file.rows[f"{what} {key}"] = row.number


def _line_type(file: MooringFile, row: _Words) -> None:
    name = row.word("name of the line type")
    if len(row.words) == 8:
        raise row.error("this has the nine columns of version 1: write it for version 2, with EI, Cd, Ca, CdAx, CaAx")
    diameter, mass = row.number_of("Diam", 0.0), row.number_of("Mass/m", 0.0)
    if "|" in "".join(row.words[:2]):
        raise row.error(f"EA and BA of {name} are {shown(' '.join(row.words[:2]))}: only one constant of each is read here")
    EA, BA = row.number_of("EA", 0.0), row.number_of("BA/-zeta")
    EI, Cd, Ca, CdAx, CaAx = (row.number_of(what, 0.0) for what in ("EI", "Cd", "Ca", "CdAx", "CaAx"))
    if row.words and row.number_of("Cl") != 0:
        raise row.error(f"Cl of {name} is not 0: vibration by vortices is not read here")
    for what, value in (("Diam", diameter), ("Mass/m", mass), ("EA", EA)):
        if value == 0:
            raise row.error(f"{what} of {name} is 0: give a positive number")
    _keep(file, file.types, "line type", name, row, LineType(name, diameter, mass, EA, BA, EI, Cd, Ca, CdAx, CaAx))


def _point(file: MooringFile, row: _Words) -> None:
    number = row.whole("ID of a point")
    attachment = row.attachment(f"point {number}")
    if len(row.words) == 10:
        raise row.error("this has the twelve columns of version 1: write it for version 2, without FX, FY, FZ")
    place = row.three(f"point {number}")
    rest = [row.number_of(f"{what} of point {number}", 0.0) for what in ("Mass", "Volume", "CdA", "Ca")]
    _keep(file, file.points, "point", number, row, PointRow(attachment, place, *rest))


def _body(file: MooringFile, row: _Words) -> None:
    number = row.whole("ID of a body")
    what = f"body {number}"
    attachment, place = row.attachment(what), row.three(what)
    angles = row.three(f"angles of {what}")
    mass, centre, inertia = row.number_of(f"mass of {what}", 0.0), row.several(f"CG of {what}"), row.several(f"I of {what}")
    volume = row.number_of(f"volume of {what}", 0.0)
    drag, added = row.several(f"CdA of {what}"), row.several(f"Ca of {what}")
    centre = [0.0, 0.0, *centre] if len(centre) == 1 else centre
    inertia, added = (x * 3 if len(x) == 1 else x for x in (inertia, added))
    if {len(centre), len(inertia), len(added)} != {3}:
        raise row.error(f"CG, I and Ca of {what} have one value or three with | between them")
    if (len(drag) == 1 and drag[0]) or (len(drag) == 2 and drag[1]) or len(drag) > 2:
        raise row.error(f"CdA of {what} is a drag against turning too, which is not read here: write 0, or area|0")
    three: Any = tuple
    found = BodyRow(attachment, place, angles, mass, three(centre), three(inertia), volume, drag[0], three(added))
    if attachment.startswith("body"):
        raise row.error(f"{what} is on another body: only fixed, coupled and free ones are read here")
    _keep(file, file.bodies, "body", number, row, found)


def _rod_type(file: MooringFile, row: _Words) -> None:
    name = row.word("name of the rod type")
    numbers = [row.number_of(f"{what} of {name}", 0.0) for what in ("Diam", "Mass/m", "Cd", "Ca", "CdEnd", "CaEnd")]
    for what, value in zip(("Diam", "Mass/m"), numbers, strict=False):
        if value == 0:
            raise row.error(f"{what} of {name} is 0: give a positive number")
    _keep(file, file.rod_types, "rod type", name, row, RodType(name, *numbers))


def _rod(file: MooringFile, row: _Words) -> None:
    number, kind = row.whole("ID of a rod"), row.word("rod type")
    what = f"rod {number}"
    attachment = row.attachment(what, OF_RODS)
    a, b = row.three(f"end A of {what}"), row.three(f"end B of {what}")
    segments = row.number_of(f"NumSegs of {what}", 0.0)
    if kind not in file.rod_types:
        raise row.error(f"{what} is of type {shown(kind)}: there are {', '.join(file.rod_types) or 'none'}")
    if segments == 0 or a == b:
        raise row.error(
            f"{what} has no length, by which MoorDyn clamps lines to bodies: only rods with a length are read here"
        )
    if segments != int(segments):
        raise row.error(f"NumSegs of {what} is {segments:g}: give a whole number")
    _keep(file, file.rods, "rod", number, row, RodRow(kind, attachment, a, b, int(segments)))


def _line(file: MooringFile, row: _Words) -> None:
    number, kind = row.whole("ID of a line"), row.word("line type")
    what = f"line {number}"
    ends = [_end(file, row, row.word(f"Attach{side} of {what}"), f"Attach{side} of {what}") for side in "AB"]
    length, segments = row.number_of(f"length of {what}", 0.0), row.whole(f"NumSegs of {what}")
    if kind not in file.types:
        raise row.error(f"{what} is of type {shown(kind)}: there are {', '.join(file.types) or 'none'}")
    if file.types[kind].EI and any(isinstance(end, str) for end in ends):
        raise row.error(
            f"{what} resists bending and is on a rod, to which MoorDyn clamps it: that is not read here; give EI = 0"
        )
    if ends[0] == ends[1] or length == 0:
        raise row.error(f"{what} has no length: give two points and a positive length")
    _keep(file, file.lines, "line", number, row, LineRow(kind, ends[0], ends[1], length, segments))


def _end(file: MooringFile, row: _Words, text: str, what: str) -> End:
    """What an end of a line is attached to."""
    if text.isdigit():
        if int(text) not in file.points:
            raise row.error(f"{what} is point {text}, which is not there: there are {[*file.points]}")
        return int(text)
    on_rod = re.fullmatch(r"R(?:OD)?(\d+)([AB])", text.upper())
    if on_rod is None:
        raise row.error(f'{what} is {shown(text)}: give the number of a point, or "R1A", "R1B" for an end of a rod')
    if int(on_rod[1]) not in file.rods:
        raise row.error(f"{what} is on rod {on_rod[1]}, which is not there: there are {[*file.rods]}")
    return f"R{on_rod[1]}{on_rod[2]}"


def _option(file: MooringFile, row: _Words) -> None:
    text = row.word("value of an option")
    key = row.word("key of an option").lower()
    name = next((name for name, (spellings, _) in KEYS.items() if key in spellings), None)
    if name is not None:
        file.options[name] = _Words(row.path, row.number, text).number_of(key, 0.0)
    elif key in MUST_BE:
        if _Words(row.path, row.number, text).number_of(key) != MUST_BE[key]:
            raise row.error(f"{key} is {text}: it is read as {MUST_BE[key]:g} only; give current= and waves= instead")
    elif key not in OF_THE_PROGRAM:
        raise row.error(f"there is no option {shown(key)}: {', '.join((*KEYS, *sorted(OF_THE_PROGRAM)))}")


def option(file: MooringFile, key: str) -> float:
    """The value of an option, or what MoorDyn takes where it is not given."""
    return file.options.get(key, KEYS[key][1])


def write_moordyn(file: MooringFile, path: Path) -> None:
    """Write a file that MoorDyn and `read_moordyn` read."""
    text = [f"{' MoorDyn input file ':-^80}", "written by kaneflex"]

    def table(title: str, columns: str, units: str, rows: list[tuple[Any, ...]]) -> None:
        text.extend([f"{f' {title} ':-^80}", columns, units])
        text.extend("  ".join(x if isinstance(x, str) else f"{x:.15g}" for x in row) for row in rows)

    joined = lambda values: "|".join(f"{x:.15g}" for x in values)
    table(
        "LINE TYPES",
        "TypeName  Diam  Mass/m  EA  BA/-zeta  EI  Cd  Ca  CdAx  CaAx",
        "(name)  (m)  (kg/m)  (N)  (N-s/-)  (N-m^2)  (-)  (-)  (-)  (-)",
        [tuple(kind) for kind in file.types.values()],
    )
    if file.rod_types:
        columns = "TypeName  Diam  Mass/m  Cd  Ca  CdEnd  CaEnd"
        table("ROD TYPES", columns, "(name)  (m)  (kg/m)  (-)  (-)  (-)  (-)", [tuple(x) for x in file.rod_types.values()])
    if file.bodies:
        rows = [
            (n, b.attachment, *b.place, *b.angles, b.mass, joined(b.centre), joined(b.inertia), b.volume, joined((b.CdA, 0)),
             joined(b.Ca))
            for n, b in file.bodies.items()
        ]  # fmt: skip
        columns = "ID  Attachment  X0  Y0  Z0  r0  p0  y0  Mass  CG  I  Volume  CdA  Ca"
        table("BODIES", columns, "(#) (word) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m^2) (m^3) (m^2) (-)", rows)
    if file.rods:
        columns = "ID  RodType  Attachment  Xa  Ya  Za  Xb  Yb  Zb  NumSegs  RodOutputs"
        rods = [(n, r.kind, r.attachment, *r.a, *r.b, r.segments, "-") for n, r in file.rods.items()]
        table("RODS", columns, "(#) (name) (word/ID) (m) (m) (m) (m) (m) (m) (-) (-)", rods)
    table(
        "POINTS",
        "ID  Attachment  X  Y  Z  Mass  Volume  CdA  Ca",
        "(#)  (word/ID)  (m)  (m)  (m)  (kg)  (m^3)  (m^2)  (-)",
        [(n, p.attachment, *p.place, p.mass, p.volume, p.CdA, p.Ca) for n, p in file.points.items()],
    )
    table(
        "LINES",
        "ID  LineType  AttachA  AttachB  UnstrLen  NumSegs  LineOutputs",
        "(#)  (name)  (ID)  (ID)  (m)  (-)  (-)",
        [(n, *line, "-") for n, line in file.lines.items()],
    )
    text += [f"{' OPTIONS ':-^80}", *(f"{value:.15g}  {key}" for key, value in file.options.items())]
    text += [f"{' need this line ':-^80}", ""]
    with atomic_write(path) as there:
        there.write_text("\n".join(text))
