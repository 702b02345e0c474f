"""Runs and live simulations in a browser, by way of viser.

`Run.view` plays a run; `live` simulates a system of the gallery piece by piece while it is watched, with its parameters on
sliders. The pages are served to this machine only, unless another host is asked for.
"""

import socket
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.typed import typed
from kaneflex.view.stage import Motion, Stage

if TYPE_CHECKING:
    from kaneflex.results.run import Run

HOST = "127.0.0.1"
PORT = 8080
FRAME = 1 / 30  # between pictures, s
PIECES = 100  # of a live simulation, in the time its system is usually simulated for
SAMPLES = 10  # of a piece
SLOWEST, FASTEST = 2.0, 30.0  # s in which a system's usual time is watched


def check_address(host: str, port: int) -> None:
    """Refuse what no page can be served at."""
    if checks.whole(port, "port") > 65535:
        raise checks.ModelError(f"port is {port}: give a whole number, 1 to 65535, or 0 for any that is free")
    if not isinstance(host, str) or not host:
        raise checks.ModelError(f"host is {checks.shown(host)}: give an address, e.g. {HOST!r} for this machine only")
    try:
        socket.getaddrinfo(host, port)
    except (OSError, UnicodeError) as e:
        raise checks.ModelError(f"host is {checks.shown(host)}: give an address of this machine ({e})") from e


class Show:
    """A page with a scene: it is served until closed, and a thread of its own moves it.

    Args:
        title: of the page.
        host: address to serve to.
        port: to serve at; the next free one where it is taken.
    """

    def __init__(self, title: str, host: str, port: int) -> None:
        try:
            import viser
        except ImportError as e:
            raise ImportError('the live view needs viser: pip install "kaneflex[view]"') from e
        check_address(host, port)
        self.server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
        self.server.gui.configure_theme(show_share_button=False)  # which would serve the page to the whole world
        self.host = host
        self.lock = threading.RLock()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{self.host}:{self.server.get_port()}"

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
        self.server.stop()


@typed
class Player(Show):
    """Plays a run.

    Args:
        run: the run.
        host, port: where to serve the page.
    """

    def __init__(self, run: "Run", host: str = HOST, port: int = PORT) -> None:
        super().__init__(run.model.name, host, port)
        self.stage = Stage(self.server, run)
        self.motion = Motion(run, self.stage.anchor)
        self.first, self.last = float(run.t[0]), float(run.t[-1])
        self.t = self.first
        gui, span = self.server.gui, self.last - self.first
        self.playing = gui.add_checkbox("play", False)
        self.slider: Any = gui.add_slider("t, s", self.first, self.last, span / 1000 or 1.0, self.first)
        self.speed = gui.add_number("speed", 1.0, min=0.0)
        self.deformation = gui.add_number("deformation, times", 1.0)
        self.slider.on_update(lambda event: self._dragged(event))
        self.deformation.on_update(lambda _: self.seek(self.t))
        self.seek(self.first)
        self.stage.look(_up(run))

    def _dragged(self, event: Any) -> None:
        if event.client is not None:  # moved by a watcher, not by `seek`
            with self.lock:
                self.t = float(self.slider.value)
                self._draw()

    def _draw(self) -> None:
        self.stage.deformation = float(self.deformation.value)
        self.stage.show(self.motion.at(self.t))

    def seek(self, t: float) -> None:
        """Show the run at a time.

        Args:
            t: s; the nearest time of the run counts.
        """
        with self.lock:
            self.t = float(np.clip(t, self.first, self.last))
            self.slider.value = self.t
            self._draw()

    def tick(self, seconds: float) -> None:
        """Play on, and from the start again after the end.

        Args:
            seconds: of the watcher's time.
        """
        if self.playing.value and self.last > self.first:
            self.seek(self.first if self.t >= self.last else self.t + seconds * float(self.speed.value))


