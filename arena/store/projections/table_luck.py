"""Scores and luck over the deals of each table of bots, for deals with known luck.

They give the uncertainty of luck-adjusted scores in a tournament, and the number of matches that
the adjustment saves (`arena.tournaments.ratings.luck_saved`). The deals of a table are stored by
luck model and in sixteen parts, from which the error of that number is estimated. For each part and
each bot, in the order of the key, these sums over deals are stored: half-points s, s^2, luck L in
units of `arena.tournaments.ratings.match_luck`, s L, and L^2; eight bytes each, little-endian.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy import Connection

from arena.store.projections.lucky import (
    LuckChange,
    LuckyDeals,
    Marked,
    marked_sums,
    marks,
    of_game,
    stored_tournaments,
)
from arena.store.projections.projection import Change, differing
from arena.store.projections.summed import Packed, SummedTable
from arena.store.tables import table_luck
from arena.tournaments.ratings.adjusted import LuckyScores, lucky, single
from arena.tournaments.ratings.deal_blocks import Bytes, big_endian, rotations
from arena.tournaments.ratings.deal_sums import Integers

Key = Marked  # players at the table, model, part
SUMMED = SummedTable(table_luck)


class TableLuckProjection:
    """By tournament and table of bots, scores over complete deals and the luck in them."""

    name = "table_luck"
    version = 2

    def apply(self, conn: Connection, change: Change) -> None:
        """Does nothing: the luck of new matches is unknown."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds deals whose luck has become known."""
        if new := add_up(change.deals):
            SUMMED.add(conn, change.tournament, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        for tournament in stored_tournaments(conn, game, table_luck):
            SUMMED.clear(conn, tournament)
        for change in of_game(conn, game):
            SUMMED.store(conn, change.tournament, add_up(change.deals))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        wrong = 0
        left = {each: stored(conn, each) for each in stored_tournaments(conn, game, table_luck)}
        for change in of_game(conn, game):
            wrong += differing(add_up(change.deals), left.pop(change.tournament, {}))
        if wrong := wrong + sum(map(len, left.values())):
            yield f"the luck of {wrong:,} tables of tournaments differs"


def stored(conn: Connection, tournament: int) -> Packed:
    return SUMMED.stored(conn, tournament)


def add_up(changed: Iterable[LuckyDeals]) -> Packed:
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
    """The key of a table as it is stored."""
    return [big_endian(players, ">u4"), big_endian(played, ">u2")]


def _sums(scores: LuckyScores) -> Integers:
    halves, luck = scores.halves, scores.by_player
    return np.hstack([halves, halves**2, luck, halves * luck, luck**2])
