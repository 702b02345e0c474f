"""Systems as environments of Gymnasium, alone and many side by side; needs the extra `gym`.

An `Environment` steps a system with actions as inputs; what is observed, what it is worth, when it is over and where it
begins are functions of the user's. `Environments` are several of them on threads, as Gymnasium's vector environments:
compiled kernels let other threads run meanwhile.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.extras import MissingPackage, installation
from kaneflex.plan.state import State
from kaneflex.simulate.steps import Simulation
from kaneflex.system import System

try:
    import gymnasium
    from gymnasium.spaces import Box
    from gymnasium.vector.utils import batch_space
except ImportError as e:
    raise MissingPackage(f"kaneflex.gym needs gymnasium: {installation('gym')}") from e

Reward = Callable[[np.ndarray, np.ndarray, State], float]


class Environment(gymnasium.Env[np.ndarray, np.ndarray]):
    """A system as an environment of Gymnasium.

    Args:
        system: the system.
        dt: length of a step, s.
        observe: channels that are observed, one after the other.
        actions: bounds of the inputs, by name: (lowest, highest); those of other inputs stay what `options` say.
        reward: of (observation, action, state) after a step.
        over: of the observation: whether the episode has come to its end; None for never.
        begin: of a random generator: initial values by name for an episode; None for those of the system.
        duration: s, after which an episode is cut off.
        options: as for `System.start`: `method`, `inputs`, `events`, ... A terminal event ends the episode too.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        system: System,
        dt: float,
        observe: Sequence[str],
        actions: Mapping[str, tuple[float, float]],
        reward: Reward,
        *,
        over: Callable[[np.ndarray], bool] | None = None,
        begin: Callable[[np.random.Generator], Mapping[str, Any]] | None = None,
        duration: float = math.inf,
        **options: Any,
    ):
        if not isinstance(system, System):
            raise ModelError(f"system is {checks.shown(system)}: give a System")
        self.dt = checks.positive(dt, "dt")
        self.observe = checks.names(observe, "observe")
        self.sim: Simulation = system.start(**options)
        for name in actions:
            checks.known(name, self.sim.inputs, "action: input that a step takes")
        self.actions, self._reward, self._over, self._start = tuple(actions), reward, over, begin
        self.duration = duration
        self._places = [self.sim.inputs.index(name) for name in self.actions]
        self._inputs = np.array([self.sim._inputs[k] for k in self.sim._places], float)
        low, high = (np.array([bounds[k] for bounds in actions.values()], float) for k in (0, 1))
        self.action_space = Box(low, high, dtype=np.float64)
        size = len(self.sim.read(*self.observe))
        self.observation_space = Box(-np.inf, np.inf, (size,), dtype=np.float64)
        self._begun = 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode; `options={"initial": {...}}` says where, in the place of `begin`."""
        super().reset(seed=seed)
        initial = (options or {}).get("initial")
        if initial is None and self._start is not None:
            initial = self._start(self.np_random)
        self.sim.rewind(initial)
        self._begun = self.sim.t
        return self.sim.read(*self.observe), {"t": self.sim.t}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Go on for a step with these values of the inputs, held within their bounds."""
        given = np.clip(np.asarray(action, float), self.action_space.low, self.action_space.high)  # type: ignore[attr-defined]
        self._inputs[self._places] = given
        state = self.sim.step(self.dt, self._inputs)
        seen = self.sim.read(*self.observe)
        over = bool(self.sim.ended) or (self._over is not None and bool(self._over(seen)))
        cut = state.t - self._begun >= self.duration * (1 - 1e-12)
        return seen, float(self._reward(seen, given, state)), over, cut, {"t": state.t}


class Environments(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Several environments of one kind side by side, on threads; one that is over begins anew at its next step.

    Args:
        make: makes one.
        count: how many.
        threads: that step them; as many as there are processors when None.
    """

    def __init__(self, make: Callable[[], Environment], count: int, threads: int | None = None):
        self.envs = [make() for _ in range(count)]
        first = self.envs[0]
        self.num_envs = count
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(first.observation_space, count)
        self.action_space = batch_space(first.action_space, count)
        self.metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
        self._pool = ThreadPoolExecutor(threads)
        self._is_over = np.zeros(count, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode in each; a seed counts up from one to the next."""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        seen = self._pool.map(lambda env, own: env.reset(seed=own, options=options)[0], self.envs, seeds)
        self._is_over[:] = False
        return np.array(list(seen)), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """A step of each."""

        def one(k: int) -> tuple[np.ndarray, float, bool, bool]:
            if self._is_over[k]:
                return self.envs[k].reset()[0], 0.0, False, False
            return self.envs[k].step(actions[k])[:4]

        rows = list(self._pool.map(one, range(self.num_envs)))
        seen, reward, over, cut = (np.array(column) for column in zip(*rows, strict=True))
        self._is_over = over | cut
        return seen, reward, over, cut, {}

    def close(self, **arguments: Any) -> None:
        """End the threads."""
        self._pool.shutdown()


__all__ = ["Environment", "Environments"]
