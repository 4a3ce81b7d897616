"""The user's theme: light, dark, or the system's."""

from __future__ import annotations

from flask import request

COOKIE = "arena_theme"
THEMES = ("system", "light", "dark")


def theme() -> str:
    """Return the theme of the current browser."""
    wanted = request.cookies.get(COOKIE, "")
    return wanted if wanted in THEMES else "system"
