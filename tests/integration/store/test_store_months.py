"""Finished matches by month; in PostgreSQL, each month has separate tables."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread

import pytest
from sqlalchemy import func, inspect, select, text

from arena.store import Store, rebuild
from arena.store.matches import months
from arena.store.matches.matches import get_match, list_matches
from arena.store.save import MatchResult, save_results
from arena.store.tables import matches
from arena.store.tournaments.tournaments import Tournament
from tests.made_results import entered, results, save

YEAR = 2010  # of this file: other tests on the same server begin no month of it


def of_month(found: Sequence[MatchResult], month: int, year: int = YEAR) -> list[MatchResult]:
    """These results, as if they had ended in that month."""
    ended = datetime(year, month, 15, tzinfo=UTC).timestamp()
    return [replace(each, finished=ended + place) for place, each in enumerate(found)]


def stored_months(store: Store) -> dict[str, int]:
    """How many matches there are of each month."""
    with store.read() as conn:
        numbers = list(conn.scalars(select(matches.c.number)))
    names = [months.name(months.of(number)) for number in numbers]
    return {name: names.count(name) for name in sorted(set(names))}


def is_on_postgres(store: Store) -> bool:
    return store.url.get_backend_name() == "postgresql"


def test_each_month_has_numbers_and_tables_of_its_own(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    spring, summer = of_month(played[:30], 3), of_month(played[30:], 6)

    save(store, spring)
    save(store, summer)

    assert stored_months(store) == {"2010-03": 30, "2010-06": len(summer)}
    if is_on_postgres(store):
        with store.read() as conn:
            rows = conn.scalar(text("SELECT count(*) FROM matches_2010_03"))
            seats = conn.scalar(text("SELECT count(*) FROM match_seats_2010_03"))
        assert (rows, seats) == (30, 30 * tournament.spec.seats)


def test_lists_and_numbers_go_in_the_order_of_storing_beyond_months(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    for month, result in enumerate(played[:6], 1):
        save(store, of_month([result], month))

    with store.read() as conn:
        listed, _ = list_matches(conn, tournament=tournament.id)
        first, after = list_matches(conn, bot="ada", limit=1)
        assert [each.id for each in listed] == [each.id for each in reversed(played[:6])]
        assert get_match(conn, played[0].id).position == 0
        assert rebuild.compare(conn, "lama").differences == ()
        rest, _ = list_matches(conn, bot="ada", limit=1, after=after)
    assert months.of(first[0].number) > months.of(rest[0].number)


def test_a_month_that_is_over_does_not_come_back(store: Store) -> None:
    played = results(entered(store))

    save(store, of_month(played[:1], 9))
    save(store, of_month(played[1:2], 8))

    assert stored_months(store) == {"2010-09": 2}


def test_a_clock_that_is_ahead_begins_no_month_early(store: Store) -> None:
    played = results(entered(store))

    save(store, of_month(played[:1], 1, year=2090))

    (name,) = stored_months(store)
    assert name == months.name(months.at(time.time()))


def test_a_match_is_stored_once_though_the_month_has_changed(store: Store) -> None:
    played = results(entered(store))

    assert save(store, of_month(played[:10], 4)) == 10
    assert save(store, of_month(played[:20], 5)) == 10

    assert stored_months(store) == {"2010-04": 10, "2010-05": 10}


def test_a_month_can_begin_with_two_tournaments_in_one_transaction(store: Store) -> None:
    played = [each for _ in range(2) for each in results(entered(store))[:5]]

    save(store, of_month(played, 7))
    save(store, of_month(results(entered(store))[:5], 7))

    assert stored_months(store) == {"2010-07": 15}
    with store.read() as conn:
        assert conn.scalar(select(func.count(matches.c.number.distinct()))) == 15


def test_after_an_error_a_month_has_not_begun(store: Store) -> None:
    played = of_month(results(entered(store)), 10)

    def store_and_fail() -> None:
        with store.write() as conn:
            save_results(conn, played[:5])
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        store_and_fail()

    assert stored_months(store) == {}
    assert save(store, played[:5]) == 5
    assert stored_months(store) == {"2010-10": 5}


def test_a_writer_waits_for_a_new_month_and_stores_in_it(store: Store) -> None:
    one, other = entered(store), entered(store)
    found = {each.id: of_month(results(each), 11)[:8] for each in (one, other)}

    def write(tournament: Tournament) -> None:
        save(store, found[tournament.id])

    with store.write() as conn:
        save_results(conn, found[one.id][:4])
        waiting = Thread(target=write, args=[other])
        waiting.start()
    waiting.join()
    write(one)

    assert stored_months(store) == {"2010-11": 16}


def test_only_months_of_postgresql_have_tables(store: Store) -> None:
    save(store, of_month(results(entered(store))[:1], 2))

    names = [name for name in inspect(store.engine).get_table_names() if "2010_02" in name]

    expected = ["fault_notes_2010_02", "match_seats_2010_02", "matches_2010_02"]
    assert sorted(names) == (expected if is_on_postgres(store) else [])
