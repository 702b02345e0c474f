"""What kaneflex runs on: versions, processor, the cache of compiled kernels, and what is missing."""

import contextlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kaneflex.benchmarking import machine, versions
from kaneflex.model.extras import installation

CORE = ("numpy", "numba", "llvmlite", "scipy", "sympy", "symengine", "h5py", "click", "rich", "matplotlib")

#: Import name of an optional package: the extra it comes with, and what it gives.
OPTIONAL = {
    "sksundae": ("sundials", 'the integrator method="cvode" (SUNDIALS)'),
    "control": ("control", "linear models as python-control systems"),
    "pandas": ("frames", "Run.to_pandas"),
    "xarray": ("frames", "Run.to_xarray"),
    "pinocchio": ("oracles", "comparison in tests and benchmarks"),
    "mujoco": ("oracles", "comparison in tests and benchmarks"),
    "exudyn": ("oracles", "comparison in tests and benchmarks"),
    "Basilisk": ("oracles", "comparison in tests and benchmarks"),
}


@dataclass(frozen=True)
class Folder:
    """A folder of compiled kernels."""

    path: Path
    files: int
    size: int

    def as_dict(self) -> dict[str, Any]:
        """Path, files, bytes."""
        return {"path": str(self.path), "files": self.files, "bytes": self.size}


def examine() -> dict[str, Any]:
    """All findings, as plain data."""
    return {
        "versions": versions(CORE),
        "machine": machine() | {"compiled_for": _compiled_for()},
        "cache": cache_state(),
        "missing": [
            {"package": name, "extra": extra, "gives": gives}
            for name, (extra, gives) in OPTIONAL.items()
            if find_spec(name) is None
        ],
    }


def cache_state() -> dict[str, Any]:
    """The cache that matches the sources as they are now, and the others beside it."""
    from kaneflex.kernels import backend

    root, now = backend.cache_root(), backend.cache_folder()
    current = _measure(now)
    others = [_measure(p) for p in sorted(root.iterdir()) if p != now and _is_cache(p)] if root.is_dir() else []
    compiled = any(now.rglob("*.nbi")) if now.is_dir() else False
    return {
        "root": str(root),
        "current": current.as_dict() | {"exists": now.is_dir(), "compiled": compiled},
        "others": [folder.as_dict() for folder in others],
    }


def _compiled_for() -> str:
    import numba

    from kaneflex.kernels.numba_compat import binding

    return str(numba.config.CPU_NAME or binding.get_host_cpu_name())  # type: ignore[attr-defined]


def _is_cache(path: Path) -> bool:
    """A folder whose name is a key: sixteen hexadecimal digits."""
    return path.is_dir() and len(path.name) == 16 and all(c in "0123456789abcdef" for c in path.name)


def _measure(path: Path) -> Folder:
    sizes = []
    for p in path.rglob("*"):
        with contextlib.suppress(OSError):  # another process may be writing there
            if p.is_file():
                sizes.append(p.stat().st_size)
    return Folder(path, len(sizes), sum(sizes))


def report(findings: dict[str, Any]) -> list[str]:
    """The findings in plain lines."""
    lines = ["Versions"]
    lines += [f"  {name:<12}{found or 'not installed'}" for name, found in findings["versions"].items()]
    m = findings["machine"]
    lines += ["Machine", f"  {m['cpu']}, {m['cores']} cores, {m['system']}", f"  kernels compile for {m['compiled_for']}"]
    lines += ["Compiled kernels", *_cache_lines(findings["cache"])]
    lines += ["Optional packages"]
    if not findings["missing"]:
        lines += ["  all installed"]
    lines += [f"  {x['package']:<16}missing: {x['gives']}, with {installation(x['extra'])}" for x in findings["missing"]]
    return lines


def _cache_lines(cache: dict[str, Any]) -> list[str]:
    now, others = cache["current"], cache["others"]
    lines = [f"  in {cache['root']} (set KANEFLEX_CACHE to move it)"]
    if now["compiled"]:
        lines += [f"  {Path(now['path']).name} matches the sources: {now['files']} files, {_megabytes(now['bytes'])}"]
    else:
        lines += ["  nothing compiled for these sources yet: the first run takes up to a minute longer"]
    if others:
        size = sum(x["bytes"] for x in others)
        lines += [f"  {len(others)} of other sources, {_megabytes(size)}; remove those that no other installation uses:"]
        lines += [f"    rm -r {x['path']}" for x in others]
    return lines


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
