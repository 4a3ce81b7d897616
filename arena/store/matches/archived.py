"""Archived matches: by id, by tournament, and as lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, select

from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.matches.archived_rows import read
from arena.store.matches.rows import StoredMatch
from arena.store.tables import tournaments

CHUNK = 1000  # matches of a tournament that are read and sorted together


class Place(NamedTuple):
    """The place of an archived match: its archive, block and row."""

    archive: int
    block: int
    row: int


def find(conn: Connection, match: str) -> StoredMatch | None:
    """The archived match with this id, or None.

    Raises Unavailable if a file is missing and no other one contains the match.
    """
    lost: Archive | None = None
    for archive in catalogue.every(conn):
        if not open_files.is_there(conn, archive):
            lost = lost or archive
            continue
        file = open_files.opened(conn, archive)
        for number in file.blocks_with(match):
            ids = file.block(number).values("matches", "id")
            if match in ids:
                return read(conn, file, number, [ids.index(match)])[0]
    if lost is not None:
        said = f'The match "{match[:40]}" is not in the database. It may be in'
        raise open_files.missing(conn, lost, said)
    return None


def newest(
    conn: Connection, tournament: int | None, before: int | None, limit: int
) -> list[StoredMatch]:
    """The newest archived matches of a tournament, or of all rated ones, with numbers below
    `before`; newest first."""
    if tournament is None:
        rated = select(tournaments.c.id).where(tournaments.c.kind == "tournament")
        wanted, known = list(conn.scalars(rated)), catalogue.every(conn)
    else:
        wanted, known = [tournament], catalogue.of_tournament(conn, tournament)[::-1]
    below = before if before is not None else 1 << 62
    found: list[StoredMatch] = []
    for archive in known:
        if archive.first >= below or len(found) >= limit:
            continue
        file = open_files.opened(conn, archive)
        for number in reversed(file.blocks_between(archive.first, below - 1)):
            block = file.block(number)
            own = np.isin(block.array("matches", "tournament"), wanted)
            own &= block.array("matches", "number") < below
            found += read(conn, file, number, np.flatnonzero(own).tolist())[::-1]
            if len(found) >= limit:
                break
    return found[:limit]


def of_tournament(conn: Connection, tournament: int) -> Iterator[StoredMatch]:
    """The archived matches of a tournament in scheduled order; a few in memory at a time."""
    known = catalogue.of_tournament(conn, tournament)
    places = np.concatenate([np.empty((0, 4), np.int64), *_places(conn, known, tournament)])
    places = places[np.argsort(places[:, 0], kind="stable"), 1:]
    for start in range(0, len(places), CHUNK):
        chunk = sorted(Place(*row) for row in places[start : start + CHUNK].tolist())
        found: list[StoredMatch] = []
        for (archive, number), rows in groupby(chunk, key=itemgetter(0, 1)):
            file = open_files.opened(conn, known[archive])
            found += read(conn, file, number, [place.row for place in rows])
        yield from sorted(found, key=lambda match: match.position)


def with_faults(conn: Connection, tournament: int) -> Iterator[StoredMatch]:
    """The archived matches of a tournament with faults."""
    for archive in catalogue.of_tournament(conn, tournament):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            block = file.block(each.block)
            own = block.array("matches", "tournament") == tournament
            own &= np.isin(block.array("matches", "number"), block.array("fault_notes", "match"))
            yield from read(conn, file, each.block, np.flatnonzero(own).tolist())


def _places(
    conn: Connection, known: Sequence[Archive], tournament: int
) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """The places of a tournament's archived matches (M, 4): position, then Place."""
    for index, archive in enumerate(known):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            block = file.block(each.block)
            rows = np.flatnonzero(block.array("matches", "tournament") == tournament)
            positions = block.array("matches", "position")[rows]
            where = [np.full(len(rows), number) for number in (index, each.block)]
            yield np.stack([positions, *where, rows], axis=1)
