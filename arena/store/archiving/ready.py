"""Whether a month may leave the database: nothing in it may change any more, nor be read again by
what goes on.

A tournament that is not over goes on from its newest matches: those in batches that are not
finished, and those that are not rated or taken in by its format. Of a tournament that is over all
may go; if somebody resumes it, it has to be brought back as far as it is needed
(`arena.store.archive.needed`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Connection, Row, func, select

from arena.errors import InvalidRequest, NotNow
from arena.store.archive import catalogue
from arena.store.archive.needed import needed_from
from arena.store.archiving import rows
from arena.store.matches import months
from arena.store.tables import archived_deals, matches, tournaments
from arena.store.tournaments.tournaments import OVER

CHUNK = 10_000  # tournaments at a time


@dataclass(frozen=True)
class TournamentMonth:
    """What a month has of a tournament: its game, how many matches, how many of them are rated, and
    the highest position."""

    tournament: int
    game: str
    matches: int
    rated: int
    last: int


def default_before(now: float | None = None) -> int:
    """The month up to which all are archived if nobody says otherwise: the last whole one stays."""
    return months.at(time.time() if now is None else now) - 1


def months_to_save(conn: Connection, before: int) -> list[int]:
    """The months before that one of which the database has matches, oldest first, without the
    newest of all: its numbers go on until there is another one.

    Raises InvalidRequest for a month that is still to end.
    """
    if before > months.at(time.time()):
        raise InvalidRequest(
            f"{months.name(before)} is still to come, and only what is over can be archived: "
            "say an earlier month."
        )
    found: list[int] = []
    before, number = min(before, _newest(conn)), 0
    while True:
        query = select(func.min(matches.c.number)).where(matches.c.number >= number)
        lowest = conn.scalar(query)
        if lowest is None or months.of(lowest) >= before:
            return found
        found.append(months.of(lowest))
        number = months.first(found[-1] + 1)


def _newest(conn: Connection) -> int:
    """The newest month of which the database has matches."""
    return months.of(conn.scalar(select(func.max(matches.c.number))) or 0)


def of_month(conn: Connection, month: int) -> list[TournamentMonth]:
    """What a month has of each tournament."""
    return in_range(conn, *rows.of_month(month))


def in_range(conn: Connection, first: int, last: int) -> list[TournamentMonth]:
    """The same of the matches with these numbers."""
    row = matches.c
    query = (
        select(row.tournament, row.game, func.count(), func.count(row.rated_seq))
        .add_columns(func.max(row.position))
        .where(row.number.between(first, last))
        .group_by(row.tournament, row.game)
        .order_by(row.tournament)
    )
    return [TournamentMonth(*each) for each in conn.execute(query)]


def partial_deals(conn: Connection, first: int, last: int) -> list[Row[int, int, int, int]]:
    """The deals of which some of the matches with these numbers are, and not all: tournament, deal,
    how many are, and how many the deal has."""
    row, of_it = matches.c, tournaments.c
    query = (
        select(row.tournament, row.deal, func.count(), of_it.matches_per_deal)
        .join_from(matches, tournaments)
        .where(row.number.between(first, last))
        .group_by(row.tournament, row.deal, of_it.matches_per_deal)
        .having(func.count() != of_it.matches_per_deal)
    )
    return list(conn.execute(query).all())


def check(conn: Connection, month: int) -> None:
    """Raises NotNow, with the tournament that holds it up, while a month cannot be archived."""
    name = months.name(month)
    if catalogue.of_month(conn, month):
        raise NotNow(
            f"{name} stays: it has an archive already, and nothing stores matches of it any more. "
            "Find out where these come from before they are archived, too."
        )
    if month >= _newest(conn):
        raise NotNow(f"{name} stays: it is the newest month that has matches.")
    going_on = _going_on(conn, month)
    for each in going_on:
        if each.last >= needed_from(conn, each.tournament):
            raise NotNow(
                f"{name} stays: tournament {each.tournament} is not over and still needs matches "
                "of that month. Wait until they are rated and its round is played, or cancel it."
            )
    running = {each.tournament for each in going_on}
    for tournament, deal, here, whole in partial_deals(conn, *rows.of_month(month)):
        if tournament in running and here + _elsewhere(conn, month, tournament, deal) != whole:
            raise NotNow(
                f"{name} stays: deal {deal} of tournament {tournament}, which is not over, is not "
                "played to its end. Wait until it is, or cancel the tournament."
            )


def lock(conn: Connection, month: int) -> None:
    """Keeps those tournaments of a month that are over as they are until the transaction ends:
    nobody resumes them, nor stores or rates a match of them. What may be archived of the others
    does not change, so nobody who stores their results has to wait."""
    of_it = [each.tournament for each in of_month(conn, month)]
    row = tournaments.c
    for start in range(0, len(of_it), CHUNK):
        some = row.id.in_(of_it[start : start + CHUNK])
        query = select(row.id).where(some, row.state.in_(OVER)).order_by(row.id)
        conn.execute(query.with_for_update(key_share=True)).all()


def _going_on(conn: Connection, month: int) -> list[TournamentMonth]:
    """What a month has of tournaments that are not over."""
    found = of_month(conn, month)
    row = tournaments.c
    under_way = set(conn.scalars(select(row.id).where(row.state.not_in(OVER))))
    return [each for each in found if each.tournament in under_way]


def _elsewhere(conn: Connection, month: int, tournament: int, deal: int) -> int:
    """How many matches of a deal are in other months, archived or not."""
    own = matches.c.tournament == tournament, matches.c.deal == deal
    first, last = rows.of_month(month)
    other = ~matches.c.number.between(first, last)
    stored = conn.scalar(select(func.count()).where(*own, other)) or 0
    row = archived_deals.c
    archived = select(func.sum(row.matches)).where(row.tournament == tournament, row.deal == deal)
    return stored + int(conn.scalar(archived) or 0)
