"""Archived matches, in the same form as matches from the database."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, func, select

from arena.store.archive import catalogue, open_files
from arena.store.archive.file import ArchiveFile
from arena.store.matches.model import FaultNote
from arena.store.matches.rows import SeatRow, StoredMatch
from arena.store.tables import bots, fault_notes, match_seats, matches, players, tournaments
from arena.store.tournaments.tournaments import decode_spec

OF_MATCH = ("rank", "points", "faults", "forfeited", "elo_before", "elo_change")


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
    """The rows of these matches, by match."""
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
    """By player, the names of bot and version."""
    query = select(players.c.id, bots.c.name, players.c.version).join_from(players, bots)
    rows = conn.execute(query.where(players.c.id.in_(of)))
    return {player: (name, version) for player, name, version in rows}


def _fault_limits(conn: Connection, of: Collection[int]) -> dict[int, int]:
    row = tournaments.c
    specs = conn.execute(select(row.id, row.spec).where(row.id.in_(of)))
    return {number: decode_spec(spec).fault_limit for number, spec in specs}


def _locked_deals(conn: Connection, of: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """The incomplete ones of these deals. Only deals that are partly archived can be incomplete."""
    found = set()
    for tournament, deal in catalogue.partial_deals(conn, {number for number, _ in of}):
        if (tournament, deal) in of:
            own = matches.c.tournament == tournament, matches.c.deal == deal
            stored = conn.scalar(select(func.count()).where(*own)) or 0
            if not deal_finished(conn, tournament, deal, stored):
                found.add((tournament, deal))
    return found


def deal_finished(conn: Connection, tournament: int, deal: int, stored: int) -> bool:
    """Whether all matches of a deal exist; `stored` of them are in the database."""
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
