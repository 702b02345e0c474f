"""The command line: list, run, compare, modes, live, bench, compile, doctor, export, one module each.

Heavy imports happen inside the commands.
"""

from kaneflex.cli import bench, compare, compile_kernels, doctor, export, list_systems, live, modes, run
from kaneflex.cli.group import main

__all__ = ["bench", "compare", "compile_kernels", "doctor", "export", "list_systems", "live", "main", "modes", "run"]
