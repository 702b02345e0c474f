"""Beams and mooring lines of the rods' benchmark by kaneflex: segments, or a rod of high order."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import kaneflex as kf

from .plane_beam import Array, MooringLine, PlaneBeam


class KaneflexPlaneBeam:
    """A beam as a `Rod`. Stretch, shear and rotary inertia are left out where `thin`.

    Attributes:
        reading: least seconds that the results of a run took to be read from it, which are not among its own.
    """

    name = "kaneflex"
    reading = math.inf

    def __init__(self, beam: PlaneBeam, thin: bool = False, **fineness: int) -> None:
        """Build the model.

        Args:
            beam: what is modelled.
            thin: whether it neither stretches nor shears.
            fineness: `n` or `order` of the rod.
        """
        self.beam = b = beam
        self.system = s = kf.System(b.name, gravity=(0.0, b.gravity, 0.0))
        section: dict[str, Any] = {} if thin else {"EA": b.EA, "GA": b.GA}
        rod = kf.Rod(b.length, b.mass, b.EI, plane="xy", rotary_inertia=b.rotary, **section, **fineness)
        if b.root == "driven":
            motion = kf.profiles.spin_up(rate=b.rate(b.duration), time=b.duration) if b.rate else None
            s.add("hub", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Revolute("z", motion=motion))
            s.add_rod("beam", rod, parent="hub")
        else:
            s.add_rod("beam", rod, at=kf.Frame((*b.start, 0.0), rotation=(("z", b.direction),)), root=b.root)
        if b.loaded > 0:
            force, moment, end = b.force, b.moment, b.loaded
            s.apply("force", kf.Force("beam.root", lambda t: (force * (t < end), 0.0, 0.0), axes="inertial"))
            s.apply("moment", kf.Torque("beam.root", lambda t: (0.0, 0.0, moment * (t < end)), axes="inertial"))

    def run(self, method: Any, **accuracy: float) -> tuple[Array, float, int]:
        """Places of the tip at the samples, on a hub its deflection, the seconds of the run, and its steps.

        Args:
            method: of integration.
            accuracy: `rtol` and `atol`, or `step`.
        """
        begun = time.process_time()
        run = self.system.simulate(self.beam.duration, method=method, output=self.beam.period, progress=False, **accuracy)
        seconds = time.process_time() - begun
        places = np.asarray(run["beam.tip.position"])[:, :2]
        self.reading = min(self.reading, time.process_time() - begun - seconds)
        return self.beam.seen(run.t, places), seconds, run.statistics["steps"]


class KaneflexLine:
    """The line as a `Cable` that does not stretch, tied to the fairlead; it starts at rest.

    Attributes:
        reading: least seconds that the results of a run took to be read from it, which are not among its own.
    """

    name = "kaneflex"
    reading = math.inf

    def __init__(self, line: MooringLine, n: int) -> None:
        """Build the model and find its equilibrium.

        Args:
            line: what is modelled.
            n: number of segments.
        """
        self.line = b = line
        self.system = s = kf.System("line", gravity=(0, 0, -9.81))
        x, z = b.fairlead
        s.add("fairlead", kf.Rigid(0.0), kf.Prismatic("z", motion=b.heave), at=(x, 0, z))
        cable = kf.Cable(b.length, b.mass, n=n, plane="xz", radius=b.diameter / 2)
        s.add_rod("chain", cable, at=(0, 0, b.anchor), tip="pinned", end="fairlead")
        s.apply("sea", kf.Morison("chain", kf.Sea(b.density, b.depth), b.diameter, b.Cn, b.Ct))
        if b.anchor == -b.depth:
            bed = kf.SoftGround("chain", b.kbot * b.diameter, b.cbot * b.diameter, level=-b.depth)
            s.apply("bed", bed)
        self.start = s.equilibrium(b.slopes(n))

    def run(self, method: Any, **accuracy: float) -> tuple[Array, float, int]:
        """Tension at the fairlead at the samples, N, the seconds of the run, and its steps."""
        b = self.line
        begun = time.process_time()
        run = self.system.simulate(
            b.duration, initial=self.start, method=method, output=b.period, progress=False, **accuracy
        )
        seconds = time.process_time() - begun
        tension = np.linalg.norm(run["chain_tip.multipliers"], axis=1)  # of the tie: the components of its force
        self.reading = min(self.reading, time.process_time() - begun - seconds)
        return tension, seconds, run.statistics["steps"]
