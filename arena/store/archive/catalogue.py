"""The archives and their contents, as listed in the database; opens no file."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from arena.base.errors import NotNow
from arena.store.tables import (
    archived_deals,
    archived_tournaments,
    archives,
    batches,
    entrants,
    plans,
    players,
    tournaments,
)
from arena.store.tournaments.tournaments import OVER, decode_spec
from arena.tournaments.formats import format_of

NOT_LISTED = "archived and not listed here. Their pages still work."
# Archived matches of tournaments in which a bot has played.
OF_BOT = (
    select(entrants.c.tournament)
    .join_from(entrants, players)
    .join(archived_tournaments, archived_tournaments.c.tournament == entrants.c.tournament)
    .where(players.c.bot == bindparam("of"), entrants.c.matches > 0)
    .limit(1)
)


@dataclass(frozen=True)
class Archive:
    """An archive file: its name and month, the numbers of its first and last match, the number of
    its matches, its SHA-256 digest, when its last match ended, and when it was created."""

    id: int
    name: str
    month: int
    first: int
    last: int
    matches: int
    digest: bytes
    ended: float
    created: float


def every(conn: Connection) -> list[Archive]:
    """All archives, the one with the newest matches first."""
    rows = conn.execute(select(archives).order_by(archives.c.first.desc()))
    return [Archive(**row._mapping) for row in rows]


def names(conn: Connection) -> list[str]:
    """The names of all archives, even in a database of an older version."""
    return list(conn.scalars(select(archives.c.name).order_by(archives.c.first.desc())))


def of_month(conn: Connection, month: int) -> list[Archive]:
    """The archives of a month, in order."""
    return [each for each in reversed(every(conn)) if each.month == month]


def of_tournament(conn: Connection, tournament: int) -> list[Archive]:
    """The archives with matches of a tournament, in the order of their matches."""
    row = archived_tournaments.c
    query = select(archives).join_from(archives, archived_tournaments)
    query = query.where(row.tournament == tournament).order_by(archives.c.first)
    return [Archive(**each._mapping) for each in conn.execute(query)]


def of_game(conn: Connection, game: str) -> list[Archive]:
    """The archives with matches of a game, in the order of their matches."""
    some = select(archived_tournaments.c.archive).where(archived_tournaments.c.game == game)
    query = select(archives).where(archives.c.id.in_(some)).order_by(archives.c.first)
    return [Archive(**each._mapping) for each in conn.execute(query)]


def last_position(conn: Connection, tournament: int) -> int | None:
    """The highest archived position of a tournament; None if none is archived."""
    row = archived_tournaments.c
    found = conn.scalar(select(func.max(row.last)).where(row.tournament == tournament))
    return None if found is None else int(found)


def count(conn: Connection, tournament: int | None = None) -> int:
    """Number of archived matches of a tournament, or of all listed tournaments."""
    row = archived_tournaments.c
    query = select(func.sum(row.matches))
    if tournament is not None:
        query = query.where(row.tournament == tournament)
    else:
        query = query.join_from(archived_tournaments, tournaments)
        query = query.where(tournaments.c.kind == "tournament")
    return int(conn.scalar(query) or 0)


def partial_deals(conn: Connection, of: Collection[int]) -> dict[tuple[int, int], int]:
    """The deals of these tournaments with some, but not all, matches in an archive, and the number
    of their archived matches."""
    row = archived_deals.c
    query = select(row.tournament, row.deal, func.sum(row.matches)).where(row.tournament.in_(of))
    rows = conn.execute(query.group_by(row.tournament, row.deal))
    return {(tournament, deal): int(count) for tournament, deal, count in rows}


def older(conn: Connection, bot: int | None = None, tournament: int | None = None) -> str:
    """A sentence about the archived matches of a bot, a tournament or all; "" if there are none."""
    if bot is not None and conn.execute(OF_BOT, {"of": bot}).first() is None:
        return ""
    known = count(conn, tournament)
    if not known:
        return ""
    if bot is not None:
        return f"Older matches are {NOT_LISTED}"
    return f"{known:,} older {'match is' if known == 1 else 'matches are'} {NOT_LISTED}"


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
    last = last_position(conn, tournament)
    if last is None or last < needed_from(conn, tournament):
        return
    files = ", ".join(each.name for each in of_tournament(conn, tournament))
    raise NotNow(
        f"Tournament {tournament} cannot be resumed. It needs archived matches ({files}). Restore "
        "their months with `arena archive restore MONTH`, then resume it."
    )
