"""Replays stored matches to get the latencies of answers, on all cores of the machine.

A log does not name the bot of each decision, which follows from the cards. Replays take most of the
time of a rebuild, and are independent of each other.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from itertools import compress, islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from arena.base.errors import ArenaError
from arena.games.match import MatchSetup, Seat
from arena.games.packed_log import latency_codes, replay
from arena.store.matches import read_columns
from arena.store.matches.archived import archived_blocks
from arena.store.tables import matches, tournaments
from arena.store.tournaments.tournaments import decode_spec

CHUNK = 500  # matches replayed together
FEW = 4 * CHUNK  # these take less time than starting processes
WAITING = 3  # chunks per process: keeps it busy with few in memory


class Log(NamedTuple):
    """A match to replay, with its players by seat."""

    players: tuple[int, ...]
    game: str
    ruleset: str
    options: str  # JSON
    fault_limit: int
    seed: bytes
    log: bytes


LogRow = tuple[Any, ...]
ROW = ("number", "tournament", "ruleset", "options", "seed", "log")

Answers = list[tuple[tuple[int, ...], tuple[bytes, ...]]]  # players and latency codes by seat


def answers(conn: Connection, game: str) -> Iterator[Answers]:
    """Yields the latency codes of all matches of a game that count in ratings, in several portions.
    Skips unreadable logs."""
    logs = _logs(conn, game)
    chunks = iter(lambda: list(islice(logs, CHUNK)), [])
    count = len(read_columns.rated_of_game(conn, game))
    cores = os.cpu_count() or 1
    if count <= FEW or cores == 1:
        yield from map(replayed, chunks)
        return
    # Not forked: a copy must not touch threads and connections of this process.
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        waiting: deque[Future[Answers]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(replayed, chunk))
            if len(waiting) == WAITING * cores:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def replayed(logs: Sequence[Log]) -> Answers:
    """The latency codes of these matches; unreadable logs are left out."""
    found = []
    for each in logs:
        seats = tuple([Seat(str(player)) for player in each.players])
        setup = MatchSetup(
            "", each.game, each.seed, seats, json.loads(each.options), each.fault_limit,
            each.ruleset,
        )  # fmt: skip
        with suppress(ArenaError):
            found.append((each.players, latency_codes(replay(setup, each.log))))
    return found


def _logs(conn: Connection, game: str) -> Iterator[Log]:
    """Yields the logs of a game's matches in the order of storing."""
    limits = _fault_limits(conn)
    stored = read_columns.of_game(conn, game)
    of_archives = _archived_rows(conn, game)
    for start in range(0, len(stored.numbers), CHUNK):
        chunk = stored.numbers[start : start + CHUNK]
        rows = _stored_rows(conn, game, int(chunk[0]), int(chunk[-1]))
        older = int(stored.archived[start : start + len(chunk)].sum())
        rows = sorted([*rows, *islice(of_archives, older)])
        columns = stored.columns.between(start, start + len(chunk))
        ends = [*columns.first.tolist(), len(columns.players)]
        players = columns.players.tolist()
        for place, (_, tournament, ruleset, options, seed, log) in enumerate(rows):
            if tournament in limits:
                seated = tuple(players[ends[place] : ends[place + 1]])
                yield Log(seated, game, ruleset, options, limits[tournament], seed, log)


def _stored_rows(conn: Connection, game: str, first: int, last: int) -> list[LogRow]:
    """The rows of a game in the database, with numbers from `first` to `last`."""
    row = matches.c
    query = select(*(row[name] for name in ROW), row.game == game)
    found = conn.execute(query.where(row.number.between(first, last)))
    return [tuple(each[:-1]) for each in found if each[-1]]


def _archived_rows(conn: Connection, game: str) -> Iterator[LogRow]:
    """The archived rows of a game, ordered by number."""
    for block, own in archived_blocks(conn, game):
        yield from compress(block.tuples("matches", ROW), own.tolist())


def _fault_limits(conn: Connection) -> dict[int, int]:
    """By rated tournament, the number of faults after which a seat forfeits."""
    row = tournaments.c
    specs = conn.execute(select(row.id, row.spec).where(row.kind == "tournament"))
    return {number: decode_spec(spec).fault_limit for number, spec in specs}
