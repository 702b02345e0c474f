"""A page that is served while Python runs: what it shows is told to it, and what its reader does is told back."""

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from kaneflex.model import checks

HOST = "127.0.0.1"
PORT = 8080
NEXT = 50  # ports that are tried after one that is taken
LONGEST = 65_536  # bytes that a page may tell at once
BEAT = 5.0  # s after which a page that has gone is noticed
LOCAL = ("127.0.0.1", "localhost", "[::1]")


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


class Server:
    """Serves one page, with a stream of messages to each of its readers.

    Args:
        host: address to serve to.
        port: to serve at; the next free one where it is taken, any free one for 0.
        page: gives the page.
        joined: gives what a reader is told first, from what its page says of itself.
        told: takes what a reader does.
        lock: held while anything is told, and while `joined` is asked.
    """

    def __init__(
        self,
        host: str,
        port: int,
        page: Callable[[], str],
        joined: Callable[[str], Iterable[Mapping[str, Any]]],
        told: Callable[[Mapping[str, Any]], None],
        lock: Any,
    ) -> None:
        check_address(host, port)
        self.host, self.page, self.joined, self.told = host, page, joined, told
        self._readers: list[queue.SimpleQueue[str | None]] = []
        self._lock = lock
        self._http = self._bound(port)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.1,), name="kaneflex-page", daemon=True).start()

    def _bound(self, port: int) -> ThreadingHTTPServer:
        for k in range(NEXT if port else 1):
            try:
                http = ThreadingHTTPServer((self.host, port + k), _Handler)
            except OSError:
                if k + 1 == NEXT or not port:
                    raise
            else:
                http.server = self  # type: ignore[attr-defined]
                return http
        raise OSError(f"no port is free from {port} on")

    @property
    def port(self) -> int:
        """Where it serves."""
        return int(self._http.server_address[1])

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{self.host}:{self.port}"

    def tell(self, message: Mapping[str, Any]) -> None:
        """Tell all readers.

        Args:
            message: what JSON can hold.
        """
        text = json.dumps(message, separators=(",", ":"))
        with self._lock:
            for reader in self._readers:
                reader.put(text)

    def messages(self, word: str) -> "queue.SimpleQueue[str | None]":
        """What a reader that joins now is told, from the first on; None at the end.

        Args:
            word: what its page says of itself.
        """
        own: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        with self._lock:
            for message in self.joined(word):
                own.put(json.dumps(message, separators=(",", ":")))
            self._readers.append(own)
        return own

    def leave(self, own: "queue.SimpleQueue[str | None]") -> None:
        """A reader has gone."""
        with self._lock:
            if own in self._readers:
                self._readers.remove(own)

    def close(self) -> None:
        """Stop serving."""
        with self._lock:
            for reader in self._readers:
                reader.put(None)
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def own(self) -> Server:
        return self.server.server  # type: ignore[attr-defined]

    def log_message(self, *words: Any) -> None:
        """Nothing: requests are no news."""

    def _is_ours(self) -> bool:
        """Whether the request is for this page under its own name, and not from a page of somebody else."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        name = host.rpartition(":")[0] or host
        named = name in (*LOCAL, self.own.host) or self.own.host not in LOCAL
        if named and (origin is None or urlsplit(origin).netloc == host):
            return True
        self._answer(403, "text/plain", b"")
        return False

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        """The page, or the stream of messages."""
        if not self._is_ours():
            return
        where = urlsplit(self.path)
        if where.path == "/":
            self._answer(200, "text/html; charset=utf-8", self.own.page().encode())
        elif where.path == "/events":
            self._stream(where.query)
        else:
            self._answer(404 if where.path != "/favicon.ico" else 204, "text/plain", b"")

    def _stream(self, word: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        messages = self.own.messages(word)
        try:
            while True:
                try:
                    message = messages.get(timeout=BEAT)
                except queue.Empty:
                    self.wfile.write(b": still there\n\n")
                else:
                    if message is None:
                        return
                    self.wfile.write(b"data: " + message.encode() + b"\n\n")
                self.wfile.flush()
        except OSError:
            pass  # the reader has gone
        finally:
            self.own.leave(messages)

    def do_POST(self) -> None:
        """What the reader did."""
        length = self.headers.get("Content-Length", "")
        if not self._is_ours():
            return
        plain = self.headers.get("Content-Type", "") == "application/json"  # which no page of somebody else may send
        if self.path != "/told" or not plain or not length.isdigit() or int(length) > LONGEST:
            self.close_connection = True
            return self._answer(400, "text/plain", b"")
        try:
            message = json.loads(self.rfile.read(int(length)))
        except ValueError:
            message = None
        if isinstance(message, dict):
            self.own.told(message)
        self._answer(204 if isinstance(message, dict) else 400, "text/plain", b"")


__all__ = ["HOST", "PORT", "Server", "check_address"]
