"""The command line: list, run, compare, modes, study, import, export, live, bench, compile, doctor, one module each.

Heavy imports happen inside the commands.
"""

from kaneflex.cli import (
    bench,
    compare,
    compile_kernels,
    doctor,
    export,
    import_body,
    list_systems,
    live,
    modes,
    run,
    study,
)
from kaneflex.cli.group import main

__all__ = [
    "bench",
    "compare",
    "compile_kernels",
    "doctor",
    "export",
    "import_body",
    "list_systems",
    "live",
    "main",
    "modes",
    "run",
    "study",
]
