"""Siblings: how they are identified and kept apart, and the reports where they meet."""

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations, product

import numpy as np
import pytest

from arena.tournaments.formats import (
    FORMATS,
    PlannedMatch,
    Played,
    TournamentSpec,
    check_spec,
    format_of,
    subsets,
)
from arena.tournaments.formats.balanced import balanced
from arena.tournaments.formats.siblings import numbered
from arena.tournaments.formats.spread import spread
from arena.tournaments.formats.swiss_costs import MOST, costs
from arena.tournaments.formats.swiss_search import search, unavoidable
from arena.tournaments.formats.swiss_tables import FEW, seat
from arena.tournaments.formats.tables import Tables, combination
from tests.played_out import by_authors, by_number, play_out, spec_of, with_points
from tests.unit.tournaments.test_swiss_tables import drawn, every_way, price

GROUPS = [
    (0, 1, 2, 3, 4),
    (0, 0, 1, 2, 3),
    (0, 1, 0, 1, 2, 2, 3),
    (0, 0, 0, 0, 1, 2),
    (5, 3, 5, 3, 5, 1, 1, 0),
]


def siblings(table: Sequence[int], authors: Sequence[int]) -> int:
    """How many pairs of them sit at a table."""
    return sum(authors[one] == authors[other] for one, other in combinations(table, 2))


def test_every_format_has_the_option_and_new_tournaments_keep_siblings_apart() -> None:
    for name, format_ in FORMATS.items():
        assert format_.options["siblings"].default == "apart", name


def test_numbers_identify_siblings_and_nothing_else() -> None:
    assert numbered([77, None, 5, 77, None, 5, 77]) == (0, 1, 2, 0, 3, 2, 0)
    assert numbered([5, None, 77, 5, None, 77, 5]) == (0, 1, 2, 0, 3, 2, 0)


def test_authors_that_do_not_fit_the_bots_are_none() -> None:
    assert check_spec(TournamentSpec(bots=tuple("abcd"), authors=(0, 1, 1))).authors == ()


# All tables, by number


@pytest.mark.parametrize("authors", GROUPS)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_tables_without_siblings_are_numbered(authors: tuple[int, ...], size: int) -> None:
    every = [
        table for table in combinations(range(len(authors)), size) if not siblings(table, authors)
    ]

    listed = [subsets.subset(authors, size, n) for n in range(subsets.count(authors, size))]

    assert sorted(map(tuple, listed)) == every
    sat = Counter(entrant for table in every for entrant in table)
    if every:
        times = [sat[entrant] for entrant in range(len(authors))]
        assert subsets.sittings(authors, size) == (min(times), max(times))


