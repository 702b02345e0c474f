"""Momentum of wheels that is brought back to what it should be, by thrusters or by magnets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.actuator import within
from kaneflex.model.blocks.contract import BlockBase, BlockLaw
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed

LAWS = ("torque", "magnetic")


@typed
@dataclass(frozen=True)
class MomentumManagement(BlockBase):
    """What unloads wheels while another loop holds the attitude: h' = -gain (h - target), h = sum of inertia speed axis.

    The outputs of "torque" are the torque on the body, T = -gain (h - target), N m, for a ThrusterCluster; those of
    "magnetic" the moments m = gain (h - target) x B/B^2, A m^2, of a MagneticTorquer, which give this torque as far as it
    is across the field B. Each component is cut at the limit. Outputs: `tx`, `ty`, `tz`,
    or `mx`, `my`, `mz`.

    Args:
        axes: of the wheels, in the body's axes, rows.
        inertia: of the wheels about them, kg m^2: a number, or one for each.
        gain: 1/s.
        law_of: "torque" or "magnetic".
        target: momentum that is to be left, in the body's axes, kg m^2/s.
        limit: of each output, N m or A m^2.
        sees: speeds of the wheels, in the order of the axes; for "magnetic" then the field, three numbers in the body's
            axes, T.
        drives: three inputs.
    """

    axes: Any
    inertia: Any
    gain: float
    law_of: str = "torque"
    target: Any = (0.0, 0.0, 0.0)
    limit: float = math.inf

    def _check(self) -> None:
        what = "of a MomentumManagement block"
        rows = tuple(checks.axis(a, f"axes {what}") for a in checks.items(self.axes, f"axes {what}"))
        if not rows:
            raise ModelError("a MomentumManagement block has no axes: give those of the wheels")
        object.__setattr__(self, "axes", rows)
        given = (self.inertia,) * len(rows) if checks.dimensions(self.inertia) == 0 else self.inertia
        several = checks.array(given, (len(rows),), f"inertia {what}")
        object.__setattr__(self, "inertia", tuple(checks.positive(float(x), f"inertia {what}") for x in several))
        checks.positive(self.gain, f"gain {what}")
        checks.known(self.law_of, LAWS, f"law_of {what}")
        object.__setattr__(self, "target", checks.vector(self.target, f"target {what}"))
        if self.limit != math.inf:
            checks.positive(self.limit, f"limit {what}")

    @property
    def state_names(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def output_names(self) -> tuple[str, ...]:
        """Torque, or moments."""
        return ("tx", "ty", "tz") if self.law_of == "torque" else ("mx", "my", "mz")

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return ("N m" if self.law_of == "torque" else "A m²",) * 3

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        A = np.array(self.inertia) * np.array(self.axes).T
        n, gain, target, limit = A.shape[1], float(self.gain), np.array(self.target), float(self.limit)
        magnetic, bounded = self.law_of == "magnetic", self.limit < math.inf
        if size != n + 3 * magnetic:
            more = " and the field, three numbers" if magnetic else ""
            raise ModelError(f"{what} sees {size} values: name the speeds of {n} wheels{more}")

        def unload(t: Any, x: Any, z: Any) -> Any:
            h = np.zeros(3, x.dtype)
            for i in range(3):
                h[i] = -target[i]
                for k in range(n):
                    h[i] += A[i, k] * x[k]
            a, b, c = -gain * h[0], -gain * h[1], -gain * h[2]
            if magnetic:
                B = x[n], x[n + 1], x[n + 2]
                s = -(B[0] * B[0] + B[1] * B[1] + B[2] * B[2])
                a, b, c = (b * B[2] - c * B[1]) / s, (c * B[0] - a * B[2]) / s, (a * B[1] - b * B[0]) / s
            if bounded:
                a, b, c = within(a, limit), within(b, limit), within(c, limit)
            return (a, b, c), ()

        return BlockLaw(unload)


__all__ = ["MomentumManagement"]
