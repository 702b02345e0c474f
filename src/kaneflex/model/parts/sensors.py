"""Sensors: what a controller sees of a motion, late, noisy and biased."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.blocks.contract import BlockBase, BlockLaw, entries
from kaneflex.model.blocks.quaternions import turn_from, unit_quaternion
from kaneflex.model.checks import ModelError
from kaneflex.model.orbits.sun import Sun
from kaneflex.model.orbits.vectors import dot
from kaneflex.model.parts.contract import PartBase, Site
from kaneflex.model.typed import typed

SAMPLES = 16384  # of noise, after which it repeats


@typed
@dataclass(frozen=True)
class Sensing(BlockBase):
    """What a sensor makes of what it measures; made by the sensors.

    Args:
        kind: "gyro", "star tracker", "sun sensor" or "accelerometer".
        bandwidth, delay, noise, bias, rate, seed: as for the sensors.
        given: further numbers of the kind.
        sees: what it measures.
    """

    kind: str
    bandwidth: float
    delay: float
    noise: float
    bias: Any
    rate: float
    seed: int
    given: Any = ()

    @property
    def period(self) -> float:
        """Noise changes at its multiples."""
        return 1.0 / self.rate if self.noise else 0.0

    @property
    def _parts(self) -> tuple[str, ...]:
        return ("lag",) * (self.bandwidth < math.inf) + ("delay", "delay_rate") * (self.delay > 0)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Of the lag and of the delay, for each component."""
        lagged = tuple(f"{part}_{x}" for part in self._parts for x in "xyz")
        return lagged if self.kind != "accelerometer" else (*lagged, "velocity_x", "velocity_y", "velocity_z")

    @property
    def start(self) -> np.ndarray:
        """At rest."""
        return np.zeros(len(self.state_names))

    @property
    def output_names(self) -> tuple[str, ...]:
        """What the sensor tells."""
        letter = {"gyro": "w", "star tracker": "e", "sun sensor": "s", "accelerometer": "a"}[self.kind]
        names = tuple(letter + x for x in "xyz")
        return (*names, "seen") if self.kind == "sun sensor" else names

    @property
    def output_units(self) -> Sequence[str]:
        """Of the outputs."""
        units = {"gyro": "rad/s", "star tracker": "rad", "sun sensor": "", "accelerometer": "m/s²"}
        return (units[self.kind],) * 3 + ("",) * (self.kind == "sun sensor")

    def law(self, size: int, what: str) -> BlockLaw:
        """The block's functions; `size` is the length of x, `what` names the block in messages."""
        measured, late, states = self._measured(), self._late(), entries(len(self.state_names))
        n, slow = len(self._parts) * 3, self.kind == "accelerometer"
        wide = math.cos(self.given[0]) if self.kind == "sun sensor" else 0.0

        def sense(t: Any, x: Any, z: Any) -> Any:
            true, own = measured(t, x, z[n:])
            out, slopes = late(t, true, z, x)
            rates = np.zeros(12, x.dtype)
            for k in range(n):
                rates[k] = slopes[k]
            if slow:
                for k in range(3):
                    rates[n + k] = own[k]
            return out, states(rates), true[0]

        def plain(t: Any, x: Any, z: Any) -> Any:
            out, rates, _ = sense(t, x, z)
            return out, rates

        def with_view(t: Any, x: Any, z: Any) -> Any:
            out, rates, ahead = sense(t, x, z)
            seen = 1.0 if ahead.real >= wide else 0.0
            return (out[0], out[1], out[2], 0 * out[0] + seen), rates

        return BlockLaw(with_view if self.kind == "sun sensor" else plain)

    def _measured(self) -> Callable[..., Any]:
        """A function of (t, x, z) that gives what is there, three numbers, and the rates of the kind's own states."""
        given = np.array([x for x in self.given if isinstance(x, float)])
        sun = self.given[1].law() if self.kind == "sun sensor" else None

        def gyro(t: Any, x: Any, z: Any) -> Any:
            return (x[0], x[1], x[2]), (0.0, 0.0, 0.0)

        def star_tracker(t: Any, x: Any, z: Any) -> Any:
            return turn_from(given, x), (0.0, 0.0, 0.0)

        def sun_sensor(t: Any, x: Any, z: Any) -> Any:
            s, _ = sun(t)  # type: ignore[misc]
            return (dot(x[0:9:3], s), dot(x[1:9:3], s), dot(x[2:9:3], s)), (0.0, 0.0, 0.0)

        def accelerometer(t: Any, x: Any, z: Any) -> Any:
            T = given[0]
            a = (x[0] - z[0]) / T, (x[1] - z[1]) / T, (x[2] - z[2]) / T
            f = a[0] - given[1], a[1] - given[2], a[2] - given[3]
            return (dot(x[3:12:3], f), dot(x[4:12:3], f), dot(x[5:12:3], f)), a

        return {"gyro": gyro, "star tracker": star_tracker, "sun sensor": sun_sensor, "accelerometer": accelerometer}[
            self.kind
        ]

    def _late(self) -> Callable[..., Any]:
        """A function of (t, three numbers, z, x) that gives them with lag, delay, bias and noise, and the rates of z."""
        w, T, b = float(self.bandwidth), float(self.delay), np.array(self.bias, float)
        lag, delayed = w < math.inf, T > 0
        rng = np.random.default_rng(self.seed)
        noise = self.noise * rng.standard_normal((SAMPLES, 3)) if self.noise else np.zeros((1, 3))
        n, rate = len(noise), float(self.rate) if self.noise else 0.0
        first, three, nine = 3 if lag else 0, entries(3), entries(9)

        def late(t: Any, true: Any, z: Any, x: Any) -> Any:
            slopes, out = np.zeros(9, x.dtype), np.zeros(3, x.dtype)
            count = np.floor(t.real * rate + 1e-6)
            row = int(count - n * np.floor(count / n))
            for k in range(3):
                y = true[k]
                if lag:
                    slopes[k] = w * (y - z[k])
                    y = z[k]
                if delayed:
                    p, v = z[first + k], z[first + 3 + k]
                    slopes[first + k] = v
                    slopes[first + 3 + k] = 12 / (T * T) * (y - p) - 6 / T * v
                    y = y - T * v
                out[k] = y + b[k] + noise[row, k]
            return three(out), nine(slopes)

        return late


