"""The dashboard's HTTP server: strangers who send half a request, or nothing, keep no thread."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from dashboard.system import http_server
from dashboard.system.http_server import CONNECTIONS_OF_PERSON, BodyLimit, Connection, HttpServer

SMALL = 1000  # bytes
PATIENCE_S = 60.0
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
HALF_SENT = {
    "nothing": b"",
    "half a request line": b"GET / HT",
    "half the headers": b"GET / HTTP/1.1\r\nHost: x\r\n",
    "half a form": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\na=",
    "half a chunked form": CHUNKED + b"5\r\na",
}


@dataclass
class Site:
    """A server with a single thread, and what its application was asked."""

    port: int = 0
    connections: Mapping[int, Connection] = field(default_factory=dict)
    seen: list[dict[str, Any]] = field(default_factory=list)
    answer: bytes = b"fine"
    asked: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        answer = self.answer
        self.seen.append(environ | {"body": environ["wsgi.input"].read()})
        self.asked.set()
        assert self.go_on.wait(PATIENCE_S)
        start("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), None, (source, 0))
        connection.settimeout(PATIENCE_S)
        return connection

    def ask(self, method: str = "GET", **request: Any) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, "/", **request)
        with closing(connection), connection.getresponse() as answer:
            return answer.status, answer.read()


def server_of(
    site: Site,
    listener: socket.socket,
    people: int = 5,
    seconds: float = 600.0,
    threads: int = 1,
    at_once: int = 1,
) -> HttpServer:
    return HttpServer(
        site,
        listener,
        threads=threads,
        at_once=at_once,
        people=people,
        limit=lambda _: BodyLimit(SMALL, seconds),
    )


@contextmanager
def served(**options: Any) -> Iterator[Site]:
    """A site whose server runs; the options are those of `server_of`."""
    site = Site()
    site.go_on.set()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site.port = listener.getsockname()[1]
        server = server_of(site, listener, **options)
        site.connections = server.active_channels
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield site
        finally:
            server.stop()
            thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as made:
        yield made


def test_a_server_that_has_stopped_may_be_stopped_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = server_of(Site(), listener)
        server.stop()
        server.run()
        server.stop()


def test_a_server_may_end_while_it_is_being_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = server_of(Site(), listener)
        thread = threading.Thread(target=server.run)
        pull = server.pull_trigger

        def pull_late() -> None:
            thread.join(1.5)  # `run` looks at least once a second whether it shall end
            pull()

        monkeypatch.setattr(server, "pull_trigger", pull_late)
        thread.start()
        server.stop()
        thread.join()


@pytest.mark.parametrize("text", HALF_SENT.values(), ids=HALF_SENT)
def test_whoever_sends_half_a_request_keeps_no_thread(site: Site, text: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(site.connect()).sendall(text)

        assert site.ask() == (200, b"fine")

    assert len(site.seen) == 1


@pytest.mark.parametrize("text", [text for name, text in HALF_SENT.items() if "form" not in name])
def test_whoever_sends_no_more_is_disconnected(
    monkeypatch: pytest.MonkeyPatch, site: Site, text: bytes
) -> None:
    monkeypatch.setattr(http_server, "HEADERS_WITHIN_S", 0.0)
    monkeypatch.setattr(http_server, "IDLE_S", 0.0)

    with site.connect() as connection:
        connection.sendall(text)
        assert connection.recv(100) == b""


@pytest.mark.parametrize("name", ["half a form", "half a chunked form"])
def test_a_form_that_does_not_go_on_is_disconnected(name: str) -> None:
    with served(seconds=0.0) as site, site.connect() as connection:
        connection.sendall(HALF_SENT[name])
        assert connection.recv(100) == b""


def test_whoever_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    monkeypatch.setattr(http_server, "UNREAD_S", 0.5)
    site.answer = bytes(30_000_000)  # more than a connection holds

    with site.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert site.asked.wait(PATIENCE_S)
        site.answer = b"fine"
        assert site.ask() == (200, b"fine")  # the only thread is free
        deadline = time.monotonic() + PATIENCE_S
        while site.connections:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_longest_waiting_connection_of_an_address_makes_room() -> None:
    with served(people=1) as site, ExitStack() as stack:
        first, *_ = [stack.enter_context(site.connect()) for _ in range(CONNECTIONS_OF_PERSON)]

        assert site.ask() == (200, b"fine")
        assert first.recv(100) == b""


def test_an_address_has_only_so_many_connections() -> None:
    with served(people=1) as site, ExitStack() as stack:
        site.go_on.clear()
        for _ in range(CONNECTIONS_OF_PERSON):
            stack.enter_context(site.connect()).sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        while len(site.connections) < CONNECTIONS_OF_PERSON or not all(
            each.requests for each in list(site.connections.values())
        ):
            time.sleep(0.01)
        with site.connect() as refused:
            words = refused.recv(1000)
        site.go_on.set()

        assert words.startswith(b"HTTP/1.1 429 ")
        assert b"too many connections open. Close some" in words
        while any(each.requests for each in list(site.connections.values())):
            time.sleep(0.01)
        assert site.ask() == (200, b"fine")


def test_one_address_keeps_only_some_of_the_threads() -> None:
    get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with served(threads=2) as site, ExitStack() as stack:
        site.go_on.clear()
        for _ in range(5):
            stack.enter_context(site.connect()).sendall(get)
        other = stack.enter_context(site.connect(source="127.0.0.2"))
        other.sendall(get)
        while len(site.seen) < 2:
            time.sleep(0.01)
        assert {seen["REMOTE_ADDR"] for seen in site.seen} == {"127.0.0.1", "127.0.0.2"}

        site.go_on.set()
        assert other.recv(1000).startswith(b"HTTP/1.1 200 ")
        assert site.ask() == (200, b"fine")  # all turns come

    assert len(site.seen) == 7


def test_behind_a_proxy_addresses_are_not_counted() -> None:
    with served(people=0) as site, ExitStack() as stack:
        for _ in range(3 * CONNECTIONS_OF_PERSON):
            stack.enter_context(site.connect())

        assert site.ask() == (200, b"fine")


def test_longest_waiting_connection_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "CONNECTIONS", 3)
    with served() as site, ExitStack() as stack:
        first, *_ = [stack.enter_context(site.connect()) for _ in range(3)]

        assert site.ask() == (200, b"fine")
        assert first.recv(100) == b""


def test_a_form_that_is_too_large_is_not_kept_and_the_refusal_can_be_read(site: Site) -> None:
    assert site.ask("POST", body=b"x" * 5_000_000) == (200, b"fine")  # the application refuses

    (seen,) = site.seen
    assert seen["CONTENT_LENGTH"] == "5000000"
    assert seen["body"] == b""


def test_a_form_without_a_length_is_not_read_without_end(site: Site) -> None:
    with site.connect() as connection:
        connection.sendall(CHUNKED + b"3e9\r\n" + b"x" * 1001)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")

    assert not site.seen


def test_a_form_that_is_not_too_large_arrives(site: Site) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"a="
        yield b"x" * 500

    site.ask("POST", body=b"x" * SMALL)
    site.ask("POST", body=pieces(), headers={"Transfer-Encoding": "chunked"}, encode_chunked=True)

    assert [seen["body"] for seen in site.seen] == [b"x" * SMALL, b"a=" + b"x" * 500]


@pytest.mark.parametrize(
    "text", [b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"]
)
def test_a_malformed_request_is_refused(
    site: Site, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with site.connect() as connection:
        connection.sendall(text)
        assert connection.recv(1000).startswith(b"HTTP/1.0 400 Bad Request")

    assert not caplog.records


def test_long_headers_are_refused(site: Site) -> None:
    status, words = site.ask(headers={"Cookie": "x" * http_server.MOST_HEADERS})

    assert status == 431
    assert b"Header" in words


def test_scheme_headers_are_only_believed_from_a_proxy() -> None:
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil", "X-Forwarded-For": "1.2.3.4"}
    with served() as direct:
        direct.ask(headers=told)
    with served(people=0) as behind:
        behind.ask(headers=told)

    assert not {f"HTTP_{name.upper().replace('-', '_')}" for name in told} & direct.seen[0].keys()
    assert direct.seen[0]["wsgi.url_scheme"] == "http"
    assert behind.seen[0]["HTTP_X_FORWARDED_PROTO"] == "https"
