"""By how much luck moves the sums that ratings follow from, of deals whose luck is known.

A row stands beside the row of `deal_sums` with the same composition; the sums are those of
`arena.rating.adjusted`, eight bytes each, little-endian. A deal is in them when its tournament
corrects scores for luck and the luck of all its matches is stored, and in no other case: so
ratings follow from what is stored, whenever the luck of which match was calculated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, bindparam, delete, select

from arena.rating.adjusted import LuckyBlock, adjusted, shifts, single, with_shifts
from arena.rating.deal_blocks import Bytes, big_endian, rotations, sums_of_equal
from arena.rating.deal_sums import DealGroup, Integers
from arena.store.bulk import write_rows
from arena.store.projections import deal_sums
from arena.store.projections.elo_tables import OVERALL
from arena.store.projections.lucky import LuckChange, of_game
from arena.store.projections.projection import Change
from arena.store.tables import deal_luck
from arena.store.upsert import upsert

Key = tuple[int, int, bytes]  # seats, players, composition as it is stored
Packed = dict[Key, tuple[int, bytes]]  # deals, and sums as they are stored

_row = deal_luck.c
ALL = select(_row.seats, _row.size, _row.composition, _row.deals, _row.sums).where(
    _row.game == bindparam("of")
)
SOME = ALL.where(
    _row.seats == bindparam("at"),
    _row.size == bindparam("players"),
    _row.composition.in_(bindparam("compositions", expanding=True)),
)


class DealLuckProjection:
    """By who met whom, by how much luck moves the sums over complete deals."""

    name = "deal_luck"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Nothing: the luck of new matches is not known."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds deals whose luck has become known."""
        new = add_up(each.block for each in change.deals) if change.corrected else {}
        if not new:
            return
        for key, (deals, sums) in _load(conn, change.game, new).items():
            more_deals, more = new[key]
            new[key] = deals + more_deals, _added(sums, more)
        _store(conn, change.game, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        """Adds all deals up again."""
        sums = _recount(conn, game)
        if not sums and not _stored(conn, game):
            return
        conn.execute(delete(deal_luck).where(_row.game == game))
        _store(conn, game, sums)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """The sums of how many compositions differ."""
        expected, actual = _recount(conn, game), _stored(conn, game)
        wrong = sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())
        if wrong:
            yield f"the luck of {wrong:,} compositions differs"


def add_up(blocks: Iterable[LuckyBlock]) -> Packed:
    """The shifts of some deals."""
    shapes: dict[tuple[int, int], list[tuple[Bytes, Integers]]] = defaultdict(list)
    for block in blocks:
        alike = block.deals.rotations
        if alike.any():
            chosen = LuckyBlock(block.deals.of(alike), block.luck[alike])
            size = chosen.deals.players.shape[2]
            shapes[size, size].append(_rotated(chosen))
        others = zip(block.deals.of(~alike).deals(), block.luck[~alike], strict=True)
        for matches, luck in others:
            deal = single(matches, list(luck))
            key = np.frombuffer(deal_sums.pack_composition(deal.composition), np.uint8)
            shape = deal.composition.seats, len(deal.composition.players)
            shapes[shape].append((key[np.newaxis], np.array([deal.shift.values])))
    total: Packed = {}
    for shape, parts in shapes.items():
        total_of = sums_of_equal(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        keys, deals, added = total_of
        lines = zip(keys, deals.tolist(), added.astype("<i8"), strict=True)
        total |= {(*shape, key): (count, line.tobytes()) for key, count, line in lines}
    return total


def _rotated(chosen: LuckyBlock) -> tuple[Bytes, Integers]:
    """Compositions as they are stored, and shifts, of deals among the same players each."""
    plain = rotations(chosen.deals)
    meetings = np.full(plain.won.shape, plain.matches)
    keys = np.hstack([big_endian(plain.players, ">u4"), big_endian(meetings, ">u2")])
    return keys, shifts(plain.halves, plain.products, adjusted(chosen), plain.won)


class Corrected(NamedTuple):
    """The sums of `deal_sums.groups` with luck taken out, and of how many deals and matches."""

    groups: list[DealGroup]
    deals: int
    matches: int


def corrected(conn: Connection, game: str, seats: int = OVERALL) -> Corrected | None:
    """At tables of so many seats, or (0) of any; None where there is no luck to take out."""
    found = _stored(conn, game)
    if not found:
        return None
    moved, deals, matches = [], 0, 0
    for group, keys in deal_sums.keyed_groups(conn, game, seats):
        size = group.players.shape[1]
        nothing = 0, bytes(8 * group.values.shape[1])
        rows = [found.get((group.seats, size, key), nothing) for key in keys]
        packed = b"".join([sums for _, sums in rows])
        shift = np.frombuffer(packed, "<i8").reshape(group.values.shape).astype(np.int64)
        moved.append(with_shifts(group, shift))
        lucky = np.array([count for count, _ in rows], dtype=np.int64)
        deals += int(lucky.sum())
        matches += int((lucky * group.matches_per_deal).sum())
    return Corrected(moved, deals, matches)


def _added(one: bytes, other: bytes) -> bytes:
    added: Integers = np.frombuffer(one, "<i8") + np.frombuffer(other, "<i8")
    return added.tobytes()


def _recount(conn: Connection, game: str) -> Packed:
    """As it follows from the stored matches and their luck; changes nothing."""
    return add_up(
        each.block for change in of_game(conn, game) if change.corrected for each in change.deals
    )


def _stored(conn: Connection, game: str) -> Packed:
    return _packed(conn.execute(ALL, {"of": game}))


def _packed(rows: Iterable[Any]) -> Packed:
    return {(seats, size, key): (deals, sums) for seats, size, key, deals, sums in rows}


def _load(conn: Connection, game: str, keys: Collection[Key]) -> Packed:
    shapes: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for seats, size, composition in keys:
        shapes[seats, size].append(composition)
    found: Packed = {}
    for (seats, size), packed in shapes.items():
        shape = {"of": game, "at": seats, "players": size}
        found |= _packed(conn.execute(SOME, {**shape, "compositions": packed}))
    return found


def _store(conn: Connection, game: str, sums: Packed) -> None:
    rows = [(game, *key, *line) for key, line in sums.items()]
    write_rows(conn, upsert(conn, deal_luck), deal_luck.c.keys(), rows)
    deal_sums.note_change(conn, game)
