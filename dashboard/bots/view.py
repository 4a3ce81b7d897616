"""The list of bots."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, jsonify, render_template

from arena.store import bots
from arena.store.bots import Bot
from dashboard.bots.connection import Connection, connection, told
from dashboard.sources import Live, sources

page = Blueprint("bots", __name__)


@dataclass(frozen=True)
class BotLine:
    """A bot, how it is connected, and how many matches it has finished."""

    bot: Bot
    connection: Connection
    matches: int


@page.get("/bots")
def show() -> str:
    """The page."""
    lines, live = _lines()
    return render_template("bots/page.html", lines=lines, live=live)


@page.get("/bots/-/live")
def live() -> str:
    """The part of the page that changes."""
    lines, live = _lines()
    return render_template("bots/live.html", lines=lines, live=live)


@page.get("/api/bots")
def as_json() -> Response:
    """All bots by name, with their connection."""
    lines, _ = _lines()
    return jsonify(bots=[line_told(line) for line in lines])


def line_told(line: BotLine) -> dict[str, object]:
    """A bot as JSON."""
    return {
        "name": line.bot.name,
        "version": line.bot.version,
        "created": line.bot.created,
        "matches": line.matches,
        "connection": told(line.connection),
    }


def _lines() -> tuple[list[BotLine], Live]:
    with sources().read() as conn:
        registered, counts = bots.all_bots(conn), bots.match_counts(conn)
    live = sources().live([bot.player for bot in registered])
    lines = [
        BotLine(bot, connection(live, bot.player), counts.get(bot.id, 0)) for bot in registered
    ]
    return lines, live
