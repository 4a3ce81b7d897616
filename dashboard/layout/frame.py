"""The frame of each page: the links at its top, and the user's theme."""

from typing import NamedTuple

from flask import request

# Title, path, and the key to press after G.
PLACES = (
    ("Play", "/play", "p"),
    ("Matches", "/matches", "m"),
    ("Tournaments", "/tournaments", "t"),
    ("Ratings", "/ratings", "r"),
    ("Bots", "/bots", "b"),
    ("Rules", "/rules", "u"),
    ("Write a bot", "/sdk", "w"),
)
ELSEWHERE = {"series": "/tournaments", "invitations": "/tournaments"}  # by the path's first part

COOKIE = "arena_theme"
THEMES = ("system", "light", "dark")


class NavigationEntry(NamedTuple):
    """One link; `here` marks the current part of the site."""

    title: str
    path: str
    here: bool
    key: str = ""


def entries(path: str) -> list[NavigationEntry]:
    path = ELSEWHERE.get(path.split("/")[1], path)
    return [
        NavigationEntry(title, place, path == place or path.startswith(f"{place}/"), key)
        for title, place, key in PLACES
    ]


def theme() -> str:
    wanted = request.cookies.get(COOKIE, "")
    return wanted if wanted in THEMES else "system"
