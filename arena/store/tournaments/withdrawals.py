"""Withdrawn entrants of a tournament, and the planned matches that are cancelled with them.

A withdrawn entrant stays withdrawn until the tournament ends. The schedule does not change: a
cancelled match keeps its position and is not stored. Rating skips it.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select, update

from arena.store.dialects import insert
from arena.store.tables import bots, cancelled_matches, entrants, players
from arena.store.tournaments.tournaments import lock_row, set_note


def withdraw(conn: Connection, tournament: int, withdrawn: Collection[int], now: float) -> None:
    """Withdraws entrants (`now` in Unix seconds) and sets the tournament's note. Entrants that are
    already withdrawn keep their time. Raises NotFound."""
    lock_row(conn, tournament)
    row = entrants.c
    conn.execute(
        update(entrants)
        .where(row.tournament == tournament, row.entrant.in_(withdrawn), row.withdrawn.is_(None))
        .values(withdrawn=now)
    )
    gone = ", ".join(_names(conn, tournament))
    set_note(conn, tournament, f"Withdrawn because they were not connected: {gone}.")


def times(conn: Connection, tournament: int) -> dict[int, float]:
    """By withdrawn entrant, since when (Unix seconds)."""
    row = entrants.c
    query = select(row.entrant, row.withdrawn).where(row.tournament == tournament)
    return dict(conn.execute(query.where(row.withdrawn.is_not(None))).all())


def _names(conn: Connection, tournament: int) -> list[str]:
    """The withdrawn bots, in the order of their withdrawal."""
    row = entrants.c
    query = select(bots.c.name).join_from(entrants, players).join(bots)
    query = query.where(row.tournament == tournament, row.withdrawn.is_not(None))
    return list(conn.scalars(query.order_by(row.withdrawn, row.entrant)))


def of_all(conn: Connection, numbers: Collection[int]) -> dict[int, set[int]]:
    """By tournament, its withdrawn entrants."""
    row = entrants.c
    query = select(row.tournament, row.entrant)
    query = query.where(row.tournament.in_(numbers), row.withdrawn.is_not(None))
    found: dict[int, set[int]] = {number: set() for number in numbers}
    for tournament, entrant in conn.execute(query):
        found[tournament].add(entrant)
    return found


def cancelled(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """The cancelled ones of `count` positions from `first` on."""
    row = cancelled_matches.c
    within = row.position.between(first, first + count - 1)
    return set(conn.scalars(select(row.position).where(row.tournament == tournament, within)))


def among(conn: Connection, tournament: int, positions: Collection[int]) -> set[int]:
    """The cancelled ones of these positions."""
    if not positions:
        return set()
    first, last = min(positions), max(positions)
    return cancelled(conn, tournament, first, last - first + 1).intersection(positions)


def add_cancelled(conn: Connection, tournament: int, positions: Sequence[int]) -> None:
    """Stores cancelled positions; none of them may be stored already."""
    rows = [{"tournament": tournament, "position": position} for position in positions]
    conn.execute(insert(conn, cancelled_matches), rows)
