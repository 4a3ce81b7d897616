"""The list of bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template

from arena.live.reader import Live
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER_BOT, limit
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import (
    CONNECTION,
    ConnectionState,
    connection,
    serialize_connection,
)
from dashboard.events.part import live_part
from dashboard.sources import sources

page = Blueprint("bots", __name__)

BOT = Shape(
    "Bot",
    RegisteredBot,
    about="A bot in its newest version; `matches` are those finished in all versions.",
    hidden=("id", "player", "owner"),
    more={"matches": int, "connection": CONNECTION},
)
BOTS = Shape("Bots", about="A page of bots, by name.", more={"bots": Many(BOT), "next": str})


@dataclass(frozen=True)
class BotRow:
    """A bot, how it is connected, and how many matches it has finished."""

    bot: RegisteredBot
    connection: ConnectionState
    matches: int


@page.get("/bots")
def show() -> str:
    """The page."""
    return render_template("bots/index/page.html", **_context())


@page.get("/bots/-/live")
def live() -> str:
    """The part of the page that changes."""
    return render_template("bots/index/live.html", **_context())


@page.get("/api/bots.csv")
@page.get("/api/bots")
@answers(BOTS, query=(limit(200), AFTER_BOT), rows="bots")
def as_json(limit: int, after: str) -> dict[str, Any]:
    """All bots by name, with their connection."""
    lines, _ = _lines()
    left = [line for line in lines if line.bot.name.lower() > after.lower()]
    page = left[:limit]
    following = page[-1].bot.name if len(left) > limit else ""
    return BOTS.tell(bots=[serialize_bot(line) for line in page], next=following)


def serialize_bot(line: BotRow) -> dict[str, Any]:
    """A bot as JSON."""
    return BOT.tell(
        line.bot, matches=line.matches, connection=serialize_connection(line.connection)
    )


def _context() -> dict[str, object]:
    part = live_part("bots")
    lines, live = _lines()
    return {"part": part, "lines": lines, "live": live}


def _lines() -> tuple[list[BotRow], Live]:
    with sources().read() as conn:
        registered, counts = bots.all_bots(conn), bots.match_counts(conn)
    live = sources().live([bot.player for bot in registered])
    lines = [BotRow(bot, connection(live, bot.player), counts.get(bot.id, 0)) for bot in registered]
    return lines, live
