"""Liquid that runs from one tank to another through a pipe."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.joints import Fixed
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.profiles import smooth_step, versine
from kaneflex.model.typed import typed
from kaneflex.model.variable_mass import Outlet, VariableMass


@typed
@dataclass(frozen=True)
class Transfer(PartBase):
    """Two tanks on one body, and a pipe through which liquid runs from the first to the second.

    The first tank is at the part's place, the second at the end of the pipe; their liquid counts as particles there. It
    goes over by amount (p - sin(2 pi p)/(2 pi)), p = (t - start)/time, so that the flow begins and ends gently. The
    pipe is part of the bookkeeping: what runs in it feels Coriolis forces, and has the angular momentum h_rel = flow
    times twice the area that the pipe sweeps about the part's place, which is given back when the flow ends. The linear
    momentum of the flow in the body is there too, by which the body moves against the liquid.

    Channels: "name_source.current_mass" and "name_sink.current_mass", kg.

    Args:
        amount: of liquid, kg.
        time: that the transfer takes, s.
        pipe: points of the pipe after the first tank, in the part's axes, m; the last one is the second tank.
        start: when it begins, s.
        left: kg that stay in the first tank, and that are in the second one before; not zero, for a tank is a body.
        contents: kg in the pipe, which count at the first tank.
    """

    amount: float
    time: float
    pipe: Any
    start: float = 0.0
    left: float = 1e-3
    contents: float = 1e-3

    def _check(self) -> None:
        for name in ("amount", "time", "left", "contents"):
            checks.positive(getattr(self, name), f"{name} of a Transfer")
        checks.not_negative(self.start, "start of a Transfer")
        points = tuple(checks.vector(x, "a point of the pipe of a Transfer") for x in checks.items(self.pipe, "pipe"))
        if not points or not any(points[-1]):
            raise ModelError(
                "pipe of a Transfer ends where it begins: give its points after the first tank, the last elsewhere"
            )
        object.__setattr__(self, "pipe", points)

    @property
    def swept(self) -> tuple[float, float, float]:
        """Twice the area that the pipe sweeps about the first tank, m^2, in the part's axes."""
        way = np.array([(0.0, 0.0, 0.0), *self.pipe])
        x, y, z = np.sum([np.cross(a, b) for a, b in pairwise(way)], axis=0).tolist()
        return x, y, z

    def describe(self) -> str:
        """Amount and time."""
        return f"{self.amount:g} kg in {self.time:g} s"

    def install(self, site: Site) -> None:
        """The pipe, and both tanks on it."""
        most = 2 * self.amount / self.time
        flow, back = versine(most, self.time, self.start), versine(-most, self.time, self.start)
        swirl = tuple(versine(most * a, self.time, self.start) if a else 0.0 for a in self.swept)
        ends = (Outlet((0, 0, 0), flow=back), Outlet(self.pipe[-1], flow=flow))
        pipe = site.add("", VariableMass(self.contents, outlets=ends, swirl=swirl, frames={"end": self.pipe[-1]}), Fixed())
        falls = smooth_step(-self.amount, self.time, self.start, self.amount + self.left)
        grows = smooth_step(self.amount, self.time, self.start, self.left)
        site.add("source", VariableMass(falls, outlets=(Outlet((0, 0, 0), flow=flow),)), Fixed(), parent=pipe)
        site.add("sink", VariableMass(grows, outlets=(Outlet((0, 0, 0), flow=back),)), Fixed(), parent=pipe, at="end")


__all__ = ["Transfer"]
