"""Whether a month may leave the database: nothing in it may change, or be read again by a
tournament that goes on.

A tournament that is not over continues from its newest matches: those in unfinished batches, and
those that are not rated or not processed by its format. A tournament that is over may be archived
completely. Before it is resumed, the matches it needs are restored
(`arena.store.archive.catalogue`).
"""

from dataclasses import dataclass

from sqlalchemy import Connection, Row, func, select

from arena.base import instant
from arena.base.errors import InvalidRequest, NotNow
from arena.store.archive import catalogue
from arena.store.archive.catalogue import needed_from
from arena.store.matches import months
from arena.store.tables import archived_deals, matches, tournaments
from arena.store.tournaments import daily
from arena.store.tournaments.tournaments import OVER


@dataclass(frozen=True)
class TournamentMonth:
    """A month's share of a tournament: its game, number of matches, number of rated matches, and
    highest position."""

    tournament: int
    game: str
    matches: int
    rated: int
    last: int


def default_before() -> int:
    """The default month before which all are archived: it keeps the last whole month."""
    return months.at(instant.now()) - 1


def months_to_save(conn: Connection, before: int) -> list[int]:
    """The months before the given one with matches in the database, oldest first. The newest month
    of all is left out: it gets numbers until another one starts. Raises InvalidRequest for a month
    in the future."""
    if before > months.at(instant.now()):
        raise InvalidRequest(
            f"{months.name(before)} cannot be archived. It is in the future, and only past months "
            "can. Give an earlier month."
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


def future_month(conn: Connection) -> int | None:
    """The newest month with matches if it is in the future, because a clock was wrong."""
    newest = _newest(conn)
    return newest if newest > months.at(instant.now()) else None


def _newest(conn: Connection) -> int:
    """The newest month with matches in the database."""
    return months.of(conn.scalar(select(func.max(matches.c.number))) or 0)


def in_range(conn: Connection, first: int, last: int) -> list[TournamentMonth]:
    """The share of each tournament in the matches with these numbers."""
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
    """The deals with some, but not all, matches among these numbers: tournament, deal, number of
    matches here, and number of matches of the deal."""
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
    """The share of each tournament in a month that can be archived. Otherwise raises NotNow, with
    the tournament that prevents it."""
    name = months.name(month)
    if catalogue.of_month(conn, month):
        raise NotNow(
            f"{name} cannot be archived. It already has an archive, so its matches in the database "
            "are unexpected. Find out where they come from first."
        )
    if month >= _newest(conn):
        raise NotNow(f"{name} cannot be archived. It is the newest month with matches.")
    found = in_range(conn, *months.bounds(month))
    secret = daily.sealed_attempts(conn)
    for each in found:
        if each.tournament in secret:
            raise NotNow(
                f"{name} cannot be archived. The daily deal of {secret[each.tournament]} is "
                "still sealed. Try again the day after tomorrow."
            )
    row = tournaments.c
    under_way = set(conn.scalars(select(row.id).where(row.state.not_in(OVER))))
    going_on = [each for each in found if each.tournament in under_way]
    for each in going_on:
        if each.last >= needed_from(conn, each.tournament):
            raise NotNow(
                f"{name} cannot be archived. Tournament {each.tournament} is not over and still "
                "needs matches of it. Wait until they are rated and its round is played, or cancel "
                "it."
            )
    running = {each.tournament for each in going_on}
    partial = partial_deals(conn, *months.bounds(month)) if running else []
    for tournament, deal, here, whole in partial:
        if tournament in running and here + _elsewhere(conn, month, tournament, deal) != whole:
            raise NotNow(
                f"{name} cannot be archived. Deal {deal} of tournament {tournament}, which is not "
                "over, is incomplete. Wait until it is played, or cancel the tournament."
            )
    return found


def lock(conn: Connection, month: int) -> None:
    """Takes the row locks of a month's tournaments that are over: until the transaction ends, none
    can be resumed, and none of their matches stored or rated. Other tournaments are not locked, so
    storing their results does not wait; the archived part of them cannot change."""
    row, within = tournaments.c, matches.c.number.between(*months.bounds(month))
    of_it = row.id.in_(select(matches.c.tournament).where(within).distinct())
    query = select(row.id).where(of_it, row.state.in_(OVER)).order_by(row.id)
    conn.execute(query.with_for_update(key_share=True)).all()


def _elsewhere(conn: Connection, month: int, tournament: int, deal: int) -> int:
    """Number of matches of a deal in other months, archived or not."""
    own = matches.c.tournament == tournament, matches.c.deal == deal
    first, last = months.bounds(month)
    other = ~matches.c.number.between(first, last)
    stored = conn.scalar(select(func.count()).where(*own, other)) or 0
    row = archived_deals.c
    archived = select(func.sum(row.matches)).where(row.tournament == tournament, row.deal == deal)
    return stored + int(conn.scalar(archived) or 0)
