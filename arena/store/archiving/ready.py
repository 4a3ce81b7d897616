"""Whether a month may leave the database: nothing in it may change any more, nor be read again by
what goes on.

A tournament that is not over goes on from its newest matches: those in batches that are not
finished, and those that are not rated or taken in by its format. Of a tournament that is over all
may go; if somebody resumes it, it has to be brought back as far as it is needed
(`arena.store.archive.needed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, func, select

from arena.base import instant
from arena.base.errors import InvalidRequest, NotNow
from arena.store.archive import catalogue
from arena.store.archive.needed import needed_from
from arena.store.matches import months
from arena.store.tables import archived_deals, matches, tournaments
from arena.store.tournaments.tournaments import OVER


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
    return months.at(instant.now() if now is None else now) - 1


def months_to_save(conn: Connection, before: int) -> list[int]:
    """The months before that one of which the database has matches, oldest first, without the
    newest of all: its numbers go on until there is another one.

    Raises InvalidRequest for a month that is still to end.
    """
    if before > months.at(instant.now()):
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
    return in_range(conn, *months.bounds(month))


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


def check(conn: Connection, month: int) -> list[TournamentMonth]:
    """What a month that can be archived has of each tournament. Raises NotNow, with the tournament
    that holds it up, while it cannot be."""
    name = months.name(month)
    if catalogue.of_month(conn, month):
        raise NotNow(
            f"{name} stays: it has an archive already, and nothing stores matches of it any more. "
            "Find out where these come from before they are archived, too."
        )
    if month >= _newest(conn):
        raise NotNow(f"{name} stays: it is the newest month that has matches.")
    found = of_month(conn, month)
    going_on = _going_on(conn, found)
    for each in going_on:
        if each.last >= needed_from(conn, each.tournament):
            raise NotNow(
                f"{name} stays: tournament {each.tournament} is not over and still needs matches "
                "of that month. Wait until they are rated and its round is played, or cancel it."
            )
    running = {each.tournament for each in going_on}
    partial = partial_deals(conn, *months.bounds(month)) if running else []
    for tournament, deal, here, whole in partial:
        if tournament in running and here + _elsewhere(conn, month, tournament, deal) != whole:
            raise NotNow(
                f"{name} stays: deal {deal} of tournament {tournament}, which is not over, is not "
                "played to its end. Wait until it is, or cancel the tournament."
            )
    return found


def lock(conn: Connection, month: int) -> None:
    """Keeps those tournaments of a month that are over as they are until the transaction ends:
    nobody resumes them, nor stores or rates a match of them. What may be archived of the others
    does not change, so nobody who stores their results has to wait."""
    row, within = tournaments.c, matches.c.number.between(*months.bounds(month))
    of_it = row.id.in_(select(matches.c.tournament).where(within).distinct())
    query = select(row.id).where(of_it, row.state.in_(OVER)).order_by(row.id)
    conn.execute(query.with_for_update(key_share=True)).all()


def _going_on(conn: Connection, found: Sequence[TournamentMonth]) -> list[TournamentMonth]:
    """Of what a month has that of tournaments that are not over."""
    row = tournaments.c
    under_way = set(conn.scalars(select(row.id).where(row.state.not_in(OVER))))
    return [each for each in found if each.tournament in under_way]


def _elsewhere(conn: Connection, month: int, tournament: int, deal: int) -> int:
    """How many matches of a deal are in other months, archived or not."""
    own = matches.c.tournament == tournament, matches.c.deal == deal
    first, last = months.bounds(month)
    other = ~matches.c.number.between(first, last)
    stored = conn.scalar(select(func.count()).where(*own, other)) or 0
    row = archived_deals.c
    archived = select(func.sum(row.matches)).where(row.tournament == tournament, row.deal == deal)
    return stored + int(conn.scalar(archived) or 0)
