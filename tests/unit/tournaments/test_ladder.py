"""The ladder: tables where the order is in doubt, new bots placed fast, regular play for all."""

import random
import re
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from arena.tournaments.formats import FORMATS, TournamentSpec
from arena.tournaments.formats.cycles import cycle_of
from arena.tournaments.formats.ladder import STARVED
from arena.tournaments.formats.uncertainty import Doubt, counts, information, strengths
from arena.tournaments.ratings.elo import expected
from tests.played_out import (
    Play,
    PlayedOut,
    all_even,
    all_forfeit,
    by_number,
    by_strength,
    play_out,
    spec_of,
)

LADDER = FORMATS["ladder"]


def tables(out: PlayedOut) -> list[tuple[int, ...]]:
    """Those of all cycles, in order."""
    found = {}
    for one in out.matches:
        cycle = cycle_of(out.spec, one.match.deal, out.spec.seats)
        found[cycle] = tuple(sorted(one.match.seats))
    return [found[cycle] for cycle in sorted(found)]


def order(spec: TournamentSpec, out: PlayedOut) -> list[int]:
    places = LADDER.places(spec, out.so_far)
    return sorted(range(len(places)), key=lambda entrant: places[entrant].first)


def test_it_ends_with_its_budget_of_whole_tables() -> None:
    spec = spec_of("ladder", 8, 4, 3, matches=1000)

    out = play_out(spec, by_number)

    assert LADDER.count(spec) == len(out.matches) == 1000 // 12 * 12
    assert set(Counter(tables(out)[::3]).values())


@pytest.mark.long
@pytest.mark.parametrize("play", [by_number, all_even, all_forfeit])
@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (5, 3), (6, 6), (30, 4)])
def test_all_bots_play_regularly_and_all_numbers_are_finite(
    bots: int, seats: int, play: Play
) -> None:
    spec = spec_of("ladder", bots, seats, 1, matches=2500, withdraw_after=0)

    out = play_out(spec, play)

    last = dict.fromkeys(range(bots), 0)
    longest = 0
    for number, table in enumerate(tables(out), 1):
        for entrant in table:
            longest = max(longest, number - last[entrant])
            last[entrant] = number
    # The one who waited longest is seated first, so a few may have to wait for one another.
    assert longest <= STARVED * bots / seats + bots
    assert all(abs(place.first) < 100 for place in LADDER.places(spec, out.so_far))


def test_expected_scores_equal_actual_ones_except_for_the_prior() -> None:
    chance = random.Random(3)
    pairs = {pair: (9, chance.randrange(19)) for pair in combinations(range(7), 2)}
    won, met = counts(7, 4, pairs)

    found = strengths(won, [0.0] * 7)

    elo = [400 / np.log(10) * value for value in found]
    for one in range(7):
        due = sum(met[one, other] * expected(elo[one], elo[other]) for other in range(7))
        assert won[one].sum() - due == pytest.approx(found[one] / 4, abs=1e-9)


def test_the_gain_of_a_pair_is_by_how_much_it_lowers_the_doubt() -> None:
    chance = random.Random(5)
    pairs = {pair: (chance.randrange(1, 9), 3) for pair in combinations(range(6), 2)}
    won, met = counts(6, 2, pairs)
    known = strengths(won, [0.0] * 6)
    doubt = Doubt(known, met, range(6), 2, 1)
    gains, before = doubt.gains(), doubt.total

    for one, other in combinations(range(6), 2):
        after = Doubt(known, met, range(6), 2, 1)
        after.add([one, other])
        assert before - after.total == pytest.approx(gains[one, other])
    by_gain = {(one, other): gains[one, other] for one, other in combinations(range(6), 2)}
    best, _ = max(by_gain.items(), key=lambda pair_and_gain: pair_and_gain[1])
    assert doubt.table() == list(best)


def test_adding_tables_is_the_same_as_counting_them_from_the_start() -> None:
    won, met = counts(6, 3, dict.fromkeys(combinations(range(6), 2), (4, 5)))
    known = strengths(won, [0.3, 0.2, 0.1, 0.0, -0.1, -0.2])
    doubt = Doubt(known, met, range(6), 3, 2)
    neighbours = doubt.neighbours.copy()

    doubt.add([0, 2, 5])
    doubt.add([1, 2, 3])

    more = met.copy()
    for table in ([0, 2, 5], [1, 2, 3]):
        for one, other in combinations(table, 2):
            more[one, other] += 2 * 3 / 2
            more[other, one] += 2 * 3 / 2
    inverse = np.linalg.inv(information(np.array(known), more))
    assert np.allclose(doubt.spread, inverse)
    assert np.allclose(doubt.felt, inverse @ neighbours @ inverse)


