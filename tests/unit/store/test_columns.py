"""Matches as arrays say what the functions for one match or deal say."""

import random
import struct
from collections.abc import Iterable

import numpy as np
import pytest

from arena.store.matches.columns import columns_of
from arena.store.matches.model import MatchOutcome
from arena.store.projections import deal_sums as stored_deals
from arena.store.projections import table_sums as stored_tables
from arena.store.projections.fault_streaks import continued
from arena.tournaments.ratings.deal_blocks import DealBlock
from tests.tallies import DealTally, tables_of


def outcome(rng: random.Random, players: tuple[int, ...]) -> MatchOutcome:
    """Points are few, so that there are ties; many forfeit, some of them again and again."""
    points = tuple(rng.randrange(4) for _ in players)
    forfeited = tuple(rng.random() < 0.4 for _ in players)
    ranks = tuple(1 + sum(other < own for other in points) for own in points)
    faults = tuple(3 * out for out in forfeited)
    return MatchOutcome(rng.random(), players, points, ranks, faults, forfeited)


def outcomes(count: int) -> list[MatchOutcome]:
    """Of two to six seats."""
    rng = random.Random(1)
    return [outcome(rng, tuple(rng.sample(range(1, 9), rng.randint(2, 6)))) for _ in range(count)]


def block(seed: int, same: bool) -> DealBlock:
    """Forty deals of three matches at three seats, each deal among the same players or not."""
    rng = random.Random(seed)
    deals = []
    for _ in range(40):
        table = rng.sample(range(1, 6), 3)
        tables = [rng.sample(table, 3) if same else rng.sample(range(1, 6), 3) for _ in range(3)]
        deals.append([outcome(rng, tuple(seated)) for seated in tables])
    return DealBlock(
        np.array([[match.players for match in deal] for deal in deals]),
        np.array([[match.points for match in deal] for deal in deals]),
        np.array([[match.forfeited for match in deal] for deal in deals]),
    )


def halves_of(match: MatchOutcome) -> list[int]:
    places = list(zip(match.forfeited, match.points, strict=True))
    # A bot ties with itself, which is subtracted.
    return [sum(2 * (own < other) + (own == other) for other in places) - 1 for own in places]


def test_columns_agree_with_outcomes() -> None:
    played = outcomes(200)
    columns = columns_of(played)

    assert columns.won.tolist() == [won for each in played for won in each.won]
    assert columns.halves.tolist() == [halves for each in played for halves in halves_of(each)]
    assert columns.shared.tolist() == [won and each.shared for each in played for won in each.won]
    assert columns.seat.tolist() == [seat for each in played for seat in range(len(each.players))]


def test_parts_of_columns_are_the_columns_of_these_matches() -> None:
    played = outcomes(50)
    columns = columns_of(played)

    taken, between = columns.take(np.array([30, 7, 7])), columns.between(10, 20)

    for found, expected in (
        (taken, [played[place] for place in (30, 7, 7)]),
        (between, played[10:20]),
    ):
        for name, values in vars(columns_of(expected)).items():
            assert getattr(found, name).tolist() == values.tolist(), name


def test_streaks_of_many_matches_are_those_of_one_after_the_other() -> None:
    played = outcomes(300)
    by_match = {3: (2, 0.5)}
    for each in played:
        by_match = continued(by_match, columns_of([each]))

    assert continued({3: (2, 0.5)}, columns_of(played)) == by_match
    assert any(matches > 1 for matches, _ in by_match.values())


@pytest.mark.parametrize("same", [True, False])
def test_sums_of_many_deals_are_those_of_one_after_the_other(same: bool) -> None:
    deals = block(1, same)
    tally = DealTally()
    for deal in deals.deals():
        tally.add(deal)
    tables = tables_of(deals.deals())

    of_deals, of_tables = stored_deals.add_up([deals]), stored_tables.add_up([deals])

    assert numbers(of_deals.values()) == sorted(
        (sums.deals, *sums.values) for sums in tally.sums.values()
    )
    assert numbers(of_tables.values()) == sorted(
        (sums.deals, *sums.points, *sums.halves, *sums.deal_squares, *sums.match_squares)
        for sums in tables.values()
    )
    assert {key[2][:12] for key in of_deals} >= {key[:12] for key in of_tables if len(key) == 18}


def numbers(stored: Iterable[tuple[int, bytes]]) -> list[tuple[int, ...]]:
    """Deals and sums as they are stored, unpacked."""
    return sorted((deals, *struct.unpack(f"<{len(sums) // 8}q", sums)) for deals, sums in stored)
