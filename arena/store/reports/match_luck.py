"""The effect of luck in a tournament: by bot, and as the matches that adjusting for it saves.

It is computed from the sums for bots and tables of bots (`player_luck` and `table_luck` of
`arena.store.projections`), so no match is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from sqlalchemy import Connection, bindparam, select

from arena.store.cache import DatabaseCache
from arena.store.matches.luck import LuckProgress, progress
from arena.store.projections import player_luck, table_luck
from arena.store.projections.player_luck import PlayerLuck
from arena.store.projections.summed import Packed
from arena.store.reports.variance import Shapes, shapes, sums_of
from arena.store.tables import entrants, matches
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats.spec import CORRECTED
from arena.tournaments.ratings.coefficient import FOLDS, Floats
from arena.tournaments.ratings.luck_saved import LessLuck, Saved, TableLuck, less_luck, saved
from arena.tournaments.ratings.match_luck import GAME, KINDS
from arena.tournaments.ratings.score_error import SeatSums, plus_minus


@dataclass(frozen=True, slots=True)
class BotLuck:
    """The luck of a bot in a tournament, in games: a win against one opponent is 1.

    `matches` are those of complete deals with known luck. `luck` is the mean luck in one of them
    against one opponent, `total` the sum over them, `kinds` the mean by kind of event. `score` is
    the luck-adjusted score in the tournament, with the fitted coefficient, ± 95% `plus_minus` (None
    for few deals); it may be below 0 or above 1.
    """

    player: int
    matches: int
    luck: float
    total: float
    kinds: Mapping[str, float]
    score: float
    plus_minus: float | None


@dataclass(frozen=True, slots=True)
class TournamentLuck:
    """The number of `matches` of complete deals with known luck, among those `looked_at`; the name
    of the luck `model`, or ""; whether ratings use luck-adjusted scores (`corrected`); the savings;
    and by player the bots with such matches."""

    matches: int
    looked_at: int
    model: str
    corrected: bool
    saved: Saved
    bots: Mapping[int, BotLuck]


@dataclass(frozen=True, slots=True)
class LuckyWin:
    """The id of a match that was won, and the luck against the mean opponent, in games."""

    match: str
    luck: float


_IDS = select(matches.c.number, matches.c.id).where(
    matches.c.number.in_(bindparam("numbers", expanding=True))
)
_cached: DatabaseCache[TournamentLuck] = DatabaseCache(64)


def match_luck(conn: Connection, tournament: int) -> TournamentLuck:
    """The luck of a tournament, cached. Raises NotFound."""
    return _cached.get(
        conn,
        (tournament,),
        lambda now: (tournaments.played(now, tournament), progress(now, tournament)),
        lambda now: (tournaments.get(now, tournament), _read(now, tournament)),
        lambda loaded: _found(*loaded),
    )


def _found(tournament: Tournament, read: _Read) -> TournamentLuck:
    spec, rated = tournament.spec, tournament.kind == "tournament"
    return replace(_made(read, spec.seats), corrected=rated and spec.luck == CORRECTED)


def luckiest_wins(conn: Connection, tournament: int) -> dict[int, list[LuckyWin]]:
    """By player, the wins with the most luck, luckiest first; without archived ones and those with
    bad luck."""
    found = player_luck.stored(conn, tournament)
    if not found:
        return {}
    whole = GAME * max(tournaments.get(conn, tournament).spec.seats - 1, 1)
    return _named(conn, {player: (luck.wins, whole) for player, luck in found.items()})


def luckiest_wins_of(conn: Connection, lucks: Mapping[int, PlayerLuck]) -> list[LuckyWin]:
    """The luckiest wins of a player over tournaments; `lucks` comes from `player_luck.by_seats`."""
    wins: list[LuckyWin] = []
    for seats, luck in lucks.items():
        wins += _named(conn, {seats: (luck.wins, GAME * max(seats - 1, 1))})[seats]
    return sorted(wins, key=lambda win: (-win.luck, win.match))[: player_luck.WINS]


def _named(
    conn: Connection, found: Mapping[int, tuple[Sequence[tuple[int, int]], int]]
) -> dict[int, list[LuckyWin]]:
    numbers = {number for wins, _ in found.values() for units, number in wins if units > 0}
    ids: dict[int, str] = {}
    if numbers:
        ids = dict(conn.execute(_IDS, {"numbers": list(numbers)}).all())
    return {
        player: [
            LuckyWin(ids[number], units / whole)
            for units, number in wins
            if units > 0 and number in ids
        ]
        for player, (wins, whole) in found.items()
    }


@dataclass(frozen=True)
class _Read:
    """The input from the database: the progress, by player half-points and opponents met, its luck,
    and the rows of `table_luck` and of `table_sums`."""

    progress: LuckProgress
    entered: Mapping[int, tuple[int, int]]
    players: Mapping[int, PlayerLuck]
    parts: Packed
    tables: Shapes


def _read(conn: Connection, tournament: int) -> _Read:
    row = entrants.c
    query = select(row.player, row.halves, row.opponents).where(row.tournament == tournament)
    players = player_luck.stored(conn, tournament)
    return _Read(
        progress(conn, tournament),
        {player: (halves, opponents) for player, halves, opponents in conn.execute(query)},
        players,
        table_luck.stored(conn, tournament) if players else {},
        shapes(conn, tournament) if players else {},
    )


def _made(read: _Read, seats: int) -> TournamentLuck:
    tables = tables_of(read.parts)
    less = less_luck(tables, seats)
    errors = plus_minus(_adjusted(read, less)) if read.players else {}
    taken = _taken_out(tables, less)
    bots = {}
    for player, luck in read.players.items():
        halves, met = read.entered[player]
        score = (halves + taken.get(player, 0.0)) / (2 * max(met, 1))
        bots[player] = _bot(player, luck, seats - 1, score, errors.get(player))
    known = sum(each.matches for each in read.players.values()) // max(seats, 1)
    return TournamentLuck(
        known, read.progress.seen, read.progress.model, False, saved(tables, less), bots
    )


def _bot(player: int, luck: PlayerLuck, others: int, score: float, error: float | None) -> BotLuck:
    whole = GAME * max(others, 1)
    return BotLuck(
        player,
        luck.matches,
        luck.luck / (whole * max(luck.matches, 1)),
        luck.luck / whole,
        {
            kind: units / (whole * max(luck.matches, 1))
            for kind, units in zip(KINDS, luck.kinds, strict=True)
            if units
        },
        score,
        error,
    )


def coefficients_of(conn: Connection, tournament: int, seats: int) -> dict[tuple[int, int], float]:
    """By key of luck model and fold, the coefficient of the luck adjustment of a tournament's
    scores."""
    tables = tables_of(table_luck.stored(conn, tournament))
    found: dict[tuple[int, int], float] = {}
    for each, less in zip(tables, less_luck(tables, seats), strict=True):
        folds = (each.part % FOLDS).tolist()
        keys = zip(each.model.tolist(), folds, strict=True)
        found |= dict(zip(keys, less.coefficient.tolist(), strict=True))
    return found


def tables_of(parts: Packed) -> list[TableLuck]:
    """The rows as arrays, grouped by number of bots at the table."""
    found = []
    for length, group in groupby(_in_order(parts), key=lambda key: len(key[0])):
        size, keys = length // 6, list(group)
        layout = np.dtype([("players", ">u4", (size,)), ("played", ">u2", (size,))])
        seated = np.frombuffer(b"".join(key[0] for key in keys), layout)
        place = {table: at for at, table in enumerate(dict.fromkeys(key[0] for key in keys))}
        sums = np.frombuffer(b"".join(parts[key][1] for key in keys), "<i8").astype(np.int64)
        found.append(
            TableLuck(
                np.array([place[key[0]] for key in keys]),
                np.array([key[1] for key in keys]),
                np.array([key[2] for key in keys]),
                np.array([parts[key][0] for key in keys]),
                seated["players"].astype(np.int64),
                seated["played"].astype(np.int64),
                *np.split(sums.reshape(len(keys), -1), 5, axis=1),
            )
        )
    return found


def _in_order(parts: Packed) -> list[table_luck.Key]:
    """The keys, grouped by number of bots at the table."""
    return sorted(parts, key=lambda key: (len(key[0]), key))


def _taken_out(tables: Sequence[TableLuck], less: Sequence[LessLuck]) -> dict[int, float]:
    """By player, the change of its half-points by the luck adjustment."""
    taken: dict[int, float] = defaultdict(float)
    for each, moved in zip(tables, less, strict=True):
        columns = each.players.ravel().tolist(), moved.halves.ravel().tolist()
        for player, halves in zip(*columns, strict=True):
            taken[player] += halves
    return taken


def _adjusted(read: _Read, less: Sequence[LessLuck]) -> list[SeatSums]:
    """The sums over each table, luck-adjusted for the deals with known luck."""
    shift: dict[bytes, Floats] = {}
    moved = [pair for each in less for pair in zip(each.halves, each.squares, strict=True)]
    for (seated, *_), (halves, squares) in zip(_in_order(read.parts), moved, strict=True):
        shift[seated] = shift.get(seated, np.zeros(1)) + np.stack([halves, squares])
    found = []
    for size, rows in read.tables.items():
        sums_here = sums_of(size, rows)
        moved_by = np.array(
            [shift.get(row[0], np.zeros((2, size))) for row in rows], dtype=np.float64
        )
        found.append(
            replace(
                sums_here,
                halves=sums_here.halves + moved_by[:, 0],
                squares=sums_here.squares + moved_by[:, 1],
            )
        )
    return found
