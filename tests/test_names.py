"""Names that a user may give, whatever marks are in them, through everything that writes them somewhere."""

import contextlib
import io
import json
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from nasty import NASTY, PLAIN, allowed, arm, names, sets

import kaneflex as kf
from kaneflex.model import checks


def simulated(called) -> kf.Run:
    return arm(*called).simulate(0.1, output=0.05)


@pytest.fixture(scope="module")
def plain() -> kf.Run:
    return simulated(PLAIN)


# -- at the door -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", ".", "..", "a.b", "a b", "a\tb", "a\u2003b", None, 3, ["a"], b"a"])
def test_names_without_use_are_refused(name):
    with pytest.raises(kf.ModelError, match="name"):
        kf.System("s").add(name, kf.Rigid(1.0))


@pytest.mark.parametrize("name", ["../../x", "a/b", "\\\\server", "C:\\x"])
def test_paths_are_refused(name):
    with pytest.raises(kf.ModelError, match=r"no dots|no slashes"):
        kf.System(name)
    with pytest.raises(kf.ModelError, match=r"no dots|no slashes"):
        kf.System("s").add(name, kf.Rigid(1.0))


@pytest.mark.parametrize(
    "name", ["\x1b[31mred", "a\0", "a\x07", "a\u202eb", "a\u200b", "\ud800", "a\x7f", "\ufeff", "a\x85"]
)
def test_what_is_not_seen_is_refused_and_shown(name):
    with pytest.raises(kf.ModelError, match=r"no characters that are not seen|no dots or spaces") as caught:
        kf.System("s").add(name, kf.Rigid(1.0))
    assert str(caught.value).isprintable()


@given(name=names)
def test_what_is_seen_may_be_a_name(name):
    assert checks.name(name, "name") == name


def test_unknown_names_are_shown_without_what_a_terminal_obeys():
    with pytest.raises(kf.ModelError, match="x1b") as caught:
        kf.System("s").add("a", kf.Rigid(1.0), parent="\x1b[31mred")
    assert str(caught.value).isprintable()


def test_names_of_events_may_be_any_text(tmp_path):
    name = "stop\0 \ud800 </script>\n"
    event = kf.Event(lambda t: t - 0.05, name=name, terminal=True)
    run = arm(*PLAIN).simulate(0.1, output=0.05, events=[event])
    assert kf.Run.load(run.save(tmp_path / "run.h5")).events == run.events == [(0.05, name)]
    assert Tags(run.report(tmp_path / "r.html").read_text(encoding="utf-8")).others == page(run, tmp_path).others


def test_equal_names_are_told_apart():
    assert checks.distinct(["a", "a", "a_2", "b", "a"], ["b"]) == ["a", "a_2", "a_2_2", "b_2", "a_3"]


# -- files -------------------------------------------------------------------------------------------------------------


@settings(max_examples=10)
@given(called=sets)
@example(called=("s", *NASTY[:4]))
def test_a_file_keeps_names(tmp_path_factory, called):
    allowed(called)
    run = simulated(called)
    again = kf.Run.load(run.save(tmp_path_factory.mktemp("names") / "run.h5"))
    assert again.model.name == run.model.name and again.channels == run.channels
    for table in ("parts", "frames", "loads", "inputs"):
        assert list(getattr(again.model, table)) == list(getattr(run.model, table))
    assert again.final[f"{called[2]}.q"] == run.final[f"{called[2]}.q"]
    pytest.importorskip("pandas")
    assert list(again.to_pandas().columns) == list(run.to_pandas().columns)


NO_FIGURE = SimpleNamespace(savefig=lambda *_, **__: None)


