"""One bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from flask import Blueprint, render_template
from sqlalchemy import Connection

from arena.store.archive import notice as archive_notice
from arena.store.matches import matches
from arena.store.matches.faults import recent_faults
from arena.store.projections import latencies, player_luck, rating_history, seat_totals
from arena.store.projections.latencies import Latencies
from arena.store.projections.player_luck import PlayerLuck
from arena.store.projections.rating_history import Point
from arena.store.projections.seat_totals import SeatTotals
from arena.store.registry import accounts, anchors, bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard, match_luck
from arena.store.reports.leaderboard import Rating
from arena.store.reports.match_luck import LuckyWin
from arena.store.save import FaultNote
from arena.store.tournaments import lists
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.match_luck import GAME
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import connection
from dashboard.bots.index.view import BOT, BotRow, serialize_bot
from dashboard.bots.profile import counted
from dashboard.bots.profile.lately import lately
from dashboard.bots.profile.queries import (
    OpponentMet,
    lines_of,
    opponents,
    places,
    rated,
)
from dashboard.bots.profile.query import BotQuery, bot_query
from dashboard.bots.profile.seen import SeenFault, seen_faults
from dashboard.events.part import live_part
from dashboard.matches.index.serializers import MATCH
from dashboard.matches.index.serializers import serialize as serialize_match
from dashboard.ratings.pairs.matrix import key
from dashboard.sources import sources

page = Blueprint("bot", __name__)

LATEST = 15  # matches and faults
VERSIONS = 20
MOST_OPPONENTS = 12  # shown without expanding the list

PLACE = Shape(
    "BotRating",
    Rating,
    about="A bot's line in a leaderboard; `seats` is 0 for all numbers of seats.",
    more={"game": str, "seats": int},
)
FAULT = Shape(
    "Fault",
    FaultNote,
    about="A fault, with the bot's hand and its legal actions. These reveal its cards, so they are"
    " hidden while the match is locked.",
    more={
        "match": str,
        "finished": float,
        "locked": bool,
        "reason": str | None,
        "instead": str | None,
        "hand": list[str] | None,
        "offered": list[str] | None,
    },
)
ANSWERS = Shape(
    "Answers",
    Latencies,
    about="The answer times of a version of a bot in a game, in microseconds.",
    more={"game": str, "version": str},
)
A_VERSION = Shape(
    "BotVersion",
    about="A version of a bot, with its rated matches.",
    more={"version": str, "matches": int},
)
WHOLE = Shape(
    "BotWithResults",
    about="A bot with its ratings, versions (newest first), latest matches and latest faults. "
    "`matches` counts finished tournament matches over all versions and games. `rated` of them "
    "count in live Elo so far, and `elo_pending` wait for earlier matches of the schedule. "
    "`unrated` counts tests and games against people.",
    more={
        **BOT.fields,
        "rated": int,
        "elo_pending": int,
        "unrated": int,
        "ratings": Many(PLACE),
        "versions": Many(A_VERSION),
        "answers": Many(ANSWERS),
        "latest": Many(MATCH),
        "faults": Many(FAULT),
    },
)


@page.get("/bots/<bot:name>")
def show(name: str) -> str:
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        query = bot_query(conn, name)
        bot, results = query.bot, _results(conn, query)
        latest, _ = matches.list_matches(conn, bot=bot.name, limit=LATEST)
        context = {
            "part": part,
            "bot": bot,
            "results": results,
            **vars(results),
            "profile": profiles.of_bot(conn, bot.id),
            "author": _author(conn, bot.owner),
            "lately": lately(conn, bot.id),
            "counted": counted.words(counted.match_counts(conn, bot.id, query.lines)),
            "start": START,
            "most": MOST_OPPONENTS,
            "key": key,
            "matches": latest,
            "names": lists.names(conn, {match.tournament for match in latest}),
            "faults": seen_faults(conn, recent_faults(conn, bot.name, LATEST)),
            "archived": archive_notice.older(conn, bot.id),
            "game_units": GAME,
        }
    live = sources().live([bot.player])
    return render_template(
        "bots/profile/page.html", **context, connection=connection(live, bot.player)
    )


@dataclass(frozen=True)
class Results:
    """All data of the page's tables and charts, used as the version of the cached fragment."""

    query: BotQuery
    versions: Sequence[RegisteredBot]
    own: Rating | None
    places: Sequence[tuple[str, int, int, Rating]]
    anchor: str
    anchored: bool
    history: Sequence[Point]
    rated: Mapping[tuple[str, int], Rating]
    opponents: Sequence[OpponentMet]
    seat_lines: Sequence[SeatTotals]
    latencies: Mapping[int, Mapping[str, Latencies]]
    lucks: Mapping[int, PlayerLuck]
    lucky_wins: Sequence[LuckyWin]


