"""What of a tournament must not be archived yet, as it is read again when it goes on."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from arena.base.errors import NotNow
from arena.store.archive import catalogue
from arena.store.tables import batches, plans, tournaments
from arena.store.tournaments.tournaments import OVER, decode_spec
from arena.tournaments.formats import format_of


def needed_from(conn: Connection, tournament: int) -> int:
    """The first position of a tournament that it reads again as long as it is not over: what is
    still to be rated, in a batch that is not finished, or not taken in by its format."""
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
    """Whether nothing is played in a tournament, unless somebody resumes it."""
    state = conn.scalar(select(tournaments.c.state).where(tournaments.c.id == tournament))
    return state in OVER


def check_resumable(conn: Connection, tournament: int) -> None:
    """Raises NotNow for a tournament that cannot go on because of what is archived of it."""
    last = catalogue.last_position(conn, tournament)
    if last is None or last < needed_from(conn, tournament):
        return
    names = ", ".join(each.name for each in catalogue.of_tournament(conn, tournament))
    raise NotNow(
        f"Tournament {tournament} needs matches that are archived to go on ({names}): bring their "
        "months back with `arena archive restore MONTH`, then resume it."
    )
