"""Failures while archiving a month, and damaged archives."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Connection, delete, insert

from arena.base.errors import NotFound, NotNow, Unavailable
from arena.store import Store, archiving, rebuild, upgrade_store
from arena.store.archive import catalogue
from arena.store.archiving import ready
from arena.store.archiving.save import between
from arena.store.matches import matches, months
from arena.store.tables import MATCH_TABLES
from arena.store.tables import matches as matches_table
from arena.store.tournaments import tournaments
from tests.integration.store.test_store_months import is_on_postgres, of_month, stored_months
from tests.integration.store.test_store_opening import empty_database
from tests.made_archives import (
    ME,
    NOTE,
    YEAR,
    archive,
    differences,
    month,
    own_archives,
    played_for_months,
    rows,
)
from tests.made_results import entered, results, save


@pytest.fixture
def store(store: Store, tmp_path: Path) -> Iterator[Store]:
    """An empty store with a separate archive folder."""
    with own_archives(store, tmp_path):
        yield store


def test_a_crash_before_the_month_is_dropped_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for_months(store)
    before = rows(store)

    def crash(*_: object) -> None:
        raise RuntimeError("power failure")

    with monkeypatch.context() as patch:
        patch.setattr("arena.store.matches.months.drop_month", crash)
        with pytest.raises(RuntimeError):
            archive(store, 1, most=13)

    assert rows(store) == before
    written = {file.name: file.stat().st_mtime_ns for file in store.archive.iterdir()}
    assert archive(store, 1, most=13) == sorted(written)
    assert {file.name: file.stat().st_mtime_ns for file in store.archive.iterdir()} == written


def test_a_foreign_file_is_not_touched(store: Store) -> None:
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

    with pytest.raises(NotNow, match="rated again in the meantime"):
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

    with pytest.raises(NotNow, match="Nothing was restored"):
        archiving.restore_month(store, month(1), ME)
    with pytest.raises(NotNow, match="already has an archive"):
        archive(store, 1)


def test_a_month_without_an_archive_cannot_be_restored(store: Store) -> None:
    with pytest.raises(NotFound, match=r"2011-05 is not archived"):
        archiving.restore_month(store, month(5), ME)


def test_archiving_waits_briefly_for_long_readers(
    postgres_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = postgres_store
    monkeypatch.setattr(store, "archive", tmp_path)
    monkeypatch.setattr("arena.store.matches.months.DROP_WAIT_MS", 20)
    played_for_months(store)
    before, told = rows(store), list[str]()

    with store.snapshot(), pytest.raises(Unavailable, match="Other transactions use matches"):
        archiving.save_month(store, month(1), ME, told.append)

    assert rows(store) == before
    assert told[-1] == f"{YEAR}-01: waiting for other readers of the matches"
    assert archiving.save_month(store, month(1), ME)


def test_results_are_stored_while_a_month_goes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for_months(store)
    running = entered(store, matches=60)
    every = of_month(results(running), 3, YEAR)
    save(store, every[:10])
    threads: list[Thread] = []
    drop = months.drop_month

    def drop_beside_a_writer(conn: Connection, number: int) -> None:
        threads.append(Thread(target=save, args=[store, every[10:20]]))
        threads[-1].start()
        drop(conn, number)

    monkeypatch.setattr("arena.store.matches.months.drop_month", drop_beside_a_writer)

    archive(store, 1)

    for thread in threads:
        thread.join()
    with store.read() as conn:
        assert tournaments.played(conn, running.id) == 20
    assert differences(store) == ()


def test_matches_stored_before_there_were_months_are_archived_and_restored(
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
    for table in reversed(MATCH_TABLES):
        conn.execute(delete(table).where(next(iter(table.primary_key)).between(*numbers)))
    for table, lines in zip(MATCH_TABLES, found, strict=True):
        moved = [(number + months.first(other) - numbers[0] + 1, *rest) for number, *rest in lines]
        conn.execute(
            insert(table), [dict(zip(table.c.keys(), line, strict=True)) for line in moved]
        )
