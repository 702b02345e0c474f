"""Runs and live simulations in a browser: the report's page, served by this process.

`Run.view` plays a run; `live` simulates a system piece by piece while it is watched, with its parameters and inputs on
sliders. The pages are served to this machine only, unless another host is asked for.
"""

import math
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.model import Model
from kaneflex.model.typed import typed
from kaneflex.view.page import page_text, viewer
from kaneflex.view.scene import FORMAT, Numbers, Scene, scene_of
from kaneflex.view.server import HOST, PORT, Server
from kaneflex.view.stream import Stream

if TYPE_CHECKING:
    from kaneflex.results.run import Run

FRAME = 1 / 20  # between looks at the time, s
PIECES = 100  # of a live simulation, in the time its system is usually simulated for
SAMPLES = 10  # of a piece
SLOWEST, FASTEST = 2.0, 30.0  # s in which a system's usual time is watched
KEPT = 200  # pieces that a page that is opened later is told
USUAL = 10.0  # s that a System is watched for where nobody says


class Show:
    """A page that is served until closed, and a thread of its own that moves it.

    Args:
        title: of the page.
        host: address to serve to.
        port: to serve at; the next free one where it is taken.
    """

    def __init__(self, title: str, host: str, port: int) -> None:
        self.title = title
        self.lock = threading.RLock()
        self.server = Server(host, port, self._page, self._joined, self._told, self.lock)
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return self.server.address

    def scene(self) -> Scene:
        """What a page that is opened now begins with."""
        raise NotImplementedError

    def _page(self) -> str:
        with self.lock:
            scene = self.scene()
        head = f"<header>\n<h1>{escape(self.title)}</h1>\n</header>"
        return page_text(self.title, [head, viewer(scene)], scene, served=True)

    def _joined(self, word: str) -> Iterable[Mapping[str, Any]]:
        return ()

    def _told(self, message: Mapping[str, Any]) -> None:
        """Take what a reader does."""

    def tick(self, seconds: float) -> None:
        """Go on by so many seconds of the watcher's time."""

    def start(self, block: bool) -> None:
        """Move the page from now on.

        Args:
            block: wait until the page is closed or interrupted (Ctrl-C), and close it then.
        """
        self._thread = threading.Thread(target=self._move, name="kaneflex-live", daemon=True)
        self._thread.start()
        if not block:
            return
        print(f"{self.address}  (Ctrl-C to stop)")
        try:
            while not self._closed.wait(0.2):
                pass
        except KeyboardInterrupt:
            pass
        self.close()

    def _move(self) -> None:
        last = time.perf_counter()
        while not self._closed.wait(FRAME):
            now = time.perf_counter()
            with self.lock:
                self.tick(now - last)
            last = now

    def close(self) -> None:
        """Stop serving."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self.server.close()


@typed
class Player(Show):
    """Plays a run.

    Args:
        run: the run.
        host, port: where to serve the page.
    """

    def __init__(self, run: "Run", host: str = HOST, port: int = PORT) -> None:
        self.run, self._scene = run, scene_of({run.model.name: run}, run.model.name)
        self._scene.data["served"] = True
        super().__init__(run.model.name, host, port)

    def scene(self) -> Scene:
        """The run's."""
        return self._scene

    def seek(self, t: float) -> None:
        """Show the run at a time on all pages that are open, and on those that are opened from now on.

        Args:
            t: s; the nearest time of the run counts.
        """
        with self.lock:
            self._scene.data["at"] = float(np.clip(checks.number(t, "t"), self.run.t[0], self.run.t[-1]))
        self.server.tell({"kind": "seek", "t": self._scene.data["at"]})


@dataclass
class Control:
    """Something on the page to change a number, switch or text by.

    Args:
        name: of the parameter or input.
        value: as it stands.
        low, high: of a slider; None for what is no number.
        step: of a slider; None for any.
        unit: of the value.
    """

    name: str
    value: Any
    low: float | None = None
    high: float | None = None
    step: float | None = None
    unit: str = ""


