"""States in which nothing accelerates."""

import numpy as np

from kaneflex.analysis.linearize import linearize, quaternion_turns
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.plan.build import build
from kaneflex.plan.state import State, initial_state


def equilibrium(
    model: Model,
    guess: State | None = None,
    *,
    inputs: dict[str, float] | None = None,
    tolerance: float = 1e-10,
    iterations: int = 100,
) -> State:
    """A state at rest (all rates zero) with zero accelerations, near a guess (the initial state when None).

    Newton's method on the joint forces that hold the system at rest, their Jacobian being -M A_uq from the exact linear
    model, with the step halved until the residual falls. Raises when none is found, with the best residual.
    """
    plan = build(model)
    dynamics = Dynamics(plan)
    values = np.zeros(len(model.inputs))
    for name, value in (inputs or {}).items():
        values[plan.index.inputs[name]] = value
    dynamics.set_inputs(values)
    state = initial_state(plan) if guess is None else guess.copy()
    state.rates[:] = 0
    zero = np.zeros(plan.nu)

    def residual(q: np.ndarray) -> np.ndarray:
        return dynamics.udot_at(state.t, q, zero)

    r = residual(state.q)
    if not np.all(np.isfinite(r)):
        dynamics.check_regular(state.t, state.q, zero)
    best = float(np.abs(r).max())
    for _ in range(iterations):
        if best <= tolerance:
            return state
        model_here = linearize(model, state, inputs=inputs).reduced()
        n = len(model_here.x0) - plan.nu
        step = np.linalg.lstsq(model_here.A[n:, :n], -r, rcond=1e-12)[0]
        limit = np.abs(step).max()
        if limit > 0.5:
            step *= 0.5 / limit
        for scale in 0.5 ** np.arange(12):
            q = _moved(plan.index, state.q, scale * step)
            trial = residual(q)
            if np.all(np.isfinite(trial)) and np.abs(trial).max() < best:
                break
        else:
            break
        state.q, r, best = q, trial, float(np.abs(trial).max())
    if best <= tolerance:
        return state
    name = plan.index.speeds[int(np.argmax(np.abs(r)))]
    raise ModelError(
        f'no equilibrium of "{model.name}" near the guess: an acceleration of {best:.3g} is left in "{name}"; '
        "start nearer, or check that some load holds that coordinate"
    )


def _moved(index: object, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q moved by a step in independent coordinates (a small rotation in body axes for each quaternion)."""
    out, k = q.copy(), 0
    for joint in index.joints.values():  # type: ignore[attr-defined]
        plain = joint.coordinates - (4 if joint.quaternion is not None else 0)
        out[joint.q0 : joint.q0 + plain] += step[k : k + plain]
        k += plain
        if joint.quaternion is not None:
            place = slice(joint.quaternion, joint.quaternion + 4)
            e = q[place] + quaternion_turns(q[place]) @ step[k : k + 3]
            out[place] = e / np.linalg.norm(e)
            k += 3
    return out
