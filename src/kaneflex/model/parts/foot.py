"""A foot of a lander: a strut that crushes, and a pad that strikes the ground."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, seen
from kaneflex.model.bodies import PointMass
from kaneflex.model.checks import ModelError
from kaneflex.model.contacts import AFTER, Contact
from kaneflex.model.forces import JointForce, JointSpring
from kaneflex.model.frames import Frame
from kaneflex.model.joints import Prismatic
from kaneflex.model.parts.contract import PartBase, Site, shared
from kaneflex.model.parts.parachute import coefficients
from kaneflex.model.typed import Name, typed


@typed
@dataclass(frozen=True)
class Crushing(BlockBase):
    """The strut of a Foot, which makes it.

    Args:
        crush, stiffness, damping, stroke: as for Foot.
        sees: compression of the strut and its rate.
        drives: the force along it.
    """

    crush: Any
    stiffness: float
    damping: float
    stroke: float
    only_seen: ClassVar[int] = 2

    @property
    def state_names(self) -> tuple[str, ...]:
        """How far it has crushed, m; energy that this took, J."""
        return "crushed", "absorbed"

    @property
    def start(self) -> np.ndarray:
        """New."""
        return np.zeros(2)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Force on the pad along the compression; force of the strut, pressure positive, and stroke left."""
        return "drive", "force", "left"

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        return "N", "N", "m"

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        seen(size, 2, what)
        k, c, stroke, rows = float(self.stiffness), float(self.damping), float(self.stroke), np.array(self.crush, float)

        def strut(t: Any, x: Any, z: Any) -> Any:
            most = rows[0, 1] + 0 * z[0]
            for n in range(len(rows) - 1):
                if z[0].real > rows[n, 0]:
                    part = np.minimum((z[0] - rows[n, 0]) / (rows[n + 1, 0] - rows[n, 0]), 1.0)
                    most = rows[n, 1] + part * (rows[n + 1, 1] - rows[n, 1])
            force, rate = k * (x[0] - z[0]) + c * x[1], 0 * z[0]
            if force.real > most.real and z[0].real < stroke:
                rate = (force - most) / c  # spring and damper are in series with what crushes
                force = most
            return (-force, force, stroke - z[0]), (rate, force * rate)

        return BlockLaw(strut)


@typed
@dataclass(frozen=True)
class Foot(PartBase):
    """A leg's strut along z of the part's axes, which point up, and a pad at its lower end that meets the ground.

    The strut is a stiff spring with a damper, which push and pull, in series with what crushes: pressed by more than the
    crush force it is shortened at that force, and does not come back; it is latched at the length that it has then. With
    all of its stroke used it is spring and damper again, whatever the force. The pad, a particle, meets the plane z = 0
    of the frame `ground` as a `Contact` does, by a plastic impact, with friction. A leg may bend: then the pad is on springs
    and dampers along x and y too, so that several feet that hold share a load as their legs give.

    Channels: `force` of the strut, pressure positive, N; the states `crushed`, m, and `absorbed`, the energy that crushing
    took, J; `left` of the stroke; "name.q" is the compression of the strut, with what is elastic. "name_ground" is
    the contact, `run.loads("name_ground")` its force.

    Args:
        crush: force that crushes the strut, N: a number, or pairs of what is crushed (m, ascending) and force, with
            straight lines between.
        stroke: by which it can be crushed, m.
        length: of the strut from the part's place down to the pad, m.
        mass: of the pad, kg.
        stiffness: of the strut, N/m.
        damping: of the strut, N s/m; half of what is critical for the pad when None.
        friction: of the pad on the ground.
        ground: frame whose plane z = 0 is the ground: "N" or "body.frame".
        after: what the pad does after it has struck, see `Contact`: "slide", or "stick" where it digs in.
        bending: stiffness of the leg across, N/m, infinity for one that does not bend; when None the latter for pads that
            slide, and the strut's for pads that dig in. On a body that is free give feet that dig in, and much friction so
            that they stay there: rigid legs share what several pads hold in many ways, and may jam (Painleve's paradox);
            light pads that slide on legs that bend want method="radau5".
    """

    crush: Any
    stroke: float
    length: float = 1.0
    mass: float = 1.0
    stiffness: float = 1e6
    damping: float | None = None
    friction: float = 0.5
    ground: Name = "N"
    after: str = "slide"
    bending: float | None = None

    def _check(self) -> None:
        for name in ("stroke", "mass", "stiffness"):
            checks.positive(getattr(self, name), f"{name} of a Foot")
        given = math.sqrt(self.stiffness * self.mass) if self.damping is None else self.damping
        object.__setattr__(self, "damping", checks.positive(given, "damping of a Foot"))
        checks.known(self.after, AFTER, "after of a Foot:")
        bent = self.stiffness if self.after == "stick" else math.inf
        across = bent if self.bending is None else self.bending
        if across != math.inf:
            checks.positive(across, "bending of a Foot")
        object.__setattr__(self, "bending", across)
        for name in ("length", "friction"):
            checks.not_negative(getattr(self, name), f"{name} of a Foot")
        object.__setattr__(self, "crush", coefficients(self.crush, "crush of a Foot"))
        least = min(force for _, force in self.crush)
        if least <= 0:
            raise ModelError(f"crush of a Foot is {least:g} N somewhere: it must be positive")
        if len(self.crush) > 1 and self.crush[0][0] != 0:
            raise ModelError(f"crush of a Foot begins at {self.crush[0][0]:g} m: the first pair is that of a new strut, 0")

    def describe(self) -> str:
        """Force and stroke."""
        forces = [force for _, force in self.crush]
        size = f"{forces[0]:g}" if len(forces) == 1 else f"{min(forces):g} to {max(forces):g}"
        return f"crushes at {size} N by up to {self.stroke:g} m, friction {self.friction:g}"

    def capacity(self) -> float:
        """Energy that the whole stroke takes, J."""
        ends, forces = (np.array(x) for x in zip(*self.crush, strict=True))
        at = np.unique([0.0, *ends[(ends > 0) & (ends < self.stroke)], self.stroke])
        return float(np.trapezoid(np.interp(at, ends, forces), at))

    def install(self, site: Site) -> None:
        """Pad on its strut, its law, the contact."""
        place: dict[str, Any] = {"at": site.within(Frame((0.0, 0.0, -self.length)))}
        for word in ("bend_x", "bend_y") if self.bending != math.inf else ():
            parent = site.add(word, PointMass(0.0), Prismatic(word[-1]), **place)
            site.apply(f"{word}_spring", JointSpring(parent, float(self.bending or 0.0), float(self.damping or 0.0)))
            place = {"parent": parent}
        pad = site.add("", PointMass(self.mass), Prismatic("z"), **place)
        force = site.add_input("force", JointForce(pad))
        site.add_block("", Crushing(**shared(self, Crushing), sees=(f"{pad}.q", f"{pad}.rate"), drives=force))
        site.unit(f"{site.name}.crushed", "m")
        site.unit(f"{site.name}.absorbed", "J")
        site.contact("ground", Contact(pad, self.ground, friction=self.friction, after=self.after))


__all__ = ["Foot"]
