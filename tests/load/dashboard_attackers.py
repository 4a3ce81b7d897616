"""Attacks on a dashboard, by plain sockets."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection

from tests.load.attackers import Count, Target

FORM = b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\na="
PAGE = b"GET /docs/bots HTTP/1.1\r\nHost: x\r\n\r\n"


def half_sent(number: int, text: bytes) -> Callable[[Target, Count], None]:
    """An attack that keeps connections open after sending an incomplete request.

    Closed connections count as refused and are opened again.
    """

    def attack(target: Target, count: Count) -> None:
        end = time.monotonic() + target.seconds
        held: list[socket.socket] = []
        while time.monotonic() < end:
            held = [each for each in held if not _closed(each, count)]
            while len(held) < number and time.monotonic() < end:
                with suppress(OSError):
                    held.append(_opened(target, text))
                    count.attempts += 1
            time.sleep(0.2)
        for each in held:
            each.close()

    return attack


def page_flood(target: Target, count: Count) -> None:
    """Complete requests on 100 connections, each sent after the previous answer."""
    threads = [threading.Thread(target=_ask, args=(target, count)) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _ask(target: Target, count: Count) -> None:
    end = time.monotonic() + target.seconds
    connection = HTTPConnection("127.0.0.1", target.pages, timeout=30)
    while time.monotonic() < end:
        try:
            connection.request("GET", "/sign-in")
            answer = connection.getresponse()
            answer.read()
            count.attempts += 1
            if answer.status != HTTPStatus.OK:
                count.refuse(str(answer.status))
        except OSError:
            count.refuse("closed")
            connection.close()
    connection.close()


def _opened(target: Target, text: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", target.pages), timeout=2)
    connection.sendall(text)
    connection.setblocking(False)
    return connection


def _closed(connection: socket.socket, count: Count) -> bool:
    try:
        # Answers stay unread; one byte shows whether the connection is open.
        closed = not connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        closed = True
    if closed:
        count.refuse("closed")
        connection.close()
    return closed


DASHBOARD_ATTACKS: dict[str, Callable[[Target, Count], None]] = {
    "160 half-sent forms": half_sent(160, FORM),
    "1,300 silent connections, pages": half_sent(1300, b""),
    "200 half request lines": half_sent(200, b"GET / HT"),
    "200 unread pages": half_sent(200, PAGE),
    "pages on 100 connections": page_flood,
}
