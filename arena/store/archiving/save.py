"""Archives a month: writes it to files, and deletes it from the database.

While results are stored, the files are written, read back, and compared row by row with the
database. Then one transaction removes the month from the database and lists the files. Until then
the database has everything. A file written before a crash is reused when the month is saved again.
Meanwhile only a rebuild or a resumed tournament could change rows, which the transaction detects.
"""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Connection, func, insert, select

from arena.base import instant
from arena.base.errors import NotNow, Unavailable
from arena.store.archive.layout import MOST
from arena.store.archiving import ready, rows
from arena.store.archiving.files import SavedFile, Tell, make_folder, write_files
from arena.store.engine import PATIENT, Store
from arena.store.matches import months
from arena.store.matches.partitions import drop_month
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.tables import (
    archived_deals,
    archived_tournaments,
    archives,
    matches,
    rated_games,
)

TRIES = 8


def save_month(
    store: Store, month: int, actor: Actor | None, tell: Tell = lambda _: None, most: int = MOST
) -> list[SavedFile]:
    """Archives a month in files of up to `most` matches, and reports the progress to `tell`.

    Raises NotNow if something in it may still change, Unavailable if the files cannot be written
    or other transactions use the tables. Nothing in the database is changed then.
    """
    name, folder = months.name(month), store.archive
    with store.read() as conn:
        ready.check(conn, month)
    make_folder(folder)
    with store.snapshot() as conn:
        before, rebuilt = rows.totals(conn, month), _rebuilt(conn)
        tell(f"{name}: writing {before[0]:,} matches")
        files = list(write_files(conn, folder, month, most, tell))
    if sum(each.matches for each in files) != before[0]:
        raise Unavailable(f"Nothing was changed. The files of {name} lack matches. Try again.")
    for left in range(TRIES - 1, -1, -1):
        try:
            with store.write(PATIENT) as conn:
                _take_out(conn, month, files, before, rebuilt)
                size = sum(each.size for each in files)
                details = f"{before[0]:,} matches, {size / 1e6:,.1f} MB"
                audit_log.note(conn, actor, "archived", f"matches of {name}", details)
        except Unavailable:
            if not left:
                raise
            tell(f"{name}: waiting for other readers of the matches")
        else:
            return files
    raise AssertionError("unreachable")


def _rebuilt(conn: Connection) -> dict[str, int]:
    """How often each game's Elo was rebuilt."""
    query = select(rated_games.c.game, rated_games.c.rebuilt).order_by(rated_games.c.game)
    return dict(conn.execute(query).all())


def _take_out(
    conn: Connection,
    month: int,
    files: list[SavedFile],
    before: tuple[int, int, int, int],
    rebuilt: dict[str, int],
) -> None:
    """Lists the files and deletes the month, if it has not changed since it was written."""
    ready.lock(conn, month)
    ready.check(conn, month)
    now = _rebuilt(conn)
    if rows.totals(conn, month) != before or any(now.get(g) != n for g, n in rebuilt.items()):
        raise NotNow(
            f"Nothing was changed. Matches of {months.name(month)} were rated again in the "
            "meantime. Run the command again."
        )
    for file in files:
        _note(conn, month, file)
    drop_month(conn, month)


def _note(conn: Connection, month: int, file: SavedFile) -> None:
    """Stores a file with its shares of tournaments and deals."""
    within = matches.c.number.between(file.first, file.last)
    ended = conn.scalar(select(func.max(matches.c.finished)).where(within))
    row = {
        "name": file.name,
        "month": month,
        "first": file.first,
        "last": file.last,
        "matches": file.matches,
        "digest": file.digest,
        "ended": ended,
        "created": instant.now(),
    }
    archive = conn.execute(insert(archives).returning(archives.c.id), row).scalar_one()
    of_it = ready.in_range(conn, file.first, file.last)
    lines = [{**asdict(each), "archive": archive} for each in of_it]
    conn.execute(insert(archived_tournaments), lines)
    partial = [
        {"tournament": tournament, "deal": deal, "archive": archive, "matches": here}
        for tournament, deal, here, _ in ready.partial_deals(conn, file.first, file.last)
    ]
    if partial:
        conn.execute(insert(archived_deals), partial)
