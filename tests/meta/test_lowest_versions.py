"""The lowest versions of dependencies that are allowed, with which `make lowest` runs tests."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]


def floors():
    command = [sys.executable, ROOT / "scripts" / "lowest-versions"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(line.removesuffix(".*").split("==") for line in found.stdout.splitlines())


def test_every_dependency_has_a_lowest_version_and_what_is_here_is_not_below():
    text = re.search(r"^dependencies = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.S | re.M)[1]
    named = re.findall(r'"([\w-]+)', text)
    assert set(named) == set(floors()) and len(named) > 5
    number = lambda text: tuple(int(part) for part in re.findall(r"\d+", text)[:2])
    assert not {name: low for name, low in floors().items() if number(version(name)) < number(low)}


def test_the_numba_that_the_sources_name_is_the_lowest_allowed():
    text = (ROOT / "src" / "kaneflex" / "kernels" / "numba_compat.py").read_text()
    assert re.search(r"numba>=([\d.]+),", text)[1] == floors()["numba"]
