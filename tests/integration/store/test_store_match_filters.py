"""Lists of matches by game, opponent, kind of fault, day, and how close they were."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from arena.base.errors import NotFound
from arena.store import Store
from arena.store.matches import matches, months, narrowed
from arena.store.matches.matches import MatchRow
from arena.store.matches.model import FaultNote, MatchResult
from tests.made_results import entered, results, save

DAY_S = 86_400.0


def listed(store: Store, limit: int = 1000, **wanted: Any) -> list[MatchRow]:
    with store.read() as conn:
        return matches.list_matches(conn, limit=limit, **wanted)[0]


def paged(store: Store, limit: int, **wanted: Any) -> list[MatchRow]:
    """All pages of a list, one after the other."""
    found, after = [], ""
    with store.read() as conn:
        while True:
            rows, after = matches.list_matches(conn, limit=limit, after=after, **wanted)
            found += rows
            if not after:
                return found


def ids(rows: list[MatchRow]) -> list[str]:
    return [row.id for row in rows]


def at_fault(match: MatchResult, kind: str) -> MatchResult:
    """The same, with a fault of the first seat, which it is not out for."""
    note = FaultNote(0, 3, kind, "said so", "quit")
    faults = tuple(int(seat == 0) for seat in range(len(match.points)))
    return replace(match, faults=faults, notes=(note,))


@pytest.fixture
def played(store: Store) -> list[MatchRow]:
    """LAMA, where each bot commits a fault of one of two kinds in two of the matches in which it
    sits first, then Dice between three."""
    kinds = {0: "timeout", 2: "illegal"}
    first: Counter[int] = Counter()  # how often a player has sat first
    lama = []
    for match in results(entered(store)):
        kind = kinds.get(first[match.players[0]])
        first[match.players[0]] += 1
        lama.append(at_fault(match, kind) if kind else match)
    save(store, lama)
    save(store, results(entered(store, names=("ada", "bob", "zoe"), game="dice")))
    return listed(store)


Fits = Callable[[MatchRow], bool]


def names(row: MatchRow) -> set[str]:
    return {seat.bot for seat in row.seats}


def close(row: MatchRow, most: int) -> bool:
    return row.margin is not None and row.margin <= most


CASES: list[tuple[dict[str, Any], Fits]] = [
    ({"game": "dice"}, lambda row: row.game == "dice"),
    ({"game": "lama", "tournament": 1}, lambda row: row.game == "lama"),
    ({"game": "dice", "bot": "ada"}, lambda row: row.game == "dice"),
    ({"bot": "ada", "opponent": "eve"}, lambda row: {"ada", "eve"} <= names(row)),
    ({"bot": "zoe", "opponent": "ada", "lost": True}, lambda row: lost(row, "zoe")),
    ({"faults": True}, lambda row: any(seat.faults for seat in row.seats)),
    ({"faults": True, "bot": "bob"}, lambda row: faulty(row, "bob")),
    ({"margin": 0}, lambda row: row.shared),
    ({"margin": 3}, lambda row: close(row, 3)),
    ({"margin": 5, "bot": "cyd"}, lambda row: close(row, 5) and "cyd" in names(row)),
    ({"margin": 9, "game": "dice"}, lambda row: close(row, 9) and row.game == "dice"),
]


def lost(row: MatchRow, bot: str) -> bool:
    return any(seat.bot == bot and seat.rank > 1 for seat in row.seats)


def faulty(row: MatchRow, bot: str) -> bool:
    return any(seat.bot == bot and seat.faults for seat in row.seats)


# To play these matches takes longer than to ask for them: one test asks for all.
def test_a_list_has_just_the_matches_that_fit(
    store: Store, played: list[MatchRow], subtests: pytest.Subtests
) -> None:
    for asked, fits in CASES:
        with subtests.test(asked=asked):
            expected = ids([row for row in played if fits(row)])

            assert 0 < len(expected) < len(played)
            assert ids(listed(store, **asked)) == expected
            assert ids(paged(store, 3, **asked)) == expected


def test_faults_are_listed_by_their_kind(
    store: Store, played: list[MatchRow], subtests: pytest.Subtests
) -> None:
    with store.read() as conn:
        whole = [matches.get_match(conn, row.id) for row in played]
    for kind, bot in product(["timeout", "illegal", "error"], [None, "ada"]):
        with subtests.test(kind=kind, bot=bot):
            found = listed(store, fault=kind, bot=bot)

            assert ids(found) == [
                match.id
                for match in whole
                for note in match.notes
                if note.kind == kind and bot in (None, match.seats[note.seat].bot)
            ]
            assert bool(found) == (kind != "error")


def test_an_opponent_that_does_not_exist_is_not_found(store: Store) -> None:
    entered(store)

    with pytest.raises(NotFound):
        listed(store, bot="ada", opponent="nobody")


def test_a_page_looks_through_so_many_matches_and_says_where_to_go_on(
    store: Store, played: list[MatchRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowed, "AMONG", 4)
    expected = ids(listed(store, limit=4)[:4])

    with store.read() as conn:
        rows, after = matches.list_matches(conn, bot="ada", opponent="eve", limit=50)

    assert set(ids(rows)) <= set(expected)
    assert after == str(listed(store, bot="ada")[3].number)
    everything = [row for row in played if {"ada", "eve"} <= names(row)]
    assert ids(paged(store, 50, bot="ada", opponent="eve")) == ids(everything)


@pytest.fixture
def by_day(store: Store) -> list[MatchRow]:
    """Matches an hour apart."""
    found = [
        replace(match, started=1.76e9 + 3600 * place, finished=1.76e9 + 3600 * place)
        for place, match in enumerate(results(entered(store)))
    ]
    save(store, found)
    return listed(store)


def test_days_have_a_beginning_and_an_end(
    store: Store, by_day: list[MatchRow], subtests: pytest.Subtests
) -> None:
    inside, after = 1.76e9 + 3600 * 20.5, 1.76e9 + 3600 * 500
    for since, until in product([None, 1.76e9 - 1, inside, after], [None, 1.76e9, inside, after]):
        with subtests.test(since=since, until=until):
            fits = [
                row
                for row in by_day
                if (since is None or row.finished >= since)
                and (until is None or row.finished < until)
            ]

            assert ids(listed(store, since=since, until=until)) == ids(fits)
            assert ids(paged(store, 7, since=since, until=until)) == ids(fits)


def test_the_first_number_of_a_moment_is_found_across_months(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = results(entered(sqlite_store, deals=4))
    moments = [1.70e9, 1.70e9 + 40 * DAY_S, 1.70e9 + 41 * DAY_S, 1.70e9 + 100 * DAY_S]
    save(sqlite_store, [replace(first, finished=moments[0])])
    for match, moment in zip(others, moments[1:], strict=False):
        save(sqlite_store, [replace(match, finished=moment)])
    stored_ = sorted(listed(sqlite_store), key=lambda row: row.number)
    assert len({months.of(row.number) for row in stored_}) == 3

    with sqlite_store.read() as conn:
        for row, moment in zip(stored_, moments, strict=True):
            assert narrowed.number_at(conn, moment) <= row.number
            assert narrowed.number_at(conn, moment + 1) > row.number
