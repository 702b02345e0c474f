"""Controllers that run at a fixed period, between steps of the integrator."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kaneflex.formulations.channel_reader import ChannelReader
from kaneflex.formulations.dynamics import Dynamics
from kaneflex.model import checks
from kaneflex.model.blocks import BlockBase, BlockLaw
from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed


@typed
@dataclass(frozen=True)
class Sampled:
    """A controller in plain Python, called every `period` seconds; its outputs are held in between.

    Args:
        period: s.
        law: function (t, x) of time and of the values of the channels in `sees`, giving the values of the inputs in
            `drives` (one number where there is one).
        sees: channels.
        drives: names of inputs.
    """

    period: float
    law: Callable[..., Any]
    sees: Sequence[str] | str
    drives: Sequence[str] | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", checks.positive(self.period, "period of a Sampled controller"))
        if not checks.is_function(self.law):
            raise ModelError(f"law of a Sampled controller is {self.law!r}: give a function of t and x")
        for field in ("sees", "drives"):
            value = getattr(self, field)
            several = (value,) if isinstance(value, str) else value
            object.__setattr__(self, field, checks.names(several, f"{field} of a Sampled controller"))
        if not self.drives:
            raise ModelError("a Sampled controller drives nothing: name the inputs in drives=")

    @classmethod
    def of(cls, block: BlockBase, period: float) -> "Sampled":
        """A block as a sampled controller: what it sees is held over each period, and so are its outputs.

        At a sample the outputs are those of the block with its states of then; the states go on from there with what was
        seen, by eight steps of Runge and Kutta. They begin anew with each run.

        Args:
            block: one that drives inputs; it is not added to the system.
            period: s.
        """
        if not isinstance(block, BlockBase):
            raise ModelError(f"Sampled.of takes a block, not {checks.shown(block)}")
        if not block.drives:
            raise ModelError(f"a {type(block).__name__} block that is sampled drives nothing: name the inputs in drives=")
        return cls(period, _SampledBlock(block, checks.positive(period, "period")), block.sees, block.drives)

    @classmethod
    def chain(cls, blocks: Mapping[str, BlockBase], period: float) -> "Sampled":
        """Several blocks as one sampled controller: a filter, an estimator, a law, one after the other at each sample.

        A block sees outputs of those before it by their names here, "filter.output"; all else that it sees are channels of
        the system, held over each period. What they drive are inputs of the system.

        Args:
            blocks: by names of their own, in order; none is added to the system.
            period: s.
        """
        period = checks.positive(period, "period")
        given = {checks.name(name, "name of a block of Sampled.chain"): block for name, block in blocks.items()}
        drives = [d for block in given.values() for d in block.drives]
        if not drives:
            raise ModelError("blocks of Sampled.chain drive nothing: name the inputs in drives= of one of them")
        if len(set(drives)) != len(drives):
            raise ModelError(f"blocks of Sampled.chain drive an input twice: {', '.join(drives)}")
        own = {f"{name}.{output}" for name, block in given.items() for output in block.output_names}
        sees = dict.fromkeys(c for block in given.values() for c in block.sees if c not in own)
        return cls(period, _SampledChain(given, period), tuple(sees), tuple(drives))


class _SampledChain:
    """Laws of several blocks at samples: of the values of channels by their names."""

    keeps_state = True

    def __init__(self, blocks: Mapping[str, BlockBase], period: float):
        self._blocks = {name: (block, _SampledBlock(block, period)) for name, block in blocks.items()}

    def __call__(self, t: float, x: Mapping[str, np.ndarray]) -> np.ndarray:
        known, driven = dict(x), [np.zeros(0)]
        for name, (block, law) in self._blocks.items():
            late = next((c for c in block.sees if c not in known), None)
            if late is not None:
                raise ModelError(f'"{name}" of Sampled.chain sees "{late}", which comes after it: give the blocks in order')
            out = law.outputs(t, np.concatenate([np.zeros(0), *(known[c] for c in block.sees)]))
            known |= {f"{name}.{n}": out[[k]] for k, n in enumerate(block.output_names)}
            driven.append(out[: len(block.drives)])
        return np.concatenate(driven)


class _SampledBlock:
    """A block's law at samples, with its states."""

    keeps_state = True

    def __init__(self, block: BlockBase, period: float):
        self._block, self._period = block, period
        self._law: BlockLaw | None = None
        self._last, self._z = np.inf, block.start

    def __call__(self, t: float, x: np.ndarray) -> np.ndarray:
        return self.outputs(t, x)[: len(self._block.drives)]

    def outputs(self, t: float, x: np.ndarray) -> np.ndarray:
        """All outputs at a sample; the states go on to the next."""
        if self._law is None:
            self._law = self._block.law(len(x), f"a sampled {type(self._block).__name__} block")
        if t <= self._last:
            self._z = self._block.start.astype(float)
        self._last = t
        z = self._z
        own = self._law.outputs
        out = self._law.rates(t, x, z)[0] if own is None else own(t, z)
        if len(z):
            h = self._period / 8
            for k in range(8):
                s = t + k * h
                a = self._rates(s, x, z)
                b = self._rates(s + h / 2, x, z + h / 2 * a)
                c = self._rates(s + h / 2, x, z + h / 2 * b)
                d = self._rates(s + h, x, z + h * c)
                z = z + h / 6 * (a + 2 * b + 2 * c + d)
            self._z = z
        return np.atleast_1d(np.asarray(out, float))

    def _rates(self, t: float, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        assert self._law is not None
        found = self._law.rates(t, x, z)
        return np.atleast_1d(np.asarray(found if self._law.outputs is not None else found[1], float))


class ControllerReader:
    """A controller on one system: what it sees is read, what it gives is put into the inputs.

    Args:
        controller: with its law.
        dynamics: of the system.
        inputs: values of all inputs, which it changes.
    """

    def __init__(self, controller: Sampled, dynamics: Dynamics, inputs: np.ndarray):
        self._controller, self._inputs = controller, inputs
        self._who = f"the controller of {', '.join(controller.drives)}"
        reader = ChannelReader(dynamics.plan, controller.sees)
        self._read = reader.bound(dynamics, controller.sees)
        self._ends = np.cumsum([reader.channels[name].size for name in controller.sees])[:-1]
        self._drives = [dynamics.plan.index.inputs[name] for name in controller.drives]

    def run(self, t: float, y: np.ndarray) -> None:
        """Let the law give new values of the inputs at time t and state y."""
        x: Any = self._read(t, y, self._inputs)
        if isinstance(self._controller.law, _SampledChain):
            x = dict(zip(self._controller.sees, np.split(x, self._ends), strict=False))
        try:
            result = np.atleast_1d(np.asarray(self._controller.law(t, x), float))
        except Exception as e:
            e.add_note(f"in {self._who} at t = {t:g} s")
            raise
        if result.shape != (len(self._drives),):
            raise ModelError(f"{self._who} gave {result.size} values, not {len(self._drives)}")
        if not np.all(np.isfinite(result)):
            raise ModelError(f"{self._who} gave {result} at t = {t:g} s")
        self._inputs[self._drives] = result


def check_drivers(
    names: Iterable[str], given: Iterable[str], controllers: Sequence[Any], blocks: Mapping[str, BlockBase]
) -> None:
    """Raise an error where an input is not known or has two drivers.

    Args:
        names: of the system's inputs.
        given: inputs with a value or a function of their own.
        controllers: Sampled controllers.
        blocks: of the system.
    """
    known, driver = list(names), dict.fromkeys(given, "its entry in inputs=")
    for name in driver:
        checks.known(name, known, "input")
        block = next((b for b, x in blocks.items() if name in x.drives), None)
        if block is not None:
            raise ModelError(f'input "{name}" is driven by block "{block}" and by {driver[name]}: let one drive it')
    driver |= {name: f'block "{b}"' for b, block in blocks.items() for name in block.drives}
    for k, controller in enumerate(controllers):
        if not isinstance(controller, Sampled):
            raise ModelError(f"controller {k + 1} is {controller!r}: give a Sampled")
        for name in controller.drives:
            checks.known(name, known, f"controller {k + 1} drives input")
            if name in driver:
                raise ModelError(f'input "{name}" is driven by {driver[name]} and by controller {k + 1}: let one drive it')
            driver[name] = f"controller {k + 1}"
