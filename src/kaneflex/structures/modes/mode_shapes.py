"""The shapes of a flexible body, and their table."""

from dataclasses import dataclass, field

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@dataclass(frozen=True, eq=False)
class ModeRecord:
    """One row of the table of modes: frequency in Hz, effective mass fractions along x, y, z."""

    frequency: float
    kind: str
    fractions: tuple[float, float, float]
    kept: bool
    why: str


@typed
@dataclass(frozen=True, eq=False)
class Modes:
    """Shapes of a component, mass-orthonormal and diagonal in stiffness.

    Args:
        shapes: displacements and rotations of all dofs in each shape, (6n, m); unit modal mass (kg^-1/2).
        stiffness: generalized stiffness of each, omega^2, rad^2/s^2.
        kind: what each is, in words; a percentage says how much of its kinetic energy that is.
        records: rows of the table: what was kept and dropped, and why.
    """

    shapes: np.ndarray
    stiffness: np.ndarray
    kind: tuple[str, ...]
    records: tuple[ModeRecord, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        shapes, stiffness = np.array(self.shapes, dtype=float), np.array(self.stiffness, dtype=float)
        if shapes.ndim != 2 or stiffness.shape != shapes.shape[1:] or len(self.kind) != len(stiffness):
            raise ModelError(
                f"modes: {shapes.shape} shapes with {stiffness.shape} stiffnesses and {len(self.kind)} kinds: "
                "give (6n, m), (m,) and m"
            )
        if not (np.isfinite(shapes).all() and np.isfinite(stiffness).all()):
            raise ModelError("modes: shapes and stiffnesses must be finite numbers")
        for value, name in ((shapes, "shapes"), (stiffness, "stiffness")):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.stiffness)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies, rad/s."""
        return np.sqrt(np.maximum(self.stiffness, 0.0))

    def table(self) -> str:
        """The modes as text: number, frequency, kind, effective mass fractions along x, y, z, kept or dropped and why."""
        head = f"{'':>4} {'Hz':>12}  {'kind':<28} {'mass x':>8} {'y':>8} {'z':>8}  "
        lines, number = [head.rstrip()], 0
        for r in self.records:
            number += r.kept
            x, y, z = r.fractions
            mark = str(number) if r.kept else "-"
            verdict = f"kept: {r.why}" if r.kept else f"dropped: {r.why}"
            lines.append(f"{mark:>4} {r.frequency:>12.6g}  {r.kind:<28} {x:>8.4f} {y:>8.4f} {z:>8.4f}  {verdict}")
        sums = np.sum([r.fractions for r in self.records if r.kept], axis=0) if len(self) and self.records else np.zeros(3)
        lines.append(f"{'':>4} {'':>12}  {'sum of those kept':<28} {sums[0]:>8.4f} {sums[1]:>8.4f} {sums[2]:>8.4f}")
        return "\n".join(lines)
