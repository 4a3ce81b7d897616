"""Matches of a tournament that must not be archived yet, because it will read them again."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from arena.base.errors import NotNow
from arena.store.archive import catalogue
from arena.store.tables import batches, plans, tournaments
from arena.store.tournaments.tournaments import OVER, decode_spec
from arena.tournaments.formats import format_of


def needed_from(conn: Connection, tournament: int) -> int:
    """The first position of a tournament that is read again if it goes on: a match that is not
    rated, in an unfinished batch, or not processed by the format."""
    row = tournaments.c
    found = conn.execute(select(row.kind, row.rated, row.spec).where(row.id == tournament)).one()
    if found.kind != "tournament":
        return 0
    open_batch = select(func.min(batches.c.first)).where(
        batches.c.tournament == tournament, ~batches.c.done
    )
    bounds = [int(found.rated), conn.scalar(open_batch)]
    if format_of(decode_spec(found.spec).format).needs_results:
        bounds.append(
            conn.scalar(select(plans.c.matches).where(plans.c.tournament == tournament)) or 0
        )
    return min(int(bound) for bound in bounds if bound is not None)


def is_over(conn: Connection, tournament: int) -> bool:
    """Whether no match is played in a tournament, unless it is resumed."""
    state = conn.scalar(select(tournaments.c.state).where(tournaments.c.id == tournament))
    return state in OVER


def check_resumable(conn: Connection, tournament: int) -> None:
    """Raises NotNow if a tournament cannot be resumed because of its archived matches."""
    last = catalogue.last_position(conn, tournament)
    if last is None or last < needed_from(conn, tournament):
        return
    names = ", ".join(each.name for each in catalogue.of_tournament(conn, tournament))
    raise NotNow(
        f"Tournament {tournament} cannot be resumed. It needs archived matches ({names}). Restore "
        "their months with `arena archive restore MONTH`, then resume it."
    )
