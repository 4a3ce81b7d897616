"""The scores of bots over a tournament's matches, unadjusted and luck-adjusted.

Every match is read, so this is limited to tournaments of at most MOST matches. With more, luck
evens out and both curves coincide. A match is not adjusted while its luck is unknown, or while
other matches of its deal are still to be played, because its luck would reveal their cards.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, select

from arena.base.errors import Unavailable
from arena.store import luck as lucks
from arena.store.cache import DatabaseCache
from arena.store.matches import luck as match_luck
from arena.store.matches.archived import seats_of, tournament_blocks
from arena.store.matches.columns import Booleans, Floats
from arena.store.projections.lucky import how_it_counts
from arena.store.reports.match_luck import coefficients_of
from arena.store.tables import match_seats, matches
from arena.store.tournaments.tournaments import Tournament, played
from arena.tournaments.ratings.coefficient import FOLDS, parts_of
from arena.tournaments.ratings.deal_sums import FORFEITED, Integers
from arena.tournaments.ratings.match_luck import GAME, matrix
from dashboard.tournaments.race.course import MOST_POINTS

MOST = 10_000  # matches

SEAT = [(name, np.int64) for name in ("position", "number", "deal", "player", "place")]


@dataclass(frozen=True)
class ScorePoint:
    """The mean scores after the first `played` matches in scheduled order.

    A score is the share of opponents a bot beat; a tie counts 0.5. Bots that have not played yet
    are missing.
    """

    played: int
    score: dict[str, float]
    less_luck: dict[str, float]  # `score` minus luck times its coefficient


class Seats(NamedTuple):
    """The M matches of a tournament in scheduled order, by seat (M, n).

    A lower `place` is better. `luck` (M, n, n) is in units of `match_luck` times its coefficient,
    and 0 in matches that are not adjusted.
    """

    players: Integers
    place: Integers
    luck: Floats


_cached: DatabaseCache[list[ScorePoint]] = DatabaseCache(64)


def has_score_race(conn: Connection, tournament: Tournament) -> bool:
    """Whether scores are available: some luck is known, and there are at most MOST matches."""
    return tournament.played <= MOST and bool(lucks.progress(conn, tournament.id).model)


def score_race(
    conn: Connection, tournament: Tournament, racing: Mapping[int, str]
) -> list[ScorePoint]:
    """Return the scores so far, cached like those of Elo. Empty if they are not available, or if an
    archive with some of the matches is missing."""
    if not has_score_race(conn, tournament):
        return []
    with suppress(Unavailable):
        return _cached.get(
            conn,
            (tournament.id, tuple(racing)),
            lambda now: (played(now, tournament.id), lucks.progress(now, tournament.id)),
            lambda now: _read(now, tournament),
            lambda seats: _points(seats, racing),
        )
    return []


def _read(conn: Connection, tournament: Tournament) -> Seats:
    rows = np.array([*_stored(conn, tournament.id), *_archived(conn, tournament.id)], SEAT)
    # A stable sort keeps the order of the seats in a match.
    table = rows[np.argsort(rows["position"], kind="stable")].reshape(-1, tournament.spec.seats)
    deals, seats = table["deal"][:, 0], table.shape[1]
    _, models, pairs, _ = match_luck.columns(conn, table["number"][:, 0], seats)
    _, per_deal = how_it_counts(conn, tournament.id)
    _, deal, counts = np.unique(deals, return_inverse=True, return_counts=True)
    pairs[counts[deal] != per_deal] = 0
    known = coefficients_of(conn, tournament.id, seats)
    folds = parts_of(tournament.id, deals) % FOLDS
    keys = zip(models.tolist(), folds.tolist(), strict=True)
    by_match = np.array([known.get(key, 0.0) for key in keys])
    luck = matrix(pairs, seats) * by_match[:, None, None]
    return Seats(table["player"], table["place"], luck)


def _stored(conn: Connection, tournament: int) -> Iterator[tuple[int, ...]]:
    row, seat = matches.c, match_seats.c
    query = select(row.position, row.number, row.deal, seat.player, seat.points, seat.forfeited)
    query = query.join_from(matches, match_seats).where(row.tournament == tournament)
    for *numbers, points, forfeited in conn.execute(query.order_by(row.position, seat.seat)):
        yield *numbers, points + FORFEITED * bool(forfeited)


def _archived(conn: Connection, tournament: int) -> Iterator[tuple[int, ...]]:
    """Yield the rows of archived matches. Raises Unavailable."""
    for *_, block, own in tournament_blocks(conn, tournament):
        seat = {
            name: block.array("match_seats", name)[seats_of(block, own)]
            for name in ("match", "player", "points", "forfeited")
        }
        match = np.searchsorted(block.array("matches", "number"), seat["match"])
        position, deal = (block.array("matches", name)[match] for name in ("position", "deal"))
        place = seat["points"] + FORFEITED * seat["forfeited"]
        columns = position, seat["match"], deal, seat["player"], place
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _points(seats: Seats, racing: Mapping[int, str]) -> list[ScorePoint]:
    opponents = seats.players.shape[1] - 1
    mine, theirs = seats.place[:, :, None], seats.place[:, None, :]
    won = ((mine < theirs) + 0.5 * (mine == theirs)).sum(axis=2) - 0.5  # minus the tie with itself
    score = won / opponents
    less_luck = score - seats.luck.sum(axis=2) / (GAME * opponents)
    count = len(score)
    ends = np.unique(np.linspace(1, count, min(count, MOST_POINTS)).round().astype(np.int64))
    sits = {name: seats.players == player for player, name in racing.items()}
    plain, less = (
        {name: _means(values, of, ends) for name, of in sits.items()}
        for values in (score, less_luck)
    )
    return [
        ScorePoint(end, _at(plain, step), _at(less, step)) for step, end in enumerate(ends.tolist())
    ]


def _means(values: Floats, sits: Booleans, ends: Integers) -> list[float]:
    """Return a bot's mean of `values` (M, n) after each number of matches in `ends`. `sits` (M, n)
    marks its seats. NaN before its first match."""
    sums = np.cumsum((values * sits).sum(axis=1))[ends - 1]
    counts = np.cumsum(sits.sum(axis=1))[ends - 1]
    means = np.divide(sums, counts, out=np.full(len(ends), nan), where=counts > 0)
    rounded: list[float] = means.round(4).tolist()
    return rounded


def _at(means: Mapping[str, Sequence[float]], step: int) -> dict[str, float]:
    return {name: line[step] for name, line in means.items() if not isnan(line[step])}
