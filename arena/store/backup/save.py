"""Saves a database to a file, from one snapshot, while others write."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import select

from arena.store import schema
from arena.store.backup.format import BackupWriter, Contents, portion_size
from arena.store.engine import Store
from arena.store.files import new_file
from arena.store.keys import next_key
from arena.store.migrate import HEAD
from arena.store.tables import metadata


def save_backup(store: Store, path: Path) -> Contents:
    """Writes everything in the database, as it is at this moment, to a new file.

    Nobody who writes has to wait, but a migration does. Raises AlreadyExists if there is such a
    file, Unavailable if it cannot be written or the database cannot be read.
    """
    with new_file(path) as file, store.snapshot() as conn:
        schema.check(conn, HEAD)
        writer = BackupWriter(file, HEAD, time.time())
        for table in metadata.sorted_tables:
            writer.begin_table(table, next_key(conn, table))
            rows = select(table).order_by(*table.primary_key.columns)
            # A portion at a time, also from PostgreSQL: all rows may be more than the memory.
            result = conn.execute(rows, execution_options={"yield_per": portion_size(table)})
            for portion in result.partitions():
                writer.add_rows(portion)
        return writer.finish()
