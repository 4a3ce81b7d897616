"""The theme that a reader chose: light, dark, or what their system says."""

from __future__ import annotations

from flask import request

COOKIE = "arena_theme"
THEMES = ("system", "light", "dark")


def theme() -> str:
    """What the present browser asked for."""
    wanted = request.cookies.get(COOKIE, "")
    return wanted if wanted in THEMES else "system"