@pytest.mark.parametrize("authors", GROUPS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_how_often_others_meet_at_them_is_counted(authors: tuple[int, ...], size: int) -> None:
    met = Counter(
        pair
        for table in combinations(range(len(authors)), size)
        if not siblings(table, authors)
        for pair in combinations(table, 2)
    )
    times = [
        met[pair] for pair in combinations(range(len(authors)), 2) if not siblings(pair, authors)
    ]

    assert subsets.meetings(authors, size) == (min(times), max(times))


def test_tables_of_single_bot_authors_are_numbered_like_all_tables() -> None:
    for number in range(subsets.count(tuple(range(9)), 4)):
        assert subsets.subset(tuple(range(9)), 4, number) == combination(9, 4, number)


def test_the_middle_of_a_gigantic_tournament_is_planned_at_once() -> None:
    authors = [number // 4 for number in range(60)]
    spec = by_authors(spec_of("round-robin", 60, 6, tables="all"), authors[:60])

    block = format_of("round-robin").block(spec, 200_000)

    assert len(block) == 510
    assert not any(siblings(match.seats, authors) for match in block)


def test_auto_plays_all_tables_where_those_without_siblings_are_few() -> None:
    authors = tuple(number % 4 for number in range(28))
    apart = Tables(28, 4, 5, 7, 4, "auto", authors)
    together = Tables(28, 4, 5, 7, 4, "auto")

    assert (apart.every, together.every) == (True, False)
    assert apart.count * 4 == 7**4 * 5 * 4 <= 100_000


# Balanced tables


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "seats", "cycles", "authors"),
    [
        (40, 4, 2, 20),  # two of each
        (60, 6, 3, 12),
        (33, 3, 5, 4),
        (30, 5, 4, 6),  # as many of each as there may be for all to sit equally often
        (48, 4, 10, 4),  # the same with no more authors than seats
        (90, 5, 1, 45),
    ],
)
def test_a_balanced_design_is_kept_balanced(
    bots: int, seats: int, cycles: int, authors: int
) -> None:
    by = tuple(number % authors for number in range(bots))
    tables = Tables(bots, seats, cycles, 7, seats, "balanced", by)
    assert not tables.every
    every = [tables.table(cycle) for cycle in range(tables.count)]

    assert tables.count == balanced(bots, seats, cycles).tables
    assert not any(siblings(table, by) for table in every)
    assert all(len(set(table)) == seats for table in every)
    sat = Counter(entrant for table in every for entrant in table)
    assert set(sat.values()) == {tables.count * seats // bots}
    met = Counter(pair for table in every for pair in combinations(table, 2))
    apart = [met[p] for p in combinations(range(bots), 2) if not siblings(p, by)]
    assert (min(apart), max(apart)) == tables.meetings
    # Their opponents are fewer than without siblings, so they meet these more often.
    mean = sum(apart) / len(apart)
    assert min(apart) >= mean - 4
    assert max(apart) <= mean + 4


def test_an_author_with_too_many_bots_sits_at_every_table_once() -> None:
    by = tuple(0 if number < 20 else number for number in range(40))
    tables = Tables(40, 5, 3, 7, 5, "balanced", by)
    every = [tables.table(cycle) for cycle in range(tables.count)]

    assert not any(siblings(table, by) for table in every)
    assert sum(any(bot < 20 for bot in table) for table in every) >= 0.99 * len(every)
    least, most = tables.sittings
    sat = Counter(entrant for table in every for entrant in table)
    assert (min(sat.values()), max(sat.values())) == (least, most)
    # The author's bots have 1 of 5 seats, the others 4.
    of_author = [sat[bot] for bot in range(20)]
    assert max(of_author) - min(of_author) <= 0.5 * sum(of_author) / 20


@pytest.mark.long
def test_siblings_sit_as_often_in_any_part_of_the_schedule() -> None:
    by = tuple(number % 15 for number in range(60))
    tables = Tables(60, 5, 20, 7, 5, "balanced", by)
    half = tables.count // 2

    sat = Counter(bot for cycle in range(half) for bot in tables.table(cycle))

    mean = half * 5 / 60
    assert max(abs(times - mean) for times in sat.values()) < 0.15 * mean


@pytest.mark.long
@pytest.mark.parametrize(
    ("bots", "seats", "cycles", "authors", "expected"),
    [
        (40, 4, 2, 20, "5c0ebf78391aad4c"),
        (60, 6, 3, 7, "a64d4c9e5905daea"),
        (25, 4, 2, 4, "07f77c5bbdaf0adc"),
    ],
)
def test_every_machine_and_python_finds_the_same_tables(
    bots: int, seats: int, cycles: int, authors: int, expected: str
) -> None:
    by = tuple(number % authors for number in range(bots))
    tables = Tables(bots, seats, cycles, 7, seats, "balanced", by)
    text = repr([tables.table(cycle) for cycle in range(tables.count)])

    assert hashlib.sha256(text.encode()).hexdigest()[:16] == expected


# Drawn tables


def test_the_nearest_of_the_same_row_changes_over() -> None:
    tables = [[0, 15], [1, 14], [2, 13], [3, 12]]
    authors = [*range(16)]
    authors[14] = authors[1]

    assert spread(tables, authors) == [[0, 14], [1, 15], [2, 13], [3, 12]]


def test_bots_that_would_meet_siblings_are_skipped() -> None:
    tables = [[0, 15], [1, 14], [2, 13], [3, 12]]
    authors = [*range(16)]
    authors[14] = authors[1]
    authors[15] = authors[13] = authors[1]  # it would not help table 1

    found = spread(tables, authors[:1] + authors[1:])

    assert found == [[0, 15], [1, 12], [2, 13], [3, 14]]


def test_a_chain_of_changes_is_found_where_no_single_one_helps() -> None:
    for seed in range(500):
        chance = random.Random(seed)
        tables, rows = chance.randint(2, 5), chance.randint(2, 5)
        bots = list(range(tables * rows))
        authors: list[int] = []
        while len(authors) < len(bots):  # no author has more bots than tables
            authors += [len(authors)] * chance.randint(1, tables)
        authors = sorted(authors[: len(bots)], key=lambda _: chance.random())
        before = [[bots[row * tables + table] for row in range(rows)] for table in range(tables)]

        after = spread(before, authors)

        assert not any(siblings(table, authors) for table in after)
        for row in range(rows):
            assert sorted(t[row] for t in after) == sorted(t[row] for t in before)


def test_tables_without_siblings_stay_as_they_are() -> None:
    tables = [[0, 5, 6], [1, 4, 7], [2, 3, 8]]

    assert spread(tables, [0, 1, 2, 0, 2, 1, 3, 4, 5]) == [[0, 5, 6], [1, 4, 7], [2, 3, 8]]


# Swiss


@pytest.mark.parametrize("rounds", [1, 4, 7])
@pytest.mark.parametrize(("bots", "size"), [(8, 2), (10, 2), (9, 3), (8, 4), (10, 5)])
def test_best_seating_of_few_bots_without_siblings_is_found(
    bots: int, size: int, rounds: int
) -> None:
    ranking, met = drawn(bots, size, rounds, seed=rounds)
    for authors in ([n // 2 for n in range(bots)], [n % 4 for n in range(bots)], [0] * bots):
        tables = seat(ranking, size, met, authors)

        def full(found: Sequence[Sequence[int]], by: Sequence[int] = authors) -> tuple[int, ...]:
            return sum(siblings(t, by) for t in found), *price(found, ranking, met)  # type: ignore[arg-type]

        assert full(tables) == min(full(other) for other in every_way(ranking, size))


@pytest.mark.long
@pytest.mark.parametrize(("bots", "size", "authors"), [(60, 6, 6), (60, 4, 5), (66, 6, 33)])
def test_the_search_never_seats_siblings_that_can_be_kept_apart(
    bots: int, size: int, authors: int
) -> None:
    by = [number % authors for number in range(bots)]
    for rounds in (0, 3, 10):
        ranking, met = drawn(bots, size, rounds, seed=rounds)

        tables = seat(ranking, size, met, by)

        most = max(Counter(by).values())
        assert most <= bots // size
        assert not any(siblings(table, by) for table in tables)


@pytest.mark.long
@pytest.mark.parametrize(("bots", "size", "rounds"), [(15, 5, 2), (20, 4, 5)])
def test_the_search_repeats_no_more_than_the_best_way(bots: int, size: int, rounds: int) -> None:
    assert bots <= FEW
    ranking, met = drawn(bots, size, rounds, seed=rounds)
    by = [number // 2 for number in range(bots)]
    asked = costs(ranking, size, met, by)
    places = [[ranking[place] for place in table] for table in search(asked)]

    least, _ = price(seat(ranking, size, met, by), ranking, met)

    assert price(places, ranking, met)[0] == least >= unavoidable(asked)


@pytest.mark.parametrize(("bots", "size"), [(500, 2), (498, 6), (24, 6), (20, 4), (4, 2)])
@pytest.mark.parametrize("often", [1, 40, 200])
def test_costs_of_siblings_fit_into_64_bits(bots: int, size: int, often: int) -> None:
    met = Counter(dict.fromkeys(combinations(range(0, bots, 2), 2), often))
    by = [number // 2 for number in range(bots)]

    found = costs(range(bots), size, met, by)

    pairs = found.pairs
    together, apart = int(pairs[0, 1]), int(pairs[0, 2])
    meetings = bots * (size - 1) // 2
    assert together > meetings * (apart - 4) + found.repeat - 1
    assert int(pairs.max()) * meetings <= MOST
    if often <= 10 or bots < 100:  # then nothing is cut off
        assert apart == often**2 * found.repeat + 4
    assert (pairs >= 0).all()


# Ladder


def test_all_bots_play_regularly_in_a_ladder_of_siblings() -> None:
    authors = [0] * 8 + [1, 2, 3, 4]
    spec = by_authors(spec_of("ladder", 12, 4, 1, matches=2000), authors)

    last, longest = [0] * 12, [0] * 12
    tables = 0
    for block in play_out(spec, by_number).blocks:
        for _, table in sorted(
            {(one.match.deal // 4, tuple(sorted(one.match.seats))) for one in block}
        ):
            tables += 1
            assert not siblings(table, authors)
            for bot in table:
                longest[bot] = max(longest[bot], tables - last[bot])
                last[bot] = tables
    # The fair gap is 3 tables; eight siblings share one seat of each table.
    assert max(longest) <= 4 * 3 + 8


# Reports


@pytest.mark.parametrize(
    ("name", "seats", "authors", "told"),
    [
        ("round-robin", 3, [0, 0, 1, 2, 3], ""),
        ("round-robin", 3, [0, 0, 1, 1, 1], "3 seats, but only 2 owners"),
        ("round-robin", 3, [0, 0, 0, 0, 0], "3 seats, but only 1 owner."),
        ("gauntlet", 3, [0, 1, 2, 3, 4], ""),
        ("gauntlet", 3, [0, 1, 1, 2, 3], ""),
        ("gauntlet", 3, [0, 1, 0, 2, 3], "bot-0, the candidate, meets bots of its owner"),
        ("gauntlet", 4, [0, 1, 1, 2, 2], "the field has only 2 owners"),
        ("knockout", 2, [0, 0, 1, 2], "may meet in the last stages"),
        ("swiss", 2, [0, 0, 1, 2], ""),
        ("swiss", 2, [0, 0, 0, 1, 2], "one owner has 3, and a round has 2 tables"),
        ("versus", 2, [0, 0], "bot-0 and bot-1 have the same owner, and meet"),
        ("versus", 4, [0, 1, 2, 3, 0], "bot-4 left out, same owner as bot-0 or bot-1"),
        ("versus", 4, [0, 1, 2, 0], "meets bots of its owner (bot-3), because too few others"),
        ("versus", 4, [0, 1, 2, 2, 2], "meet in the field, because too few others are named"),
        ("ladder", 3, [0, 0, 1, 2], ""),
        ("ladder", 3, [0, 0, 1, 1], "3 seats, but only 2 owners"),
    ],
)
def test_meetings_of_siblings_are_reported(
    name: str, seats: int, authors: list[int], told: str
) -> None:
    spec = by_authors(spec_of(name, len(authors), seats), authors)
    allowed = by_authors(spec_of(name, len(authors), seats, siblings="allowed"), authors)

    sentence = format_of(name).siblings_meet(spec)

    assert told in sentence
    assert bool(told) == bool(sentence)
    there_are = len(set(authors)) < len(authors)
    assert ("allowed" in format_of(name).siblings_meet(allowed)) == there_are
    assert sentence.count(". ") == 0, "one sentence"


def test_the_brute_force_of_rows_agrees_for_few_tables() -> None:
    """A solution exists if no author has more bots than there are tables, for any rows."""
    rows, tables = 3, 2
    for authors in product(range(3), repeat=rows * tables):
        if max(Counter(authors).values()) > tables:
            continue
        drawn_tables = [[row * tables + table for row in range(rows)] for table in range(tables)]
        every = product(*(permutations([t[row] for t in drawn_tables]) for row in range(rows)))
        assert any(
            not any(siblings([row[t] for row in way], authors) for t in range(tables))
            for way in every
        )
        assert not any(siblings(table, authors) for table in spread(drawn_tables, authors))


def test_numbers_are_drawn_alike_in_every_release_of_numpy() -> None:
    from arena.tournaments.formats.repaired import _Chance

    chance = _Chance(0)

    # The first numbers of SplitMix64 from 0, as its author published them, without the last bit.
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert chance.numbers(2).tolist() == [number >> 1 for number in first[:2]]
    assert chance.numbers(1).tolist() == [first[2] >> 1]
    assert chance.numbers(1).dtype == np.int64


@pytest.mark.parametrize("name", ["ladder", "swiss"])
def test_meetings_after_withdrawals_are_reported(name: str) -> None:
    if name == "ladder":  # three seats, and only two owners are left
        spec = by_authors(
            spec_of("ladder", 5, 3, 1, matches=300, withdraw_after=2), [0, 0, 1, 1, 2]
        )
        gone = {4}
    else:  # three bots of one owner, and two tables are left
        spec = by_authors(spec_of("swiss", 6, 2, 1, rounds=5, withdraw_after=2), [0, 0, 0, 1, 2, 3])
        gone = {4, 5}

    def stay_away(match: PlannedMatch) -> Played:
        away = [at for at, entrant in enumerate(match.seats) if entrant in gone]
        return with_points(match, [7] * len(match.seats), *away)

    out = play_out(spec, stay_away)

    assert not format_of(name).siblings_meet(spec)
    assert "same owner" in format_of(name).siblings_meet(spec, out.so_far)
