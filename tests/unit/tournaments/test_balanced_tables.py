"""Balanced tables: every pair meets equally often, give or take one, every seat is had alike."""

from collections import Counter
from itertools import combinations

import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.formats import FORMATS, TournamentSpec, format_of
from arena.tournaments.formats.balanced import balanced, orbits
from arena.tournaments.formats.tables import ALL_UP_TO, Tables
from tests.played_out import by_number, play_out, spec_of


def meetings(spec: TournamentSpec) -> Counter[tuple[int, int]]:
    return Counter(
        pair
        for one in play_out(spec, by_number).matches
        for pair in combinations(sorted(one.match.seats), 2)
    )


def sittings(spec: TournamentSpec) -> Counter[tuple[int, int]]:
    return Counter(
        (entrant, seat)
        for one in play_out(spec, by_number).matches
        for seat, entrant in enumerate(one.match.seats)
    )


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("bots", [8, 13, 14, 25, 31, 40])
@pytest.mark.parametrize("deals", [1, 3])
def test_every_pair_meets_equally_often_give_or_take_one_deal(
    bots: int, seats: int, deals: int
) -> None:
    spec = spec_of("round-robin", bots, seats, deals, tables="balanced")

    met = meetings(spec)

    assert len(met) == bots * (bots - 1) // 2
    assert min(met.values()) >= deals * seats
    assert max(met.values()) - min(met.values()) <= seats
    assert {count % seats for count in met.values()} == {0}


@pytest.mark.parametrize(("bots", "seats", "deals"), [(40, 6, 1), (25, 4, 2), (14, 5, 7)])
def test_every_bot_sits_in_every_seat_equally_often(bots: int, seats: int, deals: int) -> None:
    spec = spec_of("round-robin", bots, seats, deals, tables="balanced")

    sat = sittings(spec)

    assert len(sat) == bots * seats
    assert len(set(sat.values())) == 1


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("bots", [100, 199])
def test_designs_for_many_bots_are_found_and_hardly_larger_than_need_be(
    bots: int, seats: int
) -> None:
    design = balanced(bots, seats, 1)

    met = Counter(pair for n in range(design.tables) for pair in combinations(design.table(n), 2))
    assert (min(met.values()), max(met.values())) == (design.least, design.most)
    assert (design.least, design.most) in ((1, 1), (1, 2))
    assert len(met) == bots * (bots - 1) // 2
    assert design.tables <= bots * (orbits(bots, seats, 1) + 3)


def test_many_deals_stay_balanced() -> None:
    design = balanced(60, 5, 100)

    assert design.least >= 100
    assert design.most <= design.least + 1
    assert len(design.base) <= orbits(60, 5, 100) + 3


def test_the_schedule_is_balanced_all_along() -> None:
    spec = spec_of("round-robin", 30, 5, 4, tables="balanced")

    half = play_out(spec, by_number, 2)

    sat = Counter(entrant for one in half.matches for entrant in one.match.seats)
    # Within an orbit of N tables each entrant sits at five.
    assert max(sat.values()) - min(sat.values()) <= 5 * spec.seats


@pytest.mark.long
@pytest.mark.parametrize(
    ("entrants", "size", "deals", "every"),
    [
        (6, 4, 10, True),  # 600 matches
        (12, 4, 10, True),  # 19,800
        (30, 4, 10, False),  # 1,096,200
        (200, 6, 1, False),
        (200, 2, 10, True),  # all pairs are balanced already
        (6, 6, 1_000_000, True),  # there is but one table
    ],
)
def test_all_tables_are_played_where_they_are_few(
    entrants: int, size: int, deals: int, every: bool
) -> None:
    tables = Tables(entrants, size, deals, 7, size, "auto")

    assert tables.every == every
    if not every:
        assert tables.count * size < ALL_UP_TO


def test_balanced_costs_never_more_than_all() -> None:
    for entrants in range(3, 12):
        for deals in (1, 5, 50):
            chosen = Tables(entrants, 3, deals, 7, 3, "balanced")
            if not chosen.every:
                assert chosen.count <= Tables(entrants, 3, deals, 7, 3, "all").count


def test_documented_balance_is_reached() -> None:
    for spec in (
        spec_of("round-robin", 25, 4, 2, tables="balanced"),
        spec_of("round-robin", 7, 3, 2),
    ):
        (told,) = FORMATS["round-robin"].remarks(spec, {})
        met, sat = meetings(spec), sittings(spec)

        low, high = min(met.values()), max(met.values())
        pairs = f"{low}" if low == high else f"{low} to {high}"
        assert f"every pair of bots meets in {pairs} matches" in told
        assert f"sits {min(sat.values())} times in each seat" in told


def test_a_bot_that_sits_once_in_each_seat_is_told_in_the_singular() -> None:
    (told,) = FORMATS["round-robin"].remarks(spec_of("round-robin", 2, 2), {})
    assert told.endswith("every bot sits 1 time in each seat.")


def test_design_of_given_numbers_does_not_change() -> None:
    assert balanced(13, 4, 1).base == balanced.__wrapped__(13, 4, 1).base
    assert balanced(13, 4, 1).least == balanced(13, 4, 1).most == 1, "a perfect difference set"


@pytest.mark.parametrize(
    ("bots", "seats", "cycles", "way_out"),
    [
        (12, 3, 200, "Choose fewer, or the option tables=all, which makes 132,000 matches."),
        (30, 4, 200, "Choose fewer."),  # 21,924,000
        (300, 6, 1, "Choose fewer."),
    ],
)
def test_all_tables_are_advised_only_where_they_are_not_too_many(
    bots: int, seats: int, cycles: int, way_out: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        spec_of("round-robin", bots, seats, cycles)

    assert str(refused.value).endswith(way_out)


def test_the_matches_that_all_tables_make_are_those_that_are_planned() -> None:
    spec = spec_of("gauntlet", 13, 4, 130, tables="all")

    with pytest.raises(InvalidRequest) as refused:
        spec_of("gauntlet", 13, 4, 130)

    assert f"which makes {format_of('gauntlet').count(spec):,} matches" in str(refused.value)
