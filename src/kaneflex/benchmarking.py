"""Finding and running benchmarks, and the one form in which they all report.

A benchmark is a file in the repository's folder `benchmarks` (which is not installed) with a one-line docstring and

    def measure(quick: bool, say: Callable[[str], None]) -> Benchmark

where `quick` asks for small sizes and few repetitions, and `say` takes a line of progress.
"""

import ast
import importlib.util
import math
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import kaneflex
from kaneflex.model.extras import installation

FOLDER = "benchmarks"


class BenchmarkError(RuntimeError):
    """A benchmark cannot be found or run, or its engines do not agree."""


@dataclass(frozen=True)
class Row:
    """One comparison.

    Args:
        case: what was measured.
        size: number of bodies.
        peer: the other program; None where there is no other.
        kaneflex, peer_value: measured values, less is better.
        unit: of both.
    """

    case: str
    size: int
    peer: str | None
    kaneflex: float | None
    peer_value: float | None
    unit: str

    @property
    def ratio(self) -> float | None:
        """How many times faster than the peer."""
        if self.kaneflex is None or self.peer_value is None or self.kaneflex <= 0:
            return None
        return self.peer_value / self.kaneflex


@dataclass(frozen=True)
class Fit:
    """Growth of a cost with the number of bodies n, like n^exponent."""

    case: str
    exponent: float


@dataclass
class Benchmark:
    """What a benchmark found: rows, growth exponents, and what a reader must know to judge them."""

    name: str
    rows: list[Row] = field(default_factory=list)
    fits: list[Fit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    packages: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Name, machine, versions, rows, fits, notes."""
        return {
            "name": self.name,
            "machine": machine(),
            "versions": versions(("numpy", "numba", "llvmlite", "scipy", *self.packages)),
            "rows": [asdict(row) | {"ratio": row.ratio} for row in self.rows],
            "fits": [asdict(fit) for fit in self.fits],
            "notes": list(self.notes),
        }


def growth(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Exponent of a power law, by least squares through the logarithms."""
    x, y = [math.log(n) for n in sizes], [math.log(v) for v in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def machine() -> dict[str, Any]:
    """Processor, its cores that this process may use, and the operating system."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cpu": cpu_name(), "cores": usable, "system": f"{platform.system()} {platform.machine()}"}


def cpu_name() -> str:
    """The processor's own name, where the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """Versions of Python, kaneflex and packages; None for those that are not installed."""
    found: dict[str, str | None] = {"python": platform.python_version(), "kaneflex": kaneflex.__version__}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


# -- finding -----------------------------------------------------------------------------------------------------------


def places() -> list[Path]:
    """Where the folder of benchmarks may be: beside `src` of a source tree, and in the current directory."""
    package = Path(kaneflex.__file__).resolve().parent
    found = [package.parent.parent / FOLDER] if package.parent.name == "src" else []
    return [*found, Path.cwd() / FOLDER]


def benchmarks() -> dict[str, tuple[Path, str]]:
    """Benchmarks by name: file and title."""
    for folder in places():
        found = {}
        for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
            title = _title(path)
            if title is not None:
                found[path.stem] = (path, title)
        if found:
            return found
    raise BenchmarkError(
        "benchmarks are not installed with kaneflex: run this in its source tree, where the folder benchmarks is"
    )


def _title(path: Path) -> str | None:
    """First line of the docstring of a benchmark; None for other files."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    if not any(isinstance(node, ast.FunctionDef) and node.name == "measure" for node in tree.body):
        return None
    return (ast.get_docstring(tree) or path.stem).splitlines()[0]


def run(path: Path, quick: bool, say: Callable[[str], None]) -> Benchmark:
    """Import a benchmark and let it measure."""
    root = str(path.resolve().parent.parent)
    if root not in sys.path:
        sys.path.insert(0, root)
    spec = importlib.util.spec_from_file_location(f"{FOLDER}.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BenchmarkError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        result = module.measure(quick, say)
    except ModuleNotFoundError as e:
        raise BenchmarkError(f'benchmark "{path.stem}" needs the package {e.name}: {installation("oracles")}') from e
    if not isinstance(result, Benchmark):
        raise BenchmarkError(f'benchmark "{path.stem}" returned {type(result).__name__}, not a Benchmark')
    return result
