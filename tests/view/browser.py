"""Drive a headless Chromium over its debugging pipe: open a page, run script in it, press keys, take pictures.

Every console message, exception and network request of the page is kept, so that a test can demand that there is none.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
MISSING = "no chromium on this machine (Debian package chromium, see scripts/install-debian-packages)"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-pipe",
)
_KEYS = {" ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}  # and their numbers
_HARMLESS = "GL Driver Message (OpenGL, Performance"  # software drawing says that taking a picture is slow
_LOCAL = ("file:", "data:", "blob:", "about:")


class Browser:
    """A running Chromium; leave its `with` block to end it."""

    def __init__(self, *flags: str) -> None:
        assert CHROMIUM is not None, MISSING
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        to_read, self._commands = os.pipe()
        self._answers, to_write = os.pipe()
        # above 4, so that putting one in its place cannot overwrite the other
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write)]

        def place() -> None:
            os.dup2(theirs[0], 3)
            os.dup2(theirs[1], 4)

        command = [CHROMIUM, *_FLAGS, *flags, f"--user-data-dir={self._profile}", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, preexec_fn=place, close_fds=False, stdout=quiet, stderr=quiet)
        for fd in (to_read, to_write, *theirs):
            os.close(fd)
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._commands)  # a browser that lost its pipe ends
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, session: str | None = None, timeout: float = 30.0, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for its result; what arrives meanwhile is kept in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        end = time.monotonic() + timeout
        while True:
            answer = self._next(end)
            if answer is None:
                raise TimeoutError(f"{method} gave no answer within {timeout:g} s")
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def listen(self, seconds: float) -> None:
        """Take in events for a time."""
        end = time.monotonic() + seconds
        while (event := self._next(end)) is not None:
            self.events.append(event)

    def _next(self, end: float) -> dict[str, Any] | None:
        while b"\0" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                return None
            data = os.read(self._answers, 1 << 20)
            if not data:
                raise RuntimeError("chromium ended")
            self._rest += data
        first, self._rest = self._rest.split(b"\0", 1)
        return json.loads(first)

    def open(self, path: Path | None, width: int = 1280, height: int = 800, *, dark: bool = False) -> "Page":
        """Open a file in a page of its own; None for an empty page."""
        return Page(self, path, width, height, dark)


class Page:
    """A page; `problems` lists whatever should not have happened in it."""

    def __init__(self, browser: Browser, path: Path | None, width: int, height: int, dark: bool) -> None:
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        self.allowed = ""  # address that the page may ask
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.look(dark)
        if path is not None:
            self.load(path)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the debugging protocol to this page."""
        return self._browser.call(method, self._session, **parameters)

    def load(self, path: Path) -> None:
        """Navigate to a file and wait until its load event."""
        self.visit(path.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Navigate to an address and wait until its load event."""
        seen = len(self._browser.events)
        self.call("Page.navigate", url=address)
        end = time.monotonic() + 30
        while not any(self._mine(e, "Page.loadEventFired") for e in self._browser.events[seen:]):
            assert time.monotonic() < end, f"{address} did not load"
            self._browser.listen(0.005)

    def resize(self, width: int, height: int, ratio: float = 1.0) -> None:
        """Give the window another size, in CSS pixels."""
        size: dict[str, Any] = {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def look(self, dark: bool, moving: bool = False) -> None:
        """Prefer a dark or a light look, and that pages stay still until they are played, or move by themselves."""
        features = {"prefers-color-scheme": "dark" if dark else "light"}
        features["prefers-reduced-motion"] = "no-preference" if moving else "reduce"
        self.call("Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in features.items()])

    def run(self, script: str) -> Any:
        """Value of a script's expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """Press and release a key."""
        number = _KEYS.get(key, ord(key[0]))
        words: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
        if len(key) == 1:
            words["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **words)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in words.items() if k != "text"})

    def drag(self, *points: tuple[float, float], shift: bool = False) -> None:
        """Press the mouse at the first point, move through the others and release it at the last."""
        common: dict[str, Any] = {"button": "left", "clickCount": 1, "modifiers": 8 if shift else 0}
        moves = [("mousePressed", points[0]), *(("mouseMoved", p) for p in points[1:]), ("mouseReleased", points[-1])]
        for kind, (x, y) in moves:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=1, **common)

    def picture(self, path: Path, whole: bool = True) -> Path:
        """Save what the page looks like as PNG, its whole length or the window only."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    @property
    def problems(self) -> list[str]:
        """Console errors and warnings, exceptions, and requests that left this machine's files, up to now."""
        self._browser.listen(0.05)
        found = []
        for event in self._browser.events:
            words = event.get("params", {})
            if self._mine(event, "Runtime.exceptionThrown"):
                details = words["exceptionDetails"]
                found.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
            elif self._mine(event, "Runtime.consoleAPICalled") and words["type"] in ("error", "warning", "assert"):
                found.append(f"console: {[a.get('value', a.get('description')) for a in words['args']]}")
            elif self._mine(event, "Log.entryAdded") and words["entry"]["level"] in ("error", "warning"):
                if _HARMLESS not in words["entry"]["text"]:
                    found.append(f"log: {words['entry']['text']}")
            elif self._mine(event, "Network.requestWillBeSent"):
                url = words["request"]["url"]
                if not url.startswith(_LOCAL) and not (self.allowed and url.startswith(self.allowed)):
                    found.append(f"request: {url}")
        return found

    def _mine(self, event: dict[str, Any], method: str) -> bool:
        return event.get("sessionId") == self._session and event.get("method") == method

    def close(self) -> None:
        """Close the page and forget its events."""
        self._browser.call("Target.closeTarget", targetId=self._target)
        self._browser.events = [e for e in self._browser.events if e.get("sessionId") != self._session]
