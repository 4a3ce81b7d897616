"""The database of an installation, and the files of its archives."""

from __future__ import annotations

from collections.abc import Iterator

from arena.base.config import Settings
from arena.service.health.finding import Finding, fine, wrong
from arena.store import Store, open_store
from arena.store.archive import catalogue, open_files
from arena.store.engine import place
from arena.store.migrate import HEAD


def examine_database(settings: Settings) -> Iterator[Finding]:
    """More findings on a database that answers."""
    store = open_store(settings.database, archive=settings.archive_folder)
    try:
        yield fine("database", f"{place(store.url)} has version {HEAD}, as this release needs.")
        yield from examine_archives(store)
    finally:
        store.dispose()


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
