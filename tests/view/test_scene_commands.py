"""`kaneflex compare` and `kaneflex modes`."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from view.scenes import inflated

from kaneflex.cli import main


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_compare(tmp_path: Path) -> None:
    result = call(
        "compare", "beam-spin-up", "--with", "stiffening=false", "--with", "formulation=dense", "--out", str(tmp_path)
    )
    assert result.exit_code == 0, result.output
    scene = inflated(tmp_path / "compare.html")
    assert [r["name"] for r in scene["runs"]] == ["as it is", "stiffening=false", "formulation=dense"]
    rows = [line.split() for line in result.output.splitlines() if "beam.tip.deflection" in line]
    wrong, same = (float(row[3]) for row in rows)
    assert {row[1] for row in rows} == {"m"}
    assert wrong > 1.0 and same < 1e-9  # early linearisation diverges; formulations give one motion


def test_modes(tmp_path: Path) -> None:
    result = call("modes", "beam-spin-up", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["modes-beam.html", "modes.html"]
    first = inflated(tmp_path / "modes.html")["runs"][0]["mode"]["frequency"]
    assert f"{first:.6g}" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "beam-spin-up"), "--with"),
        (("compare", "beam-spun-up", "--with", "a=1"), 'did you mean "beam-spin-up"'),
        (("compare", "double-pendulum", "--with", "dense"), "give key=value"),
        (("compare", "double-pendulum", "--with", "formulation=dance"), 'formulation "dance" is not known'),
        (("compare", "double-pendulum", "--with", "masses=1"), 'no parameter "masses"'),
        (("compare", "double-pendulum", "--with", "mass=2", "--channel", "segment.q"), 'channel "segment.q" is not known'),
        (("modes", "double-pendulums"), "double-pendulum"),
        (("modes", "double-pendulum", "--set", "mass=0"), "mass"),
    ],
)
def test_bad_input(words: tuple[str, ...], message: str) -> None:
    result = call(*words)
    assert result.exit_code == 2 and message in result.output and result.output.count("\n") == 1, result.output
