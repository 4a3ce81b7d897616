"""Archived matches of a game or tournament as columns, like those from the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from arena.store.archive import catalogue, open_files
from arena.store.archive.codec import Block
from arena.store.matches.columns import Booleans

# The columns of matches and seats, for archives and the database.
MATCH = [
    *((name, np.int64) for name in ("number", "tournament", "deal", "sequence")),
    ("finished", np.float64), ("own", np.bool_),
]  # fmt: skip
SEAT = [
    ("match", np.int64), ("player", np.int32), ("points", np.int32), ("rank", np.int8),
    ("faults", np.int32), ("forfeited", np.bool_),
]  # fmt: skip


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
    conn: Connection, tournament: int, wanted: Callable[[int, int], bool] = lambda *_: True
) -> Iterator[tuple[Block, Booleans]]:
    """The blocks with archived matches of a tournament, ordered by number, and a mask (M,) of those
    matches. Only blocks that are `wanted` by their lowest and highest position."""
    for archive in catalogue.of_tournament(conn, tournament):
        file = open_files.opened(conn, archive)
        for each in file.of_tournament(tournament):
            if wanted(each.first_position, each.last_position):
                block = file.block(each.block)
                yield block, np.asarray(block.array("matches", "tournament") == tournament)


def seats_of(block: Block, own: Booleans) -> Booleans:
    """A mask (S,) of the seats of these matches (M,) in a block."""
    numbers = block.array("matches", "number")[own]
    return np.isin(block.array("match_seats", "match"), numbers)
