"""Which feeds belong to the present page: said in its head, for readers, and at its foot."""

from __future__ import annotations

from typing import NamedTuple

from flask import request, url_for


class FeedLink(NamedTuple):
    """A feed and what it is called."""

    title: str
    address: str


def feed_links() -> list[FeedLink]:
    """The feed that fits best comes first; the last one is about all the arena."""
    found = [FeedLink("News of the arena", url_for("feeds.site"))]
    blueprint = (request.endpoint or "").partition(".")[0]
    if blueprint in ("tournaments", "tournament", "watch"):
        found.insert(0, FeedLink("Tournament results", url_for("feeds.tournaments")))
    if request.endpoint == "bot.show":
        name = (request.view_args or {})["name"]
        found.insert(0, FeedLink(f"Matches of {name}", url_for("feeds.bot", name=name)))
    return found
