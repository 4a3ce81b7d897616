"""Backups: saved while the arena runs, restored into either database, refused where damaged."""

import errno
import gzip
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text, update

from arena.base.config import Settings
from arena.base.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    NotNow,
    SchemaMismatch,
    Unavailable,
)
from arena.base.folder import kept_key
from arena.store import Store, open_store, rebuild, upgrade_store
from arena.store.backup import format as backup_format
from arena.store.backup.database import restore_backup, save_backup
from arena.store.backup.format import check_backup
from arena.store.database_url import parse_url
from arena.store.matches.matches import get_match
from arena.store.migrate import HEAD
from arena.store.opening import version as schema_version
from arena.store.registry import accounts, bots, sessions, submissions
from arena.store.tables import match_seats, matches, metadata, tournaments
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.people import person
from tests.integration.store.test_store_opening import empty_database
from tests.made_archives import archive, played_for_months
from tests.made_results import entered, results
from tests.made_results import save as store_results
from tests.next_release import NEXT, NOW, next_release

NewDatabase = Callable[[], str]


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nothing in it, not even tables: once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'restored' / 'arena.db'}"
    name = f"restored_{abs(hash(request.node.name))}"
    return empty_database(request.getfixturevalue("postgres_url"), name)


# Tests of one side of a backup try each kind of database once on each side.
into_the_other_kind = pytest.mark.parametrize(
    ("store", "target"), [("sqlite", "postgres"), ("postgres", "sqlite")], indirect=True
)


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with something of everything that values can be."""
    with store.write() as conn:
        ada = accounts.sign_up(conn, "ada", "$argon2id$...", organiser=True)
        for _ in range(3):
            sessions.begin(conn, ada.id, 'Fïrefox "☃"\n')
        sixth, _ = bots.register(conn, "sixth")
        submissions.submit(conn, sixth, b"\0uploaded\xff")
    tournament = entered(store)
    store_results(store, results(tournament))
    with store.write() as conn:  # the numbers of what is gone are not given again
        conn.execute(text("DELETE FROM sessions WHERE id = 3"))
    return store


@pytest.fixture
def backup(filled: Store, tmp_path: Path) -> Path:
    """A backup of it."""
    path = tmp_path / "backup.gz"
    save_backup(filled, path)
    return path


def everything(
    store: Store, names: Iterable[str] = metadata.tables
) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of these tables."""
    with closing_store(Store(store.url)) as opened, opened.read() as conn:
        return {
            name: sorted(
                (tuple(row) for row in conn.execute(select(metadata.tables[name]))), key=repr
            )
            for name in names
        }


@contextmanager
def closing_store(store: Store) -> Iterator[Store]:
    """The store, closed in the end."""
    try:
        yield store
    finally:
        store.dispose()


def restore(url: str, path: Path) -> backup_format.Contents:
    with path.open("rb") as file:
        return restore_backup(url, file)


def differences(conn: Connection) -> list[str]:
    return [
        each for game in rebuild.games(conn) for each in rebuild.compare(conn, game).differences
    ]


def test_a_backup_restored_into_either_database_holds_the_same(
    filled: Store, target: str, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backup_format, "PORTION", 4)

    contents = restore(target, backup)

    restored = open_store(target)
    assert everything(restored) == everything(filled)
    assert contents.rows == {name: len(rows) for name, rows in everything(filled).items()}
    assert contents.version == HEAD
    with restored.snapshot() as conn:
        assert rebuild.games(conn) == ["lama"]
        assert differences(conn) == []
    restored.dispose()


@into_the_other_kind
def test_numbers_go_on_where_they_were(filled: Store, target: str, backup: Path) -> None:
    restore(target, backup)

    restored = open_store(target)
    with filled.write() as before, restored.write() as after:
        ada = accounts.by_name(before, "ada").id
        for conn in (before, after):
            sessions.begin(conn, ada, "Firefox")
            assert conn.scalar(text("SELECT max(id) FROM sessions")) == 4
        assert bots.register(before, "next")[0].id == bots.register(after, "next")[0].id
    restored.dispose()


def test_only_its_owner_reads_it_and_nothing_else_is_left(backup: Path) -> None:
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [path for path in backup.parent.iterdir() if ".part" in path.name] == []


