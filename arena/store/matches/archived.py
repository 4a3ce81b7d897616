"""Archived matches, given as those are that the database holds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.archive.file import ArchiveFile
from arena.store.matches.model import FaultNote
from arena.store.matches.rows import SeatRow, StoredMatch
from arena.store.tables import bots, fault_notes, match_seats, matches, players, tournaments
from arena.store.tournaments.tournaments import decode_spec

CHUNK = 1000  # matches of a tournament that are put in order together
OF_MATCH = ("rank", "points", "faults", "forfeited", "elo_before", "elo_change")


class Place(NamedTuple):
    """Where an archived match is: in which archive, block, and row of it."""

    archive: int
    block: int
    row: int


def find(conn: Connection, match: str) -> StoredMatch | None:
    """The archived match with this id; None if there is none.

    Raises Unavailable where it is in no archive that is there, and one is missing.
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
        said = f'The match "{match[:40]}" is not in the database, and may be in'
        raise open_files.missing(conn, lost, said)
    return None


def newest(
    conn: Connection, tournament: int | None, before: int | None, limit: int
) -> list[StoredMatch]:
    """The newest archived matches of a tournament, or of all rated ones, whose numbers are below
    `before`; newest first."""
    rated = select(tournaments.c.id).where(tournaments.c.kind == "tournament")
    wanted = list(conn.scalars(rated)) if tournament is None else [tournament]
    known = catalogue.every(conn)
    if tournament is not None:
        known = catalogue.of_tournament(conn, tournament)[::-1]
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
    """The archived matches of a tournament in scheduled order, some in memory at a time."""
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


def _places(
    conn: Connection, known: Sequence[Archive], tournament: int
) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """By archived match of a tournament (M, 4): its position, and its Place."""
    for index, archive in enumerate(known):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            block = file.block(each.block)
            rows = np.flatnonzero(block.array("matches", "tournament") == tournament)
            positions = block.array("matches", "position")[rows]
            where = [np.full(len(rows), number) for number in (index, each.block)]
            yield np.stack([positions, *where, rows], axis=1)


def deal_finished(conn: Connection, tournament: int, deal: int, stored: int) -> bool:
    """Whether all matches of a deal are there, of which so many are stored in the database."""
    whole = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
    partial = catalogue.of_partial_deal(conn, tournament, deal)
    if stored or partial is not None:
        return stored + (partial or 0) == conn.scalar(whole)
    for archive in catalogue.of_tournament(conn, tournament):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            if each.first_deal <= deal <= each.last_deal:
                block = file.block(each.block)
                own = block.array("matches", "tournament") == tournament
                if (own & (block.array("matches", "deal") == deal)).any():
                    return True
    return False


def read(
    conn: Connection, file: ArchiveFile, number: int, rows: Sequence[int]
) -> list[StoredMatch]:
    """The matches in these rows of a block, in this order."""
    block = file.block(number)
    every = file.rows(block, "matches")
    lines = [dict(zip(matches.c.keys(), every[row], strict=True)) for row in rows]
    numbers = {line["number"] for line in lines}
    seats = _by_match(file.rows(block, "match_seats"), match_seats.c.keys(), numbers)
    notes = _by_match(file.rows(block, "fault_notes"), fault_notes.c.keys(), numbers)
    names = _names(conn, {seat["player"] for each in seats.values() for seat in each})
    limits = _fault_limits(conn, {line["tournament"] for line in lines})
    locked = _locked_deals(conn, {(line["tournament"], line["deal"]) for line in lines})
    return [
        _stored_match(
            line,
            tuple(_seat(seat, names) for seat in seats[line["number"]]),
            tuple(_note(note) for note in notes[line["number"]]),
            limits[line["tournament"]],
            (line["tournament"], line["deal"]) in locked,
        )
        for line in lines
    ]


def _by_match(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], numbers: Collection[int]
) -> dict[int, list[dict[str, Any]]]:
    """Those rows, by match, that are of these matches."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row[0] in numbers:
            found[row[0]].append(dict(zip(columns, row, strict=True)))
    return found


def _stored_match(
    line: dict[str, Any],
    seats: tuple[SeatRow, ...],
    notes: tuple[FaultNote, ...],
    fault_limit: int,
    locked: bool,
) -> StoredMatch:
    fields = {name: value for name, value in line.items() if name != "seats"}
    fields["options"] = json.loads(fields["options"])
    return StoredMatch(**fields, seats=seats, notes=notes, fault_limit=fault_limit, locked=locked)


def _seat(seat: dict[str, Any], names: dict[int, tuple[str, str]]) -> SeatRow:
    bot, version = names[seat["player"]]
    own = {name: seat[name] for name in OF_MATCH}
    return SeatRow(player=seat["player"], bot=bot, version=version, **own)


def _note(note: dict[str, Any]) -> FaultNote:
    return FaultNote(*(note[name] for name in ("seat", "number", "kind", "reason", "instead")))


def _names(conn: Connection, of: Collection[int]) -> dict[int, tuple[str, str]]:
    """By player, its bot's name and its version."""
    query = select(players.c.id, bots.c.name, players.c.version).join_from(players, bots)
    rows = conn.execute(query.where(players.c.id.in_(of)))
    return {player: (name, version) for player, name, version in rows}


def _fault_limits(conn: Connection, of: Collection[int]) -> dict[int, int]:
    row = tournaments.c
    specs = conn.execute(select(row.id, row.spec).where(row.id.in_(of)))
    return {number: decode_spec(spec).fault_limit for number, spec in specs}


def _locked_deals(conn: Connection, of: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those deals that lack matches: whatever an archive has all of does not."""
    found = set()
    for tournament, deal in catalogue.partial_deals(conn, {number for number, _ in of}):
        if (tournament, deal) in of:
            own = matches.c.tournament == tournament, matches.c.deal == deal
            stored = conn.scalar(select(func.count()).where(*own)) or 0
            if not deal_finished(conn, tournament, deal, stored):
                found.add((tournament, deal))
    return found
