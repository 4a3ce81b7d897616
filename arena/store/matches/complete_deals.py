"""Complete deals: those with all matches that the tournament's format plays of a deal stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from sqlalchemy import Connection, select

from arena.store.matches.columns import MatchColumns
from arena.store.matches.model import MatchResult
from arena.store.matches.read_columns import by_tournament, of_deals
from arena.store.tables import tournaments
from arena.tournaments.ratings.deal_blocks import DealBlock
from arena.tournaments.ratings.deal_sums import Integers

CHUNK = 50_000  # deals summarised together


def newly_complete(
    conn: Connection, tournament: int, new: Mapping[int, MatchResult], columns: MatchColumns
) -> list[DealBlock]:
    """The deals of a tournament that new, already stored matches (by position) have completed.
    `columns` are these matches in the order of their positions."""
    if not new:
        return []
    matches = _matches_per_deal(conn, tournament)
    deals = np.array([new[place].deal for place in sorted(new)])
    # Most deals arrive with all their matches, and need not be read again.
    different, counts = np.unique(deals, return_counts=True)
    found = list(_blocks(deals, columns, matches))
    if rest := different[counts < matches].tolist():
        found += _blocks(*of_deals(conn, tournament, rest), matches)
    return found


def of_game(conn: Connection, game: str) -> Iterator[tuple[int, Iterator[DealBlock]]]:
    """Each rated tournament with matches of a game, with its complete deals."""
    for found in by_tournament(conn, game):
        if found.counts:
            matches = _matches_per_deal(conn, found.tournament)
            yield found.tournament, _blocks(found.deals, found.columns, matches)


def _matches_per_deal(conn: Connection, tournament: int) -> int:
    query = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
    return int(conn.scalars(query).one())


def _blocks(deals: Integers, columns: MatchColumns, matches: int) -> Iterator[DealBlock]:
    """Of M matches with their `deals` (M,), the deals that have `matches` matches."""
    _, group, counts = np.unique(deals, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    order = order[counts[group[order]] == matches]
    for first in range(0, len(order), CHUNK * matches):
        whole = columns.take(order[first : first + CHUNK * matches])
        for seats in np.unique(whole.seats).tolist():  # one value in a tournament
            some = whole.take(np.flatnonzero(whole.seats == seats))
            shape = (-1, matches, seats)
            yield DealBlock(
                some.players.reshape(shape),
                some.points.reshape(shape),
                some.forfeited.reshape(shape),
            )
