"""Deals counted in memory: what the store keeps in tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import add

import numpy as np

from arena.tournaments.ratings import deal_sums, variance
from arena.tournaments.ratings.adjusted import LessLuck, LuckGroup, less_luck, single, width
from arena.tournaments.ratings.deal_sums import Composition, DealGroup, Integers, SeatResults, Sums
from arena.tournaments.ratings.variance import Seated, TableGroup, TableSums


class DealTally:
    """The sums of `deal_sums`."""

    def __init__(self) -> None:
        self.sums: dict[Composition, Sums] = {}

    def add(self, matches: Sequence[SeatResults]) -> None:
        """Counts a deal, given all its matches in any order. Raises ValueError without any."""
        add_to(self.sums, *deal_sums.summarise(matches))

    def groups(self) -> list[DealGroup]:
        """Returns the input for `bradley_terry.fit`, independent of the order of deals."""
        return grouped(self.sums)


def add_to(sums: dict[Composition, Sums], composition: Composition, more: Sums) -> None:
    """Adds to the sums of a composition, which may be new."""
    before = sums.get(composition)
    if before is not None:
        more = Sums(before.deals + more.deals, [*map(add, before.values, more.values)])
    sums[composition] = more


def grouped(sums: Mapping[Composition, Sums]) -> list[DealGroup]:
    """Returns the sums as arrays, in an order that depends on the compositions alone."""
    shapes: dict[tuple[int, int], list[Composition]] = defaultdict(list)
    for composition in sorted(sums):
        shapes[composition.seats, len(composition.players)].append(composition)
    return [
        DealGroup(
            seats,
            numbers(row.players for row in rows),
            numbers(row.meetings for row in rows),
            numbers(sums[row].deals for row in rows),
            numbers(sums[row].values for row in rows),
        )
        for (seats, _), rows in sorted(shapes.items())
    ]


class AdjustedTally:
    """The sums of `adjusted`."""

    def __init__(self) -> None:
        self._plain: dict[Composition, Sums] = {}
        self._luck: dict[int, dict[Composition, Sums]] = {}

    def add(
        self, matches: Sequence[SeatResults], luck: Sequence[Integers] | None, fold: int
    ) -> None:
        """Counts a deal, given all its matches and its fold. `luck` has each match's luck by pair
        of seats, or is None while unknown."""
        nothing = np.zeros(len(matches[0].players) * (len(matches[0].players) - 1) // 2, np.int64)
        deal = single(matches, [nothing] * len(matches) if luck is None else luck)
        add_to(self._plain, deal.composition, deal.plain)
        if luck is not None:
            sums = Sums(1, deal.scores.sums[0].tolist())
            add_to(self._luck.setdefault(fold, {}), deal.composition, sums)

    def less_luck(self) -> LessLuck:
        """Returns the adjusted groups, as input for `bradley_terry.fit`."""
        plain = grouped(self._plain)
        return less_luck(plain, [self._of(each) for each in plain])

    def _of(self, plain: DealGroup) -> LuckGroup:
        rows, values = [], []
        tables = zip(plain.players.tolist(), plain.meetings.tolist(), strict=True)
        for place, (players, meetings) in enumerate(tables):
            key = Composition(plain.seats, tuple(players), tuple(meetings))
            for number in sorted(self._luck):
                if found := self._luck[number].get(key):
                    rows.append((place, 0, number, found.deals))
                    values.append(found.values)
        table, model, fold, deals = numbers(rows).reshape(-1, 4).T
        sums = numbers(values).reshape(-1, width(plain.players.shape[1]))
        return LuckGroup(table, model, fold, deals, sums)


def tables_of(deals: Iterable[Sequence[SeatResults]]) -> dict[Seated, TableSums]:
    """Returns the sums of `variance` by table of bots."""
    tables: dict[Seated, TableSums] = {}
    for deal in deals:
        seated, more = variance.summarise(deal)
        tables[seated] = together(tables[seated], more) if seated in tables else more
    return tables


def together(one: TableSums, other: TableSums) -> TableSums:
    """Adds sums of the same table of bots."""
    return TableSums(
        one.deals + other.deals,
        tuple(map(add, one.points, other.points)),
        tuple(map(add, one.halves, other.halves)),
        tuple(map(add, one.deal_squares, other.deal_squares)),
        tuple(map(add, one.match_squares, other.match_squares)),
    )


def grouped_tables(
    tables: Mapping[Seated, TableSums], fixed: Collection[int] = ()
) -> list[TableGroup]:
    """Returns the sums as arrays; `fixed` are players that keep their seats."""
    shapes: dict[tuple[int, int], list[tuple[Seated, TableSums]]] = defaultdict(list)
    for seated, sums in tables.items():
        shapes[len(seated), len(sums.points)].append((seated, sums))
    return [
        TableGroup(
            numbers([played for _, played in seated] for seated, _ in rows),
            ~np.isin(numbers([player for player, _ in seated] for seated, _ in rows), [*fixed]),
            numbers(sums.deals for _, sums in rows),
            numbers(sums.points for _, sums in rows),
            numbers(sums.halves for _, sums in rows),
            numbers(sums.deal_squares for _, sums in rows),
            numbers(sums.match_squares for _, sums in rows),
        )
        for rows in shapes.values()
    ]


def numbers(rows: Iterable[object]) -> Integers:
    return np.array(list(rows), dtype=np.int64)
