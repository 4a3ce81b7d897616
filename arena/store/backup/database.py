"""Saves a database to a file, from one snapshot, while other processes write; and restores a backup
into an empty database, in one transaction."""

from pathlib import Path
from typing import IO

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import DataError, IntegrityError

from arena.base import instant
from arena.base.errors import InvalidRequest, NotNow, SchemaMismatch
from arena.store import schema
from arena.store.backup.format import (
    BackupReader,
    BackupWriter,
    Contents,
    Portion,
    check_backup,
    columns_of,
    portion_size,
    tables_at,
)
from arena.store.database_url import parse_url, place
from arena.store.dialects import next_key, set_next_key
from arena.store.engine import PATIENT, Store
from arena.store.files import new_file
from arena.store.matches import months
from arena.store.migrate import HEAD, keep_others_out
from arena.store.opening import make_older, upgrade_store, version
from arena.store.schema import revision
from arena.store.tables import audit_log, matches, metadata, projection_versions

# A new database contains the versions of its projections, and an upgraded one an audit entry.
OF_ITS_MAKING = (projection_versions.name, audit_log.name)


def save_backup(store: Store, path: Path) -> Contents:
    """Writes the current contents of a database to a new file. An older schema version is kept.

    Writers do not have to wait, but migrations do. Raises AlreadyExists if the file exists,
    Unavailable if it cannot be written or the database cannot be read, SchemaMismatch if the
    database has a newer version or is being upgraded.
    """
    with new_file(path) as file, store.snapshot() as conn:
        current = revision(conn)
        tables = tables_at(current)
        writer = BackupWriter(file, str(current), instant.now())
        for name, table in tables.items():
            columns = columns_of(table)
            writer.begin_table(name, columns, next_key(conn, metadata.tables.get(name, table)))
            rows = select(*columns).order_by(*table.primary_key.columns)
            # In portions, even from PostgreSQL: all rows might not fit in memory.
            result = conn.execute(rows, execution_options={"yield_per": portion_size(name)})
            for portion in result.partitions():
                writer.add_rows(portion)
        return writer.finish()


def restore_backup(url: str, file: IO[bytes]) -> Contents:
    """Restores a backup into the empty database at a URL, and creates its tables if necessary. The
    database then has the backup's schema version: an older one has to be upgraded.

    The whole file is checked first. Raises InvalidRequest if it is not a backup or damaged,
    SchemaMismatch if its schema is newer or the database has another version, NotNow if the
    database is not empty, Unavailable if it cannot be used. Nothing is changed then.
    """
    wanted = check_backup(file).version
    found = version(url)
    if found is None:
        if wanted == HEAD:
            upgrade_store(url).dispose()
        else:
            make_older(url, wanted)
    elif found != wanted:
        raise SchemaMismatch(
            f"The database has schema version {found}, and the backup {wanted}. Restore the backup "
            "into a new folder with --data, or into an empty database in ARENA_DATABASE_URL."
        )
    with Store(parse_url(url)) as store, store.write(PATIENT) as conn:  # SQLite has only one writer
        if conn.dialect.name == "postgresql":
            keep_others_out(conn)
        schema.check(conn, wanted)
        file.seek(0)
        reader = BackupReader(file)
        _check_empty(conn, reader, place(store.url))
        return _fill(conn, reader)


def _check_empty(conn: Connection, reader: BackupReader, where: str) -> None:
    for name, table in reader.tables.items():
        if name not in OF_ITS_MAKING and conn.execute(select(table).limit(1)).first():
            raise NotNow(
                f"Nothing was restored. The database {where} is not empty: {name} has rows. "
                "Choose another folder with --data, or an empty database in ARENA_DATABASE_URL."
            )


def _fill(conn: Connection, reader: BackupReader) -> Contents:
    for name in OF_ITS_MAKING:
        if name in reader.tables:
            conn.execute(delete(reader.tables[name]))
    for portion in reader.portions():
        try:
            if portion.rows:
                _make_months(conn, portion)
                conn.execute(insert(portion.table), portion.rows)
        except (DataError, IntegrityError) as error:
            raise InvalidRequest(
                f"Nothing was restored. Rows of {portion.table.name} do not fit into this database "
                f"({error.orig}). Use another backup."
            ) from error
        if portion.next_key is not None:
            newest = metadata.tables.get(portion.table.name, portion.table)
            set_next_key(conn, newest, portion.next_key)
    return reader.contents


def _make_months(conn: Connection, portion: Portion) -> None:
    if portion.table.name == matches.name:
        for month in sorted({months.of(row["number"]) for row in portion.rows}):
            months.make_month(conn, month)
