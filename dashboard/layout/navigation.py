"""The links at the top of each page."""

from __future__ import annotations

from typing import NamedTuple

# With the letter that leads there after a G.
PLACES = (
    ("Play", "/play", "p"),
    ("Matches", "/matches", "m"),
    ("Tournaments", "/tournaments", "t"),
    ("Ratings", "/ratings", "r"),
    ("Bots", "/bots", "b"),
    ("Rules", "/rules", "u"),
    ("Write a bot", "/sdk", "w"),
)


class NavigationEntry(NamedTuple):
    """One link; `here` for the part of the site that the page belongs to."""

    title: str
    path: str
    here: bool
    key: str = ""


def entries(path: str) -> list[NavigationEntry]:
    """The links, as they stand on the page with this path."""
    return [
        NavigationEntry(title, place, path == place or path.startswith(f"{place}/"), key)
        for title, place, key in PLACES
    ]