@into_the_other_kind
def test_a_concurrent_transaction_is_in_the_backup_as_a_whole_or_not_at_all(
    store: Store, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = results(entered(store))
    first, rest = found[:40], iter(found[40:])
    store_results(store, first)
    begun, stored = threading.Event(), threading.Event()

    def go_on() -> None:
        assert begun.wait(30)
        for one in rest:
            store_results(store, [one])
            stored.set()

    begin = backup_format.BackupWriter.begin_table

    def begin_while_others_store(self: backup_format.BackupWriter, *given: Any) -> None:
        begun.set()
        assert stored.wait(30)  # at least one result came after the snapshot
        begin(self, *given)

    monkeypatch.setattr(backup_format.BackupWriter, "begin_table", begin_while_others_store)
    storing = threading.Thread(target=go_on)
    storing.start()
    save_backup(store, tmp_path / "backup.gz")
    storing.join(60)

    restore(target, tmp_path / "backup.gz")
    restored = open_store(target)
    with restored.snapshot() as conn:
        played = conn.scalar(select(tournaments.c.played))
        assert conn.scalar(select(func.count()).select_from(matches)) == played == len(first)
        assert conn.scalar(select(func.count()).select_from(match_seats)) == 3 * len(first)
        assert differences(conn) == []
    restored.dispose()
    with store.read() as conn:
        assert conn.scalar(select(tournaments.c.played)) == len(found)


@into_the_other_kind
def test_a_database_that_holds_something_is_left_as_it_is(target: str, backup: Path) -> None:
    full = upgrade_store(target)
    with full.write() as conn:
        bots.register(conn, "mine")
    before = everything(full)

    with pytest.raises(NotNow, match=r"not empty: bots has rows.*--data"):
        restore(target, backup)

    assert everything(full) == before
    full.dispose()


@into_the_other_kind
def test_a_database_that_was_just_made_can_be_filled(target: str, backup: Path) -> None:
    upgrade_store(target).dispose()

    assert restore(target, backup).rows["bots"] == 6


@into_the_other_kind
def test_a_database_of_another_version_is_not_touched(target: str, backup: Path) -> None:
    upgrade_store(target).dispose()
    other = Store(parse_url(target))
    with other.write() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaMismatch, match="version 9999"):
        restore(target, backup)
    other.dispose()


def test_rows_that_a_database_refuses_leave_it_empty(
    sqlite_store: Store, postgres_url: str, tmp_path: Path
) -> None:
    tournament = entered(sqlite_store)
    store_results(sqlite_store, results(tournament))
    with sqlite_store.write() as conn:  # PostgreSQL keeps no such character
        conn.execute(update(matches).where(matches.c.position == 2).values(options="\0"))
    save_backup(sqlite_store, tmp_path / "backup.gz")
    target = empty_database(postgres_url, "refusing")

    with pytest.raises(InvalidRequest, match="Nothing was restored. Rows of matches do not fit"):
        restore(target, tmp_path / "backup.gz")

    left = open_store(target)
    with left.read() as conn:
        assert bots.all_bots(conn) == []
    left.dispose()


# Files that cannot be restored


def altered(backup: Path, change: Callable[[list[bytes]], Any]) -> bytes:
    """The backup with its lines changed, and compressed again."""
    lines = gzip.decompress(backup.read_bytes()).splitlines(keepends=True)
    change(lines)
    return gzip.compress(b"".join(lines))


def of_version(version: str) -> Callable[[list[bytes]], None]:
    def change(lines: list[bytes]) -> None:
        lines[0] = json.dumps({**json.loads(lines[0]), "version": version}).encode() + b"\n"

    return change


def other_points(lines: list[bytes]) -> None:
    place = next(i for i, line in enumerate(lines) if line.startswith(b"[1,"))
    lines[place] = lines[place].replace(b"[1,", b"[9,")


