"""Modes of a linear model: frequencies, damping, shapes."""

import math
from dataclasses import dataclass

import numpy as np

from kaneflex.analysis.linearize import LinearModel
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Mode:
    """One mode: eigenvalue (1/s), natural frequency (rad/s), damping ratio, and its shape over the model's states.

    The shape is scaled so that its largest coordinate entry is 1; `states` names the entries.
    """

    eigenvalue: complex
    frequency: float
    damping: float
    shape: np.ndarray
    states: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.frequency:.6g} rad/s ({self.frequency / math.tau:.6g} Hz), damping {self.damping:.4g}"


class Modes(list[Mode]):
    """Modes in order, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Frequencies, damping and what moves most."""
        from kaneflex.view.notebook import modes_html

        return modes_html(self)


def modes(linear: LinearModel) -> Modes:
    """Modes by frequency; of a conjugate pair the one with positive imaginary part."""
    model = linear.reduced() if linear.quaternions else linear
    values, vectors = np.linalg.eig(model.A)
    found = []
    for value, shape in zip(values, vectors.T, strict=True):
        if value.imag < 0:
            continue
        frequency = abs(value)
        damping = 0.0 - value.real / frequency if frequency > 0 else 0.0
        largest = shape[int(np.argmax(np.abs(shape)))]
        found.append(Mode(complex(value), float(frequency), float(damping), shape / largest, model.states))
    return Modes(sorted(found, key=lambda m: (m.frequency, m.eigenvalue.imag)))
