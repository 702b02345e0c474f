"""The index of many runs: what it shows, how it links, and that nothing in it can be taken for markup."""

import re

import pytest

from kaneflex.view.index import Entry, write_index

GOOD = {
    "title": "A <top> & more",
    "about": "It spins.",
    "document": "Classics",
    "chapter": "rigid bodies",
    "command": "kaneflex run top",
    "checks": (3, 3),
    "audit": True,
    "seconds": 1.25,
    "link": "top/report.html",
    "picture": "data:image/png;base64,AAAA",
}


def page(tmp_path, *changes):
    return write_index([Entry(**(GOOD | c)) for c in changes], tmp_path / "new" / "index.html", title="All").read_text()


@pytest.mark.parametrize("change", [{}, {"checks": (2, 3)}, {"audit": False}, {"audit": None}, {"message": "no"}])
def test_what_passed(tmp_path, change):
    ok = not change
    assert Entry(**(GOOD | change)).ok is ok
    text = page(tmp_path, {}, change)
    assert f"{1 + ok} of 2 systems passed" in text
    assert ('class="mark bad"' in text) is not ok


def test_texts_are_escaped_and_nothing_comes_from_outside(tmp_path):
    text = page(tmp_path, {}, {"message": "<script>alert(1)</script>"})
    assert "A &lt;top&gt; &amp; more" in text and "<top>" not in text and "<script" not in text
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|//", re.sub(r"data:[^\"]*", "", text))


def test_one_grid_of_cards_with_pictures_and_states(tmp_path):
    other = {"title": "third", "document": "A book", "chapter": "chapter 2", "link": None, "picture": None, "checks": (1, 3)}
    text = page(tmp_path, {}, {"title": "second"}, other)
    assert re.findall("<h2[^>]*>(.*?)</h2>", text) == ["A &lt;top&gt; &amp; more", "second", "third"]
    assert text.count('class="cards"') == 1 and "A book, chapter 2" in text
    assert re.findall(r'class="state"><span class="mark (\w+)">(\w+)<', text) == [("good", "passed")] * 2 + [
        ("bad", "failed")
    ]
    assert text.count("<a href=") == text.count("<img ") == 2
    assert "chapter 2" in text and "1.2 s" in text and "3.8 s" in text
