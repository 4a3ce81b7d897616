"""Archived matches: by id, by tournament, as lists, and as columns like those from the database."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, exists, func, select

from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.archive.codec import Block
from arena.store.archive.open_files import TournamentBlock
from arena.store.matches.columns import Booleans
from arena.store.matches.model import FaultNote
from arena.store.matches.rows import SeatRow, StoredMatch
from arena.store.tables import (
    archived_tournaments,
    bots,
    entrants,
    fault_notes,
    match_seats,
    matches,
    players,
    tournaments,
)
from arena.store.tournaments.tournaments import decode_spec

CHUNK = 1000  # matches of a tournament that are read and sorted together
OF_MATCH = ("rank", "points", "faults", "forfeited", "elo_before", "elo_change")
# The columns of matches and seats, for archives and the database.
MATCH = [
    *((name, np.int64) for name in ("number", "tournament", "deal", "sequence")),
    ("finished", np.float64), ("own", np.bool_),
]  # fmt: skip
SEAT = [
    ("match", np.int64), ("player", np.int32), ("points", np.int32), ("rank", np.int8),
    ("faults", np.int32), ("forfeited", np.bool_),
]  # fmt: skip


class Place(NamedTuple):
    """The place of an archived match: its archive, block and row."""

    archive: int
    block: int
    row: int


def find(conn: Connection, match: str) -> StoredMatch | None:
    """The archived match with this id, or None. Raises Unavailable if a file is missing and no
    other one contains the match."""
    lost: Archive | None = None
    for archive in catalogue.every(conn):
        if not open_files.is_there(conn, archive):
            lost = lost or archive
            continue
        file = open_files.opened(conn, archive)
        for number in file.blocks_with(match):
            ids = file.block(number).values("matches", "id")
            if match in ids:
                return _read(conn, archive, number, [ids.index(match)])[0]
    if lost is not None:
        said = f'The match "{match[:40]}" is not in the database. It may be in'
        raise open_files.missing(conn, lost, said)
    return None


def newest(
    conn: Connection, tournament: int | None, before: int | None, limit: int, *, faults: bool
) -> list[StoredMatch]:
    """The newest archived matches of a tournament, or of all rated ones, with numbers below
    `before`; newest first. With `faults`, only those with a fault."""
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
            if faults:
                at_fault = block.array("match_seats", "faults") > 0
                of = block.array("match_seats", "match")[at_fault]
                own &= np.isin(block.array("matches", "number"), of)
            found += _read(conn, archive, number, np.flatnonzero(own).tolist())[::-1]
            if len(found) >= limit:
                break
    return found[:limit]


def of_tournament(conn: Connection, tournament: int) -> Iterator[StoredMatch]:
    """The archived matches of a tournament in scheduled order; a few in memory at a time."""
    archives: dict[int, Archive] = {}
    places = [np.empty((0, 4), np.int64)]  # of each match, its position, then its Place
    for archive, number, block, own in tournament_blocks(conn, tournament):
        archives[archive.id] = archive
        rows = np.flatnonzero(own)
        where = [np.full(len(rows), each) for each in (archive.id, number)]
        places.append(np.stack([block.array("matches", "position")[rows], *where, rows], axis=1))
    every = np.concatenate(places)
    every = every[np.argsort(every[:, 0], kind="stable"), 1:]
    for start in range(0, len(every), CHUNK):
        chunk = sorted(Place(*row) for row in every[start : start + CHUNK].tolist())
        found: list[StoredMatch] = []
        for (of, number), here in groupby(chunk, key=itemgetter(0, 1)):
            found += _read(conn, archives[of], number, [place.row for place in here])
        yield from sorted(found, key=lambda match: match.position)


def of_guests(
    conn: Connection, guests: Sequence[int], game: str | None = None, *, friends: bool = False
) -> list[int]:
    """The archived casual games (tournaments) of any of these guests (by id), newest first.
    Without `friends`, only those against bots only."""
    link, other, person = archived_tournaments.c, players.alias().c, bots.alias().c
    table = tournaments.c.id == link.tournament, tournaments.c.kind == "table"
    query = select(link.tournament).join(tournaments, table[0]).where(table[1])
    query = query.join(entrants, entrants.c.tournament == link.tournament)
    query = query.join(players, players.c.id == entrants.c.player).where(players.c.bot.in_(guests))
    if game is not None:
        query = query.where(link.game == game)
    if not friends:
        beside = entrants.alias().c
        met = exists().where(beside.tournament == link.tournament, beside.player == other.id)
        met = met.where(other.bot == person.id, person.kind == "guest", other.id != players.c.id)
        query = query.where(~met)
    return list(conn.scalars(query.distinct().order_by(link.tournament.desc())))


def with_faults(conn: Connection, tournament: int) -> Iterator[StoredMatch]:
    """The archived matches of a tournament with faults."""
    for archive, number, block, own in tournament_blocks(conn, tournament):
        own &= np.isin(block.array("matches", "number"), block.array("fault_notes", "match"))
        yield from _read(conn, archive, number, np.flatnonzero(own).tolist())


def logs_at(conn: Connection, tournament: int, positions: Sequence[int]) -> Iterator[bytes]:
    """The packed logs of the archived matches of a tournament at these positions."""

    def wanted(block: TournamentBlock) -> bool:
        return any(block.first_position <= each <= block.last_position for each in positions)

    for *_, block, own in tournament_blocks(conn, tournament, wanted):
        own &= np.isin(block.array("matches", "position"), positions)
        logs = block.values("matches", "log")
        yield from (logs[row] for row in np.flatnonzero(own).tolist())


def read_archived(conn: Connection, game: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The archived matches of a game and their seats, ordered by number."""
    found, seats = [np.empty(0, MATCH)], [np.empty(0, SEAT)]
    for block, own in archived_blocks(conn, game):
        match = np.empty(int(own.sum()), MATCH)
        for name in ("number", "tournament", "deal", "finished"):
            match[name] = block.array("matches", name)[own]
        match["sequence"] = block.array("matches", "rated_seq")[own]
        match["own"] = True
        chosen = seats_of(block, own)
        seat = np.empty(int(chosen.sum()), SEAT)
        for name, _ in SEAT:
            seat[name] = block.array("match_seats", name)[chosen]
        found.append(match)
        seats.append(seat)
    return np.concatenate(found), np.concatenate(seats)