@typed
class Live(Show):
    """Simulates a system of the gallery while it is watched.

    A change of a parameter, or the button "reset", starts anew. What goes wrong is said on the page, and in `error`.

    Args:
        example: from `kaneflex.gallery.examples()`.
        settings: parameters to start with; None for the example's own.
        host, port: where to serve the page.
    """

    def __init__(self, example: Any, settings: Mapping[str, Any] | None = None, host: str = HOST, port: int = PORT) -> None:
        lacking = [word for word in ("title", "parameters", "build", "simulate") if not hasattr(example, word)]
        if lacking:
            raise checks.ModelError(f"example is {checks.shown(example)}: give one of kaneflex.gallery.examples()")
        for name in settings or {}:
            checks.known(name, example.parameters, f'parameter of "{example.title}"')
        super().__init__(example.title, host, port)
        self.example = example
        self.error = ""
        self.t = 0.0
        self.run: Run | None = None
        self.stage: Stage | None = None
        self.motion: Motion | None = None
        self._duration = 1.0
        self._stale = True
        gui = self.server.gui
        gui.add_markdown(f"**{example.title}**")
        self.message = gui.add_markdown("")
        self.running = gui.add_checkbox("run", True)
        self.speed = gui.add_number("speed", 1.0, min=0.0)
        self.deformation = gui.add_number("deformation, times", 1.0)
        gui.add_button("reset").on_click(lambda _: self.reset())
        self.parameters: dict[str, Any] = {}
        with gui.add_folder("parameters"):
            for name, value in {**example.parameters, **(settings or {})}.items():
                self.parameters[name] = _control(gui, name, value)
                self.parameters[name].on_update(lambda _: self.reset())

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters as the page has them."""
        values = {name: control.value for name, control in self.parameters.items()}
        return {name: type(self.example.parameters.get(name, value))(value) for name, value in values.items()}

    def reset(self) -> None:
        """Start anew, with the parameters as they are."""
        self._stale = True

    def tick(self, seconds: float) -> None:
        """Simulate and show so many seconds of the watcher's time; never raises.

        Args:
            seconds: of the watcher's time.
        """
        try:
            if self._stale:
                self._stale = False
                self._begin()
            elif self.running.value and not self.error:
                self._go_on(seconds)
        except Exception as e:  # of any kind: parameters may be impossible in ways that the example's code does not foresee
            self._say(f"{e}" if isinstance(e, ValueError) else f"{type(e).__name__}: {e}")

    def _begin(self) -> None:
        self._say("")
        settings = self.settings
        system = _FirstPiece(self.example.build(settings))
        self.run = self.example.simulate(system, settings)
        self._duration = system.duration
        with self.server.atomic():
            self.server.scene.reset()
            stage = Stage(self.server, self.run)
            self.motion = Motion(self.run, stage.anchor)
            stage.show(self.motion.at(self.run.t[0]))
            if self.stage is None:
                stage.look(_up(self.run))
        self.stage, self.t = stage, float(self.run.t[0])

    def _go_on(self, seconds: float) -> None:
        if self.run is None or self.stage is None or self.motion is None:
            return
        pace = self._duration / float(np.clip(self._duration, SLOWEST, FASTEST))  # of the system's time per watcher's
        piece = self._duration / PIECES
        # no more pieces than the watcher's time is good for: a slow system lags, the page does not hang
        self.t += min(seconds * pace * float(self.speed.value), 10 * piece)
        stop = time.perf_counter() + 5 * FRAME
        while self.t > self.run.t[-1] and self.run.status == "done" and time.perf_counter() < stop:
            self.run = self.run.extend(piece, output=piece / SAMPLES, progress=False)
            self.motion = Motion(self.run, self.stage.anchor)
        if self.t > self.run.t[-1]:
            self.t = float(self.run.t[-1])
            if self.run.status != "done":
                self._say(f"the motion ended at t = {self.t:.6g} s: {self.run.message or self.run.status}")
        self.stage.deformation = float(self.deformation.value)
        self.stage.show(self.motion.at(self.t))

    def _say(self, error: str) -> None:
        self.error = error
        self.message.content = error and f"⚠ {error}"


class _FirstPiece:
    """A system that simulates only the first piece of what it is asked for, and remembers how long that was."""

    def __init__(self, system: Any) -> None:
        self._system = system
        self.duration = 1.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    def simulate(self, duration: float, **arguments: Any) -> "Run":
        """The first piece.

        Args:
            duration: of the whole, s.
            arguments: as for System.simulate; sample times are chosen anew.
        """
        self.duration, piece = float(duration), float(duration) / PIECES
        arguments = {name: value for name, value in arguments.items() if name != "times"}
        arguments |= {"output": piece / SAMPLES, "progress": False}
        run: Run = self._system.simulate(piece, **arguments)
        return run


def _control(gui: Any, name: str, value: Any) -> Any:
    """Something to change a parameter by: a slider from zero to twice a number, a box to tick, a text."""
    if isinstance(value, bool):
        return gui.add_checkbox(name, value)
    if isinstance(value, int):
        return gui.add_slider(name, min(0, 2 * value), max(2 * value, 1), 1, value)
    if isinstance(value, float):
        reach = 2 * abs(value) or 1.0
        low, high = (-reach, reach) if value == 0 else (0.0, reach) if value > 0 else (-reach, 0.0)
        return gui.add_slider(name, low, high, reach / 200, value)
    return gui.add_text(name, str(value))


def _up(run: "Run") -> np.ndarray:
    g = np.array(run.model.gravity)
    length = float(np.linalg.norm(g))
    return -g / length if length else np.array([0.0, 0.0, 1.0])


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
    example: Any, settings: Mapping[str, Any] | None = None, host: str = HOST, port: int = PORT, block: bool = True
) -> Live:
    """Simulate a system of the gallery in the browser, with its parameters on sliders.

    Args:
        example: from `kaneflex.gallery.examples()`.
        settings: parameters to start with; None for the example's own.
        host, port: where to serve the page.
        block: wait until it is interrupted (Ctrl-C); False to go on, and to close it yourself.
    """
    show = Live(example, settings, host, port)
    show.start(block)
    return show
