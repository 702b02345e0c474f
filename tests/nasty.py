"""Names that a user may give, with whatever marks a page, a file, TeX, C or a terminal may take for its own."""

from hypothesis import assume
from hypothesis import strategies as st

import kaneflex as kf

NASTY = (
    "a*∕int(x)[3];∕*",
    "<script>alert(1)",
    "<!--",
    "]]>",
    '"quoted\'s"',
    "$x_1$",
    "$",
    "%d{0}",
    "#1&2~3^4_5",
    "{",
    "}{",
    "[red]x[bold]",
    "[0]",
    "*:?|",
    "`tick``",
    "__",
    "_a",
    "é",
    "θ̇",
    "名前",
    "🚀",
    "-x",
    "=1+1",
    "q1",
    "double",
    "a;b,c",
    "x" * 120,
    "alpha",
    "Alpha",
    "E",
    "&lt;",
    "a'",
    "??=",
)
marks = st.sampled_from("<>&\"'`$%#{}[]()~^_*?!:;|=+-@,")
letters = st.characters(exclude_categories=("C", "Z"), exclude_characters="./\\")
names = st.sampled_from(NASTY) | st.text(marks, min_size=1, max_size=8) | st.text(letters | marks, min_size=1, max_size=12)


def allowed(given) -> None:
    """Go on with names only that are not taken by the package."""
    assume(not set(given[1:]) & {"N", "t", "energy", "momentum", "g", "q1", "q2", "u1", "u2", "u1'", "u2'"})


def arm(system: str, first: str, second: str, load: str, signal: str) -> kf.System:
    """Two rods, a spring and an input, by these names."""
    s = kf.System(system, gravity=(0, 0, -9.81))
    rod = kf.Rigid(1.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.15), frames={first: (0, 0, -1.0)})
    s.add(first, rod, kf.Revolute("y"), q=0.3)
    s.add(second, rod, kf.Revolute("y"), parent=first, at=(0, 0, -1.0), q=0.2)
    s.apply(load, kf.JointSpring(second, stiffness=3.0))
    s.add_input(signal, kf.JointForce(second))
    return s


PLAIN = ("system", "first", "second", "load", "signal")
sets = st.tuples(names, st.lists(names, min_size=4, max_size=4, unique=True)).map(lambda x: (x[0], *x[1]))
