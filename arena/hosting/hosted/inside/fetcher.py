"""Fetches the packages of a lock from an index, in a sandbox of its own: what the index answers is
no more to be trusted than an upload.

What comes is the pins and how to reach the index, as JSON; what goes out is a tree of wheels. The
sandbox has no network: it asks its host for connections, one after the other, and gets them open.
See PEP 503 and 691 for what an index answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.inside.http_client import Client
from arena.hosting.hosted.inside.step import carry_out, tell
from arena.hosting.submission import tree
from arena.hosting.submission.files import BUILT, MB, File
from arena.hosting.submission.packages import WHEELS

LARGEST_PAGE = 32 * MB
JSON = "application/vnd.pypi.simple.v1+json"
ACCEPTED = f"{JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
WRONG_MARKER = (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, RecursionError)


def main(arguments: Mapping[str, Any]) -> None:
    """Fetches what comes. `control` is the socket to ask for connections."""

    def work(told: bytes) -> Iterator[bytes]:
        order = json.loads(told)
        client = Client(arguments["control"], order["authorities"], order["most"])
        return tree.write(fetched(client, order), BUILT)

    carry_out(arguments, work)


class Offer(NamedTuple):
    """A file that the index has."""

    name: str
    url: str
    sha256: str  # empty if the index does not say


def fetched(client: Client, order: Mapping[str, Any]) -> list[File]:
    """The wheel of each pin that is for this Python. Raises InvalidRequest."""
    ranks = {tag: rank for rank, tag in enumerate(order["tags"])}
    found = []
    for pin in order["pins"]:
        if not _applies(pin):
            continue
        offer = _best(pin, _offers(client, order["index"], pin["name"]), ranks)
        found.append(File(f"{WHEELS}/{offer.name}", _content(client, pin, offer)))
        tell([f"Fetched: {offer.name}."])
    return found


def _applies(pin: Mapping[str, Any]) -> bool:
    """Whether the pin's condition holds here. Raises InvalidRequest if it is none."""
    try:
        return not pin["marker"] or Marker(pin["marker"]).evaluate({"extra": ""})
    except WRONG_MARKER:
        raise InvalidRequest(
            f"The condition of {pin['name']} in the lock is none: {pin['marker'][:80]}"
        ) from None


def _offers(client: Client, index: str, name: str) -> list[Offer]:
    """The files that the index has of a package. Raises InvalidRequest."""
    page = client.get(f"{index.rstrip('/')}/{name}/", LARGEST_PAGE, ACCEPTED)
    if page is None:
        raise InvalidRequest(f"The index has no package {name}.")
    try:
        if page.kind == JSON:
            return [_offer_of(entry, page.url) for entry in json.loads(page.content)["files"]]
        parser = _Links(page.url)
        parser.feed(page.content.decode())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InvalidRequest(f"What the index says of {name} cannot be read.") from None
    return parser.offers


def _offer_of(entry: Mapping[str, Any], page: str) -> Offer:
    sha256 = entry.get("hashes", {}).get("sha256", "")
    return Offer(str(entry["filename"]), urljoin(page, entry["url"]), str(sha256))


class _Links(HTMLParser):
    """The links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.offers: list[Offer] = []
        self._page = page

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """A link is a file; its hash stands behind the address."""
        to = dict(attrs).get("href")
        if tag == "a" and to:
            url, fragment = urldefrag(urljoin(self._page, to))
            sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
            self.offers.append(Offer(unquote(url.rpartition("/")[2]), url, sha256))


def _best(pin: Mapping[str, Any], offers: Sequence[Offer], ranks: Mapping[str, int]) -> Offer:
    """The wheel that fits best of those that the lock knows. Raises InvalidRequest."""
    fitting = [(rank, offer) for offer in offers if (rank := _rank(pin, offer, ranks)) is not None]
    if not fitting:
        raise InvalidRequest(
            f"The index has no wheel of {pin['name']} {pin['version']} that fits this Python and "
            "machine and has a hash of the lock: lock another version, or put a wheel into the "
            f"folder {WHEELS}."
        )
    return min(fitting)[1]


def _rank(pin: Mapping[str, Any], offer: Offer, ranks: Mapping[str, int]) -> int | None:
    """How well a file fits, 0 for best; None if it does not."""
    if offer.sha256 and offer.sha256 not in pin["hashes"]:
        return None
    try:
        name, version, _, tags = parse_wheel_filename(offer.name)
        if name != pin["name"] or version != Version(pin["version"]):
            return None
    except (InvalidWheelFilename, InvalidVersion):
        return None
    return min((ranks[str(tag)] for tag in tags if str(tag) in ranks), default=None)


def _content(client: Client, pin: Mapping[str, Any], offer: Offer) -> bytes:
    page = client.get(offer.url, client.left)
    if page is None:
        raise InvalidRequest(f"The index names {offer.name}, and does not have it.")
    client.left -= len(page.content)
    if hashlib.sha256(page.content).hexdigest() not in pin["hashes"]:
        raise InvalidRequest(
            f"{offer.name} of the index has another hash than the lock says: it is not that file."
        )
    return page.content
