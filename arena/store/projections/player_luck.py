"""The luck of each bot in each tournament, and its luckiest wins.

Only complete deals with known luck are included: the luck in an open deal would reveal its cards to
bots that still play it. Luck is summed over all opponents, in units of
`arena.tournaments.ratings.match_luck`; divided by the opponents met and by GAME it is the mean luck
against one of them. Luck by kind of event takes eight bytes each, little-endian. Of the luckiest
wins, luckiest first, the luck (four bytes) and the number of the match (eight) are stored.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, bindparam, delete, select

from arena.store.dialects import upsert, write_rows
from arena.store.projections.lucky import LuckChange, LuckyMatches, of_game, stored_tournaments
from arena.store.projections.projection import Change, differing
from arena.store.tables import player_luck, tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.tournaments.ratings.match_luck import KINDS

WINS = 10  # luckiest wins stored per bot and tournament
WIN = struct.Struct("<iq")

_row = player_luck.c
ALL = select(_row.player, _row.matches, _row.luck, _row.kinds, _row.wins).where(
    _row.tournament == bindparam("of")
)
RATED = (
    select(tournaments.c.spec, _row.player, _row.matches, _row.luck, _row.kinds, _row.wins)
    .join_from(player_luck, tournaments)
    .where(_row.player == bindparam("player"), tournaments.c.kind == "tournament")
)
SOME = ALL.where(_row.player.in_(bindparam("players", expanding=True)))


@dataclass(frozen=True, slots=True)
class PlayerLuck:
    """The luck in a number of matches, over all opponents and by kind of event, and the luckiest
    wins: luck, and number of the match."""

    matches: int
    luck: int
    kinds: tuple[int, ...]
    wins: tuple[tuple[int, int], ...]

    def __add__(self, other: PlayerLuck) -> PlayerLuck:
        kinds = zip(self.kinds, other.kinds, strict=True)
        return PlayerLuck(
            self.matches + other.matches,
            self.luck + other.luck,
            tuple([one + more for one, more in kinds]),
            luckiest([*self.wins, *other.wins]),
        )


def luckiest(wins: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The luckiest of these wins; with equal luck the older match comes first."""
    return tuple(sorted(wins, key=lambda win: (-win[0], win[1]))[:WINS])


class PlayerLuckProjection:
    """By tournament and bot, its luck and its luckiest wins."""

    name = "player_luck"
    version = 2

    def apply(self, conn: Connection, change: Change) -> None:
        """Does nothing: the luck of new matches is unknown."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds the matches of deals whose luck has become known."""
        new = add_up(change.matches)
        some = {"of": change.tournament, "players": list(new)}
        for player, before in _read(conn, change.tournament, some).items():
            new[player] += before
        _store(conn, change.tournament, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        for tournament in stored_tournaments(conn, game, player_luck):
            conn.execute(delete(player_luck).where(_row.tournament == tournament))
        for change in of_game(conn, game):
            _store(conn, change.tournament, add_up(change.matches))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        wrong = 0
        left = {each: stored(conn, each) for each in stored_tournaments(conn, game, player_luck)}
        for change in of_game(conn, game):
            wrong += differing(add_up(change.matches), left.pop(change.tournament, {}))
        if wrong := wrong + sum(map(len, left.values())):
            yield f"the luck of {wrong:,} entrants of tournaments differs"


def stored(conn: Connection, tournament: int) -> dict[int, PlayerLuck]:
    """By player, the stored luck of a tournament."""
    return _read(conn, tournament, None)


def by_seats(conn: Connection, player: int, game: str) -> dict[int, PlayerLuck]:
    """By number of seats, the luck of a player in all rated tournaments of a game."""
    found: dict[int, PlayerLuck] = {}
    for text, *line in conn.execute(RATED, {"player": player}):
        spec = decode_spec(text)
        if spec.game == game:
            luck = _luck(*line)[1]
            seats = spec.seats
            found[seats] = found[seats] + luck if seats in found else luck
    return dict(sorted(found.items()))


def add_up(found: LuckyMatches) -> dict[int, PlayerLuck]:
    """The luck of some matches, by player."""
    if not len(found.numbers):
        return {}
    columns = found.columns
    players, place = np.unique(columns.players, return_inverse=True)
    by_kind = found.kinds.transpose(0, 2, 1).reshape(-1, found.kinds.shape[1])
    kinds = np.zeros((len(players), by_kind.shape[1]), dtype=np.int64)
    np.add.at(kinds, place, by_kind)
    matches = np.bincount(place, minlength=len(players))
    luck = found.luck.reshape(-1)
    lucky = np.zeros(len(players), dtype=np.int64)
    np.add.at(lucky, place, luck)
    numbers = found.numbers[columns.match]
    total: dict[int, PlayerLuck] = {}
    won = np.flatnonzero(columns.won)
    order = won[np.lexsort((numbers[won], -luck[won], place[won]))]
    wins: dict[int, list[tuple[int, int]]] = {}
    rows = zip(place[order].tolist(), luck[order].tolist(), numbers[order].tolist(), strict=True)
    for player, units, number in rows:
        best = wins.setdefault(player, [])
        if len(best) < WINS:
            best.append((units, number))
    for at, player in enumerate(players.tolist()):
        by = tuple(kinds[at].tolist())
        total[player] = PlayerLuck(int(matches[at]), int(lucky[at]), by, tuple(wins.get(at, ())))
    return total


def _read(
    conn: Connection, tournament: int, some: Mapping[str, object] | None
) -> dict[int, PlayerLuck]:
    rows = conn.execute(ALL, {"of": tournament}) if some is None else conn.execute(SOME, some)
    return dict(_luck(*row) for row in rows)


def _luck(
    player: int, matches: int, luck: int, kinds: bytes, wins: bytes
) -> tuple[int, PlayerLuck]:
    by_kind = np.frombuffer(kinds, "<i8").tolist()
    by_kind += [0] * (len(KINDS) - len(by_kind))
    return player, PlayerLuck(matches, luck, tuple(by_kind), tuple(WIN.iter_unpack(wins)))


def _store(conn: Connection, tournament: int, found: Mapping[int, PlayerLuck]) -> None:
    rows = [
        (
            tournament,
            player,
            luck.matches,
            luck.luck,
            np.array(luck.kinds, dtype="<i8").tobytes(),
            b"".join([WIN.pack(*win) for win in luck.wins]),
        )
        for player, luck in found.items()
    ]
    write_rows(conn, upsert(conn, player_luck), player_luck.c.keys(), rows)
