"""The bots of a leaderboard pair by pair: a heat map of all, and any two head to head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Blueprint, render_template, request
from sqlalchemy import Connection

from arena.base.errors import InvalidRequest, NotFound
from arena.service.control.messages import included_words
from arena.store.reports import fits, leaderboard
from arena.store.reports.fits import included
from arena.store.reports.leaderboard import Rating
from arena.tournaments.ratings.elo import expected
from arena.tournaments.ratings.pairs import Pair
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, GAME, SEATS, limit
from dashboard.api.shape import Many, Shape
from dashboard.ratings.table import query
from dashboard.ratings.table.view import ACTIVE_DAYS, ALL_VERSIONS, neighbours
from dashboard.sources import sources

page = Blueprint("pairs", __name__)

Cells = dict[tuple[int, int], Pair]

MOST = 40  # rows and columns of the heat map
VIEWS = {
    "score": "score and expected score",
    "stronger": "probability of being stronger",
    "residual": "deviations from expected",
}

PAIR = Shape(
    "Pair",
    Pair,
    hidden=("player",),
    more={"bot": str, "version": str, "other": str, "other_version": str},
)
PAIRS = Shape(
    "Pairs",
    about="A page of the pairs of a leaderboard that met, starting with the highest ranked bot.",
    more={"game": str, "seats": int, "pairs": Many(PAIR), "next": str},
)


@page.get("/ratings/pairs")
def show() -> str:
    view = requested_view()
    with sources().read() as conn:
        table = query.ratings_query(conn)
        lines = query.lines_of(conn, table)
        rated = [line for line in lines if line.rating is not None]
        return render_template(
            "ratings/pairs/page.html",
            table=table,
            lines=rated,
            best=rated[:MOST],
            cells=lambda: cells(conn, table, rated[:MOST]),
            version=fits.fitted(conn, table.game, table.seats).version,
            included=included_words(included(conn, table.game, table.seats)),
            view=view,
            views=VIEWS,
            days=query.days_to_choose(table),
            duel=requested_duel(conn, table, rated),
            key=key,
            **neighbours(conn, table.game),
        )


@page.get("/api/ratings/pairs.csv")
@page.get("/api/ratings/pairs")
@answers(PAIRS, query=(GAME, SEATS, ALL_VERSIONS, ACTIVE_DAYS, limit(200), AFTER), rows="pairs")
def as_json(limit: int, after: str, **asked: Any) -> dict[str, Any]:
    """The bots of a leaderboard, pair by pair."""
    with sources().read() as conn:
        table = query.table_of(conn, **asked)
        lines = {line.player: line for line in query.lines_of(conn, table)}
        all_pairs = leaderboard.pairs(conn, table.game, table.seats, list(lines))
    pairs, following = page_of(all_pairs, limit, after)
    rows = [_serialize(pair, lines[pair.player], lines[pair.other]) for pair in pairs]
    return PAIRS.tell(game=table.game, seats=table.seats, pairs=rows, next=following)


def _serialize(pair: Pair, one: Rating, other: Rating) -> dict[str, Any]:
    return PAIR.tell(
        pair, bot=one.bot, version=one.version, other=other.bot, other_version=other.version
    )


def requested_view() -> str:
    """Return the requested view of the heat map. Raises InvalidRequest."""
    name = request.args.get("show", "").strip() or next(iter(VIEWS))
    if name not in VIEWS:
        raise InvalidRequest(f'There is no view "{name[:40]}". Choose from {", ".join(VIEWS)}.')
    return name


def requested_duel(
    conn: Connection, table: query.RatingsQuery, lines: Sequence[Rating]
) -> Duel | None:
    """Return the pair of ?a= and ?b=, None if one is missing. Raises NotFound, InvalidRequest."""
    names = [request.args.get(part, "").strip() for part in ("a", "b")]
    if not all(names):
        return None
    one, other = (find(lines, name) for name in names)
    if one is other:
        raise InvalidRequest(f"{one.bot} cannot be compared with itself. Choose two bots.")
    pairs = cells(conn, table, [one, other])
    return Duel(one, other, pairs.get((one.player, other.player)))


@dataclass(frozen=True)
class Duel:
    """Two bots head to head; `pair` is None if they have not met in a complete deal."""

    one: Rating
    other: Rating
    pair: Pair | None

    @property
    def expected(self) -> float | None:
        """The first bot's expected score, from 0 to 1; None if a rating is missing."""
        if self.one.rating is None or self.other.rating is None:
            return None
        return expected(self.one.rating, self.other.rating)


def cells(conn: Connection, table: query.RatingsQuery, lines: Sequence[Rating]) -> Cells:
    pairs: Cells = {}
    for pair in leaderboard.pairs(conn, table.game, table.seats, [line.player for line in lines]):
        pairs[pair.player, pair.other] = pair
        pairs[pair.other, pair.player] = turned(pair)
    return pairs


def turned(pair: Pair) -> Pair:
    return replace(
        pair,
        player=pair.other,
        other=pair.player,
        observed=1.0 - pair.observed,
        expected=1.0 - pair.expected,
        residual=None if pair.residual is None else 0.0 - pair.residual,
        difference=0.0 - pair.difference,
        stronger=1.0 - pair.stronger,
    )


def key(line: Rating) -> str:
    """Return a bot's name in URLs: NAME for the newest version, else NAME@VERSION."""
    return line.bot if line.latest else f"{line.bot}@{line.version}"


def find(lines: Sequence[Rating], name: str) -> Rating:
    """Return the bot with that key. Raises NotFound."""
    for line in lines:
        if key(line).lower() == name.lower():
            return line
    raise NotFound(f'There is no bot "{name[:80]}" in this leaderboard.')