@dataclass(frozen=True, kw_only=True)
class Sensor(PartBase):
    """What all sensors are given.

    They tell three numbers in the part's axes: channels `wx`, `wy`, `wz` of a gyro, `ex`, ... of a star tracker, `sx`, ...
    of a sun sensor, `ax`, ... of an accelerometer. A sensor is no piece of mass. What it tells follows the
    truth through a lag of the first order and a delay (a Pade approximation of order 2 in the frequency, exact in size),
    and has a bias and noise. Noise changes `rate` times a second and is held in between, so that a controller that is
    sampled at this rate finds a new one each time; it repeats after 16384 samples.

    Args:
        bandwidth: of the lag, rad/s.
        delay: s.
        noise: standard deviation of each number.
        bias: of each number.
        rate: of the noise, 1/s.
        seed: of the noise: the same one gives the same noise.
    """

    bandwidth: float = math.inf
    delay: float = 0.0
    noise: float = 0.0
    bias: Any = (0.0, 0.0, 0.0)
    rate: float = 10.0
    seed: int = 0

    def _check(self) -> None:
        what = f"of a {type(self).__name__}"
        if self.bandwidth != math.inf:
            checks.positive(self.bandwidth, f"bandwidth {what}")
        for name in ("delay", "noise"):
            checks.not_negative(getattr(self, name), f"{name} {what}")
        checks.positive(self.rate, f"rate {what}")
        object.__setattr__(self, "bias", checks.vector(self.bias, f"bias {what}"))
        checks.whole(self.seed, f"seed {what}")

    @abstractmethod
    def _sees(self, place: str) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        """Kind, channels and further numbers."""

    def install(self, site: Site) -> None:
        """What it tells."""
        kind, sees, given = self._sees(site.place)
        common = {name: getattr(self, name) for name in ("bandwidth", "delay", "noise", "bias", "rate", "seed")}
        site.add_block("", Sensing(kind=kind, given=given, sees=sees, **common))

    def describe(self) -> str:
        """Noise and delay."""
        return f"noise {self.noise:g} at {self.rate:g}/s, delay {self.delay:g} s"


@typed
@dataclass(frozen=True, kw_only=True)
class Gyro(Sensor):
    """Angular velocity of its axes, rad/s.

    Args:
        bandwidth, delay, noise, bias, rate, seed: see `Sensor`.
    """

    def _sees(self, place: str) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        return "gyro", (f"{place}.omega",), ()


@typed
@dataclass(frozen=True, kw_only=True)
class StarTracker(Sensor):
    """Attitude against a target: twice the vector of the quaternion from the target to the sensor's axes, by the shorter
    way; for small turns the angles about its axes, rad.

    Args:
        target: orientation in N that is told as zero, a quaternion with the scalar first.
        bandwidth, delay, noise, bias, rate, seed: see `Sensor`.
    """

    target: Any = (1.0, 0.0, 0.0, 0.0)

    def _check(self) -> None:
        super()._check()
        object.__setattr__(self, "target", unit_quaternion(self.target, "target of a StarTracker"))

    def _sees(self, place: str) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        return "star tracker", (f"{place}.rotation",), self.target


@typed
@dataclass(frozen=True, kw_only=True)
class SunSensor(Sensor):
    """Unit vector to the sun in its axes; the channel `seen` is 1 where the sun is within its field of view about x.

    Args:
        field_of_view: half of its angle, rad.
        sun: where it is.
        bandwidth, delay, noise, bias, rate, seed: see `Sensor`.
    """

    field_of_view: float = math.pi / 3
    sun: Sun = field(default_factory=Sun)

    def _check(self) -> None:
        super()._check()
        if checks.positive(self.field_of_view, "field_of_view of a SunSensor") > math.pi:
            raise ModelError(f"field_of_view of a SunSensor is {self.field_of_view:g}: half of its angle is at most pi")

    def _sees(self, place: str) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        return "sun sensor", (f"{place}.rotation",), (float(self.field_of_view), self.sun)


@typed
@dataclass(frozen=True, kw_only=True)
class Accelerometer(Sensor):
    """Acceleration less gravity in its axes, m/s^2, also at a node of a flexible body: the rate of the velocity through a
    lag of the first order.

    Args:
        time: constant of that lag, s.
        gravity: uniform gravity, m/s^2, in axes of N; that of the system must be told.
        bandwidth, delay, noise, bias, rate, seed: see `Sensor`.
    """

    time: float = 1e-3
    gravity: Any = (0.0, 0.0, 0.0)

    def _check(self) -> None:
        super()._check()
        checks.positive(self.time, "time of an Accelerometer")
        object.__setattr__(self, "gravity", checks.vector(self.gravity, "gravity of an Accelerometer"))

    def _sees(self, place: str) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
        return "accelerometer", (f"{place}.velocity", f"{place}.rotation"), (float(self.time), *self.gravity)


__all__ = ["Accelerometer", "Gyro", "Sensor", "StarTracker", "SunSensor"]
