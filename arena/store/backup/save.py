"""Saves a database to a file, from one snapshot, while other processes write."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from arena.base import instant
from arena.store.backup.format import BackupWriter, Contents, portion_size
from arena.store.backup.tables import columns_of, tables_at
from arena.store.dialects import next_key
from arena.store.engine import Store
from arena.store.files import new_file
from arena.store.schema import revision
from arena.store.tables import metadata


def save_backup(store: Store, path: Path) -> Contents:
    """Writes the current contents of a database to a new file. An older schema version is kept.

    Writers do not have to wait, but migrations do. Raises AlreadyExists if the file exists,
    Unavailable if it cannot be written or the database cannot be read, SchemaMismatch if the
    database has a newer version or is being upgraded.
    """
    with new_file(path) as file, store.snapshot() as conn:
        version = revision(conn)
        tables = tables_at(version)
        writer = BackupWriter(file, str(version), instant.now())
        for name, table in tables.items():
            columns = columns_of(table)
            writer.begin_table(name, columns, next_key(conn, metadata.tables.get(name, table)))
            rows = select(*columns).order_by(*table.primary_key.columns)
            # In portions, even from PostgreSQL: all rows might not fit in memory.
            result = conn.execute(rows, execution_options={"yield_per": portion_size(name)})
            for portion in result.partitions():
                writer.add_rows(portion)
        return writer.finish()
