"""The page: the same sentences and numbers as `arena status`."""

from __future__ import annotations

import time

from flask import Blueprint, render_template

from arena.health.words import hints, numbers
from dashboard.events.part import live_part
from dashboard.system.health.state import current_state

page = Blueprint("status", __name__)


@page.get("/status")
def show() -> str:
    """The page."""
    return render_template("status/page.html", **_context())


@page.get("/status/live")
def live() -> str:
    """The part of the page that changes."""
    return render_template("status/live.html", **_context())


def _context() -> dict[str, object]:
    now, part = time.time(), live_part("home")
    arena = current_state(now)
    return {
        "part": part,
        "problems": arena.problems,
        "numbers": numbers(arena.health, now),
        "hints": hints(arena.health),
    }