@pytest.mark.long
def test_neighbours_meet_more_often_than_those_far_apart() -> None:
    bots = 12
    spec = spec_of("ladder", bots, 2, 1, matches=6000)

    out = play_out(spec, by_strength([2.0 - n / 3 for n in range(bots)]))

    met = Counter(pair for table in tables(out) for pair in combinations(table, 2))
    near = sum(met[one, other] for one, other in pairwise(range(bots))) / (bots - 1)
    far = [met[one, other] for one, other in combinations(range(bots), 2) if other - one > 5]
    assert near > 5 * sum(far) / len(far)
    assert order(spec, out) == list(range(bots))


def test_it_separates_neighbours_with_fewer_matches_than_random_tables() -> None:
    bots, budget = 16, 2400
    # Close at the top, far apart below.
    true = [1.0, 0.9, 0.8, 0.7] + [-0.2 * n for n in range(12)]

    def doubt(tables_of: list[tuple[int, ...]]) -> float:
        """Doubt left after these tables, all measured with the true strengths."""
        _, met = counts(bots, 4, {})
        for table in tables_of:
            for one, other in combinations(table, 2):
                met[one, other] += 4 / 3
                met[other, one] += 4 / 3
        return Doubt(true, met, range(bots), 4, 1).total

    spec = spec_of("ladder", bots, 4, 1, matches=budget)
    chosen = tables(play_out(spec, by_strength(true, seed=2)))
    chance = random.Random(2)
    drawn = [tuple(sorted(chance.sample(range(bots), 4))) for _ in chosen]
    more = drawn + [tuple(sorted(chance.sample(range(bots), 4))) for _ in range(len(drawn) // 5)]

    assert doubt(chosen) < doubt(drawn)
    assert doubt(chosen) < doubt(more), "also than with a fifth more of them"


def test_a_new_bot_is_placed_fast() -> None:
    strength = [2.0 - n / 4 for n in range(12)] + [0.9]  # it belongs between 4 and 5
    spec = spec_of("ladder", 12, 4, 1, matches=20_000)
    play = by_strength(strength, luck=0.7)
    before = play_out(spec, play, most_blocks=20)
    joined = replace(spec, bots=(*spec.bots, "new"))

    after, blocks = before, len(before.blocks)
    for number in range(blocks, blocks + 3):
        block = LADDER.block(joined, number, after.so_far)
        after.blocks.append([play(match) for match in block])
        after.so_far = LADDER.fold(joined, after.so_far, after.blocks[-1])

    sat = Counter(
        seat for block in after.blocks[blocks:] for one in block for seat in one.match.seats
    )
    assert sat[12] > 1.3 * sum(sat.values()) / 13, "it sits more often than the others"
    assert order(joined, after).index(12) in (4, 5, 6)


def test_a_new_version_is_seated_in_place_of_the_old_one() -> None:
    spec = spec_of("ladder", 5, 2, 1, matches=2000)
    before = play_out(spec, by_number, most_blocks=2)
    joined = replace(spec, bots=(*spec.bots, "Bot-2"))

    block = LADDER.block(joined, 2, before.so_far)

    seated = {entrant for match in block for entrant in match.seats}
    assert seated == {0, 1, 3, 4, 5}
    assert len(LADDER.places(joined, before.so_far)) == 6


def test_a_bot_without_an_estimate_comes_last() -> None:
    spec = spec_of("ladder", 5, 2, 1, matches=2000)
    out = play_out(spec, by_number, most_blocks=2)
    joined = replace(spec, bots=(*spec.bots, "new"))
    assert order(joined, out)[-1] == 5

    out.so_far = LADDER.fold(joined, out.so_far, out.blocks[-1])  # planned before it joined

    assert order(joined, out)[-1] == 5


@pytest.mark.long
def test_stored_state_does_not_grow_with_the_matches() -> None:
    spec = spec_of("ladder", 6, 4, 1, matches=40_000)

    short = play_out(spec, by_number, most_blocks=10)
    long = play_out(spec, by_number, most_blocks=200)

    assert len(str(long.so_far)) < len(str(short.so_far)) + 200


def test_matches_go_to_doubtful_order_not_to_a_bot_far_behind() -> None:
    spec = spec_of("ladder", 6, 4, 1, matches=2400, seed=3)

    out = play_out(spec, by_strength([1.0, 0.95, 0.7, 0.5, 0.1, -6], seed=5))

    sat = Counter(entrant for one in out.matches for entrant in one.match.seats)
    assert min(sat[0], sat[1]) > 2 * sat[5]


def test_it_says_how_often_bots_had_played_once_they_have() -> None:
    spec = spec_of("ladder", 2, 2, matches=400)

    assert LADDER.remarks(spec, {}) == ()
    so_far = play_out(spec, by_number, 1).so_far
    (often,) = LADDER.remarks(spec, so_far)
    assert re.fullmatch(
        r"Each bot had played [\d,]+ matches when the latest ones were scheduled\.", often
    )
