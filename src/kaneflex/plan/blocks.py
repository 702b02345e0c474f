"""Blocks and input functions of a plan, in an order in which each sees what is already known.

A block's outputs and an input's function may depend on outputs and inputs that others give at the same instant: they are
evaluated after these. Where that has no order, the loop is algebraic and is refused. States of blocks are known before
everything else, so that a block whose outputs depend on its states alone may stand anywhere in a loop.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.kernels import layout as L
from kaneflex.model import checks
from kaneflex.model.blocks import BlockBase, BlockLaw
from kaneflex.model.checks import ModelError
from kaneflex.model.rods.feed import Feed
from kaneflex.plan.channels import SensorTable, add_channel
from kaneflex.plan.laws.code import trials
from kaneflex.plan.plan import BlockIndex

if TYPE_CHECKING:
    from kaneflex.plan.build import _Builder


def add_drivers(builder: "_Builder", inputs: Mapping[str, Any]) -> None:
    """Add the laws of input functions and blocks, each after those whose values it sees."""
    _number(builder)
    model = builder.model
    nodes: dict[str, tuple[Sequence[str], Callable[[], None]]] = {}
    for name, given in inputs.items():
        function, sees = given if isinstance(given, tuple) else (given, ())
        nodes[f'input "{name}"'] = sees, _adding_input(builder, name, function, sees)
    later = []
    for name, block in model.blocks.items():
        law = block.law(_size(builder, name, block.sees), f'block "{name}"')
        own = block.sees if law.outputs is None else ()
        nodes[f'block "{name}"'] = own, _adding_outputs(builder, name, block, law)
        if law.outputs is not None and block.state_names:
            later.append((name, block, law))
    givers = {f"{name}.{output}": f'block "{name}"' for name, b in model.blocks.items() for output in b.output_names}
    givers |= {driven: f'block "{name}"' for name, b in model.blocks.items() for driven in b.drives}
    givers |= {name: f'input "{name}"' for name in inputs}
    for node in _ordered({name: [givers[c] for c in sees if c in givers] for name, (sees, _) in nodes.items()}):
        nodes[node][1]()
    for name, block, law in later:
        function = _rates_law(law.rates, block, _size(builder, name, block.sees), name)
        out = builder.law(function, _seen(name, block), len(block.state_names), f'block "{name}"')
        _note_rates(builder, name, out)


def _number(builder: "_Builder") -> None:
    """Give the states of all blocks, and their outputs, a place."""
    for name, block in builder.model.blocks.items():
        z0 = len(builder.index.states)
        builder.index.states += [f"{name}.{state}" for state in block.state_names]
        outputs, feed = (block.output_names, tuple(block.output_units)), block if isinstance(block, Feed) else None
        builder.index.blocks[name] = BlockIndex(z0, block.state_names, builder.signal, *outputs, feed)
        builder.signal += len(block.output_names) + len(block.state_names)
        builder.state_rates += [-1] * len(block.state_names)


def _size(builder: "_Builder", name: str, sees: Sequence[str]) -> int:
    """How many numbers the channels hold that a block sees."""
    table = SensorTable()
    for channel in sees:
        try:
            builder._use(channel)
            add_channel(builder.index, table, channel, before_solve=True)
        except ModelError as e:
            raise ModelError(f'block "{name}" sees {e}') from e
    return table.size


def _seen(name: str, block: BlockBase) -> list[str]:
    """Channels of a law of x and z."""
    return [*block.sees, *([f"{name}.z"] if block.state_names else [])]


def _adding_input(builder: "_Builder", name: str, function: Any, sees: Sequence[str]) -> Callable[[], None]:
    def add() -> None:
        builder.law(function, sees, 1, f'input "{name}"', out=builder.index.inputs[name])

    return add


def _adding_outputs(builder: "_Builder", name: str, block: BlockBase, law: BlockLaw) -> Callable[[], None]:
    def add() -> None:
        what, place = f'block "{name}"', builder.index.blocks[name].output0
        outputs, states = len(block.output_names), len(block.state_names)
        if law.outputs is not None:
            sees = [f"{name}.z"] if states else []
            if outputs:
                builder.law(_outputs_law(law.outputs, block, name), sees, outputs, what, out=place)
        else:
            function = _whole_law(law.rates, block, _size(builder, name, block.sees), name)
            builder.law(function, _seen(name, block), outputs + states, what, out=place)
            _note_rates(builder, name, place + outputs)
        if block.drives:
            row = builder.law_rows[-1]
            row[L.LAW_WIRE], row[L.LAW_WIRES] = len(builder.wires), len(block.drives)
            builder.wires += [(place + k, builder.index.inputs[driven]) for k, driven in enumerate(block.drives)]

    return add


def _note_rates(builder: "_Builder", name: str, first: int) -> None:
    block = builder.index.blocks[name]
    builder.state_rates[block.z0 : block.z0 + len(block.states)] = range(first, first + len(block.states))


def _ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Names in an order in which each comes after those it needs."""
    done: list[str] = []
    open_: list[str] = []

    def visit(name: str) -> None:
        if name in open_:
            loop = [*open_[open_.index(name) :], name]
            raise ModelError(
                f"algebraic loop: {' sees '.join(loop)}, each at the same instant; see states in the place of outputs, or "
                "put a block between them whose outputs depend on its states alone (an actuator, a StateSpace without D, a "
                "Block with outputs=)"
            )
        if name not in done:
            open_.append(name)
            for other in needs[name]:
                visit(other)
            open_.pop()
            done.append(name)

    for name in needs:
        visit(name)
    return done


