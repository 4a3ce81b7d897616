"""Sending one message by HTTP to an untrusted server, which may answer slowly, endlessly or never.

Redirects, proxies and cookies are ignored. Only the status of the response is shown to the user.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from arena import __version__
from arena.base.addresses import Address
from arena.base.errors import InvalidRequest
from arena.store.registry.webhooks.deliveries import DeliveryResult
from dashboard.webhooks.targets import Networks, WebhookTarget, check_url, resolved

RESOLVE_S = 5.0  # DNS lookup
CONNECT_S = 5.0  # connection to each address
WITHIN_S = 10.0  # whole request
MOST_ADDRESSES = 3
MOST_READ = 4096  # bytes of the response's body, which are discarded

AGENT = f"lama-arena/{__version__}"


def post(
    url: str,
    body: bytes,
    headers: dict[str, str],
    allowed: Networks = (),
    tls: ssl.SSLContext | None = None,
) -> DeliveryResult:
    """Send a body and return the outcome, within `WITHIN_S`."""
    begun = time.monotonic()
    try:
        target = check_url(url, allowed)
        addresses = _resolved(target, allowed)
    except InvalidRequest as error:
        return DeliveryResult(error=str(error))
    except TimeoutError:
        late = f"The DNS lookup took longer than {RESOLVE_S:g} seconds."
        return DeliveryResult(None, time.monotonic() - begun, late)
    status, problem = _ask(target, addresses, body, headers, tls, begun)
    return DeliveryResult(status, time.monotonic() - begun, problem)


def _resolved(target: WebhookTarget, allowed: Networks) -> Sequence[Address]:
    """Resolve the host. Raises InvalidRequest, TimeoutError. The system's resolver cannot be
    interrupted, so it runs in a thread that may outlive the call."""
    answer = Future[Sequence[Address]]()

    def look_up() -> None:
        try:
            answer.set_result(resolved(target, allowed))
        except Exception as error:  # raised again in the waiting thread
            answer.set_exception(error)

    threading.Thread(target=look_up, name="webhooks: name", daemon=True).start()
    return answer.result(RESOLVE_S)


def _ask(
    target: WebhookTarget,
    addresses: Sequence[Address],
    body: bytes,
    headers: dict[str, str],
    tls: ssl.SSLContext | None,
    begun: float,
) -> tuple[int | None, str]:
    late = f"No complete response within {WITHIN_S:.0f} seconds."
    try:
        with closing(_connected(addresses, target.port)) as plain:
            left = WITHIN_S - (time.monotonic() - begun)
            connection = _connection(target, plain, tls)
            with closing(connection), _Deadline(connection.sock, left) as deadline:
                try:
                    status = _status(connection, target, body, headers, deadline)
                except ssl.SSLCertVerificationError as error:
                    return None, f"The certificate is not valid: {error.verify_message}."
                except (OSError, HTTPException, ValueError) as error:
                    spent = deadline.over or isinstance(error, TimeoutError)
                    return None, late if spent else _words(error)
    except OSError as error:
        return None, _words(error)
    return status, "" if 200 <= status < 300 else _refused(status)


def _connected(addresses: Sequence[Address], port: int) -> socket.socket:
    """Connect to the first of these addresses that accepts. Raises OSError."""
    error: OSError = OSError("no address")
    for address in addresses[:MOST_ADDRESSES]:
        try:
            return socket.create_connection((str(address), port), timeout=CONNECT_S)
        except OSError as failed:
            error = failed
            if isinstance(failed, TimeoutError):
                break  # the others would probably time out, too
    raise error


def _connection(
    target: WebhookTarget, plain: socket.socket, tls: ssl.SSLContext | None
) -> HTTPConnection:
    plain.settimeout(WITHIN_S)
    if target.scheme == "http":
        connection = HTTPConnection(target.host, target.port)
        connection.sock = plain
    else:
        tls = tls or ssl.create_default_context()
        connection = HTTPSConnection(target.host, target.port, context=tls)
        connection.sock = tls.wrap_socket(
            plain, server_hostname=target.host, do_handshake_on_connect=False
        )
    connection.auto_open = 0
    return connection


def _status(
    connection: HTTPConnection,
    target: WebhookTarget,
    body: bytes,
    headers: dict[str, str],
    deadline: _Deadline,
) -> int:
    if isinstance(connection.sock, ssl.SSLSocket):
        connection.sock.do_handshake()
    said = {"Content-Type": "application/json", "User-Agent": AGENT, "Connection": "close"}
    connection.request("POST", target.path, body, {**said, **headers})
    with closing(connection.getresponse()) as answer:
        if deadline.over:  # cut off within the headers, which looks like their end
            raise TimeoutError
        with suppress(OSError, HTTPException):
            answer.read(MOST_READ)
        return answer.status


class _Deadline:
    """Closes a connection at its deadline, even while it receives bytes slowly."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._sock = sock
        self.over = False
        self._timer = threading.Timer(max(seconds, 0.0), self._cut)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _cut(self) -> None:
        self.over = True
        with suppress(OSError):
            # Not the method of the TLS socket, which would first send a close notification.
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)


def _refused(status: int) -> str:
    if 300 <= status < 400:
        return f"Answered {status}: redirects are not followed."
    return f"Answered {status}."


def _words(error: Exception) -> str:
    """Describe an error, without any text from the receiver."""
    if isinstance(error, TimeoutError):
        return f"No connection within {CONNECT_S:.0f} seconds."
    if isinstance(error, ConnectionRefusedError):
        return "The connection was refused."
    if isinstance(error, ssl.SSLError):
        return "No TLS connection could be made."
    if isinstance(error, HTTPException):
        return "The response was missing or not valid HTTP."
    if isinstance(error, OSError) and error.strerror:
        return f"The connection failed: {error.strerror}."
    return "The connection failed."
