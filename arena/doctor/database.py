"""The database: reachable, of this release, taking what is stored, its clock right."""

from __future__ import annotations

import time
from collections.abc import Iterator

from sqlalchemy import text

from arena.config import Settings
from arena.doctor.finding import Finding, fine, unknown, wrong
from arena.errors import ArenaError
from arena.store import Store, opening, schema, writable
from arena.store.archive import catalogue, open_files
from arena.store.engine import parse_url, place
from arena.store.migrate import HEAD

ABOUT = "database"
ROOM = {
    "full": "The disk that it is on is full.",
    "read-only": "It can be read only.",
    "broken": "It cannot be written to.",
}
ROOM_ADVICE = {
    "full": "Make room there.",
    "read-only": "Let this user write to its file and folder, or name the primary server.",
    "broken": "Check its disk and its file; its own log says what the error is.",
}
CLOCK = text("SELECT extract(epoch FROM clock_timestamp())")
MOST_APART_S = 2.0


def examine_database(settings: Settings) -> Iterator[Finding]:
    """What is to be said of the database of these settings."""
    try:
        url = parse_url(settings.database)
        found = opening.version(settings.database)
    except ArenaError as error:
        yield wrong(ABOUT, str(error), "Start it, or correct ARENA_DATABASE_URL.")
        return
    except OSError as error:
        yield wrong(
            ABOUT,
            f"Its file cannot be looked at ({error.strerror}).",
            "Run this as the user that the arena runs as.",
        )
        return
    if found is None:
        yield _missing(settings)
        return
    if found != HEAD:
        yield wrong(
            ABOUT,
            schema.sentence(found, HEAD),
            "Stop the arena, take a backup with the release that it runs, and upgrade.",
        )
        return
    store = Store(url, archive=settings.archive_folder)
    try:
        yield from _examine(store)
    finally:
        store.dispose()


def _missing(settings: Settings) -> Finding:
    if not settings.database_url:
        return unknown(ABOUT, f"There is none in {settings.data} yet; `arena up` makes it.")
    return wrong(ABOUT, "It is empty.", "Make its tables with `arena db upgrade`.")


def _examine(store: Store) -> Iterator[Finding]:
    verdict = writable.verdict(store)
    if verdict in ROOM:
        yield wrong(ABOUT, f"{place(store.url)}: {ROOM[verdict]}", ROOM_ADVICE[verdict])
    else:
        yield fine(
            ABOUT,
            f"{place(store.url)} is of version {HEAD}, which is this release's, and "
            + ("takes what is stored." if verdict == "ok" else "busy at the moment."),
        )
    yield from examine_archives(store)
    if store.url.get_backend_name() == "postgresql":
        with store.read() as conn:
            before = time.time()
            there = float(conn.scalar(CLOCK) or 0.0)
            yield examine_clock("PostgreSQL", there, before, time.time())


def examine_archives(store: Store) -> Iterator[Finding]:
    """Whether the files of all archives are there; nothing where nothing is archived."""
    with store.read() as conn:
        known = catalogue.every(conn)
        lost = [each.name for each in known if not open_files.is_there(conn, each)]
    if lost:
        yield wrong(
            "archives",
            f"{len(lost)} of {len(known)} are not in {store.archive}: {', '.join(lost)}.",
            "Put them or copies of them there, or name their folder in ARENA_ARCHIVE.",
        )
    elif known:
        yield fine("archives", f"All {len(known)} are in {store.archive}.")


def examine_clock(whose: str, there: float, before: float, after: float) -> Finding:
    """How a server's clock differs from this machine's, which read `before` and `after` when it
    was asked. All in Unix seconds."""
    apart = max(before - there, there - after, 0.0)
    if apart > MOST_APART_S:
        way = "ahead of" if there > after else "behind"
        return wrong(
            "clock",
            f"The clock of {whose} is {apart:.0f} s {way} this machine's.",
            "Have both set by NTP: times of matches and sessions come from either.",
        )
    return fine("clock", f"The clocks of {whose} and this machine agree.")
