"""The documentation builds without a warning."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_docs_build_without_warnings(tmp_path):
    for extra in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(extra, reason="the docs extra is not installed")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", ROOT / "docs", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "notation.html").exists()
