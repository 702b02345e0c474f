"""The command line: list, run, bench, doctor, one module each. Heavy imports happen inside the commands."""

from kaneflex.cli import benchmarks, examination, listing, running
from kaneflex.cli.group import main

__all__ = ["benchmarks", "examination", "listing", "main", "running"]
