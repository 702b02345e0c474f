"""The command line: list, run, compare, modes, live, bench, doctor, one module each.

Heavy imports happen inside the commands.
"""

from kaneflex.cli import benchmarks, comparing, examination, listing, running, shaking, watching
from kaneflex.cli.group import main

__all__ = ["benchmarks", "comparing", "examination", "listing", "main", "running", "shaking", "watching"]