def archived_blocks(conn: Connection, game: str) -> Iterator[tuple[Block, Booleans]]:
    """The blocks with archived matches of a game, ordered by number, and a mask (M,) of those
    matches."""
    for archive in catalogue.of_game(conn, game):
        for block in open_files.opened(conn, archive).each_block():
            own = np.array([name == game for name in block.values("matches", "game")], np.bool_)
            if own.any():
                yield block, own


def tournament_blocks(
    conn: Connection, tournament: int, wanted: Callable[[TournamentBlock], bool] = lambda _: True
) -> Iterator[tuple[Archive, int, Block, Booleans]]:
    """The `wanted` blocks with archived matches of a tournament, ordered by number: the archive,
    the number in it, the block, and a mask (M,) of those matches."""
    for archive in catalogue.of_tournament(conn, tournament):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            if wanted(each):
                block = file.block(each.block)
                own = np.asarray(block.array("matches", "tournament") == tournament)
                yield archive, each.block, block, own


def seats_of(block: Block, own: Booleans) -> Booleans:
    """A mask (S,) of the seats of these matches (M,) in a block."""
    numbers = block.array("matches", "number")[own]
    return np.isin(block.array("match_seats", "match"), numbers)


def _read(
    conn: Connection, archive: Archive, number: int, rows: Sequence[int]
) -> list[StoredMatch]:
    """The matches in these rows of a block, in this order."""
    file = open_files.opened(conn, archive)
    block = file.block(number)
    every = file.rows(block, "matches")
    lines = [dict(zip(matches.c.keys(), every[row], strict=True)) for row in rows]
    numbers = {line["number"] for line in lines}
    seats = _by_match(file.rows(block, "match_seats"), match_seats.c.keys(), numbers)
    notes = _by_match(file.rows(block, "fault_notes"), fault_notes.c.keys(), numbers)
    names = _names(conn, {seat["player"] for each in seats.values() for seat in each})
    limits = _fault_limits(conn, {line["tournament"] for line in lines})
    locked = _locked_deals(conn, {(line["tournament"], line["deal"]) for line in lines})
    found = []
    for line in lines:
        number, of, deal = line["number"], line["tournament"], line["deal"]
        fields = {name: value for name, value in line.items() if name != "seats"}
        fields |= {"options": json.loads(line["options"]), "fault_limit": limits[of]}
        fields["seats"] = tuple(_seat(seat, names) for seat in seats[number])
        fields["notes"] = tuple(_note(note) for note in notes[number])
        found.append(StoredMatch(**fields, locked=(of, deal) in locked))
    return found


def _by_match(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], numbers: Collection[int]
) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row[0] in numbers:
            found[row[0]].append(dict(zip(columns, row, strict=True)))
    return found


def _seat(seat: dict[str, Any], names: dict[int, tuple[str, str]]) -> SeatRow:
    bot, version = names[seat["player"]]
    own = {name: seat[name] for name in OF_MATCH}
    return SeatRow(player=seat["player"], bot=bot, version=version, **own)


def _note(note: dict[str, Any]) -> FaultNote:
    return FaultNote(*(note[name] for name in ("seat", "number", "kind", "reason", "instead")))


def _names(conn: Connection, of: Collection[int]) -> dict[int, tuple[str, str]]:
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
    partial = catalogue.partial_deals(conn, {tournament for tournament, _ in of})
    for tournament, deal in partial.keys() & of:
        own = matches.c.tournament == tournament, matches.c.deal == deal
        stored = conn.scalar(select(func.count()).where(*own)) or 0
        whole = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
        if stored + partial[tournament, deal] != conn.scalar(whole):
            found.add((tournament, deal))
    return found
