"""MuJoCo's cables: a flex of one dimension (a discrete elastic rod), and a chain of rigid bodies on hinges with springs."""

from __future__ import annotations

import math
import time

import mujoco
import numpy as np

from .plane_beam import Array, PlaneBeam

#: Kinds of chains by name.
CHAINS = ("flex", "hinges")
RADIUS = 1e-3  # m, of the sections by which the flex is told EI


class MujocoPlaneBeam:
    """A pinned beam as a chain of equal segments, which neither stretches nor shears."""

    name = "MuJoCo"

    def __init__(self, beam: PlaneBeam, chain: str, number: int) -> None:
        """Build the model.

        Args:
            beam: what is modelled.
            chain: one of `CHAINS`.
            number: of segments.
        """
        if beam.root != "pinned":
            raise ValueError(f"the chain of MuJoCo is pinned, not {beam.root}")
        self.beam = beam
        text = _flex(beam, number) if chain == "flex" else _hinges(beam, number)
        self.model = mujoco.MjModel.from_xml_string(text)
        if self.model.nflex > 0:
            self._share_mass(number)
        self.data = mujoco.MjData(self.model)
        self.reach = beam.length / number

    def _share_mass(self, number: int) -> None:
        """Masses of the vertices are those of the halves of their edges: the last has one half."""
        each = self.beam.mass * self.beam.length / number
        for k in range(1, number + 1):
            self.model.body(f"beam_{k}").mass = each if k < number else each / 2
        mujoco.mj_setConst(self.model, mujoco.MjData(self.model))

    def run(self, integrator: str, steps: int) -> tuple[Array, float]:
        """Places of the tip at the samples, and the seconds.

        Args:
            integrator: name as in MJCF.
            steps: number of equal ones, a multiple of that of the samples.
        """
        m, d, b = self.model, self.data, self.beam
        m.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        m.opt.timestep = b.duration / steps
        mujoco.mj_resetData(m, d)
        mujoco.mj_forward(m, d)
        places = np.empty((b.samples + 1, 2))
        places[0] = self._tip()
        each, warn = steps // b.samples, mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: None)  # of motions that explode with long steps
        begun = time.process_time()
        for k in range(1, b.samples + 1):
            mujoco.mj_step(m, d, nstep=each)
            mujoco.mj_kinematics(m, d)
            mujoco.mj_flex(m, d)
            places[k] = self._tip()
        seconds = time.process_time() - begun
        mujoco.set_mju_user_warning(warn)
        return places, seconds

    def _tip(self) -> Array:
        if self.model.nflex > 0:
            return np.array(self.data.flexvert_xpos[-1, :2])
        axes = self.data.xmat[-1].reshape(3, 3)
        return np.asarray(self.data.xpos[-1, :2] + self.reach * axes[:2, 0])


def _flex(b: PlaneBeam, n: int) -> str:
    """A flex of one dimension, its edges inextensible by constraints, pinned at its first vertex."""
    young, each = b.EI / (math.pi * RADIUS**4 / 4), b.length / n
    return f"""<mujoco><option gravity="0 {b.gravity} 0" solver="Newton" tolerance="1e-10"><flag contact="disable"/></option>
    <worldbody><flexcomp name="beam" type="grid" dim="1" count="{n + 1} 1 1" spacing="{each:.12g} 1 1" radius="{RADIUS}"
    mass="{b.mass * b.length:.12g}" pos="{b.length / 2:.12g} 0 0"><pin id="0"/>
    <edge equality="true" solref="0.0005 1" solimp="0.99999 0.99999 0.001"/>
    <contact selfcollide="none"/><elasticity young="{young:.12g}"/></flexcomp></worldbody></mujoco>"""


def _hinges(b: PlaneBeam, n: int) -> str:
    """Bodies one in the other, with springs EI/l between them."""
    length = b.length / n
    mass = b.mass * length
    inertia = 3 * f"{mass * length**2 / 12:.12g} "
    text = f'<mujoco><option gravity="0 {b.gravity} 0"><flag contact="disable"/></option><worldbody><frame>'
    for k in range(n):
        place, spring = (length, b.EI / length) if k else (0.0, 0.0)
        text += (
            f'<body pos="{place:.12g} 0 0"><joint type="hinge" axis="0 0 1" stiffness="{spring:.12g}"/>'
            f'<inertial pos="{length / 2:.12g} 0 0" mass="{mass:.12g}" diaginertia="{inertia}"/>'
        )
    return text + n * "</body>" + "</frame></worldbody></mujoco>"