@typed
class Live(Show):
    """Simulates a system while it is watched.

    A change of a parameter, or the button "reset", starts anew; a change of an input counts from now on. What goes wrong is
    said on the page, and in `error`.

    Args:
        system: a System, or one of `kaneflex.gallery.examples()`.
        settings: parameters to start with; None for the system's own.
        duration: s that the system is usually simulated for, watched in 2 to 30 s; None for the example's own, or 10.
        host, port: where to serve the page.
    """

    def __init__(
        self,
        system: Any,
        settings: Mapping[str, Any] | None = None,
        duration: float | None = None,
        host: str = HOST,
        port: int = PORT,
    ) -> None:
        example = _Own(system, USUAL if duration is None else duration) if isinstance(system, Model) else system
        lacking = [word for word in ("title", "parameters", "build", "simulate") if not hasattr(example, word)]
        if lacking:
            raise checks.ModelError(f"system is {checks.shown(system)}: give a System or one of kaneflex.gallery.examples()")
        if duration is not None:
            checks.positive(duration, "duration")
        for name in settings or {}:
            checks.known(name, example.parameters, f'parameter of "{example.title}"')
        self.example, self.error, self.t = example, "", 0.0
        self.running, self.speed = True, 1.0
        self.run: Run | None = None
        self.stream: Stream | None = None
        self.parameters = {name: _control(name, value) for name, value in {**example.parameters, **(settings or {})}.items()}
        self.inputs: dict[str, Control] = {}
        self._own_duration, self._duration = duration, 1.0
        self._generation, self._stale = 0, True
        self._sent: list[dict[str, Any]] = []
        self._given: dict[str, Any] = {}
        self._by_hand = False
        super().__init__(example.title, host, port)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters as the page has them."""
        values = {name: control.value for name, control in self.parameters.items()}
        return {name: type(self.example.parameters.get(name, value))(value) for name, value in values.items()}

    def reset(self) -> None:
        """Start anew, with the parameters as they are."""
        self._stale = True

    def step(self) -> None:
        """Go on by one sample, and stand still."""
        with self.lock:
            self.running = False
            if self._stale:
                self.tick(0.0)
            self._go_on(self._duration / PIECES / SAMPLES)

    def tick(self, seconds: float) -> None:
        """Simulate and show so many seconds of the watcher's time; never raises.

        Args:
            seconds: of the watcher's time.
        """
        try:
            if self._stale:
                self._stale = False
                self._begin()
            elif self.running and not self.error:
                # no more pieces than the watcher's time is good for: a slow system lags, the page does not hang
                self._go_on(min(seconds * self._pace(), 10 * self._duration / PIECES))
        except Exception as e:  # of any kind: parameters may be impossible in ways that the example's code does not foresee
            self._say(f"{e}" if isinstance(e, ValueError) else f"{type(e).__name__}: {e}")

    def _pace(self) -> float:
        """Seconds of the system in one of the watcher."""
        return self._duration / float(np.clip(self._duration, SLOWEST, FASTEST)) * self.speed

    def _begin(self) -> None:
        settings, self.run = self.settings, None
        system = _FirstPiece(self.example.build(settings), self._own_duration)
        self.run = self.example.simulate(system, settings)
        self._duration, self.t = system.duration, float(self.run.t[0])
        for name, parameter in self.run.parameters.items():
            if name in self.parameters:
                _bound(self.parameters[name], parameter)
        self._find_inputs(self.run)
        self.stream = Stream(self.run, self.title)
        self._generation, self._sent = self._generation + 1, []
        self.error = ""
        self.server.tell(self._opening())
        self._state()

    def _find_inputs(self, run: "Run") -> None:
        """A slider for each input that nothing in the system drives."""
        driven = {name for block in run.model.blocks.values() for name in _names(getattr(block, "drives", ()))}
        driven |= {n for law in run.trajectory.driven_by.get("controllers", ()) for n in _names(law.drives)}
        free = [name for name in run.model.inputs if name not in driven | set(run.plan.index.inner)]
        self._given = {name: run.trajectory.driven_by.get("inputs", {}).get(name, 0.0) for name in free}
        found = {}
        for name in free:
            values = np.asarray(run[name], dtype=float)
            reach = 2 * float(np.abs(values).max()) or 1.0
            found[name] = Control(name, None, -reach, reach, None, run.unit(name))
            if name in self.inputs:
                found[name].value = self.inputs[name].value
        self.inputs, self._by_hand = found, any(c.value is not None for c in found.values())

    def set_input(self, name: str, value: float | None) -> None:
        """Drive an input by hand from now on.

        Args:
            name: of the input.
            value: held until it is changed; None for what drove it at the start.
        """
        with self.lock:
            checks.known(name, self.inputs, "input")
            self.inputs[name].value = None if value is None else checks.number(value, f'input "{name}"')
            self._by_hand = True

    def _go_on(self, seconds: float) -> None:
        """Go on by so many seconds of the system."""
        if self.run is None or self.stream is None:
            return
        piece = self._duration / PIECES
        self.t += seconds
        stop = time.perf_counter() + 5 * FRAME
        while self.t > self.run.t[-1] and self.run.status == "done" and time.perf_counter() < stop:
            more: dict[str, Any] = {"output": piece / SAMPLES, "progress": False}
            if self._by_hand:  # an input has changed since the last piece
                self._by_hand = False
                more["inputs"] = {n: self._given[n] if c.value is None else c.value for n, c in self.inputs.items()}
            self.run = self.run.extend(piece, **more)
            self._send(self.run)
        if self.t > self.run.t[-1]:
            self.t = float(self.run.t[-1])
            if self.run.status != "done":
                self._say(f"the motion ended at t = {self.t:.6g} s: {self.run.message or self.run.status}")
        self._state()

    def _send(self, piece: "Run") -> None:
        """A further piece to all readers; the scene anew where the system has become another."""
        assert self.stream is not None
        message = self.stream.more(piece)
        if message is None:
            self.stream = Stream(piece, self.title, list(self.stream.shown))
            self._generation, self._sent = self._generation + 1, []
            return self.server.tell(self._opening())
        self._sent = [*self._sent[-KEPT + 1 :], message]
        self.server.tell(message)

    # -- the page ------------------------------------------------------------------------------------------------------

    def scene(self) -> Scene:
        """The first piece."""
        if self.stream is None and self._stale:
            self.tick(0.0)
        scene = _nothing(self.title) if self.stream is None else self.stream.scene
        return Scene(scene.data | {"live": self._controls()}, scene.numbers)

    def _controls(self) -> dict[str, Any]:
        told = {"parameters": self.parameters, "inputs": self.inputs}
        lists = {what: [vars(control) for control in controls.values()] for what, controls in told.items()}
        return {"generation": self._generation, "window": self._duration, **lists, **self._now()}

    def _opening(self) -> dict[str, Any]:
        scene = self.scene()
        return {"kind": "scene", "scene": scene.data, "bytes": scene.numbers.text()}

    def _now(self) -> dict[str, Any]:
        rate = self._pace() if self.running and not self.error else 0.0
        return {"t": self.t, "rate": rate, "running": self.running, "error": self.error, "speed": self.speed}

    def _state(self) -> None:
        self.server.tell({"kind": "state", **self._now()})

    def _say(self, error: str) -> None:
        self.error = error
        self._state()

    def _joined(self, word: str) -> Iterable[Mapping[str, Any]]:
        """To a page that was written before the last change the scene; and all that was sent since."""
        with self.lock:
            opening = [] if word == f"generation={self._generation}" or self.stream is None else [self._opening()]
            return [*opening, *self._sent, {"kind": "state", **self._now()}]

    def _told(self, message: Mapping[str, Any]) -> None:
        """Take what a reader does: {"do": "run" | "pause" | "step" | "reset"}, {"speed": x}, {"parameter" or "input": name,
        "value": x}."""
        with self.lock:
            try:
                self._take(message)
            except Exception as e:
                self._say(f"{e}")

    def _take(self, message: Mapping[str, Any]) -> None:
        do = message.get("do")
        if do in ("run", "pause"):
            self.running = do == "run"
        elif do == "step":
            self.step()
        elif do == "reset":
            self.reset()
        if "speed" in message:
            self.speed = checks.not_negative(message["speed"], "speed")
        if "parameter" in message:
            control = self.parameters[checks.known(message["parameter"], self.parameters, "parameter")]
            control.value = message.get("value")
            self.reset()
        if "input" in message:
            self.set_input(message["input"], message.get("value"))
        self._state()


class _Own:
    """A user's system as the gallery's are: its Parameters, and how it is built and simulated."""

    def __init__(self, system: Any, duration: float) -> None:
        self.title, self._system, self._duration = system.name, system, duration
        self.parameters = {name: parameter.value for name, parameter in system.parameters.items()}

    def build(self, parameters: Mapping[str, Any]) -> Any:
        return self._system.at(dict(parameters)) if parameters else self._system

    def simulate(self, system: Any, parameters: Mapping[str, Any]) -> "Run":
        run: Run = system.simulate(self._duration)
        return run


class _FirstPiece:
    """A system that simulates only the first piece of what it is asked for, and remembers how long that was."""

    def __init__(self, system: Any, duration: float | None) -> None:
        self._system, self._wanted = system, duration
        self.duration = 1.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    def simulate(self, duration: float, **arguments: Any) -> "Run":
        """The first piece.

        Args:
            duration: of the whole, s.
            arguments: as for System.simulate; sample times are chosen anew.
        """
        self.duration = float(duration if self._wanted is None else self._wanted)
        piece = self.duration / PIECES
        arguments = {name: value for name, value in arguments.items() if name != "times"}
        arguments |= {"output": piece / SAMPLES, "progress": False}
        run: Run = self._system.simulate(piece, **arguments)
        return run


def _control(name: str, value: Any) -> Control:
    """A slider from zero to twice a number; a switch or a text of what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Control(name, value if isinstance(value, bool) else str(value))
    reach = 2 * abs(value) or 1
    low, high = (-reach, reach) if value == 0 else (0, reach) if value > 0 else (-reach, 0)
    return Control(name, value, low, high, 1 if isinstance(value, int) else None)


