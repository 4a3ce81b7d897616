"""For any authors: siblings meet nowhere if the format has other tables for them."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.tournaments.formats import FORMATS, Played, TournamentSpec, format_of
from arena.tournaments.formats.siblings import ALLOWED
from arena.tournaments.formats.tables import _cached_repair
from tests.played_out import by_authors, by_strength, play_out, spec_of

OPTIONS: dict[str, dict[str, Any]] = {
    "round-robin": {},
    "gauntlet": {},
    "knockout": {"advance": 1},
    "swiss": {"rounds": 4},
    "versus": {"max_deals": 60},
    "ladder": {"matches": 300},
}


@st.composite
def groups(draw: st.DrawFn, least: int = 2) -> tuple[int, tuple[int, ...]]:
    """Seats, and the authors of some bots: at least as many as there are seats."""
    seats = draw(st.integers(2, 5))
    bots = draw(st.integers(max(seats, least), 14))
    authors = draw(st.lists(st.integers(0, 7), min_size=bots, max_size=bots))
    for author in range(seats):  # enough different ones
        authors[author] = author
    return seats, tuple(draw(st.permutations(authors)))


def tournament(name: str, seats: int, authors: Sequence[int], **rest: Any) -> TournamentSpec:
    if name == "versus" and seats == 2:
        authors = authors[:2]
    options = {"seed": 5, **OPTIONS[name], **rest}
    return by_authors(spec_of(name, len(authors), seats, 1, **options), authors)


def played(spec: TournamentSpec) -> list[list[Played]]:
    play = by_strength([1.0 - 0.1 * n for n in range(30)])
    return play_out(spec, play).blocks


def siblings_met(spec: TournamentSpec, blocks: list[list[Played]]) -> set[tuple[int, int]]:
    return {
        pair
        for block in blocks
        for one in block
        for pair in combinations(sorted(one.match.seats), 2)
        if spec.authors[pair[0]] == spec.authors[pair[1]]
    }


def sat(blocks: list[list[Played]]) -> dict[int, set[int]]:
    """By entrant, how often in the seats."""
    found: dict[int, Counter[int]] = defaultdict(Counter)
    for block in blocks:
        for one in block:
            for seat, entrant in enumerate(one.match.seats):
                found[entrant][seat] += 1
    seats = len(blocks[0][0].match.seats)
    return {entrant: {times[seat] for seat in range(seats)} for entrant, times in found.items()}


@pytest.mark.parametrize("tables", ["all", "balanced"])
@given(asked=groups())
@example(asked=(4, (1, 0, 2, 2, 3, 2, 2, 0, 2)))  # one of five siblings once sat nowhere
@settings(max_examples=15)
def test_round_robin(tables: str, asked: tuple[int, tuple[int, ...]]) -> None:
    spec = tournament("round-robin", *asked, tables=tables)

    blocks = played(spec)

    assert not siblings_met(spec, blocks)
    seats = sat(blocks)
    assert set(seats) == set(range(len(spec.bots)))
    assert all(len(times) == 1 for times in seats.values())
    if tables == "balanced":
        for author in set(spec.authors):
            own = [min(seats[bot]) for bot in seats if spec.authors[bot] == author]
            assert max(own) - min(own) <= 1


@pytest.mark.parametrize("tables", ["all", "balanced"])
@given(asked=groups())
@settings(max_examples=15)
def test_round_robin_tells_how_often_others_meet(
    tables: str, asked: tuple[int, tuple[int, ...]]
) -> None:
    spec = tournament("round-robin", *asked, tables=tables)
    blocks = played(spec)
    met = Counter(
        pair
        for block in blocks
        for one in block
        for pair in combinations(sorted(one.match.seats), 2)
    )
    every = combinations(range(len(spec.bots)), 2)
    apart = [met[one, other] for one, other in every if spec.authors[one] != spec.authors[other]]
    times = [min(each) for each in sat(blocks).values()]

    (told,) = format_of(spec.format).remarks(spec, {})

    def span(numbers: Sequence[int]) -> str:
        least, most = min(numbers), max(numbers)
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    assert f"bots meets in {span(apart)} matches" in told
    assert f"sits {span(times)} {'time' if set(times) == {1} else 'times'} in each seat" in told
    assert sum(map(len, blocks)) == format_of(spec.format).count(spec)


@pytest.mark.parametrize("tables", ["all", "balanced"])
@given(asked=groups(least=4))
@settings(max_examples=15)
def test_gauntlet_keeps_the_field_apart(tables: str, asked: tuple[int, tuple[int, ...]]) -> None:
    seats, authors = asked
    spec = tournament("gauntlet", seats, authors, tables=tables)

    blocks = played(spec)

    met = {pair for pair in siblings_met(spec, blocks) if 0 not in pair}
    # The candidate's author may be the one that the field lacks.
    assert not met or len(set(authors[1:])) < seats - 1
    assert all(0 in one.match.seats for block in blocks for one in block)
    assert set(sat(blocks)) == set(range(len(authors)))
    assert all(len(times) == 1 for times in sat(blocks).values())


@given(asked=groups())
@settings(max_examples=15)
def test_knockout_keeps_siblings_apart_while_there_are_enough_tables(
    asked: tuple[int, tuple[int, ...]],
) -> None:
    spec = tournament("knockout", *asked)

    for block in played(spec):
        tables = {tuple(sorted(one.match.seats)) for one in block}
        most = Counter(spec.authors[bot] for table in tables for bot in table).most_common(1)
        if most[0][1] <= len(tables):
            assert not siblings_met(spec, [block])
        assert all(len(times) == 1 for times in sat([block]).values())


@given(asked=groups())
@settings(max_examples=15)
def test_swiss_keeps_siblings_apart_while_there_are_enough_tables(
    asked: tuple[int, tuple[int, ...]],
) -> None:
    spec = tournament("swiss", *asked)

    for block in played(spec):
        tables = {tuple(sorted(one.match.seats)) for one in block}
        most = Counter(spec.authors[bot] for table in tables for bot in table).most_common(1)
        if most[0][1] <= len(tables):
            assert not siblings_met(spec, [block])
        else:  # then as few meet as can be
            assert len(siblings_met(spec, [block])) <= unavoidable(spec, tables)
        assert all(len(times) == 1 for times in sat([block]).values())


def unavoidable(spec: TournamentSpec, tables: set[tuple[int, ...]]) -> int:
    bots = Counter(spec.authors[bot] for table in tables for bot in table)
    pairs = 0
    for count in bots.values():
        each, more = divmod(count, len(tables))
        pairs += len(tables) * each * (each - 1) // 2 + more * each
    return pairs


@given(asked=groups())
@settings(max_examples=15)
def test_versus_where_enough_others_are_named(asked: tuple[int, tuple[int, ...]]) -> None:
    seats, authors = asked
    spec = tournament("versus", seats, authors)
    own = set(spec.authors[:2])

    blocks = played(spec)

    met = siblings_met(spec, blocks) - {(0, 1)}
    others = {author for author in spec.authors[2:] if author not in own}
    if len(others) >= seats - 2:
        assert not met
    elif len(set(spec.authors[2:])) >= seats - 2:
        assert all(pair[0] in (0, 1) for pair in met)
    assert all((0 in one.match.seats) and (1 in one.match.seats) for b in blocks for one in b)
    for candidate_or_baseline in (0, 1):
        seated = Counter(one.match.seats.index(candidate_or_baseline) for b in blocks for one in b)
        other = Counter(
            one.match.seats.index(1 - candidate_or_baseline) for b in blocks for one in b
        )
        assert seated == other


@given(asked=groups())
@settings(max_examples=15)
def test_ladder(asked: tuple[int, tuple[int, ...]]) -> None:
    spec = tournament("ladder", *asked)

    blocks = played(spec)

    assert not siblings_met(spec, blocks)
    assert all(len(times) == 1 for times in sat(blocks).values())


@pytest.mark.parametrize("name", FORMATS)
@given(asked=groups(least=5))
@settings(max_examples=8)
def test_the_schedule_follows_from_the_spec_alone(
    name: str, asked: tuple[int, tuple[int, ...]]
) -> None:
    rest: dict[str, Any] = {"tables": "balanced"} if name in ("round-robin", "gauntlet") else {}
    spec = tournament(name, *asked, **rest)
    once = played(spec)
    _cached_repair.cache_clear()

    # Only which bots have one author counts, not by which number.
    again = played(replace(spec, authors=tuple(10**15 - author for author in spec.authors)))

    assert once == again


@pytest.mark.long
@pytest.mark.parametrize("name", FORMATS)
@given(asked=groups(least=5))
@settings(max_examples=8)
def test_without_siblings_the_option_changes_nothing(
    name: str, asked: tuple[int, tuple[int, ...]]
) -> None:
    seats, authors = asked
    spec = tournament(name, seats, range(len(authors)))
    allowed = tournament(name, seats, range(len(authors)), siblings=ALLOWED)
    old = replace(spec, authors=(), format_options=without_option(spec))

    assert played(spec) == played(allowed) == played(old)
    assert format_of(name).remarks(spec, {}) == format_of(name).remarks(old, {})
    assert not format_of(name).siblings_meet(spec)


@pytest.mark.parametrize("name", FORMATS)
@given(seats=st.integers(3, 5), drawn=st.randoms(use_true_random=False))
@settings(max_examples=6)
def test_with_fewer_authors_than_seats_bots_sit_as_if_allowed(
    name: str, seats: int, drawn: random.Random
) -> None:
    few = 1 if name in ("gauntlet", "versus") else seats - 1  # the field has fewer seats
    authors = [drawn.randrange(few) for _ in range(seats + 3)]
    spec = tournament(name, seats, authors)

    assert played(spec) == played(tournament(name, seats, authors, siblings=ALLOWED))
    assert "meet" in format_of(name).siblings_meet(spec)


def without_option(spec: TournamentSpec) -> dict[str, str]:
    return {name: text for name, text in spec.format_options.items() if name != "siblings"}