def _results(conn: Connection, query: BotQuery) -> Results:
    game, player, seats = query.game, query.version.player, query.seats
    versions = query.versions[:VERSIONS]
    lines = leaderboard.by_player(conn, game, seats)
    own, lucks = lines.get(player), player_luck.by_seats(conn, player, game)
    return Results(
        query=query,
        versions=versions,
        own=own,
        places=places(conn, query.bot),
        anchor=anchors.anchor(conn, game),
        anchored=player == anchors.anchor_player(conn, game) and own is not None,
        history=rating_history.history(conn, game, player, seats),
        rated=rated(conn, query.games, [each.player for each in query.versions]),
        opponents=opponents(conn, game, seats, player, lines),
        seat_lines=seat_totals.by_seat(conn, game, player),
        latencies=latencies.of_players(conn, [each.player for each in versions]),
        lucks=lucks,
        lucky_wins=match_luck.luckiest_wins_of(conn, lucks),
    )


def _author(conn: Connection, owner: int | None) -> str:
    """Return the author's name if they have a public page, else ""."""
    public = owner is not None and profiles.of_author(conn, owner) is not None
    return accounts.get(conn, owner).name if public and owner is not None else ""


@page.get("/bots/<bot:name>/live")
def live(name: str) -> str:
    part = live_part(f"bot-{name}")
    with sources().read() as conn:
        bot = bots.get(conn, name)
    link = connection(sources().live([bot.player]), bot.player)
    return render_template("bots/profile/live.html", part=part, bot=bot, connection=link)


@page.get("/api/bots/<bot:name>")
@answers(WHOLE)
def as_json(name: str) -> dict[str, Any]:
    """A bot with its connection, ratings, versions, latest matches and latest faults."""
    with sources().read() as conn:
        bot = bots.get(conn, name)
        rows = places(conn, bot)
        latest, _ = matches.list_matches(conn, bot=bot.name, limit=LATEST)
        faults = seen_faults(conn, recent_faults(conn, bot.name, LATEST))
        every = bots.versions(conn, bot.id)
        lines = lines_of(conn, [each.player for each in every])
        counts = counted.match_counts(conn, bot.id, lines)
        versions = every[:VERSIONS]
        fast = latencies.of_players(conn, [each.player for each in versions])
    line = BotRow(bot, connection(sources().live([bot.player]), bot.player), counts.finished)
    return WHOLE.tell(
        **serialize_bot(line),
        rated=counts.rated,
        elo_pending=counts.elo_pending,
        unrated=counts.unrated,
        ratings=[PLACE.tell(own, game=game, seats=seats) for game, seats, _, own in rows],
        versions=[
            A_VERSION.tell(
                version=each.version,
                matches=sum(
                    ln.matches for ln in lines if ln.player == each.player and not ln.seats
                ),
            )
            for each in versions
        ],
        answers=[
            ANSWERS.tell(known, game=game, version=each.version)
            for each in versions
            for game, known in fast.get(each.player, {}).items()
        ],
        latest=[serialize_match(match) for match in latest],
        faults=[_serialize_fault(fault) for fault in faults],
    )


def _serialize_fault(seen: SeenFault) -> dict[str, Any]:
    fault, view = seen.row, seen.view
    note = asdict(fault.note)
    if fault.locked:
        note["reason"] = note["instead"] = None
    return FAULT.tell(
        match=fault.match,
        finished=fault.finished,
        locked=fault.locked,
        **note,
        hand=None if view is None else list(view.hand),
        offered=None if view is None else list(view.actions),
    )
