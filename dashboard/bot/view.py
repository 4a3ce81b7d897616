"""One bot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flask import Blueprint, render_template
from sqlalchemy import Connection

from arena.rating.elo import START
from arena.store import bots, matches, ratings
from arena.store.bots import Bot
from arena.store.faults import FaultRow, recent_faults
from arena.store.ratings import Rating
from arena.store.results import FaultNote
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bot.queries import places
from dashboard.bots.connection import connection
from dashboard.bots.view import BOT, BotLine, line_told
from dashboard.events.part import live_part
from dashboard.matches.told import MATCH
from dashboard.matches.told import told as match_told
from dashboard.sources import sources

page = Blueprint("bot", __name__)

LATEST = 15

PLACE = Shape(
    "BotRating",
    Rating,
    about="A bot's line in a rating table; `seats` is 0 for tables of any number.",
    more={"game": str, "seats": int},
)
FAULT = Shape(
    "Fault",
    FaultNote,
    about="A fault; what the bot did tells of its cards, so a locked match keeps it.",
    more={
        "match": str,
        "finished": float,
        "locked": bool,
        "reason": str | None,
        "instead": str | None,
    },
)
WHOLE = Shape(
    "BotWithResults",
    about="A bot with its ratings, latest matches and latest faults.",
    more={**BOT.fields, "ratings": Many(PLACE), "latest": Many(MATCH), "faults": Many(FAULT)},
)


@page.get("/bots/<bot:name>")
def show(name: str) -> str:
    """The page."""
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        bot = bots.get(conn, name)
        found = places(conn, bot.name)
        games = dict.fromkeys(game for game, *_ in found)
        shown = {
            "part": part,
            "bot": bot,
            "places": found,
            "curves": {
                game: [p.elo for p in ratings.history(conn, bot.player, game)] for game in games
            },
            "start": START,
            "matches": matches.list_matches(conn, bot=bot.name, limit=LATEST)[0],
            "faults": recent_faults(conn, bot.name, LATEST),
        }
    live = sources().live([bot.player])
    return render_template("bot/page.html", **shown, connection=connection(live, bot.player))


@page.get("/bots/<bot:name>/live")
def live(name: str) -> str:
    """The part of the page that changes."""
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        bot = bots.get(conn, name)
    found = connection(sources().live([bot.player]), bot.player)
    return render_template("bot/live.html", part=part, bot=bot, connection=found)


@page.get("/api/bots/<bot:name>")
@answers(WHOLE)
def as_json(name: str) -> dict[str, Any]:
    """A bot with its connection, ratings, latest matches and latest faults."""
    with sources().read() as conn:
        bot = bots.get(conn, name)
        found = places(conn, bot.name)
        count = bots.match_counts(conn).get(bot.id, 0)
        latest, _ = matches.list_matches(conn, bot=bot.name, limit=LATEST)
        faults = recent_faults(conn, bot.name, LATEST)
    line = BotLine(bot, connection(sources().live([bot.player]), bot.player), count)
    return WHOLE.tell(
        **line_told(line),
        ratings=[PLACE.tell(own, game=game, seats=seats) for game, seats, _, own in found],
        latest=[match_told(match) for match in latest],
        faults=[_fault_told(fault) for fault in faults],
    )


def _curve(conn: Connection, bot: Bot, game: str) -> list[float]:
    """A bot's Elo from the start on."""
    return [START, *(point.elo for point in ratings.history(conn, bot.player, game))]


def _fault_told(fault: FaultRow) -> dict[str, Any]:
    note = asdict(fault.note)
    if fault.locked:
        note["reason"] = note["instead"] = None
    return FAULT.tell(match=fault.match, finished=fault.finished, locked=fault.locked, **note)
