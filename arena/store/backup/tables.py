"""The tables of each schema version, for saving and restoring backups of older versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlalchemy import INTEGER, BigInteger, Column, MetaData, Table, create_engine

from arena.base.errors import SchemaMismatch
from arena.store import schema
from arena.store.migrate import HEAD, make_version
from arena.store.tables import metadata


@lru_cache(maxsize=4)
def tables_at(version: str | None) -> Mapping[str, Table]:
    """The tables of a version by name, referenced tables first. Raises SchemaMismatch if the
    version is unknown or empty, or an upgrade from it is under way."""
    if version == HEAD:
        return _sorted(metadata)
    if version is None or not version.isdigit() or version > HEAD:
        raise SchemaMismatch(schema.sentence(version, HEAD))
    engine, found = create_engine("sqlite://"), MetaData()
    try:
        with engine.begin() as conn:
            make_version(conn, version)
            found.reflect(conn)
    finally:
        engine.dispose()
    found.remove(found.tables[schema.TABLE])
    for table in found.tables.values():
        _type(table)
    return _sorted(found)


def columns_of(table: Table) -> list[Column[object]]:
    """The columns in the order of the release of that version; the columns that it shares with this
    release have the same order in both."""
    newest = metadata.tables.get(table.name, table)
    known = [table.c[column.name] for column in newest.columns if column.name in table.c]
    return known + [column for column in table.columns if column.name not in newest.c]


def _type(table: Table) -> None:
    """Sets column types that suit both databases: SQLite has only one type of integers."""
    newest = metadata.tables.get(table.name, table)
    for column in table.columns:
        known = newest.c.get(column.name, column).type
        column.type = BigInteger() if isinstance(known, INTEGER) else known


def _sorted(tables: MetaData) -> Mapping[str, Table]:
    return {table.name: table for table in tables.sorted_tables}
