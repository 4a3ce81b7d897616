"""The tables of a Swiss round, compared with all ways to seat few bots."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pytest

from arena.tournaments.formats.swiss_costs import Pairs, costs
from arena.tournaments.formats.swiss_search import Places, search, unavoidable
from arena.tournaments.formats.swiss_tables import FEW, Tables, seat


def drawn(bots: int, size: int, rounds: int, seed: int) -> tuple[list[int], Pairs]:
    """A ranking, and who met in rounds that were drawn by lot."""
    chance, met = random.Random(seed), Counter[tuple[int, int]]()
    for _ in range(rounds):
        lot = shuffled(bots, chance)
        for first in range(0, bots, size):
            met.update(combinations(sorted(lot[first : first + size]), 2))
    return shuffled(bots, chance), met


def shuffled(bots: int, chance: random.Random) -> list[int]:
    """The same in every Python."""
    return sorted(range(bots), key=lambda _: chance.random())


def price(tables: Tables, ranking: Sequence[int], met: Pairs) -> tuple[int, int]:
    """Returns the number of repeats, and the sum of squared distances."""
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    again = sum(met[min(pair), max(pair)] ** 2 for pair in pairs)
    return again, sum((ranking.index(one) - ranking.index(other)) ** 2 for one, other in pairs)


def every_way(bots: Sequence[int], size: int) -> Iterator[Tables]:
    if not bots:
        yield []
        return
    first, *others = bots
    for beside in combinations(others, size - 1):
        rest = [bot for bot in others if bot not in beside]
        for tables in every_way(rest, size):
            yield [[first, *beside], *tables]


@pytest.mark.parametrize("rounds", [1, 3, 5, 8])
@pytest.mark.parametrize(
    ("bots", "size"),
    [(2, 2), (4, 2), (6, 2), (8, 2), (10, 2), (3, 3), (6, 3), (9, 3), (8, 4), (10, 5), (12, 6)],
)
def test_best_seating_of_few_bots_is_found(bots: int, size: int, rounds: int) -> None:
    ranking, met = drawn(bots, size, rounds, seed=rounds)

    tables = seat(ranking, size, met)

    assert sorted(bot for table in tables for bot in table) == list(range(bots))
    best = min(price(other, ranking, met) for other in every_way(ranking, size))
    assert price(tables, ranking, met) == best


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "size", "rounds"),
    [(12, 3, 4), (16, 4, 6), (15, 5, 2)],
)
def test_the_search_repeats_no_more_than_the_best_way(bots: int, size: int, rounds: int) -> None:
    assert bots <= FEW
    ranking, met = drawn(bots, size, rounds, seed=rounds)
    asked = costs(ranking, size, met)
    places = [[ranking[place] for place in table] for table in search(asked)]

    least, _ = price(seat(ranking, size, met), ranking, met)

    assert price(places, ranking, met)[0] == least >= unavoidable(asked)


def test_second_meeting_is_preferred_to_a_third() -> None:
    met = Counter({(0, 1): 2, (2, 3): 2, (0, 2): 1, (1, 3): 1, (0, 3): 2, (1, 2): 2})

    assert seat([0, 1, 2, 3], 2, met) == [[0, 2], [1, 3]]


def test_neighbours_sit_together_if_no_bots_have_met() -> None:
    for size in (2, 3, 6):
        ranking = shuffled(60, random.Random(size))
        near = [ranking[first : first + size] for first in range(0, 60, size)]
        assert seat(ranking, size, Counter()) == near


def test_search_stops_if_all_have_met_equally_often() -> None:
    met = Counter(dict.fromkeys(combinations(range(60), 2), 3))

    asked = costs(range(60), 5, met)

    assert unavoidable(asked) == 12 * 10 * 9
    assert seat(range(60), 5, met) == [list(range(at, at + 5)) for at in range(0, 60, 5)]


def test_cost_of_a_swap_is_updated_correctly() -> None:
    ranking, met = drawn(30, 5, 6, seed=3)
    asked, chance = costs(ranking, 5, met), random.Random(3)
    places = Places(asked, np.arange(30).reshape(-1, 5))
    for _ in range(200):
        one, other = (bots[chance.randrange(5)] for bots in chance.sample(list(places.tables), 2))
        places.swap(int(one), int(other))

    anew = Places(asked, places.tables)

    assert places.total == anew.total
    assert (places.change == anew.change).all()
    assert sorted(places.tables.ravel()) == list(range(30))


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "size", "rounds", "expected"),
    [
        (100, 2, 60, "8a88994a36b85b0e"),
        (18, 3, 5, "4b0aec19a11db13a"),
        (60, 4, 14, "5cb1b19340289b41"),
        (24, 4, 8, "35aecb840a4c9f8b"),
    ],
)
def test_every_machine_and_python_finds_the_same_tables(
    bots: int, size: int, rounds: int, expected: str
) -> None:
    ranking, met = drawn(bots, size, rounds, seed=1)
    # Found where pairs stood in the order in which they met, which does not count.
    tables = seat(ranking, size, Counter(dict(reversed(met.items()))))

    assert hashlib.sha256(repr(tables).encode()).hexdigest()[:16] == expected