# ---- the functions of a block as laws of (t, x)


def _whole_law(f: Any, block: BlockBase, size: int, name: str) -> Any:
    """f(t, x, z) -> (outputs, z-dot) as a function of (t, xz) that returns them one after the other."""
    if hasattr(f, "is_missing"):  # a file cannot hold functions
        return f
    parts = _probe(lambda t, x: f(t, x[:size], x[size:]), size + len(block.state_names), name)
    if not isinstance(parts, tuple | list) or len(parts) != 2:
        raise ModelError(f'block "{name}": its function returned {checks.shown(parts)}: return (outputs, rates of states)')
    items = _items("a", parts[0], len(block.output_names), "outputs", name)
    items += _items("b", parts[1], len(block.state_names), "rates of states", name)
    return _law(f"a, b = f(t, x[:{size}], x[{size}:])", items, f)


def _rates_law(f: Any, block: BlockBase, size: int, name: str) -> Any:
    """f(t, x, z) -> z-dot as a function of (t, xz)."""
    if hasattr(f, "is_missing"):
        return f
    states = len(block.state_names)
    found = _probe(lambda t, x: f(t, x[:size], x[size:]), size + states, name)
    return _law(f"b = f(t, x[:{size}], x[{size}:])", _items("b", found, states, "rates of states", name), f)


def _outputs_law(g: Any, block: BlockBase, name: str) -> Any:
    """g(t, z) -> outputs as a function of (t, z)."""
    if hasattr(g, "is_missing"):
        return g
    found = _probe(g, len(block.state_names), name)
    return _law("a = g(t, x)", _items("a", found, len(block.output_names), "outputs", name), g)


def _probe(call: Callable[[float, np.ndarray], Any], size: int, name: str) -> Any:
    """What a function of (t, x) returns at some values."""
    for t, x in trials(size):
        try:
            with np.errstate(all="ignore"):
                return call(t, x)
        except (ArithmeticError, ValueError) as e:
            failure = e
        except Exception as e:
            raise ModelError(f'block "{name}": its function fails: {type(e).__name__}: {e}') from e
    raise ModelError(f'block "{name}": its function fails: {type(failure).__name__}: {failure}') from failure


def _items(letter: str, found: Any, count: int, what: str, name: str) -> list[str]:
    """Expressions of the numbers in what a function returned, of which there must be as many as it has names for."""
    size = len(found) if np.ndim(found) == 1 else 1 if np.ndim(found) == 0 and found is not None else -1
    if size != count:
        raise ModelError(f'block "{name}": its function returned {checks.shown(found)} as its {count} {what}')
    return [letter] if np.ndim(found) == 0 else [f"{letter}[{k}]" for k in range(count)]


def _law(first: str, items: list[str], function: Any) -> Any:
    """A function of (t, x) that calls the user's and returns these numbers."""
    returned = ", ".join(items) + ("," if items else "")
    space: dict[str, Any] = {"__name__": __name__}
    exec(f"def make(f, g):\n    def law(t, x):\n        {first}\n        return ({returned})\n    return law", space)
    made: types.FunctionType = space["make"](function, function)
    return made


__all__ = ["add_drivers"]