DAMAGES: dict[str, tuple[Callable[[Path], bytes], type[ArenaError], str]] = {
    "empty": (lambda _: b"", InvalidRequest, "not a backup of an arena"),
    "text": (lambda _: b"Dear Sir", InvalidRequest, "not a backup of an arena"),
    "other gzip": (lambda _: gzip.compress(b"[]"), InvalidRequest, "not a backup of an arena"),
    "first half": (
        lambda path: path.read_bytes()[: path.stat().st_size // 2],
        InvalidRequest,
        "damaged or incomplete",
    ),
    "without its last bytes": (
        lambda path: path.read_bytes()[:-5],
        InvalidRequest,
        "damaged or incomplete",
    ),
    "without its last line": (
        lambda path: altered(path, lambda lines: lines.pop()),
        InvalidRequest,
        "last line is missing",
    ),
    "without a row": (
        lambda path: altered(path, lambda lines: lines.pop(-2)),
        InvalidRequest,
        "checksum",
    ),
    "with another number": (lambda path: altered(path, other_points), InvalidRequest, "checksum"),
    "with more behind it": (
        lambda path: altered(path, lambda lines: lines.append(b"[]\n")),
        InvalidRequest,
        "goes on",
    ),
    "of a development version": (
        lambda path: altered(path, of_version("0043")),
        SchemaMismatch,
        "schema version 0043.*Only the development version that made it",
    ),
    "of no version": (
        lambda path: altered(path, of_version("0000")),
        SchemaMismatch,
        "version 0000",
    ),
    "of a newer release": (
        lambda path: altered(path, of_version("9999")),
        SchemaMismatch,
        "schema version 9999.*Restore it with a release that is at least as new",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_invalid_backup_changes_nothing(
    damage: str, sqlite_store: Store, tmp_path: Path
) -> None:
    store_results(sqlite_store, results(entered(sqlite_store)))
    whole = tmp_path / "backup.gz"
    save_backup(sqlite_store, whole)
    make, error, said = DAMAGES[damage]
    target = tmp_path / "restored.db"

    with pytest.raises(error, match=said):
        restore_backup(f"sqlite:///{target}", BytesIO(make(whole)))

    assert not target.exists()


def test_every_prefix_of_a_backup_is_refused(sqlite_store: Store, tmp_path: Path) -> None:
    save_backup(sqlite_store, tmp_path / "backup.gz")
    whole = (tmp_path / "backup.gz").read_bytes()

    for length in range(0, len(whole), 7):
        with pytest.raises(InvalidRequest):
            check_backup(BytesIO(whole[:length]))
    assert check_backup(BytesIO(whole)).rows["bots"] == 0


# Files that cannot be written


def test_a_file_that_exists_is_left_alone(sqlite_store: Store, tmp_path: Path) -> None:
    (tmp_path / "backup.gz").write_text("precious")

    with pytest.raises(AlreadyExists, match="another name"):
        save_backup(sqlite_store, tmp_path / "backup.gz")

    assert (tmp_path / "backup.gz").read_text() == "precious"


def test_nor_is_one_that_came_meanwhile(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = backup_format.BackupWriter.finish

    def finish_second(self: backup_format.BackupWriter) -> backup_format.Contents:
        (tmp_path / "backup.gz").write_text("precious")
        return finish(self)

    monkeypatch.setattr(backup_format.BackupWriter, "finish", finish_second)

    with pytest.raises(AlreadyExists):
        save_backup(sqlite_store, tmp_path / "backup.gz")

    assert (tmp_path / "backup.gz").read_text() == "precious"
    assert list(tmp_path.glob("*.part")) + list(tmp_path.glob(".*.part")) == []


def test_a_disk_that_is_full_leaves_nothing_behind(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "backups").mkdir()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("arena.store.files.os.fsync", full)

    with pytest.raises(Unavailable, match="cannot be written .No space left"):
        save_backup(sqlite_store, tmp_path / "backups" / "backup.gz")

    assert list((tmp_path / "backups").iterdir()) == []


# The commands


def test_the_commands_back_up_and_restore(run: Run, tmp_path: Path, migrated_file: Path) -> None:
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    store_results(store, results(entered(store)))
    store.dispose()
    file, fresh = str(tmp_path / "one.gz"), str(tmp_path / "fresh")

    saved = run("backup", file)
    assert saved.status == 0
    assert "60 matches" in saved.out
    checked = run("restore", file, "--check")
    assert (checked.status, checked.out.endswith(", intact.\n")) == (0, True)
    assert run("restore", file, "--data", fresh).out.startswith("Restored ")
    assert run("ratings", "rebuild", "--check", "--data", fresh).status == 0

    for again, said in [
        (("backup", file), "It already exists"),
        (("restore", file, "--data", fresh), "not empty"),
        (("restore", str(tmp_path / "none.gz")), "cannot be read"),
        (("backup", str(tmp_path / "no" / "where.gz")), "cannot be written"),
        (("backup", str(tmp_path / "two.gz"), "--data", str(tmp_path / "none")), "arena up"),
    ]:
        refused = run(*again)
        assert refused.status == 2
        assert said in refused.err
        assert "Traceback" not in refused.err


# Around an upgrade


@pytest.fixture
def newer(tmp_path: Path) -> Iterator[None]:
    """The test is of the next release, except for stores that were opened before."""
    with next_release(tmp_path / "migrations"):
        yield


@into_the_other_kind
def test_a_backup_of_an_older_version_is_restored_and_then_upgraded(
    filled: Store, target: str, tmp_path: Path, newer: None
) -> None:
    before = everything(filled)
    assert save_backup(filled, tmp_path / "backup.gz").version == NOW

    contents = restore(target, tmp_path / "backup.gz")

    assert (contents.version, schema_version(target)) == (NOW, NOW)
    with pytest.raises(SchemaMismatch, match="Run `arena db upgrade`"):
        open_store(target)
    with closing_store(upgrade_store(target)) as upgraded:
        after = everything(upgraded)
        changed = {name for name in before if after[name] != before[name]}
        assert changed <= {"audit_log"}  # which notes the upgrade
        with upgraded.snapshot() as conn:
            names = conn.execute(text("SELECT name, motto FROM bots")).all()
            assert [motto for _, motto in names] == [f"I am {name}" for name, _ in names]
            assert differences(conn) == []


@into_the_other_kind
def test_the_release_of_an_older_version_reads_the_backup_of_a_newer_one(
    filled: Store, target: str, tmp_path: Path
) -> None:
    with next_release(tmp_path / "migrations"):
        save_backup(filled, tmp_path / "backup.gz")

    restore(target, tmp_path / "backup.gz")

    with closing_store(open_store(target)) as store:
        assert everything(store) == everything(filled)


def test_an_upgrade_is_rolled_back_with_the_backup_before_it(
    sqlite_store: Store, run: Run, tmp_path: Path, newer: None
) -> None:
    store_results(sqlite_store, results(entered(sqlite_store)))
    file, earlier = tmp_path / "before.gz", tmp_path / "earlier"

    assert f"It has version {NOW}, not" in run("ratings").err
    saved = run("backup", str(file))
    assert saved.status == 0
    assert f"schema version {NOW}" in saved.out
    assert f"which needs schema version {NEXT}" in saved.err
    assert f"from version {NOW} to {NEXT}" in run("db", "upgrade").out
    assert run("ratings").status == 0

    restored = run("restore", str(file), "--data", str(earlier))

    assert restored.status == 0
    assert "Run `arena db upgrade` next" in restored.err
    assert schema_version(f"sqlite:///{earlier / 'arena.db'}") == NOW
    assert run("db", "upgrade", "--data", str(earlier)).status == 0
    assert run("ratings", "--data", str(earlier)).out == run("ratings").out


def test_an_arena_moves_with_its_backup_archives_and_secret_key(
    sqlite_store: Store, run: Run, tmp_path: Path
) -> None:
    """By the steps of docs/upgrading.md: authors stay signed in, and old matches are kept."""
    here, there, file = tmp_path, tmp_path / "there", tmp_path / "moving.gz"
    key = kept_key(here)
    ada = person(create_app(Settings(secret_key=key), sqlite_store, None), sqlite_store, "ada")
    played = played_for_months(sqlite_store)
    (name,) = archive(sqlite_store, 1)

    saved = run("backup", str(file))
    assert f"Also back up {name}" in saved.err
    assert run("restore", str(file), "--data", str(there)).status == 0
    shutil.copy(here / "secret_key", there)
    shutil.copytree(here / "archive", there / "archive")

    with closing_store(open_store(f"sqlite:///{there / 'arena.db'}")) as moved:
        browser = create_app(Settings(secret_key=kept_key(there)), moved, None).test_client()
        browser.set_cookie("arena_session", ada.get_cookie("arena_session").value)  # type: ignore[union-attr]
        assert browser.get("/account").status_code == 200
        with moved.read() as conn:
            assert get_match(conn, played[0].id).id == played[0].id
    assert run("archive", "check", "--data", str(there)).status == 0


def test_a_database_that_is_being_upgraded_or_newer_is_not_saved(
    sqlite_store: Store, tmp_path: Path
) -> None:
    with closing_store(Store(sqlite_store.url)) as store:
        for version, said in (
            (f"{HEAD}+counting", "being upgraded"),
            ("9999", "a newer"),
            ("0043", "before 0.1.0"),
        ):
            with store.write() as conn:
                conn.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})
            with pytest.raises(SchemaMismatch, match=said):
                save_backup(store, tmp_path / "backup.gz")
    assert not (tmp_path / "backup.gz").exists()
