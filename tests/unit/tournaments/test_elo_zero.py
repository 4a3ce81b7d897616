"""Live Elo counted from an anchor: zero, differences and bands, on deals of each match's own."""

import random
from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
import pytest

from arena.store.matches.model import MatchOutcome
from arena.store.projections.elo_tables import OVERALL, EloTables, play
from arena.tournaments.ratings.bradley_terry import ELO, fit
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.elo import START, changes, surplus, zero_factor
from arena.tournaments.ratings.solve import strengths as fitted
from arena.tournaments.ratings.swing import UNKNOWN, half_width
from tests.lab.simulations import coverage
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import results
from tests.tallies import DealTally


class Course(NamedTuple):
    """After each match of the others: the error of Elo, and half its band."""

    off: list[float]
    half: list[float]

    @property
    def covered(self) -> float:
        """How often the strength lies within the band."""
        return sum(abs(o) <= h for o, h in zip(self.off, self.half, strict=True)) / len(self.off)


def outcome(players: Sequence[int], points: Sequence[int]) -> MatchOutcome:
    """A match without faults."""
    ranks = tuple(1 + sum(other < mine for other in points) for mine in points)
    nobody = (False,) * len(points)
    return MatchOutcome(1.0, tuple(players), tuple(points), ranks, (0,) * len(points), nobody)


def rated(tables: EloTables, matches: Sequence[MatchOutcome], strength: Sequence[float]) -> Course:
    """Rates matches; `strength` is by player, and 0 the anchor's."""
    course = Course([], [])
    for number, match in enumerate(matches):
        play(tables, number, match)
        for player in match.players:
            if player != tables.anchor:
                line = tables.lines[OVERALL, player]
                course.off.append(line.elo - START - strength[player])
                course.half.append(half_width(line.variance + line.zero_variance))
    return course


def drawn(
    chance: random.Random, strength: Sequence[float], seats: int, among: range
) -> MatchOutcome:
    """A match at a random table, with its own deal."""
    table = chance.sample(among, seats)
    form = [strength[i] / ELO - log(-log(1 - chance.random())) for i in table]
    return outcome(table, [sum(other > mine for other in form) for mine in form])


def field(chance: random.Random, bots: int) -> list[float]:
    """Strengths, that of the first bot being 0."""
    found = [chance.gauss(0, 110) for _ in range(bots)]
    return [each - found[0] for each in found]


@pytest.mark.long
@pytest.mark.parametrize(("seats", "cycles"), [(2, 20), (4, 4), (6, 6)])
def test_the_band_holds_where_every_match_has_a_deal_of_its_own(seats: int, cycles: int) -> None:
    """Round-robins of eight bots over 300 Elo in the simulated world, with ties, rated as the store
    rates them; each bot is the anchor once. Points of one run are much alike, hence the limits."""
    tried = coverage.CoverageCase(bots=8, seats=seats, cycles=cycles)
    truth = ELO * fitted(np.ones((8, 8)) * tried.world.scores)

    held = []
    for anchor in range(8):
        dealer = Dealer(tried.world, np.random.default_rng(anchor))
        deals = [results(deal) for deal in coverage.play(tried.spec(anchor), dealer)]
        assert {len(deal) for deal in deals} == {1}
        matches = [outcome(deal[0].players, deal[0].points) for deal in deals]
        held.append(rated(EloTables(anchor), matches, (truth - truth[anchor]).tolist()).covered)

    assert 0.92 < np.mean(held) < 0.99


@pytest.mark.long
def test_among_many_bots_the_zero_is_found_as_soon_as_the_differences() -> None:
    """Were only the opponents of the anchor moved, the middle of the others would be off by some
    150 here after as many matches."""
    chance = random.Random(5)
    strength = [0.0, *(chance.gauss(170, 110) for _ in range(39))]
    tables = EloTables(0)
    rated(tables, [drawn(chance, strength, 4, range(40)) for _ in range(10_000)], strength)

    lines = [tables.lines[OVERALL, player] for player in range(40)]
    off = [line.elo - START - s for line, s in zip(lines, strength, strict=True)][1:]

    assert abs(np.mean(off)) < 25
    assert np.std(off) < 25
    assert (lines[0].elo, lines[0].variance + lines[0].zero_variance) == (START, 0)


def test_elo_comes_to_where_the_rating_is() -> None:
    chance = random.Random(8)
    strength = field(chance, 6)
    matches = [drawn(chance, strength, 3, range(6)) for _ in range(6_000)]
    tables, tally = EloTables(0), DealTally()
    rated(tables, matches, strength)
    for match in matches:
        tally.add([SeatResults(match.players, match.points, match.forfeited)])

    rating = fit(tally.groups(), anchor=0)

    for player in range(1, 6):
        elo = tables.lines[OVERALL, player].elo
        assert abs(elo - rating.ratings[rating.index(player)]) < 45
    assert rating.ratings[0] == tables.lines[OVERALL, 0].elo == START


