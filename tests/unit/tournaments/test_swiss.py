"""Swiss: rounds among equals who have not met."""

import json
from collections import Counter
from itertools import combinations

import pytest

from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.stages import TableResult
from arena.tournaments.formats.swiss import _ranking
from tests.played_out import PlayedOut, all_even, by_number, by_strength, play_out, spec_of

SWISS = FORMATS["swiss"]


def tables(out: PlayedOut, stage: int) -> set[tuple[int, ...]]:
    return {tuple(sorted(one.match.seats)) for one in out.blocks[stage]}


def met(out: PlayedOut) -> Counter[tuple[int, int]]:
    return Counter(
        pair
        for stage in range(len(out.blocks))
        for table in tables(out, stage)
        for pair in combinations(table, 2)
    )


@pytest.mark.parametrize(
    ("bots", "seats", "rounds", "played"), [(8, 2, 0, 4), (9, 2, 0, 5), (32, 4, 3, 3), (5, 4, 7, 7)]
)
def test_the_number_of_matches_is_rounds_times_tables_times_deals_times_rotations(
    bots: int, seats: int, rounds: int, played: int
) -> None:
    spec = spec_of("swiss", bots, seats, 3, rounds=rounds)

    out = play_out(spec, by_number)

    assert len(out.blocks) == played
    assert len(out.matches) == SWISS.count(spec) == played * (bots // seats) * 3 * seats


def test_in_the_first_round_the_upper_half_meets_the_lower() -> None:
    assert tables(play_out(spec_of("swiss", 8, 2), by_number), 0) == {
        (0, 4), (1, 5), (2, 6), (3, 7)
    }  # fmt: skip


def test_then_winners_meet_winners() -> None:
    out = play_out(spec_of("swiss", 8, 2), by_number)

    for table in tables(out, 1):
        assert max(table) < 4 or min(table) >= 4


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("bots", "rounds"), [(8, 4), (16, 5), (30, 6), (64, 7)])
def test_no_bots_meet_twice_while_others_are_left(bots: int, rounds: int, seed: int) -> None:
    strengths = [1 - n / bots for n in range(bots)]

    out = play_out(spec_of("swiss", bots, 2, rounds=rounds), by_strength(strengths, seed=seed))

    assert max(met(out).values()) == 1


@pytest.mark.parametrize("seed", range(4))
def test_at_larger_tables_few_meet_again(seed: int) -> None:
    out = play_out(spec_of("swiss", 64, 4, rounds=5), by_strength([0.0] * 64, seed=seed))

    assert max(met(out).values()) <= 2
    assert sum(times > 1 for times in met(out).values()) <= 2


def test_unavoidable_repeats_are_even() -> None:
    out = play_out(spec_of("swiss", 4, 2, rounds=9), all_even)

    assert set(met(out).values()) == {3}


@pytest.mark.parametrize(("bots", "seats", "rounds"), [(9, 2, 9), (11, 4, 11), (5, 2, 3)])
def test_all_sit_out_equally_often_the_last_first(bots: int, seats: int, rounds: int) -> None:
    spec = spec_of("swiss", bots, seats, rounds=rounds)

    out = play_out(spec, by_number)

    sat = Counter(
        entrant for stage in range(rounds) for table in tables(out, stage) for entrant in table
    )
    assert max(sat.values()) - min(sat.values()) <= 1
    first_out = set(range(bots)) - {entrant for table in tables(out, 0) for entrant in table}
    assert first_out == set(range(bots - bots % seats, bots))


def test_the_opponents_score_breaks_ties() -> None:
    spec = spec_of("swiss", 4, 2, rounds=1)
    out = play_out(spec, by_number)  # 0 beats 2, 1 beats 3

    places = SWISS.places(spec, out.so_far)

    assert [place.then for place in places] == [0, 0, -1, -1]
    assert {place.first for place in places} == {0}


def repeats(out: PlayedOut) -> list[int]:
    """By round, the pairs who had met before."""
    seen: set[tuple[int, int]] = set()
    found = []
    for stage in range(len(out.blocks)):
        now = {pair for table in tables(out, stage) for pair in combinations(table, 2)}
        found.append(len(now & seen))
        seen |= now
    return found


@pytest.mark.parametrize("seed", range(12))
def test_no_bots_meet_twice_until_the_last_rounds_before_all_have_met(seed: int) -> None:
    spec = spec_of("swiss", 24, 2, rounds=22)

    out = play_out(spec, by_strength([n / 8 for n in range(24)], seed=seed))

    *before, last = repeats(out)
    # Whom all have left are two each by then: rings of them, and those that are odd do not pair.
    assert before == [0] * 21
    assert last == odd_rings(out) // 2


def odd_rings(out: PlayedOut) -> int:
    """Of those whom all have not met before the last round, in how many rings of odd length they
    stand."""
    seen = {pair for stage in range(21) for pair in tables(out, stage)}
    left = {one: {other for other in range(24) if other != one} for one in range(24)}
    for one, other in seen:
        left[one].discard(other)
        left[other].discard(one)
    odd = 0
    while left:
        ring, edge = set(), {next(iter(left))}
        while edge:
            ring |= edge
            edge = set().union(*(left[one] for one in edge)) - ring
        for one in ring:
            del left[one]
        odd += len(ring) % 2
    return odd


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_hundreds_at_six_seats_do_not_meet_twice_in_many_rounds(seed: int) -> None:
    spec = spec_of("swiss", 500, 6, rounds=12)

    out = play_out(spec, by_strength([n / 100 for n in range(500)], seed=seed))

    assert repeats(out) == [0] * 12


@pytest.mark.long
def test_a_tournament_under_way_goes_on_the_same_wherever_its_next_round_is_drawn() -> None:
    spec = spec_of("swiss", 22, 4, rounds=7)
    out = play_out(spec, by_strength([0.0] * 22), most_blocks=6)
    stored = json.loads(json.dumps(out.so_far))

    assert SWISS.block(spec, 6, stored) == SWISS.block(spec, 6, out.so_far)


def test_the_ranking_is_by_score_then_by_the_score_of_those_met() -> None:
    spec = spec_of("swiss", 5, 2)
    first = [TableResult((0, 1), [2, 0], [0, 1], 1), TableResult((2, 3), [2, 0], [0, 1], 1)]
    second = [TableResult((0, 4), [0, 2], [1, 0], 1), TableResult((1, 2), [0, 2], [1, 0], 1)]

    assert _ranking(spec, [first]) == [0, 2, 4, 1, 3], "who has not played yet stands in the middle"
    assert _ranking(spec, [first, second]) == [4, 2, 0, 3, 1]
