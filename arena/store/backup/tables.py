"""The tables of each version of the schema, so that backups need not be of the newest one."""

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
    """The tables of that version by name, those that others refer to first. Raises SchemaMismatch
    for a version that is not known, is being left, or is of no tables."""
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
    """The columns as the release of that version has them: those it has in common with this one are
    in the same order."""
    newest = metadata.tables.get(table.name, table)
    known = [table.c[column.name] for column in newest.columns if column.name in table.c]
    return known + [column for column in table.columns if column.name not in newest.c]


def _type(table: Table) -> None:
    """Gives the columns of a table types for both kinds of database: SQLite has one of integers."""
    newest = metadata.tables.get(table.name, table)
    for column in table.columns:
        known = newest.c.get(column.name, column).type
        column.type = BigInteger() if isinstance(known, INTEGER) else known


def _sorted(tables: MetaData) -> Mapping[str, Table]:
    return {table.name: table for table in tables.sorted_tables}