def test_net_elo_update_at_the_ratings_is_zero_for_bots_and_anchor() -> None:
    """So the ratings are where Elo comes to rest, with an anchor as without."""
    chance = random.Random(2)
    matches = [drawn(chance, [0, 50, -80, 120, 10], 3, range(5)) for _ in range(300)]
    tally = DealTally()
    for match in matches:
        tally.add([SeatResults(match.players, match.points, match.forfeited)])
    own = ELO * fitted(fit(tally.groups()).wins)

    moved = np.zeros(5)
    for match in matches:
        before = [float(own[player]) for player in match.players]
        for seat, player in enumerate(match.players):
            moved[player] += surplus(seat, before, match.points, match.forfeited)

    assert moved == pytest.approx(np.zeros(5), abs=1e-6)


def test_late_anchor_finds_the_level_of_earlier_players() -> None:
    """Until then the mean of all is 1500, and no number changes when the anchor comes."""
    chance = random.Random(4)
    strength = [0.0, *(150 + 40 * number for number in range(8))]
    tables = EloTables(0)
    rated(tables, [drawn(chance, strength, 4, range(1, 9)) for _ in range(1500)], strength)
    assert tables.zeros == {}
    before = {key: line.elo for key, line in tables.lines.items()}
    assert sum(before[OVERALL, player] for player in range(1, 9)) == pytest.approx(8 * START)

    play(tables, 0, outcome([0, 1, 2, 3], [9, 5, 2, 7]))
    for player in range(4, 9):
        assert tables.lines[OVERALL, player].elo == before[OVERALL, player]
    course = rated(tables, [drawn(chance, strength, 4, range(9)) for _ in range(3000)], strength)

    assert course.covered > 0.8
    assert abs(np.mean(course.off[-800:])) < 30


def test_absent_bot_gets_the_shift_with_its_next_match() -> None:
    tables = EloTables(0)
    for _ in range(3):
        play(tables, 0, outcome([0, 1], [10, 0]))  # the anchor loses
    play(tables, 1, outcome([1, 2], [0, 5]))
    shift = tables.zeros[OVERALL].shift
    assert shift > 0
    play(tables, 2, outcome([0, 1], [10, 0]))
    idle = tables.lines[OVERALL, 2].elo

    again = play(tables, 3, outcome([2, 1], [0, 5]))

    assert again.before[0] == pytest.approx(idle + tables.zeros[OVERALL].shift - shift)
    assert again.before[0] > idle
    assert again.change == tuple(changes(again.before, [1, 5], [0, 5], [False, False]))


def test_a_newcomer_starts_at_1500_wherever_the_zero_is() -> None:
    tables = EloTables(0)
    for _ in range(10):
        play(tables, 0, outcome([0, 1], [10, 0]))
    assert tables.zeros[OVERALL].shift > 100

    assert play(tables, 1, outcome([1, 2], [0, 5])).before[1] == START


def test_the_anchor_stays_whoever_wins_and_whatever_the_seat() -> None:
    tables = EloTables(7)
    chance = random.Random(1)
    for number in range(200):
        table = chance.sample(range(10), 4)
        one = play(tables, number, outcome(table, [chance.randrange(9) for _ in table]))
        if 7 in table:
            assert one.change[table.index(7)] == 0
    for seats in (OVERALL, 4):
        line = tables.lines[seats, 7]
        assert (line.elo, line.variance, line.zero_variance) == (START, 0, 0)
        assert {mark.elo for mark in line.marks} == {START}
        assert {mark.plus_minus for mark in line.marks} == {0}


def test_without_the_anchor_all_is_as_if_there_were_none() -> None:
    """To the bit: tables in which it has not played keep the mean at 1500."""
    alone, watched = EloTables(), EloTables(99)
    chance = random.Random(3)
    for number in range(300):
        table = chance.sample(range(6), 3)
        match = outcome(table, [chance.randrange(9) for _ in table])
        assert play(alone, number, match) == play(watched, number, match)
    assert alone.lines == watched.lines
    assert {line.zero_variance for line in alone.lines.values()} == {0}


def test_each_number_of_seats_has_a_zero_of_its_own() -> None:
    tables = EloTables(0)
    play(tables, 0, outcome([0, 1], [3, 0]))
    play(tables, 1, outcome([0, 1, 2], [0, 3, 5]))

    assert tables.zeros[2].shift == -zero_factor(0) * -0.5
    assert tables.zeros[3].shift == -zero_factor(0) * 0.5
    assert set(tables.zeros) == {OVERALL, 2, 3}
    assert tables.zeros[2].variance < UNKNOWN