def _bound(control: Control, parameter: Any) -> None:
    """Take the bounds and the unit that a Parameter has."""
    control.unit = parameter.unit
    for end in ("low", "high"):
        known = getattr(parameter, end)
        if known is not None and math.isfinite(known):
            setattr(control, end, known)


def _names(given: Any) -> Iterable[str]:
    return (given,) if isinstance(given, str) else given or ()


def _nothing(title: str) -> Scene:
    """The scene of a system that could not be simulated."""
    numbers = Numbers()
    run: dict[str, Any] = {"name": title, "t": numbers.put([0.0], "f8"), "anchor": None, "loop": False}
    run |= {what: [] for what in ("bodies", "arrows", "lines", "events")}
    data = {"format": FORMAT, "kind": "run", "title": title, "up": [0, 0, 1], "size": 1.0, "runs": [run], "plots": []}
    return Scene(data, numbers)


def view_run(run: "Run", host: str = HOST, port: int = PORT, block: bool = True) -> Player:
    """Play a run in the browser.

    Args:
        run: the run.
        host, port: where to serve the page.
        block: wait until it is interrupted (Ctrl-C); False to go on, and to close the player yourself.
    """
    player = Player(run, host, port)
    player.start(block)
    return player


@typed
def live(
    system: Any,
    settings: Mapping[str, Any] | None = None,
    host: str = HOST,
    port: int = PORT,
    block: bool = True,
    duration: float | None = None,
) -> Live:
    """Simulate a system in the browser while it is watched, with its parameters and inputs on sliders.

    Args:
        system: a System, or one of `kaneflex.gallery.examples()`.
        settings: parameters to start with; None for the system's own.
        host, port: where to serve the page.
        block: wait until it is interrupted (Ctrl-C); False to go on, and to close it yourself.
        duration: s that the system is usually simulated for, watched in 2 to 30 s; None for the example's own, or 10.
    """
    show = Live(system, settings, duration, host, port)
    show.start(block)
    return show
