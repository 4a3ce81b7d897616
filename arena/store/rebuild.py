"""Rebuilding everything that follows from stored matches, and comparing it with what is stored.

Projections come out the same to the bit, unless the store was tampered with or this program counts
otherwise than the one that stored them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.store.matches.read_columns import read_once
from arena.store.projections import PROJECTIONS
from arena.store.projections.elo import lock_game
from arena.store.tables import archived_tournaments, deal_sums, matches, projection_versions
from arena.store.tournaments.tournaments import lock_row
from arena.store.upsert import upsert


@dataclass(frozen=True, slots=True)
class Recount:
    """How many matches are rated, how many deals count, and what differed, or after a rebuild
    differs still, in sentences."""

    game: str
    matches: int
    deals: int
    differences: tuple[str, ...] = ()


def games(conn: Connection) -> list[str]:
    """The games that have matches, archived or not, by name."""
    older = archived_tournaments.c.game
    return sorted(conn.scalars(select(matches.c.game).union(select(older))))


def rebuild(conn: Connection, game: str) -> Recount:
    """Makes all projections of a game again from its matches, and stores them."""
    lock(conn, game)
    with read_once(conn):
        left = [each for one in PROJECTIONS for each in one.rebuild(conn, game) or ()]
    return _recount(conn, game, left)


def rebuild_changed(conn: Connection, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Rebuilds those projections whose stored version is not this program's; says which, and tells
    what it is at."""
    row = projection_versions.c
    stored = dict(conn.execute(select(row.name, row.version)).all())
    changed = [each for each in PROJECTIONS if stored.get(each.name) != each.version]
    for game in games(conn) if changed else ():
        lock(conn, game)
        count = _count(conn, game)
        with read_once(conn):
            for number, projection in enumerate(changed, 1):
                name = projection.name.replace("_", " ")
                tell(f"Counting {count:,} matches of {game}: {name}, {number} of {len(changed)}")
                for left in projection.rebuild(conn, game) or ():
                    tell(f"{game}: {left}")
    note_versions(conn, {each.name: each.version for each in changed})
    return [each.name for each in changed]


def note_versions(conn: Connection, versions: Mapping[str, int]) -> None:
    """Stores that projections are at these versions."""
    rows = [{"name": name, "version": version} for name, version in versions.items()]
    if rows:
        conn.execute(upsert(conn, projection_versions), rows)


def lock(conn: Connection, game: str) -> None:
    """Waits for whoever stores results of the game: tournaments first, as they do."""
    row, older = matches.c, archived_tournaments.c
    played = select(row.tournament).where(row.game == game)
    for tournament in sorted(
        conn.scalars(played.union(select(older.tournament).where(older.game == game)))
    ):
        lock_row(conn, tournament)
    lock_game(conn, game)


def compare(conn: Connection, game: str) -> Recount:
    """Makes all projections of a game again and compares them, to the bit, with what is stored.

    Changes nothing. Where results are being stored meanwhile, the connection must read from
    one snapshot (SQLite always does).
    """
    with read_once(conn):
        differences = [each for one in PROJECTIONS for each in one.differences(conn, game)]
    return _recount(conn, game, differences)


def _recount(conn: Connection, game: str, differences: Sequence[str] = ()) -> Recount:
    rated = _count(conn, game, rated=True)
    deals = select(func.sum(deal_sums.c.deals)).where(deal_sums.c.game == game)
    counted = int(conn.scalar(deals) or 0)  # PostgreSQL adds whole numbers up to a decimal
    return Recount(game, rated, counted, tuple(differences))


def _count(conn: Connection, game: str, *, rated: bool = False) -> int:
    """How many matches of a game there are, archived or not, or how many of them are rated."""
    row, older = matches.c, archived_tournaments.c
    stored = select(func.count()).where(row.game == game)
    if rated:
        stored = stored.where(row.rated_seq.is_not(None))
    archived = select(func.sum(older.rated if rated else older.matches)).where(older.game == game)
    return int(conn.scalar(stored) or 0) + int(conn.scalar(archived) or 0)
