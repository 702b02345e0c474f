"""Names with any marks in symbols, C, LaTeX and Markdown."""

import ctypes
import re
import shutil
import subprocess
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
import symengine
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nasty import PLAIN, allowed, arm, names, sets

import kaneflex as kf
from kaneflex.symbolic import export, latex
from kaneflex.symbolic.system.signals import Signals

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


def rates_of(folder, form: export.MatrixForm, q, u, r, p):
    """What the exported C gives at t = 0, by way of gcc."""
    source, header = export.write_c(form, folder)
    word = export.identifier(form.name)
    assert source.parent == header.parent == folder and source.name == f"{word}.c" and word.isascii()
    library = folder / "lib.so"
    options = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *options, str(source), "-o", str(library), "-lm"], check=True, capture_output=True)
    function = getattr(ctypes.CDLL(str(library)), f"{word}_rates")
    array = lambda x: (ctypes.c_double * max(len(x), 1))(*x)
    qdot, udot = array(q), array(u)
    assert function(ctypes.c_double(0.0), array(q), array(u), array(r), array(p), qdot, udot) == 0
    return np.array([*qdot, *udot])


def check_c(folder, called) -> None:
    """A pendulum by these names gives q'' = (signal - k q - m g c sin q) / (I + m c^2)."""
    allowed(called)
    system, body, _, load, signal = called
    s = kf.System(system, gravity=(0, 0, -9.81))
    s.add(body, kf.Rigid(1.5, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.15)), kf.Revolute("y"))
    s.apply(load, kf.JointSpring(body, stiffness=3.0))
    s.add_input(signal, kf.JointForce(body))
    form = export.of_equations(s.equations(simplify=False))
    udot = (0.7 - 3.0 * 0.3 - 1.5 * 9.81 * 0.5 * np.sin(0.3)) / (0.2 + 1.5 * 0.25)
    assert rates_of(folder, form, [0.3], [2.0], [0.7], form.numbers()) == pytest.approx([2.0, udot], rel=1e-12)


@needs_gcc
@settings(max_examples=3)
@given(called=sets)
@example(called=("doublé", "a*", "b", "??=", "E"))
def test_c_compiles_and_gives_the_same_numbers(tmp_path_factory, called):
    check_c(tmp_path_factory.mktemp("c"), called)


@needs_gcc
@pytest.mark.thorough
@settings(max_examples=100)
@given(called=sets)
def test_c_of_many_names(tmp_path_factory, called):
    check_c(tmp_path_factory.mktemp("c"), called)


@needs_gcc
@pytest.mark.parametrize("evil", ["a*/int(x)[3];/*", '*/ "\n#error no\\', "*/*", "\\u202e*/"])
def test_c_of_symbols_that_hold_code(tmp_path, evil):
    """Symbols of the user's own may be called anything at all."""
    t, q, u, k, m = (symengine.Symbol(x) for x in ("t", "q", "u", evil, f"{evil}2"))
    form = export.MatrixForm(evil, t, [q], [u], [], [m, k], {m: 5.0}, [u], [[m]], [-k * q])
    assert rates_of(tmp_path, form, [2.0], [3.0], [], [5.0, 4.0]) == pytest.approx([3.0, -2.0 * 4.0 / 5.0])


def test_comments_of_c_end_where_they_end():
    for text in ("*/", "/*", "*/*/", "a\nb", "/*/", "**//"):
        inside = export.comment(text)
        assert "*/" not in inside and "/*" not in inside and "\n" not in inside


COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.S)


@settings(max_examples=60)
@given(name=names | st.tuples(st.sampled_from("mcIkF"), names).map("_".join))
def test_latex_has_no_marks_of_its_own(name):
    text = latex.name(name)
    bare = COMMAND.sub("", text)
    depth = np.cumsum([(c == "{") - (c == "}") for c in bare] or [0])
    assert depth.min() >= 0 and depth[-1] == 0
    assert not set(bare) & set("#%&$~^`|\\")
    assert bare.count("_") <= 1 and all(bare[k + 1] == "{" for k, c in enumerate(bare) if c == "_")
    assert not re.search(r"<\w|</|<!", text)


def test_latex_of_plain_names_is_plain():
    shown = {
        "q1": "q_{1}",
        "m_bob": r"m_{\mathrm{bob}}",
        "u2'": r"\dot{u}_{2}",
        "theta": r"\theta",
        "Alpha": r"\mathrm{Alpha}",
    }
    shown |= {r"\theta_{1}": r"\theta_{1}", "r_a_b_x": "r_{a,b,x}", "Omega": r"\Omega", "_": r"\_"}
    assert {name: latex.name(name) for name in shown} == shown


class Tags(HTMLParser):
    """Elements of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    handle_comment = handle_decl = unknown_decl = handle_pi = handle_endtag = lambda self, data: self.tags.append(data)


@settings(max_examples=2)
@given(called=sets)
@example(called=("<b>#_*", "$x", "`a", "<script>", "|b"))
def test_a_derivation_has_no_markup_of_names(tmp_path_factory, called):
    allowed(called)
    eq = arm(*called).equations(simplify=False)
    path = tmp_path_factory.mktemp("md") / "eq.md"
    eq.report(path)
    text = path.read_text(encoding="utf-8")
    outside = re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)  # what does not stand in backticks
    assert Tags(re.sub(r"\\[<>]", "", outside)).tags == []
    assert len(re.findall(r"^\| \$.*\$ \| [^|]* \|$", text, re.M)) == len(eq.values)


def test_parameters_whose_names_would_be_the_same_are_two():
    """Frame b_c of a and frame c of a_b; damping of load b_x and the mass centre of b."""
    s = kf.System("s", gravity=(0, 0, -9.81))
    s.add("a", kf.Rigid(1.0, com=(0.7, 0, 0), inertia=(1, 1, 1), frames={"b_c": (0.3, 0, 0)}), kf.Revolute("y"))
    s.add("a_b", kf.Rigid(1.0, inertia=(1, 1, 1), frames={"c": (0.5, 0, 0)}), kf.Revolute("y"), parent="a")
    s.apply("f", kf.Force("a.b_c", (0, 0, 2.0)))
    s.apply("g_", kf.Force("a_b.c", (0, 0, 3.0)))
    s.apply("a_x", kf.JointSpring("a", damping=0.9))
    eq = s.equations(simplify=False)
    values = {str(k): v for k, v in eq.values.items()}
    assert values["r_a_b_c_x"] == 0.3 and values["r_a_b_c_x_2"] == 0.5
    assert values["c_a_x"] == 0.7 and values["c_a_x_2"] == 0.9
    q, u = np.array([0.3, -0.2]), np.array([1.0, 0.5])
    assert eq.function()(0.0, [*q, *u])[2:] == pytest.approx(s.dynamics().udot(q, u), rel=1e-12)


def test_functions_that_stand_for_themselves_are_told_apart():
    signals = Signals(SimpleNamespace(laws=[], tables=SimpleNamespace(law=[])))
    for name, outputs in (('load "f-1"', 1), ('load "f_1"', 1), ('load "f"', 2)):
        signals._stand_in(SimpleNamespace(name=name, outputs=outputs))
    assert [str(s) for s in signals.symbols] == ["f_f_1", "f_f_1_2", "f_f_1_3", "f_f_2"]


def test_an_input_that_is_called_like_a_rate_is_refused():
    with pytest.raises(kf.ModelError, match='"u1\'" is both a rate and a input'):
        arm(*PLAIN[:4], "u1'").equations(simplify=False)
