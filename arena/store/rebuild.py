"""Recomputes everything that is derived from stored matches, or compares it with the stored values.

Both agree to the bit, unless the store was tampered with or another version of the code computed
the stored values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.store.dialects import upsert
from arena.store.matches.read_columns import read_once
from arena.store.projections import PROJECTIONS
from arena.store.projections.elo import lock_game
from arena.store.tables import archived_tournaments, deal_sums, matches, projection_versions
from arena.store.tournaments.tournaments import lock_row


@dataclass(frozen=True, slots=True)
class Recount:
    """The number of rated matches and of counted deals, and the differences, as sentences; after a
    rebuild those that remain."""

    game: str
    matches: int
    deals: int
    differences: tuple[str, ...] = ()


def games(conn: Connection) -> list[str]:
    """The games with matches, archived or not, by name."""
    older = archived_tournaments.c.game
    return sorted(conn.scalars(select(matches.c.game).union(select(older))))


def rebuild(conn: Connection, game: str) -> Recount:
    """Recomputes and stores all projections of a game."""
    lock(conn, game)
    with read_once(conn):
        left = [each for one in PROJECTIONS for each in one.rebuild(conn, game) or ()]
    return _recount(conn, game, left)


def rebuild_changed(conn: Connection, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Rebuilds the projections whose stored version differs from this code. Returns their names,
    and reports the progress to `tell`."""
    row = projection_versions.c
    stored = dict(conn.execute(select(row.name, row.version)).all())
    changed = [each for each in PROJECTIONS if stored.get(each.name) != each.version]
    for game in games(conn) if changed else ():
        lock(conn, game)
        count = _count(conn, game)
        with read_once(conn):
            for number, projection in enumerate(changed, 1):
                name = projection.name.replace("_", " ")
                tell(f"Recomputing {name} of {count:,} {game} matches, {number} of {len(changed)}")
                for left in projection.rebuild(conn, game) or ():
                    tell(f"{game}: {left}")
    if rows := [{"name": each.name, "version": each.version} for each in changed]:
        conn.execute(upsert(conn, projection_versions), rows)
    return [each.name for each in changed]


def lock(conn: Connection, game: str) -> None:
    """Takes the locks that storing results of the game takes, in the same order."""
    row, older = matches.c, archived_tournaments.c
    played = select(row.tournament).where(row.game == game)
    for tournament in sorted(
        conn.scalars(played.union(select(older.tournament).where(older.game == game)))
    ):
        lock_row(conn, tournament)
    lock_game(conn, game)


def compare(conn: Connection, game: str) -> Recount:
    """Recomputes all projections of a game and compares them, to the bit, with the stored values.

    Changes nothing. If results may be stored at the same time, the connection must read from one
    snapshot (SQLite always does).
    """
    with read_once(conn):
        differences = [each for one in PROJECTIONS for each in one.differences(conn, game)]
    return _recount(conn, game, differences)


def _recount(conn: Connection, game: str, differences: Sequence[str] = ()) -> Recount:
    rated = _count(conn, game, rated=True)
    deals = select(func.sum(deal_sums.c.deals)).where(deal_sums.c.game == game)
    counted = int(conn.scalar(deals) or 0)  # PostgreSQL returns sums as decimals
    return Recount(game, rated, counted, tuple(differences))


def _count(conn: Connection, game: str, *, rated: bool = False) -> int:
    """Number of matches of a game, archived or not, or of the rated ones."""
    row, older = matches.c, archived_tournaments.c
    stored = select(func.count()).where(row.game == game)
    if rated:
        stored = stored.where(row.rated_seq.is_not(None))
    archived = select(func.sum(older.rated if rated else older.matches)).where(older.game == game)
    return int(conn.scalar(stored) or 0) + int(conn.scalar(archived) or 0)
