"""Downloads the packages of a lockfile from an index, in a separate sandbox: the responses of an
index are as untrusted as an upload.

The input is JSON with the pins and the address of the index, and the output an artifact of wheels.
The sandbox has no network. It requests connections from its host, one at a time, and gets them
open. PEP 503 and 691 define the responses of an index.
"""

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
from arena.hosting.submission import artifact
from arena.hosting.submission.files import BUILT, MB, File
from arena.hosting.submission.packages import WHEELS

LARGEST_PAGE = 32 * MB
JSON = "application/vnd.pypi.simple.v1+json"
ACCEPTED = f"{JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
WRONG_MARKER = (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, RecursionError)


def main(arguments: Mapping[str, Any]) -> None:
    """Download the packages. `control` is the socket for requesting connections."""

    def work(told: bytes) -> Iterator[bytes]:
        order = json.loads(told)
        client = Client(arguments["control"], order["authorities"], order["most"])
        return artifact.write(fetched(client, order), BUILT)

    carry_out(arguments, work)


class Offer(NamedTuple):
    """A file that the index lists."""

    name: str
    url: str
    sha256: str  # empty if the index does not list it


def fetched(client: Client, order: Mapping[str, Any]) -> list[File]:
    """Return the wheel of each pin that applies here. Raises InvalidRequest."""
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
    """Return whether the pin's environment marker holds here. Raises InvalidRequest."""
    try:
        return not pin["marker"] or Marker(pin["marker"]).evaluate({"extra": ""})
    except WRONG_MARKER:
        raise InvalidRequest(
            f"Invalid environment marker for {pin['name']} in the lockfile: {pin['marker'][:80]}"
        ) from None


def _offers(client: Client, index: str, name: str) -> list[Offer]:
    """Return the files that the index lists for a package. Raises InvalidRequest."""
    page = client.get(f"{index.rstrip('/')}/{name}/", LARGEST_PAGE, ACCEPTED)
    if page is None:
        raise InvalidRequest(f"The package index has no package {name}.")
    try:
        if page.kind == JSON:
            return [_offer_of(entry, page.url) for entry in json.loads(page.content)["files"]]
        parser = _Links(page.url)
        parser.feed(page.content.decode())
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InvalidRequest(f"The package index returned an invalid page for {name}.") from None
    return parser.offers


def _offer_of(entry: Mapping[str, Any], page: str) -> Offer:
    sha256 = entry.get("hashes", {}).get("sha256", "")
    return Offer(str(entry["filename"]), urljoin(page, entry["url"]), str(sha256))


class _Links(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.offers: list[Offer] = []
        self._page = page

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Collect a link as a file, with the hash from its fragment."""
        to = dict(attrs).get("href")
        if tag == "a" and to:
            url, fragment = urldefrag(urljoin(self._page, to))
            sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
            self.offers.append(Offer(unquote(url.rpartition("/")[2]), url, sha256))


def _best(pin: Mapping[str, Any], offers: Sequence[Offer], ranks: Mapping[str, int]) -> Offer:
    """Return the best fitting wheel with a hash of the lockfile. Raises InvalidRequest."""
    fitting = [(rank, offer) for offer in offers if (rank := _rank(pin, offer, ranks)) is not None]
    if not fitting:
        raise InvalidRequest(
            f"The package index has no wheel of {pin['name']} {pin['version']} that fits this"
            " Python and platform and has a hash of the lockfile. Lock another version, or put a"
            f" wheel into the folder {WHEELS}."
        )
    return min(fitting)[1]


def _rank(pin: Mapping[str, Any], offer: Offer, ranks: Mapping[str, int]) -> int | None:
    """Return how well a file fits, 0 for best; None if it does not."""
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
        raise InvalidRequest(f"The index lists {offer.name}, but the download returned 404.")
    client.left -= len(page.content)
    if hashlib.sha256(page.content).hexdigest() not in pin["hashes"]:
        raise InvalidRequest(
            f"The downloaded {offer.name} has a different hash than in the lockfile. Lock it again."
        )
    return page.content
