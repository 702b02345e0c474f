"""What the gallery's flexible bodies in large overall motion have in common: two beams, the work of drives, wrong answers.

`SVQ`: J. C. Simo, L. Vu-Quoc, CMAME 66 (1988) 125-161, the spin-up manoeuvre. `8m`: the beam of 8 m that many papers after
T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151 use: E = 6.8952e10 Pa, A = 7.2968e-5 m^2,
I = 8.2189e-9 m^4, 2766.7 kg/m^3. Across the plane and in twist both are made so stiff that only motion in the plane is among
their lowest modes; sections have no rotary inertia. Units: SI.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import cumulative_simpson

from kaneflex.gallery.contract import Check
from kaneflex.model.checks import known
from kaneflex.results.audit import StiffeningWarning
from kaneflex.results.run import Run
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.theories.book_beam import BookBeam

ELEMENTS = 20
STIFFER = 1e4  # bending across the plane and twist, in terms of bending in the plane


@dataclass(frozen=True)
class BeamData:
    """A uniform beam: length (m), axial stiffness (N), bending stiffness (N m^2) and mass per length (kg/m)."""

    length: float
    EA: float
    EI: float
    mass_per_length: float

    def structure(self) -> Beam:
        """Finite elements along x, bending in the x-y plane."""
        EI = (STIFFER * self.EI, self.EI)
        return Beam(self.length, self.EA, EI, self.mass_per_length, ELEMENTS, GJ=STIFFER * self.EI, rotary=0.0)

    def by_the_book(self, modes: tuple[int, int, int, int], stiffening: bool) -> BookBeam:
        """The same beam by the theory of Kane, Ryan and Banerjee, which shares nothing with the finite elements."""
        return BookBeam(self.length, self.EA, self.EI, self.mass_per_length, modes=modes, stiffening=stiffening)

    def extension(self, rate: float) -> float:
        """How much steady spin about the root lengthens the beam, m: int_0^L m w^2 (L^2 - x^2)/(2 EA) dx."""
        return self.mass_per_length * rate**2 * self.length**3 / (3 * self.EA)


BEAMS = {
    "SVQ": BeamData(10.0, 2.8e7, 1.4e4, 1.2),
    "8m": BeamData(8.0, 6.8952e10 * 7.2968e-5, 6.8952e10 * 8.2189e-9, 2766.7 * 7.2968e-5),
}


def beam_data(name: Any) -> BeamData:
    """The data of a beam by name."""
    return BEAMS[known(name, BEAMS, "beam")]


@cache
def bending_beam(name: str, modes: int, stiffening: bool, carries: bool = False) -> Flexible:
    """A flexible body of bending modes; with the static shapes of loads in the plane at a tip that `carries` something."""
    choice = {"plane xy": ModeChoice(count=modes, residual=("tip",))} if carries else ModeChoice(count=modes)
    return Flexible(beam_data(name).structure(), modes=choice, stiffening=stiffening)


@cache
def stretching_beam(name: str, modes: int, stiffening: bool) -> Flexible:
    """A flexible body of bending modes and the stretch under steady spin, which one static shape has exactly."""
    beam = beam_data(name).structure()
    field = np.zeros((len(beam.points), 6))
    field[:, 0] = beam.points[:, 0]  # what pulls grows with x
    return Flexible(beam, modes=ModeChoice(count=modes, loads=beam.M @ field.reshape(-1, 1)), stiffening=stiffening)


def knowingly_wrong(run: Callable[[], Run]) -> Run:
    """A run without stiffening that is meant to be wrong, without the warning that it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffeningWarning)
        return run()


def work_of_drives(run: Run, joints: tuple[str, ...], tolerance: float) -> Check:
    """Energy gained since the start, beside the work of what holds the prescribed joints, where they differ most.

    The work is the integral of load times rate by Simpson's rule over the samples, so that it tests the loads.

    Args:
        run: all of whose energy comes from prescribed joints.
        joints: their names.
        tolerance: relative to the largest kinetic energy.
    """
    power = sum(run[f"{joint}.drive"] * run[f"{joint}.rate"] for joint in joints)
    work = cumulative_simpson(power, x=run.t, initial=0.0)
    gained = run["energy.total"] - run["energy.total"][0]
    k = int(np.argmax(np.abs(work - gained)))
    scale = float(run["energy.kinetic"].max())
    source = "identity: work of the drives, Simpson's rule over the samples"
    name = "energy gained where it differs most from the drives' work, J"
    return Check(name, float(gained[k]), float(work[k]), tolerance * scale, source)


def impulse_of_drive(run: Run, joint: str, tolerance: float) -> Check:
    """Angular momentum about the origin along z, beside the impulse of the torque that holds a joint there, from rest.

    For a system that only this joint, about z through the origin, ties to the ground. The impulse is the integral of the
    torque by Simpson's rule over the samples.

    Args:
        run: from rest.
        joint: name of the joint.
        tolerance: relative to the largest angular momentum.
    """
    impulse = cumulative_simpson(run[f"{joint}.drive"], x=run.t, initial=0.0)
    momentum = run["momentum.angular"][:, 2]
    k = int(np.argmax(np.abs(impulse - momentum)))
    source = "identity: impulse of the torque, Simpson's rule over the samples"
    name = f"angular momentum where it differs most from the impulse of {joint}, N m s"
    return Check(name, float(momentum[k]), float(impulse[k]), tolerance * float(np.abs(momentum).max()), source)
