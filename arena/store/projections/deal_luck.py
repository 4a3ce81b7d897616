"""The effect of luck on the sums for ratings, for deals whose luck is known.

Rows belong to the row of `deal_sums` with the same composition, one for each luck model and fold.
The sums are those of `arena.tournaments.ratings.adjusted`, eight bytes each, little-endian. They
include a deal exactly when its tournament adjusts scores for luck and the luck of all its matches
is stored. So ratings do not depend on the order in which luck was computed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from arena.store.projections import deal_sums
from arena.store.projections.elo_tables import OVERALL
from arena.store.projections.lucky import LuckChange, LuckyDeals, marked_sums, marks, of_game
from arena.store.projections.projection import Change, differing
from arena.store.projections.summed import Packed, SummedTable
from arena.store.tables import deal_luck
from arena.tournaments.ratings.adjusted import LuckGroup, less_luck, lucky, single, width
from arena.tournaments.ratings.coefficient import FOLDS
from arena.tournaments.ratings.deal_blocks import Bytes, big_endian, rotations
from arena.tournaments.ratings.deal_sums import DealGroup, Integers

SUMMED = SummedTable(deal_luck, shape=2)  # seats and players, then composition, model and fold


class DealLuckProjection:
    """By composition, model and fold, the effect of luck on the sums over complete deals."""

    name = "deal_luck"
    version = 2

    def apply(self, conn: Connection, change: Change) -> None:
        """Does nothing: the luck of new matches is unknown."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds deals whose luck has become known."""
        if change.corrected and (new := add_up(change.deals)):
            SUMMED.add(conn, change.game, new)
            deal_sums.note_change(conn, change.game)

    def rebuild(self, conn: Connection, game: str) -> None:
        sums = _recount(conn, game)
        if not sums and not SUMMED.stored(conn, game):
            return
        SUMMED.clear(conn, game)
        SUMMED.store(conn, game, sums)
        deal_sums.note_change(conn, game)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        if wrong := differing(_recount(conn, game), SUMMED.stored(conn, game)):
            yield f"the luck of {wrong:,} compositions differs"


def add_up(changed: Iterable[LuckyDeals]) -> Packed:
    shapes: dict[tuple[int, int], list[tuple[Bytes, Integers]]] = defaultdict(list)
    for deals in changed:
        alike = deals.block.deals.rotations
        if alike.any():
            chosen = deals.of(alike)
            size = chosen.block.deals.players.shape[2]
            shapes[size, size].append(_rotated(chosen))
        if alike.all():
            continue
        rest = deals.of(~alike)
        tails = marks(rest.models, rest.parts % FOLDS)
        for row, matches in enumerate(rest.block.deals.deals()):
            deal = single(matches, list(rest.block.luck[row]))
            composition = np.frombuffer(deal_sums.pack_composition(deal.composition), np.uint8)
            shape = deal.composition.seats, len(deal.composition.players)
            key = np.concatenate([composition, tails[row]])
            shapes[shape].append((key[np.newaxis], deal.scores.sums))
    total: Packed = {}
    for shape, parts in shapes.items():
        total |= {(*shape, *key): line for key, line in marked_sums(parts)}
    return total


def _rotated(chosen: LuckyDeals) -> tuple[Bytes, Integers]:
    """Keys and sums of deals whose matches have the same players each."""
    plain = rotations(chosen.block.deals)
    meetings = np.full(plain.won.shape, plain.matches)
    keys = [big_endian(plain.players, ">u4"), big_endian(meetings, ">u2")]
    keys.append(marks(chosen.models, chosen.parts % FOLDS))
    return np.hstack(keys), lucky(plain, chosen.block).sums


class Corrected(NamedTuple):
    """The sums of `deal_sums.groups`, adjusted for luck; the number of adjusted deals and of their
    matches, and the average coefficient."""

    groups: list[DealGroup]
    deals: int
    matches: int
    coefficient: float | None


def corrected(conn: Connection, game: str, seats: int = OVERALL) -> Corrected | None:
    """The sums for tables of `seats` seats, or (0) of all; None if no luck is known."""
    rows: dict[tuple[int, int], list[tuple[bytes, int, int, int, bytes]]] = defaultdict(list)
    for at, size, *row in conn.execute(SUMMED.in_order, {"of": game}).all():
        rows[at, size].append((bytes(row[0]), *row[1:]))
    if not rows:
        return None
    plain, luck, matches = [], [], 0
    for group, keys in deal_sums.keyed_groups(conn, game, seats):
        place = {key: at for at, key in enumerate(keys)}
        size = group.players.shape[1]
        found = [row for row in rows[group.seats, size] if row[0] in place]
        luck.append(_group(size, [place[row[0]] for row in found], found))
        plain.append(group)
        matches += int((luck[-1].deals * group.matches_per_deal[luck[-1].table]).sum())
    less = less_luck(plain, luck)
    deals = sum(int(each.deals.sum()) for each in luck)
    return Corrected(less.groups, deals, matches, less.coefficient)


def _group(
    size: int, tables: list[int], rows: list[tuple[bytes, int, int, int, bytes]]
) -> LuckGroup:
    """The rows of tables of `size` players, as arrays."""
    model, fold, deals = np.array([row[1:4] for row in rows], dtype=np.int64).reshape(-1, 3).T
    values = np.frombuffer(b"".join([row[4] for row in rows]), "<i8").astype(np.int64)
    table = np.array(tables, dtype=np.int64)
    return LuckGroup(table, model, fold, deals, values.reshape(-1, width(size)))


def _recount(conn: Connection, game: str) -> Packed:
    """The sums as computed from the stored matches and their luck; changes nothing."""
    return add_up(
        deals for change in of_game(conn, game) if change.corrected for deals in change.deals
    )
