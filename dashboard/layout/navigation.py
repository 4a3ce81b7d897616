"""The links at the top of each page."""

from __future__ import annotations

from typing import NamedTuple

PLACES = (
    ("Ratings", "/ratings"),
    ("Tournaments", "/tournaments"),
    ("Matches", "/matches"),
    ("Bots", "/bots"),
    ("Play", "/play"),
    ("Rules", "/rules"),
    ("Write a bot", "/sdk"),
)


class NavigationEntry(NamedTuple):
    """One link; `here` for the part of the site that the page belongs to."""

    title: str
    path: str
    here: bool


def entries(path: str) -> list[NavigationEntry]:
    """The links, as they stand on the page with this path."""
    return [
        NavigationEntry(title, place, path == place or path.startswith(f"{place}/"))
        for title, place in PLACES
    ]
