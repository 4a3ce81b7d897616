"""The frame of each page: the links at its top, the problems of its form, and the user's theme."""

from typing import NamedTuple

from flask import g, request

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


def report_problem(sentence: str, field: str = "") -> str:
    """Add a problem to the summary of the page, with a link to the field of this id. Return ""."""
    if sentence:
        found = form_problems()
        found[sentence] = found.get(sentence) or field
    return ""


def form_problems() -> dict[str, str]:
    """Return the problems of the page: ids of fields by sentence."""
    found: dict[str, str] = g.setdefault("problems", {})
    return found


def theme() -> str:
    wanted = request.cookies.get(COOKIE, "")
    return wanted if wanted in THEMES else "system"
