"""The round-robin for k seats: every table, every deal, every seat, evenly."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from arena.tournaments.formats import FORMATS, PlannedMatch, TournamentSpec
from arena.tournaments.formats.tables import combination as table

ROUND_ROBIN = FORMATS["round-robin"]
SIZES = [(2, 2, 3), (2, 3, 1), (2, 7, 2), (3, 3, 4), (3, 6, 2), (4, 6, 10), (5, 7, 1), (6, 8, 2)]


def spec(seats: int, bots: int, deals: int, seed: int = 7) -> TournamentSpec:
    names = tuple(f"bot-{number}" for number in range(bots))
    return TournamentSpec(seats=seats, bots=names, deals=deals, seed=seed)


def schedule(wanted: TournamentSpec) -> list[PlannedMatch]:
    found: list[PlannedMatch] = []
    number = 0
    while block := ROUND_ROBIN.block(wanted, number):
        found += block
        number += 1
    return found


@pytest.mark.parametrize(("seats", "bots", "deals"), SIZES)
def test_the_number_of_matches_is_tables_times_deals_times_rotations(
    seats: int, bots: int, deals: int
) -> None:
    wanted = spec(seats, bots, deals)

    matches = schedule(wanted)

    assert len(matches) == ROUND_ROBIN.count(wanted) == comb(bots, seats) * deals * seats
    assert [match.position for match in matches] == list(range(len(matches)))


@pytest.mark.parametrize(("seats", "bots", "deals"), SIZES)
def test_every_table_plays_every_one_of_its_deals_in_every_rotation_once(
    seats: int, bots: int, deals: int
) -> None:
    by_deal: dict[int, set[tuple[int, ...]]] = {}
    for match in schedule(spec(seats, bots, deals)):
        by_deal.setdefault(match.deal, set()).add(match.seats)

    for seatings in by_deal.values():
        one = next(iter(seatings))
        assert seatings == {one[turn:] + one[:turn] for turn in range(seats)}
    met = Counter(tuple(sorted(next(iter(seatings)))) for seatings in by_deal.values())
    assert met == dict.fromkeys(combinations(range(bots), seats), deals)
    assert sorted(by_deal) == list(range(comb(bots, seats) * deals))


@pytest.mark.parametrize(("seats", "bots", "deals"), SIZES)
def test_every_bot_sits_in_every_seat_equally_often(seats: int, bots: int, deals: int) -> None:
    sat = Counter(
        (bot, seat)
        for match in schedule(spec(seats, bots, deals))
        for seat, bot in enumerate(match.seats)
    )

    each = comb(bots - 1, seats - 1) * deals
    assert sat == {(bot, seat): each for bot in range(bots) for seat in range(seats)}


def test_after_each_pass_through_the_tables_all_have_met_equally_often() -> None:
    wanted = spec(3, 6, 4)
    tables = comb(6, 3)
    by_deal = {match.deal: tuple(sorted(match.seats)) for match in schedule(wanted)}

    orders = []
    for turn in range(4):
        one_pass = [by_deal[turn * tables + step] for step in range(tables)]
        assert sorted(one_pass) == list(combinations(range(6), 3))
        orders.append(tuple(one_pass))
    assert len(set(orders)) > 1


def test_neighbours_vary_from_deal_to_deal() -> None:
    left_of_zero = Counter(
        match.seats[(match.seats.index(0) + 1) % 4] for match in schedule(spec(4, 4, 60))
    )

    assert all(left_of_zero[bot] > 0.15 * left_of_zero.total() for bot in (1, 2, 3))


def test_rotations_of_one_deal_lie_apart_in_the_schedule() -> None:
    positions: dict[int, list[int]] = {}
    for match in schedule(spec(4, 6, 40)):
        positions.setdefault(match.deal, []).append(match.position)

    neighbours = sum(p + 1 in places for places in positions.values() for p in places)
    # In a random order of blocks of 512 about 3 of 511 neighbours share a deal.
    assert neighbours < 0.03 * 2400


def test_a_block_has_whole_deals_and_needs_no_other_block() -> None:
    wanted = spec(3, 30, 5)
    last = -(-ROUND_ROBIN.count(wanted) // 510) - 1

    block = ROUND_ROBIN.block(wanted, 17)

    assert len(block) == 510
    assert block[0].position == 17 * 510
    assert set(Counter(match.deal for match in block).values()) == {3}
    assert ROUND_ROBIN.block(wanted, last)
    assert ROUND_ROBIN.block(wanted, last + 1) == ()


def test_the_middle_of_a_gigantic_tournament_is_planned_at_once() -> None:
    wanted = spec(6, 60, 1)  # 300,383,160 matches

    block = ROUND_ROBIN.block(wanted, 300_000)

    assert len(block) == 510
    assert len({tuple(sorted(match.seats)) for match in block}) == 85


def test_one_seed_gives_one_schedule_and_another_gives_another() -> None:
    assert schedule(spec(4, 6, 3)) == schedule(spec(4, 6, 3))
    assert schedule(spec(4, 6, 3)) != schedule(spec(4, 6, 3, seed=8))


def test_schedule_of_a_seed_does_not_change() -> None:
    matches = schedule(spec(4, 6, 10))[:3]

    assert matches == [
        PlannedMatch(0, 7, (0, 1, 5, 3)),
        PlannedMatch(1, 45, (4, 2, 1, 5)),
        PlannedMatch(2, 98, (4, 5, 3, 0)),
    ]


def test_tables_are_numbered_like_combinations() -> None:
    listed = [tuple(table(8, 4, number)) for number in range(comb(8, 4))]

    assert listed == list(combinations(range(8), 4))
