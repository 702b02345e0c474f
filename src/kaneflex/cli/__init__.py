"""The command line: list, run, compare, modes, live, bench, compile, doctor, one module each.

Heavy imports happen inside the commands.
"""

from kaneflex.cli import benchmarks, comparing, compilation, examination, listing, running, shaking, watching
from kaneflex.cli.group import main

__all__ = ["benchmarks", "comparing", "compilation", "examination", "listing", "main", "running", "shaking", "watching"]
