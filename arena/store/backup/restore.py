"""Restores a backup into an empty database, in one transaction."""

from __future__ import annotations

from typing import IO

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import DataError, IntegrityError

from arena.errors import InvalidRequest, NotNow, SchemaMismatch
from arena.store import schema
from arena.store.backup.format import BackupReader, Contents, Portion, check_backup
from arena.store.engine import PATIENT, Store, parse_url, place
from arena.store.keys import set_next_key
from arena.store.matches import months
from arena.store.matches.partitions import make_month
from arena.store.migrate import HEAD, keep_others_out
from arena.store.opening import upgrade_store, version
from arena.store.tables import audit_log, matches, metadata, projection_versions

# A database that was just made says which version its projections are at; one that was upgraded,
# by whom.
OF_ITS_MAKING = (projection_versions, audit_log)


def restore_backup(url: str, file: IO[bytes]) -> Contents:
    """Fills the empty database at a URL with what a backup holds; makes its tables if it has none.

    The file is read through before the database is touched. Raises InvalidRequest where it is no
    backup or damaged, SchemaMismatch if it or the database is of another version, NotNow if the
    database holds something, Unavailable if it cannot be used. Nothing is changed then.
    """
    check_backup(file, HEAD)
    found = version(url)
    if found is None:
        upgrade_store(url).dispose()
    elif found != HEAD:
        raise SchemaMismatch(schema.sentence(found, HEAD))
    store = Store(parse_url(url))
    try:
        with store.write(PATIENT) as conn:  # in SQLite the only writer
            if conn.dialect.name == "postgresql":
                keep_others_out(conn)
            schema.check(conn, HEAD)
            _check_empty(conn, place(store.url))
            file.seek(0)
            return _fill(conn, BackupReader(file, HEAD))
    finally:
        store.dispose()


def _check_empty(conn: Connection, where: str) -> None:
    for table in metadata.sorted_tables:
        if table not in OF_ITS_MAKING and conn.execute(select(table).limit(1)).first():
            raise NotNow(
                f"The database {where} is not empty ({table.name} has rows), so nothing was "
                "restored: name another folder with --data, or an empty database in "
                "ARENA_DATABASE_URL."
            )


def _fill(conn: Connection, reader: BackupReader) -> Contents:
    for table in OF_ITS_MAKING:
        conn.execute(delete(table))
    for portion in reader.portions():
        try:
            if portion.rows:
                _make_months(conn, portion)
                conn.execute(insert(portion.table), portion.rows)
        except (DataError, IntegrityError) as error:
            raise InvalidRequest(
                f"Rows of {portion.table.name} do not fit into this database ({error.orig}): "
                "nothing was restored."
            ) from error
        if portion.next_key is not None:
            set_next_key(conn, portion.table, portion.next_key)
    return reader.contents


def _make_months(conn: Connection, portion: Portion) -> None:
    if portion.table is matches:
        for month in sorted({months.of(row["number"]) for row in portion.rows}):
            make_month(conn, month)
