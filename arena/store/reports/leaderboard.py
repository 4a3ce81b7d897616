"""Leaderboards and Elo histories. `projections.elo` computes live Elo, `fits` the ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, or_, select, true

from arena.store.cache import Cache
from arena.store.engine import store_of
from arena.store.projections.elo_tables import OVERALL as OVERALL  # used as leaderboard.OVERALL
from arena.store.reports.fits import fitted
from arena.store.reports.standings import shared_ranks
from arena.store.tables import (
    bots,
    entrants,
    players,
    rated_games,
    ratings,
    tournaments,
)
from arena.tournaments.formats import FORMATS
from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.pairs import Pair, Pairs, of_one

LADDERS = [name for name, format_ in FORMATS.items() if format_.stops_at_clear_pairs]

_tables: Cache[list[Rating]] = Cache(64)

GAMES = select(ratings.c.game).distinct().order_by(ratings.c.game)
SEAT_COUNTS = (
    select(ratings.c.seats)
    .where(ratings.c.game == bindparam("of"), ratings.c.seats != OVERALL)
    .distinct()
    .order_by(ratings.c.seats)
)


@dataclass(frozen=True, slots=True)
class Rating:
    """A line of a leaderboard: one version of a bot.

    `rating` ± `plus_minus` (95%) is in Elo and does not depend on the order of matches; both are
    None until the first deal is complete. With 95% confidence for each pair by itself, the bot's
    rank among the listed bots is from `rank_low` to `rank_high`. `provisional`: fewer than 50
    deals, or fewer than 10 expected upsets, or most matches from ladders. `disconnected`: it is not
    linked to most others by wins in both directions. `latest`: the leaderboard has no newer version
    of the bot. `elo` is live. `retired`: its owner has retired it.
    """

    rank: int
    player: int
    bot: str
    version: str
    elo: float
    matches: int  # rated
    wins: int  # alone or shared
    shared_wins: int
    mean_points: float
    faults: int
    rating: float | None
    plus_minus: float | None
    rank_low: int
    rank_high: int
    deals: int
    provisional: bool
    disconnected: bool
    latest: bool
    last_played: float  # Unix seconds
    retired: bool


def table(
    conn: Connection,
    game: str,
    seats: int = OVERALL,
    *,
    all_versions: bool = False,
    active_since: float | None = None,
) -> list[Rating]:
    """The leaderboard of a game, at tables of `seats` seats or (0) of all, best first.

    Lists the newest version of each bot that has played there and is not retired, or all versions
    of all bots; with `active_since` (Unix seconds) only those that have played since then. Sorted
    by rating, then Elo, then name; bots without a complete deal come last. Equal ratings share a
    rank.
    """
    fit = fitted(conn, game, seats)
    key = store_of(conn).identity, game, seats, all_versions, active_since
    version = _version(conn, game), fit.version
    make = partial(_table, conn, game, seats, fit.fit, all_versions, active_since)
    # Before the first complete deal, the version does not change if the database is replaced.
    return list(_tables.get(key, version, make)) if fit.version else make()


def by_player(conn: Connection, game: str, seats: int = OVERALL) -> dict[int, Rating]:
    """By player, the lines of all versions of all bots in a leaderboard."""
    return {line.player: line for line in table(conn, game, seats, all_versions=True)}


def _table(
    conn: Connection,
    game: str,
    seats: int,
    fit: Fit,
    all_versions: bool,
    active_since: float | None,
) -> list[Rating]:
    rows = _rows(conn, game, seats)
    newest = {row.bot: row.player for row in sorted(rows, key=lambda row: row.player)}
    listed = [
        row
        for row in rows
        if (all_versions or (newest[row.bot] == row.player and row.retired is None))
        and (active_since is None or row.last_played >= active_since)
    ]
    listed.sort(key=lambda row: -_rating(fit, row.player))  # stable: then by Elo and name
    ranges = fit.rank_ranges([row.player for row in listed if row.player in fit])
    ranks = shared_ranks([_rating(fit, row.player) for row in listed])
    chosen = matches_in_ladders(conn, game, seats)
    return [
        _line(row, rank, fit, ranges.get(row.player, (1, len(listed))), newest, chosen)
        for rank, row in zip(ranks, listed, strict=True)
    ]


def _version(conn: Connection, game: str) -> tuple[Any, ...]:
    """A version that changes when a match of the game is rated, its anchor changes, or a bot is
    retired or reinstated."""
    return tuple(conn.execute(_versions(), {"of": game}).first() or ())


@cache
def _versions() -> Select[Any]:
    retired = select(
        func.count().label("count"),
        func.max(bots.c.retired).label("last"),
        func.sum(bots.c.id).label("sum"),
    )
    away = retired.where(bots.c.retired.is_not(None)).subquery()
    row = rated_games.c
    query = select(row.rated, row.deals_version, row.anchor, away)
    return query.join_from(rated_games, away, true()).where(row.game == bindparam("of"))


def pairs(conn: Connection, game: str, seats: int = OVERALL, players: Sequence[int] = ()) -> Pairs:
    """Comparisons of these players (as in `Rating.player`), pair by pair. Only pairs that met are
    included, in the order of the players."""
    pool = fitted(conn, game, seats)
    return Pairs(pool.fit, pool.residuals, pool.score_errors, [p for p in players if p in pool.fit])


def pairs_of(
    conn: Connection, game: str, seats: int, player: int, others: Sequence[int]
) -> list[Pair]:
    """Comparisons of a player with the others that it met, in their order."""
    pool = fitted(conn, game, seats)
    if player not in pool.fit:
        return []
    rated = [other for other in others if other in pool.fit]
    return of_one(pool.fit, pool.residuals, pool.score_errors, player, rated)


def _rows(conn: Connection, game: str, seats: int) -> list[Row[Any]]:
    line = ratings.c
    query = (
        select(ratings, players.c.bot, bots.c.name, bots.c.retired, players.c.version)
        .join_from(ratings, players)
        .join(bots)
        .where(line.game == game, line.seats == seats)
        .order_by(line.elo.desc(), bots.c.name_key, line.player)
    )
    return list(conn.execute(query).all())


def _rating(fit: Fit, player: int) -> float:
    return float(fit.ratings[fit.index(player)]) if player in fit else float("-inf")


def _line(
    row: Row[Any],
    rank: int,
    fit: Fit,
    ranks: tuple[int, int],
    newest: dict[int, int],
    chosen: Mapping[int, int],
) -> Rating:
    place = fit.index(row.player) if row.player in fit else None
    rough = place is None or fit.provisional[place] or 2 * chosen.get(row.player, 0) > row.matches
    return Rating(
        rank=rank,
        player=row.player,
        bot=row.name,
        version=row.version,
        elo=row.elo,
        matches=row.matches,
        wins=row.wins,
        shared_wins=row.shared,
        mean_points=row.points / row.matches,
        faults=row.faults,
        rating=None if place is None else float(fit.ratings[place]),
        plus_minus=None if place is None else float(fit.plus_minus[place]),
        rank_low=ranks[0],
        rank_high=ranks[1],
        deals=0 if place is None else int(fit.deals[place, place]),
        provisional=rough,
        disconnected=place is None or not fit.connected[place],
        latest=newest[row.bot] == row.player,
        last_played=row.last_played,
        retired=row.retired is not None,
    )


def games(conn: Connection) -> list[str]:
    """The games with ratings, by name."""
    return list(conn.scalars(GAMES))


def seat_counts(conn: Connection, game: str) -> list[int]:
    """The numbers of seats for which a game has leaderboards, without the overall one."""
    return list(conn.scalars(SEAT_COUNTS, {"of": game}))


def matches_in_ladders(conn: Connection, game: str, seats: int = OVERALL) -> Mapping[int, int]:
    """Return each player's matches in ladders of a game at tables of `seats` seats, or (0) of all.

    A ladder stops comparing a pair when its order seems clear, so luck that made it seem clear
    remains. 95% intervals then cover less than they claim, even for equal bots, especially at few
    seats and for any number of matches (docs/ratings.md).
    """
    row = tournaments.c
    named = [row.spec.contains(f'"{name}"') for name in LADDERS]
    query = select(row.id, row.spec).where(row.kind == "tournament", or_(*named))
    ladders = [number for number, text in conn.execute(query) if _is_one(text, game, seats)]
    rows = conn.execute(
        select(entrants.c.player, func.sum(entrants.c.matches))
        .where(entrants.c.tournament.in_(ladders))
        .group_by(entrants.c.player)
    )
    return {player: int(matches) for player, matches in rows}


def _is_one(text: str, game: str, seats: int) -> bool:
    spec = json.loads(text)
    at_them = seats in (OVERALL, spec["seats"])
    return spec["format"] in LADDERS and spec["game"] == game and at_them
