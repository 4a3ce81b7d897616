"""Months of matches that leave the database for files, and come back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, update

from arena.errors import InvalidRequest, NotFound, NotNow, Unavailable
from arena.pairing import check_spec
from arena.store import Store, archiving, rebuild, upgrade_store
from arena.store.archive import catalogue
from arena.store.archive.needed import check_resumable
from arena.store.archiving import ready
from arena.store.archiving.rows import between
from arena.store.matches import matches, months, partitions
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.reports import fits
from arena.store.save import FaultNote, MatchResult
from arena.store.tables import fault_notes, match_seats, metadata
from arena.store.tables import matches as matches_table
from arena.store.tournaments import batches, bench, creation, tournaments
from tests.integration.played import play, played, register
from tests.integration.test_bench import SPEC, forfeited
from tests.integration.test_store_months import is_on_postgres, of_month, stored_months
from tests.integration.test_store_opening import empty_database
from tests.made_results import entered, results, save, schedule

YEAR = 2011  # of this file: other tests on the same server begin no month of it
ME = Actor("ada", "command line")
NOTE = FaultNote(1, 4, "timeout", "no answer within 2000 ms", "quit")
TABLES = (matches_table, match_seats, fault_notes)


@pytest.fixture
def store(store: Store, tmp_path: Path) -> Iterator[Store]:
    """An empty store whose archives are in a folder of their own."""
    before, store.archive = store.archive, tmp_path / "archive"
    yield store
    store.archive = before


def month(number: int) -> int:
    return months.named(f"{YEAR}-{number:02}")


def rows(store: Store) -> list[list[Any]]:
    """All matches, seats and fault notes in the database."""
    with store.read() as conn:
        return [
            [tuple(row) for row in conn.execute(select(t).order_by(*t.primary_key.columns))]
            for t in TABLES
        ]


def over(store: Store, tournament: int, state: tournaments.State = "finished") -> None:
    with store.write() as conn:
        tournaments.set_state(conn, tournament, state)


def played_for_months(store: Store, **asked: Any) -> list[MatchResult]:
    """A tournament that went on from January to March and is over, with a fault in each month."""
    tournament = entered(store, **asked)
    every = results(tournament)
    third = len(every) // 3
    found: list[MatchResult] = []
    for number in (1, 2, 3):
        part = every[third * (number - 1) : third * number if number < 3 else None]
        part[0] = replace(part[0], notes=(NOTE,), faults=(0, 1, *[0] * (tournament.spec.seats - 2)))
        found += of_month(part, number, YEAR)
        save(store, found[-len(part) :])
    over(store, tournament.id)
    return found


def archive(store: Store, number: int, most: int = 1000) -> list[str]:
    return [file.name for file in archiving.save_month(store, month(number), ME, most=most)]


def differences(store: Store, game: str = "lama") -> Sequence[str]:
    with store.snapshot() as conn:
        return rebuild.compare(conn, game).differences


def test_a_month_goes_and_comes_back_row_for_row(store: Store) -> None:
    played_for_months(store)
    before = rows(store)

    names = archive(store, 1)

    assert names == [f"matches-{YEAR}-01-1.sqlite"]
    assert sorted(stored_months(store)) == [f"{YEAR}-02", f"{YEAR}-03"]
    assert archiving.restore_month(store, month(1), ME) == names
    assert rows(store) == before
    with store.read() as conn:
        assert catalogue.every(conn) == []
        entries = [(e.action, e.subject) for e in audit_log.entries(conn, 2)]
    assert entries == [(done, f"matches of {YEAR}-01") for done in ("restored", "archived")]


def test_archived_matches_are_shown_and_exported_as_before(store: Store) -> None:
    played = played_for_months(store)
    with store.read() as conn:
        shown = {each.id: matches.get_match(conn, each.id) for each in played}
        exported = list(matches.iterate_matches(conn))
        listed = matches.list_matches(conn, limit=1000)[0]

    archive(store, 1, most=7)
    archive(store, 2, most=1000)

    with store.read() as conn:
        assert {each.id: matches.get_match(conn, each.id) for each in played} == shown
        assert list(matches.iterate_matches(conn)) == exported
        assert list(matches.iterate_matches(conn, played[0].tournament)) == exported
        assert all(matches.deal_finished(conn, e.tournament, e.deal) for e in played)
        ids = [row.id for row in listed]
        assert _pages(conn, 7) == ids
        assert _pages(conn, 1000, tournament=played[0].tournament) == ids
        with pytest.raises(NotFound):
            matches.get_match(conn, "nothing")


def _pages(conn: Any, limit: int, **wanted: Any) -> list[str]:
    found, after = [], ""
    while True:
        page, after = matches.list_matches(
            conn, limit=limit, after=after, with_archived=True, **wanted
        )
        found += [row.id for row in page]
        if not after:
            return found


def test_all_numbers_are_the_same_to_the_bit_with_archived_months(store: Store) -> None:
    played_for_months(store)
    played_for_months(store, matches=60)
    with store.read() as conn:
        count = rebuild.compare(conn, "lama")

    archive(store, 1, most=13)
    archive(store, 2)

    with store.snapshot() as conn:
        assert rebuild.games(conn) == ["lama"]
        assert rebuild.compare(conn, "lama") == count
    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama") == count
    archiving.restore_month(store, month(2), ME)
    assert differences(store) == ()


def test_whatever_follows_from_matches_stays_whichever_months_are_archived(store: Store) -> None:
    chance = random.Random(5)
    register(store, "ada", "bob", "cyd", "dan")
    every: list[MatchResult] = []
    for game, seats in (("lama", 3), ("dice", 2), ("lama", 4), ("dice", 4)):
        tournament = play(store, "ada", "bob", "cyd", "dan", seats=seats, only=0, game=game)
        every += [played(tournament, each) for each in schedule(tournament)]
        over(store, tournament.id)
    chance.shuffle(every)  # matches of all tournaments are stored, and wait, side by side
    for number in range(1, 7):
        part = every[len(every) * (number - 1) // 6 : len(every) * number // 6]
        save(store, of_month(part, number, YEAR))
    before, derived_before = rows(store), derived(store)
    assert differences(store) == differences(store, "dice") == ()

    gone = chance.sample(range(1, 6), 3)
    for number in gone:
        archive(store, number, most=chance.choice([3, 11, 1000]))

    assert differences(store) == differences(store, "dice") == ()
    with store.write() as conn:
        for game in rebuild.games(conn):
            assert rebuild.rebuild(conn, game).differences == ()
    assert derived(store) == derived_before
    for number in gone:
        archiving.restore_month(store, month(number), ME)
    assert rows(store) == before
    assert differences(store) == differences(store, "dice") == ()


DERIVED = ("ratings", "elo_zeros", "elo_courses", "seat_sums", "latencies", "deal_sums")
DERIVED_TOO = ("table_sums", "fault_streaks", "entrants", "tournaments")


def derived(store: Store) -> list[list[Any]]:
    """All rows of the tables that follow from matches."""
    tables = [metadata.tables[name] for name in DERIVED + DERIVED_TOO]
    with store.read() as conn:
        found = [
            [tuple(row) for row in conn.execute(select(t).order_by(*t.primary_key.columns))]
            for t in tables
        ]
    assert all(found[:1] + found[2:])  # no anchor has played, so nothing is in `elo_zeros`
    return found


# What holds a month up


def test_a_month_stays_while_its_tournament_still_needs_it(store: Store) -> None:
    tournament = entered(store, matches=12)
    played = of_month(results(tournament), 1, YEAR)
    save(store, played[1:])  # all wait for the first one to be rated
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    before = rows(store)

    with pytest.raises(NotNow, match=f"tournament {tournament.id} is not over and still needs"):
        archive(store, 1)

    assert rows(store) == before
    save(store, of_month(played[:1], 3, YEAR))
    archive(store, 1)
    assert differences(store) == ()


def test_a_month_stays_while_a_deal_is_played(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, of_month(played[:5], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))

    with pytest.raises(NotNow, match=f"deal [0-9]+ of tournament {tournament.id}.* not over"):
        archive(store, 1)

    save(store, of_month(played[5:], 3, YEAR))
    archive(store, 1)
    assert differences(store) == ()


def test_a_deal_that_is_archived_in_part_is_whole(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, of_month(played[:5], 1, YEAR))
    save(store, of_month(played[5:], 2, YEAR))

    archive(store, 1, most=2)

    with store.read() as conn:
        listed, _ = matches.list_matches(conn, limit=1000, tournament=tournament.id)
        every = list(matches.iterate_matches(conn, tournament.id))
        assert len(listed) == len(played) - 5
        assert not any(row.locked for row in [*listed, *every])
        assert all(matches.deal_finished(conn, tournament.id, each.deal) for each in played)


def test_a_batch_that_is_not_finished_keeps_its_month(store: Store) -> None:
    tournament = entered(store, matches=12)
    save(store, of_month(results(tournament)[:6], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    with store.write() as conn:
        batches.add_batch(conn, tournament.id, 0, schedule(tournament)[:12])

    with pytest.raises(NotNow, match="still needs matches of that month"):
        archive(store, 1)


def test_the_newest_month_stays_and_none_is_archived_early(store: Store) -> None:
    played_for_months(store)

    with pytest.raises(NotNow, match="the newest month that has matches"):
        archive(store, 3)
    with store.read() as conn:
        assert archiving.months_to_save(conn, month(3)) == [month(1), month(2)]
        assert archiving.months_to_save(conn, month(2)) == [month(1)]
        assert archiving.months_to_save(conn, archiving.default_before()) == [month(1), month(2)]
        with pytest.raises(InvalidRequest, match="still to come"):
            archiving.months_to_save(conn, months.named("2090-01"))


def test_a_locked_match_stays_locked_in_its_archive(store: Store) -> None:
    tournament = entered(store)
    first = results(tournament)[0]
    save(store, of_month([first], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    over(store, tournament.id, "cancelled")

    archive(store, 1)

    with store.read() as conn:
        assert matches.get_match(conn, first.id).locked
        assert not matches.deal_finished(conn, tournament.id, first.deal)


# What comes after


def test_the_same_result_is_not_stored_twice(store: Store) -> None:
    running, cancelled = entered(store, matches=12), entered(store, matches=12)
    every = results(running)
    played = of_month(every[:6], 1, YEAR)
    unrated = of_month(results(cancelled)[1:6], 1, YEAR)
    save(store, [*played, *unrated])
    save(store, of_month(every[6:8], 2, YEAR))
    over(store, cancelled.id, "cancelled")
    archive(store, 1)

    assert save(store, [*played, *unrated]) == 0
    assert save(store, of_month(every[4:12], 2, YEAR)) == 4

    with store.read() as conn:
        assert tournaments.played(conn, running.id) == 12
        assert tournaments.played(conn, cancelled.id) == 5
        assert len(list(matches.iterate_matches(conn))) == 17
    assert differences(store) == ()


def test_a_tournament_that_needs_its_archive_is_not_resumed(store: Store) -> None:
    tournament = entered(store, matches=12)
    save(store, of_month(results(tournament)[1:6], 1, YEAR))
    save(store, of_month(results(entered(store))[:1], 2, YEAR))
    over(store, tournament.id, "cancelled")
    (name,) = archive(store, 1)

    with store.read() as conn, pytest.raises(NotNow, match=f"{name}.*arena archive restore"):
        check_resumable(conn, tournament.id)

    archiving.restore_month(store, month(1), ME)
    with store.read() as conn:
        check_resumable(conn, tournament.id)


def test_a_month_that_is_archived_begins_no_second_time(store: Store) -> None:
    every = [entered(store, matches=6) for _ in range(3)]
    for number, each in enumerate(every, 1):
        save(store, of_month(results(each)[:3], number, YEAR))
        over(store, each.id)
    archive(store, 1)
    archive(store, 2)

    late = entered(store, matches=6)
    save(store, of_month(results(late)[:6], 2, YEAR))

    assert stored_months(store) == {f"{YEAR}-03": 9}


def test_a_rebuild_says_that_archived_matches_keep_their_elo(store: Store) -> None:
    played_for_months(store)
    archive(store, 1)
    with store.write() as conn:
        fits.set_anchor(conn, "lama", "ada")

    (said,) = differences(store)

    assert re.fullmatch(r"the Elo of [1-9][0-9,]* archived matches differs from what .*", said)
    archiving.restore_month(store, month(1), ME)
    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama").differences == ()
    assert differences(store) == ()


def test_who_is_benched_stays_so_and_comes_back_by_the_same_means(store: Store) -> None:
    tournament = entered(store, ("ada", "bob"), seats=2, matches=10)
    ada, others = tournament.players[0], ("cyd", "dan", "eve")
    lost = [forfeited(each, ada, True) for each in results(tournament)[:4]]
    save(store, of_month(lost, 1, YEAR))
    over(store, tournament.id)
    save(store, of_month(results(entered(store, others))[:1], 3, YEAR))
    january = of_month(lost, 1, YEAR)[0].finished
    with store.write() as conn:
        bench.come_back(conn, "ada", now=january - 1)

    archive(store, 1)

    assert _streak(store, ada) == 4
    spec = check_spec(replace(SPEC, repeats=7, trusted=True))
    with store.write() as conn:
        test = creation.create(conn, spec, kind="test")
    save(store, of_month(results(test)[:1], 4, YEAR))
    over(store, test.id)
    save(store, of_month(results(entered(store, others))[:1], 5, YEAR))
    assert _streak(store, ada) is None
    archive(store, 4)
    assert _streak(store, ada) is None


def _streak(store: Store, player: int) -> int | None:
    with store.read() as conn:
        found = bench.benched(conn, [player], 3).get(player)
    return found.matches if found else None


def test_a_changed_elo_in_an_archive_is_found(store: Store) -> None:
    played_for_months(store)
    with store.write() as conn:
        wrong = update(match_seats).where(match_seats.c.match == months.first(month(1)))
        conn.execute(wrong.values(elo_change=7.0))
    archive(store, 1)

    (said,) = differences(store)

    assert said.startswith("the Elo of 1 archived matches differs")


# What goes wrong


def test_a_crash_before_the_month_is_dropped_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for_months(store)
    before = rows(store)

    def crash(*_: object) -> None:
        raise RuntimeError("power failure")

    with monkeypatch.context() as patch:
        patch.setattr("arena.store.archiving.save.drop_month", crash)
        with pytest.raises(RuntimeError):
            archive(store, 1, most=13)

    assert rows(store) == before
    written = {file.name: file.stat().st_mtime_ns for file in store.archive.iterdir()}
    assert archive(store, 1, most=13) == sorted(written)
    assert {file.name: file.stat().st_mtime_ns for file in store.archive.iterdir()} == written


def test_a_file_of_somebody_else_is_left_alone(store: Store) -> None:
    played_for_months(store)
    store.archive.mkdir()
    other = store.archive / f"matches-{YEAR}-01-1.sqlite"
    other.write_text("precious")

    assert archive(store, 1) == [f"matches-{YEAR}-01-1-1.sqlite"]

    assert other.read_text() == "precious"


def test_matches_that_are_rated_again_meanwhile_keep_their_month(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for_months(store)
    before, lock = rows(store), ready.lock

    def rebuild_first(conn: Connection, number: int) -> None:
        rebuild.rebuild(conn, "lama")
        lock(conn, number)

    monkeypatch.setattr(ready, "lock", rebuild_first)

    with pytest.raises(NotNow, match="rated again meanwhile"):
        archive(store, 1)
    assert rows(store) == before


def test_a_missing_archive_is_said_in_a_sentence(store: Store) -> None:
    played = played_for_months(store)
    (name,) = archive(store, 1)
    (store.archive / name).rename(store.archive / "elsewhere")

    with store.read() as conn:
        for read in (
            lambda: matches.get_match(conn, played[0].id),
            lambda: list(matches.iterate_matches(conn)),
            lambda: rebuild.compare(conn, "lama"),
            lambda: archiving.check_archive(conn, catalogue.every(conn)[0]),
        ):
            with pytest.raises(Unavailable, match=f"{name}, which is not in .*ARENA_ARCHIVE"):
                read()
        assert matches.get_match(conn, played[-1].id)
    with pytest.raises(Unavailable, match=name):
        archiving.restore_month(store, month(1), ME)

    (store.archive / "elsewhere").rename(store.archive / name)
    with store.read() as conn:
        assert matches.get_match(conn, played[0].id)


def test_another_file_in_its_place_is_found(store: Store) -> None:
    played = played_for_months(store)
    names = archive(store, 1, most=13)
    (store.archive / names[0]).write_bytes((store.archive / names[1]).read_bytes())

    with store.read() as conn, pytest.raises(Unavailable, match=f"{names[0]} is damaged"):
        matches.get_match(conn, played[0].id)


def test_a_month_with_matches_of_its_own_is_not_restored_over(sqlite_store: Store) -> None:
    store = sqlite_store
    played_for_months(store)
    kept = rows(store)[0]
    archive(store, 1)
    with store.write() as conn:
        one = dict(zip(matches_table.c.keys(), kept[0], strict=True))
        conn.execute(insert(matches_table), one)

    with pytest.raises(NotNow, match="nothing was restored"):
        archiving.restore_month(store, month(1), ME)
    with pytest.raises(NotNow, match="has an archive already"):
        archive(store, 1)


def test_what_is_not_archived_cannot_be_restored(store: Store) -> None:
    with pytest.raises(NotFound, match=r"2011-05 is not archived"):
        archiving.restore_month(store, month(5), ME)


def test_whoever_reads_for_long_is_waited_for_shortly(
    postgres_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, store.archive = postgres_store, tmp_path
    monkeypatch.setattr("arena.store.matches.partitions.DROP_WAIT_MS", 20)
    played_for_months(store)
    before, told = rows(store), list[str]()

    with store.snapshot(), pytest.raises(Unavailable, match="a rebuild, a check or a backup"):
        archiving.save_month(store, month(1), ME, told.append)

    assert rows(store) == before
    assert told[-1] == f"{YEAR}-01: waiting for others who read the matches"
    assert archiving.save_month(store, month(1), ME)


def test_results_are_stored_while_a_month_goes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for_months(store)
    running = entered(store, matches=60)
    every = of_month(results(running), 3, YEAR)
    save(store, every[:10])
    threads: list[Thread] = []
    drop = partitions.drop_month

    def drop_beside_a_writer(conn: Connection, number: int) -> None:
        threads.append(Thread(target=save, args=[store, every[10:20]]))
        threads[-1].start()
        drop(conn, number)

    monkeypatch.setattr("arena.store.archiving.save.drop_month", drop_beside_a_writer)

    archive(store, 1)

    for thread in threads:
        thread.join()
    with store.read() as conn:
        assert tournaments.played(conn, running.id) == 20
    assert differences(store) == ()


def test_what_was_stored_before_there_were_months_goes_and_comes_back(
    store: Store, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path / 'earlier.db'}"
    if is_on_postgres(store):
        url = empty_database(request.getfixturevalue("postgres_url"), "earlier_archived")
    old = upgrade_store(url, archive=tmp_path / "archive")
    played = played_for_months(old)
    with old.write() as conn:
        _renumber(conn, month(1), months.EARLIER)
    before = rows(old)

    (file,) = archiving.save_month(old, months.EARLIER, ME)

    assert file.name == "matches-earlier-1.sqlite"
    assert sorted(stored_months(old)) == [f"{YEAR}-02", f"{YEAR}-03"]
    with old.read() as conn:
        assert matches.get_match(conn, played[0].id).notes == (NOTE,)
    archiving.restore_month(old, months.EARLIER, ME)
    assert rows(old) == before
    assert differences(old) == ()
    old.dispose()


def _renumber(conn: Connection, month: int, other: int) -> None:
    """Gives all matches of a month numbers of another one."""
    numbers = months.first(month), months.first(month + 1) - 1
    found = between(conn, *numbers)
    for table in reversed(TABLES):
        conn.execute(delete(table).where(next(iter(table.primary_key)).between(*numbers)))
    for table, lines in zip(TABLES, found, strict=True):
        moved = [(number + months.first(other) - numbers[0] + 1, *rest) for number, *rest in lines]
        conn.execute(
            insert(table), [dict(zip(table.c.keys(), line, strict=True)) for line in moved]
        )
