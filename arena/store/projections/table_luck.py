"""Scores and luck in the deals of each table of bots, of deals whose luck is known.

They say how sure the scores of a tournament are once luck is taken out, and how many matches that
saves (`arena.tournaments.ratings.luck_saved`). The deals of a table are kept by luck model and in
sixteen parts, so that the second has an error of its own. Of each part, for each bot in the order
of the key, the sums over deals of half-points s, of s^2, of luck L in units of
`arena.tournaments.ratings.match_luck`, of s L and of L^2; eight bytes each, little-endian.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, delete, select

from arena.store.bulk import write_rows
from arena.store.projections.lucky import (
    LuckChange,
    LuckyDeals,
    Marked,
    marked_sums,
    marks,
    of_game,
)
from arena.store.projections.projection import Change
from arena.store.tables import table_luck, tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.store.upsert import upsert
from arena.tournaments.ratings.adjusted import LuckyScores, lucky, single
from arena.tournaments.ratings.deal_blocks import Bytes, big_endian, rotations
from arena.tournaments.ratings.deal_sums import Integers

Key = Marked  # who sat at the table, model, part
Packed = dict[Key, tuple[int, bytes]]  # deals, and sums as they are stored

_row = table_luck.c
ALL = select(_row.seated, _row.model, _row.part, _row.deals, _row.sums).where(
    _row.tournament == bindparam("of")
)
SOME = ALL.where(_row.seated.in_(bindparam("tables", expanding=True)))


class TableLuckProjection:
    """By tournament and table of bots, scores over complete deals and the luck in them."""

    name = "table_luck"
    version = 2

    def apply(self, conn: Connection, change: Change) -> None:
        """Nothing: the luck of new matches is not known."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds deals whose luck has become known."""
        new = add_up(change.deals)
        if not new:
            return
        before = _load(conn, change.tournament, {seated for seated, *_ in new})
        for key in new.keys() & before.keys():
            (deals, sums), (more_deals, more) = before[key], new[key]
            added: Integers = np.frombuffer(sums, "<i8") + np.frombuffer(more, "<i8")
            new[key] = deals + more_deals, added.tobytes()
        _store(conn, change.tournament, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        """Adds the deals of all tournaments up again."""
        for tournament in stored_tournaments(conn, game):
            conn.execute(delete(table_luck).where(_row.tournament == tournament))
        for change in of_game(conn, game):
            _store(conn, change.tournament, add_up(change.deals))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """The luck of how many tables differs."""
        expected = {change.tournament: add_up(change.deals) for change in of_game(conn, game)}
        actual = {number: stored(conn, number) for number in stored_tournaments(conn, game)}
        wrong = 0
        for tournament in expected.keys() | actual.keys():
            one, other = expected.get(tournament, {}), actual.get(tournament, {})
            wrong += sum(one.get(key) != other.get(key) for key in one.keys() | other.keys())
        if wrong:
            yield f"the luck of {wrong:,} tables of tournaments differs"


def stored(conn: Connection, tournament: int) -> Packed:
    """What is kept of a tournament."""
    return _packed(conn.execute(ALL, {"of": tournament}))


def stored_tournaments(conn: Connection, game: str) -> list[int]:
    """The tournaments of a game of which there is something."""
    query = select(tournaments.c.id, tournaments.c.spec)
    query = query.where(tournaments.c.id.in_(select(_row.tournament).distinct()))
    rows = conn.execute(query.order_by(tournaments.c.id)).all()
    return [number for number, spec in rows if decode_spec(spec).game == game]


def add_up(changed: Iterable[LuckyDeals]) -> Packed:
    """The sums over some deals."""
    shapes: dict[int, list[tuple[Bytes, Integers]]] = defaultdict(list)
    for deals in changed:
        alike = deals.block.deals.rotations
        if alike.any():
            chosen = deals.of(alike)
            shapes[chosen.block.deals.players.shape[2]].append(_rotated(chosen))
        if alike.all():
            continue
        rest = deals.of(~alike)
        tails = marks(rest.models, rest.parts)
        for row, matches in enumerate(rest.block.deals.deals()):
            deal = single(matches, list(rest.block.luck[row]))
            players = deal.composition.players
            played = [sum(player in match.players for match in matches) for player in players]
            seated = _seated(np.array([players]), np.array([played]))
            shapes[len(players)].append((np.hstack([*seated, tails[[row]]]), _sums(deal.scores)))
    total: Packed = {}
    for parts in shapes.values():
        total |= dict(marked_sums(parts))
    return total


def _rotated(chosen: LuckyDeals) -> tuple[Bytes, Integers]:
    plain = rotations(chosen.block.deals)
    played = np.full(plain.players.shape, plain.matches)
    keys = [*_seated(plain.players, played), marks(chosen.models, chosen.parts)]
    return np.hstack(keys), _sums(lucky(plain, chosen.block))


def _seated(players: Integers, played: Integers) -> list[Bytes]:
    """The table as it is stored."""
    return [big_endian(players, ">u4"), big_endian(played, ">u2")]


def _sums(scores: LuckyScores) -> Integers:
    halves, luck = scores.halves, scores.by_player
    return np.hstack([halves, halves**2, luck, halves * luck, luck**2])


def _load(conn: Connection, tournament: int, tables: Collection[bytes]) -> Packed:
    return _packed(conn.execute(SOME, {"of": tournament, "tables": list(tables)}))


def _packed(rows: Iterable[Any]) -> Packed:
    return {(seated, *mark): (deals, sums) for seated, *mark, deals, sums in rows}


def _store(conn: Connection, tournament: int, sums: Packed) -> None:
    rows = [(tournament, *key, *line) for key, line in sums.items()]
    write_rows(conn, upsert(conn, table_luck), table_luck.c.keys(), rows)
