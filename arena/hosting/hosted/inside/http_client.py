"""HTTP from a sandbox without a network: its host opens the connections."""

from __future__ import annotations

import array
import json
import socket
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import size_text

if TYPE_CHECKING:
    import ssl

PORTS = {"http": 80, "https": 443}
SILENT_S = 20.0  # without a byte from the server
LARGEST_ANSWER = 4096  # bytes of the host's answer to a request for a connection
REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 5
AGENT = "lama-arena"
AT_ONCE = 1 << 18

Ask = Callable[[str, int], socket.socket]  # returns a connection to a host and port


class Page(NamedTuple):
    """A response."""

    url: str  # after redirects
    kind: str  # its content type
    content: bytes


class Client:
    """Downloads pages and files, over connections that it requests on the socket `control`.

    `authorities` are the trusted certificates, as PEM. `left` is the number of bytes of files that
    may still be downloaded.
    """

    def __init__(self, control: int, authorities: str, left: int) -> None:
        self.left = left
        self._control = socket.socket(fileno=control)
        self._authorities = authorities
        self._context: ssl.SSLContext | None = None
        self._open: dict[tuple[str, str], _Connection] = {}

    def get(self, url: str, most: int, accepted: str = "*/*") -> Page | None:
        """Return the page at a URL, of at most `most` bytes; None if it is missing. Raises
        InvalidRequest with a sentence for an author."""
        for _ in range(MOST_REDIRECTS):
            place = self._place(url)
            try:
                response = self._request(place, accepted)
                if response.status in REDIRECTS:
                    url = self._redirected(place, response)
                    continue
                return self._page(url, response, most)
            except TimeoutError:
                raise InvalidRequest(
                    f"{place.hostname} did not respond for {SILENT_S:g} s. Submit again later."
                ) from None
            except (OSError, HTTPException, ValueError) as error:
                raise InvalidRequest(
                    f"The request to {place.hostname} failed. {type(error).__name__}: {error}"
                ) from None
        raise InvalidRequest(f"{url}: too many redirects.")

    def _place(self, url: str) -> SplitResult:
        try:
            place = urlsplit(url)
            known = place.scheme in PORTS and place.hostname and place.port != 0
        except ValueError:
            known = False
        if not known or place.username is not None:
            raise InvalidRequest(f"The package index returned an invalid URL: {url[:80]}")
        return place

    def _request(self, place: SplitResult, accepted: str) -> HTTPResponse:
        at = (place.scheme, place.netloc)
        if (used := self._open.get(at)) is not None:
            with suppress(ConnectionError):  # it has hung up: try a new one
                return self._requested(used, place, accepted)
        if place.scheme == "https" and self._context is None:
            self._context = _context(self._authorities)
        connection = self._open[at] = _Connection(place, self._asked_for, self._context)
        return self._requested(connection, place, accepted)

    def _requested(
        self, connection: _Connection, place: SplitResult, accepted: str
    ) -> HTTPResponse:
        target = f"{place.path or '/'}{f'?{place.query}' if place.query else ''}"
        headers = {"Accept": accepted, "Accept-Encoding": "identity", "User-Agent": AGENT}
        connection.request("GET", target, headers=headers)
        return connection.getresponse()

    def _redirected(self, place: SplitResult, response: HTTPResponse) -> str:
        """Return the target of a redirect. Raises InvalidRequest for another server."""
        self._open.pop((place.scheme, place.netloc)).close()  # the body is not read
        url = urljoin(place.geturl(), response.headers.get("Location", ""))
        other = self._place(url)
        if (other.scheme, other.netloc) != (place.scheme, place.netloc):
            raise InvalidRequest(
                f"{place.netloc} redirects to another server, {other.netloc[:80]}. Such redirects"
                " are not followed."
            )
        return url

    def _page(self, url: str, response: HTTPResponse, most: int) -> Page | None:
        """Return the page of a response; None for 404 and 410. Raises InvalidRequest."""
        content = bytearray()
        while response.status == 200 and (part := response.read(AT_ONCE)):
            content += part
            if len(content) > most:
                raise InvalidRequest(f"{url[:200]} is larger than {size_text(most)}, the limit.")
        if response.status in (404, 410):
            response.read(AT_ONCE)
            return None
        if response.status != 200:
            raise InvalidRequest(f"{url[:200]} returned status {response.status}.")
        return Page(url, response.headers.get_content_type(), bytes(content))

    def _asked_for(self, host: str, port: int) -> socket.socket:
        """Return a connection from the host. Raises InvalidRequest with the host's reason."""
        self._control.send(json.dumps({"host": host, "port": port}).encode())
        room = socket.CMSG_SPACE(array.array("i").itemsize)
        answer, ancillary, _, _ = self._control.recvmsg(LARGEST_ANSWER, room)
        if not ancillary:
            raise InvalidRequest(answer.decode() or "The build was stopped.")
        return socket.socket(fileno=array.array("i", ancillary[0][2])[0])


def _context(authorities: str) -> ssl.SSLContext:
    import ssl  # here, since an index without TLS does not need it

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authorities:
        context.load_verify_locations(cadata=authorities)
    return context


class _Connection(HTTPConnection):
    """A connection to one server; `ask` returns its socket."""

    def __init__(self, place: SplitResult, ask: Ask, context: ssl.SSLContext | None) -> None:
        assert place.hostname is not None
        self.default_port = PORTS[place.scheme]
        super().__init__(place.hostname, place.port or PORTS[place.scheme], timeout=SILENT_S)
        self._ask = ask
        self._context = context if place.scheme == "https" else None

    def connect(self) -> None:
        """Request the socket from the host."""
        plain = self._ask(self.host, self.port)
        plain.settimeout(SILENT_S)
        self.sock = plain
        if self._context is not None:
            self.sock = self._context.wrap_socket(plain, server_hostname=self.host)
