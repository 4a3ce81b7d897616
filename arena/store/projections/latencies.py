"""Histograms of bots' answer times, as measured by the gateway, by game and player.

They count the latency codes in match logs (`arena.games.packed_log`): steps of 7%, from 1 µs to 12
minutes. So histograms can be added, and quantiles are accurate to 3.5%. A timeout counts with the
full time limit. Decisions that a disconnected bot did not answer and forced moves are not counted.
A histogram is stored from its first to its last code: a byte for the first code, then eight bytes
per count, little-endian.

A log does not name the bot of each decision, which follows from the cards. So a rebuild replays all
matches, on all cores of the machine.
"""

import json
import os
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress, islice
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, select

from arena.base.errors import ArenaError
from arena.games.match import MatchSetup, Seat
from arena.games.packed_log import latency_codes, latency_of, replay
from arena.games.rules import GAMES
from arena.store.dialects import upsert, write_rows
from arena.store.matches import read_columns
from arena.store.matches.archived import archived_blocks
from arena.store.projections.projection import Change, differing
from arena.store.tables import latencies, matches, tournaments
from arena.store.tournaments.tournaments import decode_spec

Histogram = NDArray[np.int64]  # (CODES,): number of answers by code
Histograms = dict[int, Histogram]  # by player
Answers = list[tuple[tuple[int, ...], tuple[bytes, ...]]]  # players and latency codes by seat
LogRow = tuple[Any, ...]
ROW = ("number", "tournament", "ruleset", "options", "seed", "log")  # the columns of a LogRow

CODES = 256
CHUNK = 500  # matches replayed together
FEW = 4 * CHUNK  # these take less time than starting processes
WAITING = 3  # chunks per process: keeps it busy with few in memory

_row = latencies.c
# Names all columns of the key, so that no other row is read.
OF_PLAYERS = select(_row.player, _row.game, _row.counts).where(
    _row.game.in_(GAMES), _row.player.in_(bindparam("players", expanding=True))
)


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latencies of a player in a game, in microseconds."""

    answers: int
    p50_us: int
    p99_us: int
    slowest_us: int


class LatenciesProjection:
    """By player, a histogram of its answer times."""

    name = "latencies"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds the answers of the new matches."""
        add(conn, change.game, add_up((r.players, r.latencies) for r in change.results.values()))

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts all answers in the logs, which takes a replay of every match."""
        by_player = _recount(conn, game)
        conn.execute(delete(latencies).where(latencies.c.game == game))
        add(conn, game, by_player)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        row = latencies.c
        rows = conn.execute(select(row.player, row.counts).where(row.game == game))
        expected = {player: pack(counts) for player, counts in _recount(conn, game).items()}
        if wrong := differing(expected, dict(rows.all())):
            yield f"the times to answer of {wrong:,} players differ"


def add_up(tables: Iterable[tuple[tuple[int, ...], tuple[bytes, ...]]]) -> Histograms:
    """The histograms of some matches, given as their players and codes by seat."""
    joined: dict[int, list[bytes]] = {}
    for players, codes in tables:
        for player, own in zip(players, codes, strict=False):  # no codes if nothing was measured
            joined.setdefault(player, []).append(own)
    return {player: histogram(b"".join(parts)) for player, parts in joined.items() if any(parts)}


def histogram(codes: bytes) -> Histogram:
    """Number of answers by code."""
    return np.bincount(np.frombuffer(codes, np.uint8), minlength=CODES)


def add(conn: Connection, game: str, new: Histograms) -> None:
    """Adds to the stored histograms. The caller holds the game's lock."""
    if not new:
        return
    row = latencies.c
    query = select(row.player, row.counts).where(row.game == game, row.player.in_(new))
    stored = {player: unpack(packed) for player, packed in conn.execute(query)}
    rows = [(game, player, pack(counts + stored.get(player, 0))) for player, counts in new.items()]
    write_rows(conn, upsert(conn, latencies), ("game", "player", "counts"), rows)


def of_players(conn: Connection, players: Collection[int]) -> dict[int, dict[str, Latencies]]:
    """By player, its latencies by game."""
    return {
        player: {game: summary(counts) for game, counts in by_game.items()}
        for player, by_game in histograms(conn, players).items()
    }


def histograms(conn: Connection, players: Collection[int]) -> dict[int, dict[str, Counter[int]]]:
    """By player, its histograms by game; players without answers are left out."""
    by_player: dict[int, dict[str, Counter[int]]] = {}
    for player, game, packed in conn.execute(OF_PLAYERS, {"players": list(players)}):
        by_player.setdefault(player, {})[game] = _counts(packed)
    return by_player


def summary(counts: Mapping[int, int]) -> Latencies:
    """The latencies of a non-empty histogram."""
    return Latencies(
        sum(counts.values()), quantile(counts, 0.5), quantile(counts, 0.99), latency_of(max(counts))
    )


def quantile(counts: Mapping[int, int], share: float) -> int:
    """The latency in microseconds that this share of answers did not exceed."""
    left = share * sum(counts.values())
    for code in sorted(counts):
        left -= counts[code]
        if left <= 0:
            return latency_of(code)
    return latency_of(max(counts))


def mean_us(counts: Mapping[int, int]) -> float:
    """The mean latency of a non-empty histogram in microseconds, accurate to 3.5%."""
    total = sum(latency_of(code) * count for code, count in counts.items())
    return total / sum(counts.values())


def pack(counts: Histogram) -> bytes:
    """Packs a non-empty histogram for storing."""
    came = np.flatnonzero(counts)
    first, last = int(came[0]), int(came[-1])
    return bytes([first]) + counts[first : last + 1].astype("<i8").tobytes()


def unpack(packed: bytes) -> Histogram:
    """Unpacks a stored histogram."""
    counts = np.zeros(CODES, dtype=np.int64)
    numbers = np.frombuffer(packed, "<i8", offset=1)
    counts[packed[0] : packed[0] + len(numbers)] = numbers
    return counts


def _counts(packed: bytes) -> Counter[int]:
    counts = unpack(packed)
    came = np.flatnonzero(counts)
    return Counter(dict(zip(came.tolist(), counts[came].tolist(), strict=True)))


def _recount(conn: Connection, game: str) -> Histograms:
    """The histograms of a game as computed from match logs, by replays."""
    total: Histograms = {}
    for tables in answers(conn, game):
        for player, counts in add_up(tables).items():
            total[player] = total.get(player, 0) + counts
    return total


class Log(NamedTuple):
    """A match to replay, with its players by seat."""

    players: tuple[int, ...]
    game: str
    ruleset: str
    options: str  # JSON
    fault_limit: int
    seed: bytes
    log: bytes


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
