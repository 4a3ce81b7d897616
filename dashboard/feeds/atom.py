"""A feed as XML (RFC 4287)."""

from __future__ import annotations

import re
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

MIMETYPE = "application/atom+xml"
NAMESPACE = "http://www.w3.org/2005/Atom"
# Characters that XML 1.0 does not allow.
UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class FeedEntry:
    """An event. `key` never changes and is the same in every feed, so readers show it once."""

    key: str
    title: str
    summary: str
    address: str
    at: float  # Unix seconds
    author: str = ""


@dataclass(frozen=True)
class Feed:
    """Entries, newest first, with the addresses of the feed and of its page."""

    title: str
    address: str
    page: str
    entries: Sequence[FeedEntry]


def document(feed: Feed) -> bytes:
    """Return the feed as XML in UTF-8."""
    root = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": "en"})
    newest = max((entry.at for entry in feed.entries), default=0.0)
    _texts(root, id=feed.address, title=feed.title, updated=_moment(newest))
    _by(root, "lama-arena")
    ET.SubElement(root, "link", rel="self", type=MIMETYPE, href=feed.address)
    ET.SubElement(root, "link", rel="alternate", type="text/html", href=feed.page)
    for entry in feed.entries:
        _add(root, entry)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _add(root: ET.Element, entry: FeedEntry) -> None:
    element = ET.SubElement(root, "entry")
    key = uuid.uuid5(uuid.NAMESPACE_URL, f"lama-arena/{entry.key}").urn
    _texts(element, id=key, title=entry.title, updated=_moment(entry.at), summary=entry.summary)
    ET.SubElement(element, "link", rel="alternate", type="text/html", href=entry.address)
    if entry.author:
        _by(element, entry.author)


def _texts(parent: ET.Element, **texts: str) -> None:
    for name, text in texts.items():
        ET.SubElement(parent, name).text = UNWRITABLE.sub("\ufffd", text)


def _by(parent: ET.Element, name: str) -> None:
    _texts(ET.SubElement(parent, "author"), name=name)


def _moment(unix: float) -> str:
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
