"""The list of bots."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, request
from sqlalchemy import Connection

from arena.service.live.reader import Live
from arena.store.registry import bot_lists, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER_BOT, limit
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import (
    CONNECTION,
    ConnectionState,
    connection,
    serialize_connection,
)
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources
from dashboard.urls import requested_bot, requested_number

page = Blueprint("bots", __name__)

PAGE = 100

BOT = Shape(
    "Bot",
    RegisteredBot,
    about="A bot in its newest version. `matches` counts finished matches of all versions.",
    hidden=("id", "player", "owner"),
    more={"matches": int, "connection": CONNECTION},
)
BOTS = Shape("Bots", about="A page of bots, by name.", more={"bots": Many(BOT), "next": str})


@dataclass(frozen=True)
class BotRow:
    """A bot, its connection, its number of finished matches, and its line in the leaderboard of the
    game that it has most rated matches in, if any."""

    bot: RegisteredBot
    connection: ConnectionState
    matches: int
    rated: tuple[str, Rating] | None = None  # the game, the line


@page.get("/bots", endpoint="show")
@page.get("/bots/-/live", endpoint="live")
def show() -> str:
    part = live_part("bots")
    sort = "rating" if request.args.get("sort") == "rating" else ""
    after = (requested_number("after", 0) or 0) if sort else (requested_bot("after") or "")
    lines, following, live = _lines(PAGE, after)
    with sources().read() as conn:
        tables = _tables(conn)
    return page_or_part(
        "bots/index",
        part=part,
        lines=[replace(line, rated=_most_rated(line.bot.player, tables)) for line in lines],
        sort=sort,
        after=after,
        following=following,
        live=live,
    )


@page.get("/api/bots.csv")
@page.get("/api/bots")
@answers(BOTS, query=(limit(200), AFTER_BOT), rows="bots")
def as_json(limit: int, after: str) -> dict[str, Any]:
    """All bots by name, with their connection."""
    lines, following, _ = _lines(limit, after)
    return BOTS.tell(bots=[serialize_bot(line) for line in lines], next=following)


def serialize_bot(line: BotRow) -> dict[str, Any]:
    return BOT.tell(
        line.bot, matches=line.matches, connection=serialize_connection(line.connection)
    )


def _tables(conn: Connection) -> Mapping[str, Mapping[int, Rating]]:
    return {game: leaderboard.by_player(conn, game) for game in leaderboard.games(conn)}


def _most_rated(
    player: int, tables: Mapping[str, Mapping[int, Rating]]
) -> tuple[str, Rating] | None:
    """Return the game in which a player has most matches, and its line there."""
    rated = [(game, table[player]) for game, table in tables.items() if player in table]
    rated = [each for each in rated if each[1].rating is not None]
    return max(rated, key=lambda each: each[1].matches, default=None)


def _by_rating(conn: Connection, limit: int, after: int) -> tuple[list[RegisteredBot], str]:
    """Return a page of the rated bots, best first, and the `after` of the next page."""
    tables = _tables(conn)
    lines = {line.player: line for table in tables.values() for line in table.values()}
    newest = [line.player for line in lines.values() if line.latest and not line.retired]
    rated = [(found[1].rating or 0.0, p) for p in newest if (found := _most_rated(p, tables))]
    players = [player for _, player in sorted(rated, reverse=True)]
    some = players[after : after + limit]
    known = bots.by_players(conn, some)
    return [known[p] for p in some], str(after + limit) if players[after + limit :] else ""


def _lines(limit: int, after: str | int) -> tuple[list[BotRow], str, Live]:
    """Return a page of bots, and the `after` of the next page: a name, or a number by rating."""
    with sources().read() as conn:
        if isinstance(after, int):
            registered, following = _by_rating(conn, limit, after)
        else:
            registered, following = bot_lists.page(conn, limit, after)
        counts = bot_lists.match_counts(conn, {bot.id for bot in registered})
    live = sources().live([bot.player for bot in registered])
    lines = [BotRow(bot, connection(live, bot.player), counts.get(bot.id, 0)) for bot in registered]
    return lines, following, live
