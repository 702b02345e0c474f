"""Packages that only some of what kaneflex does needs: each comes with one of its extras."""

import importlib
from pathlib import Path
from typing import Any

from kaneflex.model.checks import ModelError

ROOT = Path(__file__).resolve().parents[3]  # of the source tree, where this is one


class MissingPackage(ModelError, ImportError):
    """A package of an extra is not installed: the message says what needs it and how it is installed."""


def installation(extra: str) -> str:
    """The command that installs an extra, from the source tree where kaneflex runs from one.

    Args:
        extra: its name in pyproject.toml.
    """
    project = ROOT / "pyproject.toml"
    if project.is_file() and 'name = "kaneflex"' in project.read_text(encoding="utf-8"):
        return f'python -m pip install -e "{ROOT}[{extra}]"'
    return f'python -m pip install "kaneflex[{extra}]"'


def optional(module: str, needs: str, extra: str, otherwise: str = "") -> Any:
    """A module of a package that is installed with an extra.

    Args:
        module: name to import.
        needs: what needs which package, such as "to_pandas needs pandas".
        extra: the one that brings it.
        otherwise: what to do instead.
    """
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise MissingPackage(f"{needs}: {installation(extra)}{otherwise}") from e