class Tags(HTMLParser):
    """Elements of a page with the names of their attributes, its words, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.words, self.others = "", 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.words += " ".join(value or "" for _, value in attrs)

    def handle_data(self, data):
        self.words += data

    def handle_comment(self, data):
        self.others += 1

    handle_decl = unknown_decl = handle_pi = handle_comment


def page(run: kf.Run, folder) -> Tags:
    """The report, but for figures, which take long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kaneflex.view.report._figures", lambda *_: [(NO_FIGURE, run.model.name)])
        patch.setattr("kaneflex.view.page.asset", lambda name: "/* viewer */" if name.endswith("viewer.js") else "")
        return Tags(run.report(folder / "report.html").read_text(encoding="utf-8"))


@settings(max_examples=10)
@given(called=sets)
@example(called=("<b>", *NASTY[1:5]))
def test_a_page_has_no_element_more(tmp_path_factory, plain, called):
    allowed(called)
    folder = tmp_path_factory.mktemp("pages")
    reference, found = page(plain, folder), page(simulated(called), folder)
    assert found.tags == reference.tags and found.others == reference.others
    for name in called:
        assert name in found.words


def test_titles_of_runs_and_pages_are_escaped(tmp_path, plain):
    evil = "</script></title><b>'\"&"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kaneflex.view.compare.compare_channels", lambda *_: NO_FIGURE)
        texts = [
            kf.compare({a: plain, b: plain}, tmp_path / "c.html", ["first.q"], title=a, source=b).read_text(encoding="utf-8")
            for a, b in (("one", "two"), (evil, evil + "2"))
        ]
    assert Tags(texts[0]).tags == Tags(texts[1]).tags


# -- figures, tables, terminals ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("called", [("$s", "$a$", "_b$^", "#_{", "{"), ("s", "$\u0142_", "}{$$", "%", "~")])
def test_figures_show_names_as_they_are(called):
    figure = simulated(called).plot(f"{called[1]}.q", f"{called[2]}.position")
    figure.savefig(io.BytesIO(), format="svg")
    assert [ax.get_title(loc="left") for ax in figure.axes] == [f"{called[1]}.q, rad", f"{called[2]}.position, m"]


def test_legends_show_titles_of_runs_as_they_are(plain):
    from kaneflex.view.plots import compare_channels

    figure = compare_channels({"_a$x$": plain, "$\\nothing{$": plain}, ["first.q"])
    figure.savefig(io.BytesIO(), format="svg")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["_a$x$", "$\\nothing{$"]


@settings(max_examples=10)
@given(called=sets)
@example(called=("s", "a[0]", "a:0]", "-x", "a_0_"))
def test_python_control_tells_signals_apart(called):
    allowed(called)
    linear = arm(*called).linearize(outputs=[f"{called[1]}.q", f"{called[2]}.q"])
    pytest.importorskip("control")
    found = linear.to_control()
    assert (len(found.state_labels), len(found.input_labels), len(found.output_labels)) == (4, 1, 2)
    assert not any(set(".[]:") & set(label) or label[0] == "-" for label in [*found.state_labels, *found.input_labels])


@settings(max_examples=10)
@given(name=names)
@example(name="[red]x[bold]")
def test_terminals_show_names_as_they_are(name):
    from rich.console import Console

    from kaneflex.simulate import bar

    screen = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        console = Console(file=screen, force_terminal=True, width=400, color_system=None)
        patch.setattr("rich.console.Console", lambda **_: console)
        patch.setattr(bar, "time", SimpleNamespace(perf_counter=iter([0.0, *[10.0] * 9]).__next__))
        with bar.bar_of(name, 0.0, 1.0, True) as report:
            report(0.5)
    assert name in screen.getvalue()


@given(name=names)
def test_json_and_tables_keep_names(name):
    from kaneflex.cli.output import print_json, print_table

    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_json({name: [name]})
    assert json.loads(out.getvalue()) == {name: [name]}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_table(["name"], [[name]])
    assert name in out.getvalue()


def test_errors_of_the_command_line_have_no_commands_of_terminals():
    from click.testing import CliRunner

    from kaneflex.cli import main

    said = CliRunner().invoke(main, ["run", "\x1b[31mred\x07"]).stderr
    assert "red" in said and said.strip().isprintable()
