"""Backups: saved while the arena runs, restored into either database, refused where damaged."""

from __future__ import annotations

import errno
import gzip
import json
import os
import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text, update

from arena.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    NotNow,
    SchemaMismatch,
    Unavailable,
)
from arena.store import Store, open_store, rebuild, upgrade_store
from arena.store.backup import check_backup, restore_backup, save_backup
from arena.store.backup import format as backup_format
from arena.store.engine import parse_url
from arena.store.migrate import HEAD
from arena.store.registry import accounts, bots, sessions, submissions
from arena.store.tables import match_seats, matches, metadata, tournaments
from tests.integration.conftest import Run
from tests.integration.test_store_opening import empty_database
from tests.made_results import entered, results
from tests.made_results import save as store_results

NewDatabase = Callable[[], str]


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with nothing in it, not even tables: once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'restored' / 'arena.db'}"
    name = f"restored_{abs(hash(request.node.name))}"
    return empty_database(request.getfixturevalue("postgres_url"), name)


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


def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with store.read() as conn:
        return {
            name: sorted((tuple(row) for row in conn.execute(select(table))), key=repr)
            for name, table in metadata.tables.items()
        }


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


def test_what_is_stored_meanwhile_is_there_whole_or_not_at_all(
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


def test_a_database_that_holds_something_is_left_as_it_is(target: str, backup: Path) -> None:
    full = upgrade_store(target)
    with full.write() as conn:
        bots.register(conn, "mine")
    before = everything(full)

    with pytest.raises(NotNow, match=r"not empty \(bots has rows\).*--data"):
        restore(target, backup)

    assert everything(full) == before
    full.dispose()


def test_a_database_that_was_just_made_can_be_filled(target: str, backup: Path) -> None:
    upgrade_store(target).dispose()

    assert restore(target, backup).rows["bots"] == 6


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

    with pytest.raises(InvalidRequest, match="Rows of matches do not fit.*nothing was restored"):
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
    "empty": (lambda _: b"", InvalidRequest, "no backup of an arena"),
    "text": (lambda _: b"Dear Sir", InvalidRequest, "no backup of an arena"),
    "other gzip": (lambda _: gzip.compress(b"[]"), InvalidRequest, "no backup of an arena"),
    "first half": (
        lambda path: path.read_bytes()[: path.stat().st_size // 2],
        InvalidRequest,
        "damaged or cut short",
    ),
    "without its last bytes": (
        lambda path: path.read_bytes()[:-5],
        InvalidRequest,
        "damaged or cut short",
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
    "of an older release": (
        lambda path: altered(path, of_version("0007")),
        SchemaMismatch,
        "schema version 0007.*restore it with the release that made it",
    ),
    "of a newer release": (
        lambda path: altered(path, of_version("9999")),
        SchemaMismatch,
        "schema version 9999",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_no_whole_backup_of_this_release_touches_nothing(
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
            check_backup(BytesIO(whole[:length]), HEAD)
    assert check_backup(BytesIO(whole), HEAD).rows["bots"] == 0


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
    assert (checked.status, checked.out.endswith("; it is whole.\n")) == (0, True)
    assert run("restore", file, "--data", fresh).out.startswith("Restored ")
    assert run("ratings", "rebuild", "--check", "--data", fresh).status == 0

    for again, said in [
        (("backup", file), "exists and is left as it is"),
        (("restore", file, "--data", fresh), "not empty"),
        (("restore", str(tmp_path / "none.gz")), "cannot be read"),
        (("backup", str(tmp_path / "no" / "where.gz")), "cannot be written"),
        (("backup", str(tmp_path / "two.gz"), "--data", str(tmp_path / "none")), "arena up"),
    ]:
        refused = run(*again)
        assert refused.status == 2
        assert said in refused.err
        assert "Traceback" not in refused.err
