"""A server with the OpenAI-compatible chat protocol, whose answers a test chooses."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass(frozen=True)
class Reply:
    """An answer of the server."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False  # until the server is closed


def says(text: str | None, **fields: Any) -> Reply:
    """The model's answer, and further fields of the response."""
    choice = {"message": {"role": "assistant", "content": text}}
    return Reply(json.dumps({"choices": [choice], **fields}).encode())


def legal_actions(asked: dict[str, Any]) -> list[str]:
    """The legal actions that a request names."""
    text: str = asked["messages"][1]["content"]
    return text.rpartition("Legal actions: ")[2].split(", ")


class Server(ThreadingHTTPServer):
    """Keeps the requests."""

    daemon_threads = True

    def __init__(self, reply: Callable[[dict[str, Any]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply, self.closing = reply, Event()
        self.asked: list[dict[str, Any]] = []  # JSON of the requests
        self.headers: list[Mapping[str, str]] = []
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        """The address for LLM_URL."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers.append(dict(self.headers))
        self.server.paths.append(self.path)
        reply = self.server.reply(asked)
        if reply.hangs:
            self.server.closing.wait(60)
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.body)
        except OSError:
            return  # the client has read enough

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@contextmanager
def language_model(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[Server]:
    """A running server, whose answers `reply` makes from the JSON of the requests."""
    server = Server(reply)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
