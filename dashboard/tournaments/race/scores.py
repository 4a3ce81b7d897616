"""The score of bots over a tournament's matches, as played and less luck.

Every match counts, so it is for tournaments of no more than MOST matches: with more, luck has
evened out, and the two would lie on each other. A match whose luck is not known (yet)
counts as played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, select

from arena.errors import Unavailable
from arena.rating.deal_sums import FORFEITED, Integers
from arena.rating.match_luck import GAME, matrix
from arena.store import luck as lucks
from arena.store.database_cache import DatabaseCache
from arena.store.matches import luck as match_luck
from arena.store.matches.archived_columns import seats_of, tournament_blocks
from arena.store.matches.columns import Booleans, Floats
from arena.store.tables import match_seats, matches
from arena.store.tournaments.tournaments import Tournament
from dashboard.tournaments.race.course import MOST_POINTS

MOST = 10_000  # matches

SEAT = [(name, np.int64) for name in ("position", "number", "player", "place")]


@dataclass(frozen=True)
class ScorePoint:
    """After so many matches in scheduled order, the mean score of each bot that has played: the
    part of its opponents that it did better than, ties as a half."""

    played: int
    score: dict[str, float]
    less_luck: dict[str, float]  # as `score`, with the luck of each match taken out


class Seats(NamedTuple):
    """The M matches of a tournament in scheduled order, by seat (M, n); `place` is lower for a
    better one. `luck` (M, n, n) is in units of `match_luck`, 0 where it is not known (`known`)."""

    players: Integers
    place: Integers
    luck: Integers
    known: Booleans


_cached: DatabaseCache[list[ScorePoint]] = DatabaseCache(64)


def score_race(
    conn: Connection, tournament: Tournament, racing: Mapping[int, str]
) -> list[ScorePoint]:
    """The race so far; empty while the luck of no match is known, with more than MOST matches, or
    where an archive is missing that has some of them. Cached like the race of Elo."""
    if tournament.played > MOST or not lucks.progress(conn, tournament.id).model:
        return []
    with suppress(Unavailable):
        return _cached.get(
            conn,
            (tournament.id, tuple(racing)),
            lambda now: lucks.progress(now, tournament.id),
            lambda now: _read(now, tournament),
            lambda seats: _points(seats, racing),
        )
    return []


def _read(conn: Connection, tournament: Tournament) -> Seats:
    rows = np.array([*_stored(conn, tournament.id), *_archived(conn, tournament.id)], SEAT)
    # Seats of a match stay in their order.
    table = rows[np.argsort(rows["position"], kind="stable")].reshape(-1, tournament.spec.seats)
    known, pairs, _ = match_luck.columns(conn, table["number"][:, 0], table.shape[1])
    return Seats(table["player"], table["place"], matrix(pairs, table.shape[1]), known)


def _stored(conn: Connection, tournament: int) -> Iterator[tuple[int, ...]]:
    row, seat = matches.c, match_seats.c
    query = select(row.position, row.number, seat.player, seat.points, seat.forfeited)
    query = query.join_from(matches, match_seats).where(row.tournament == tournament)
    for position, number, player, points, forfeited in conn.execute(
        query.order_by(row.position, seat.seat)
    ):
        yield position, number, player, points + FORFEITED * bool(forfeited)


def _archived(conn: Connection, tournament: int) -> Iterator[tuple[int, ...]]:
    """The same of archived matches. Raises Unavailable."""
    for block, own in tournament_blocks(conn, tournament):
        seat = {
            name: block.array("match_seats", name)[seats_of(block, own)]
            for name in ("match", "player", "points", "forfeited")
        }
        numbers = block.array("matches", "number")
        position = block.array("matches", "position")[np.searchsorted(numbers, seat["match"])]
        place = seat["points"] + FORFEITED * seat["forfeited"]
        columns = position, seat["match"], seat["player"], place
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _points(seats: Seats, racing: Mapping[int, str]) -> list[ScorePoint]:
    if not seats.known.any():
        return []
    opponents = seats.players.shape[1] - 1
    mine, theirs = seats.place[:, :, None], seats.place[:, None, :]
    won = ((mine < theirs) + 0.5 * (mine == theirs)).sum(axis=2) - 0.5  # less that with oneself
    score = won / opponents
    less_luck = score - seats.luck.sum(axis=2) / (GAME * opponents)
    count = len(score)
    ends = np.unique(np.linspace(1, count, min(count, MOST_POINTS)).round().astype(np.int64))
    lines = {name: _means(seats.players == player, score, less_luck, ends)
             for player, name in racing.items()}  # fmt: skip
    return [
        ScorePoint(
            int(end),
            {name: round(float(means[0, n]), 4) for name, means in lines.items() if means[2, n]},
            {name: round(float(means[1, n]), 4) for name, means in lines.items() if means[2, n]},
        )
        for n, end in enumerate(ends)
    ]


def _means(sits: Booleans, score: Floats, less_luck: Floats, ends: Integers) -> Floats:
    """A bot's mean scores after so many matches, and how many of them it played: (3, ends)."""
    sums = [np.cumsum((values * sits).sum(axis=1))[ends - 1] for values in (score, less_luck)]
    played = np.cumsum(sits.sum(axis=1))[ends - 1]
    return np.array([sums[0] / np.maximum(played, 1), sums[1] / np.maximum(played, 1), played])
