"""Processes of two releases on one database: only the one whose schema it has works on it."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import Connection, inspect, text

from arena.base.config import Settings
from arena.base.errors import SchemaMismatch, Unavailable
from arena.protocol.v1 import play_pb2 as pb
from arena.service.bootstrap import environment
from arena.service.live.dispatch import _producer
from arena.service.live.queues import ADVANCE
from arena.store import Store, migrate, open_store, opening, rebuild, schema, upgrade_store
from arena.store.database_url import parse_url
from arena.store.migrate import HEAD
from arena.store.registry import bots
from dashboard import create_app
from tests import nursery
from tests.integration.conftest import Run
from tests.integration.store.test_store_opening import empty_database
from tests.integration.worker_world import FakeGateway, World, first_offered
from tests.made_results import entered, results, save
from tests.next_release import MOTTOS, NEXT, NOW, next_release
from tests.servers import free_port
from tests.source_tree import ROOT

BEFORE_RELEASES = "0043"  # a development version of lama-arena before 0.1.0


@contextmanager
def whatever_version(store: Store) -> Iterator[Connection]:
    """A connection that may write, to a database of any release."""
    made = Store(store.url)
    with made.write() as conn:
        yield conn
    made.dispose()


@contextmanager
def closing_store(store: Store) -> Iterator[Store]:
    try:
        yield store
    finally:
        store.dispose()


def stamp(store: Store, version: str) -> None:
    """As if a process of another release had migrated the database."""
    with whatever_version(store) as conn:
        conn.execute(text(f"UPDATE {schema.TABLE} SET version_num = '{version}'"))


@pytest.fixture
def empty(store: Store, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The URL of an empty database, of the kind of the store."""
    if store.url.get_backend_name() == "postgresql":
        return empty_database(request.getfixturevalue("postgres_url"), database_of(request))
    return f"sqlite:///{tmp_path / 'older.db'}"


def database_of(request: pytest.FixtureRequest) -> str:
    return f"older_{abs(hash(request.node.name))}"


@pytest.fixture(scope="module")
def played_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with matches, to copy."""
    return Path(str(played_at(f"sqlite:///{tmp_path_factory.mktemp('played') / 'played.db'}")))


@pytest.fixture(scope="module")
def played_database(postgres_url: str, request: pytest.FixtureRequest) -> str:
    """The name of a PostgreSQL database with matches, to copy. Each module has its own."""
    return str(played_at(empty_database(postgres_url, database_of(request))))


def played_at(url: str) -> str | None:
    made = upgrade_store(url)
    save(made, results(entered(made)))
    made.dispose()
    return made.url.database


@pytest.fixture
def older(store: Store, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """The store of a process of this release, with matches; the test is of the next one."""
    if store.url.get_backend_name() == "postgresql":
        name, template = database_of(request), request.getfixturevalue("played_database")
        url = empty_database(request.getfixturevalue("postgres_url"), name, template)
    else:
        url = f"sqlite:///{tmp_path / 'older.db'}"
        shutil.copy(request.getfixturevalue("played_file"), tmp_path / "older.db")
    made = Store(parse_url(url), NOW)
    with next_release(tmp_path / "migrations"):
        yield made
    made.dispose()


FILLED = [f"I am {name}" for name in ("ada", "bob", "cyd", "dan", "eve")]


def mottos(store: Store) -> list[str]:
    with whatever_version(store) as conn:
        return list(conn.scalars(text("SELECT motto FROM bots ORDER BY id")))


def everything(store: Store) -> dict[str, int]:
    with whatever_version(store) as conn:
        tables = ("bots", "players", "tournaments", "entrants", "matches", "match_seats", "ratings")
        return {each: conn.scalar(text(f"SELECT count(*) FROM {each}")) or 0 for each in tables}


def url_of(store: Store) -> str:
    return store.url.render_as_string(hide_password=False)


@pytest.fixture
def restored(store: Store) -> Iterator[Store]:
    """A store whose version is put right again, for the tests that come after."""
    yield store
    stamp(store, HEAD)


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        (BEFORE_RELEASES, "cannot be used.*0043.*before 0.1.0.*releases start with.*Create a new"),
        (f"{BEFORE_RELEASES}+counting", "0043.*before 0.1.0"),
        ("9999", "version 9999.*newer lama-arena.*Upgrade this one"),
        ("unknown", "version unknown.*newer lama-arena"),
        (f"{HEAD}+counting", "being upgraded to version.*Wait for the end.*run it again"),
        ("9999+counting", "newer lama-arena"),
    ],
)
def test_a_database_of_another_release_is_not_opened(
    restored: Store, version: str, advice: str
) -> None:
    stamp(restored, version)

    with pytest.raises(SchemaMismatch, match=advice):
        open_store(url_of(restored))


def test_opening_migrates_nothing_and_upgrading_does(older: Store) -> None:
    before = everything(older)
    with pytest.raises(SchemaMismatch, match=rf"{NOW}, not {NEXT}. Run `arena db upgrade`"):
        open_store(url_of(older))
    assert opening.version(url_of(older)) == NOW

    upgrade_store(url_of(older)).dispose()

    assert opening.version(url_of(older)) == NEXT
    assert everything(older) == before
    assert mottos(older) == FILLED
    with closing_store(open_store(url_of(older))) as store, store.read() as conn:
        assert rebuild.compare(conn, "lama").differences == ()


def test_an_empty_database_is_made_by_all_migrations(empty: str, tmp_path: Path) -> None:
    with (
        next_release(tmp_path / "migrations"),
        closing_store(upgrade_store(empty)) as made,
        made.write() as conn,
    ):
        bots.register(conn, "ada")
        assert conn.scalars(text("SELECT motto FROM bots")).all() == [""]
    assert opening.version(empty) == NEXT


BROKEN = f"{MOTTOS}    raise RuntimeError('on the way')\n"


def test_a_migration_that_fails_changes_nothing_and_may_be_repeated(
    empty: str, tmp_path: Path
) -> None:
    with closing_store(upgrade_store(empty)) as made:
        save(made, results(entered(made)))
        before = everything(made)
        with (
            next_release(tmp_path / "migrations", BROKEN),
            pytest.raises(RuntimeError, match="on the way"),
        ):
            upgrade_store(empty)

        assert opening.version(empty) == NOW
        with closing_store(open_store(empty)) as store, store.read() as conn:
            assert "motto" not in {each["name"] for each in inspect(conn).get_columns("bots")}
            assert rebuild.compare(conn, "lama").differences == ()
        with next_release(tmp_path / "migrations"):
            upgrade_store(empty).dispose()
        assert everything(made) == before
        assert mottos(made) == FILLED


def test_the_release_before_refuses_a_database_that_is_upgraded(empty: str, tmp_path: Path) -> None:
    upgrade_store(empty).dispose()
    with next_release(tmp_path / "migrations"):
        upgrade_store(empty).dispose()

    for use in (open_store, upgrade_store):
        with pytest.raises(SchemaMismatch, match=rf"{NEXT}.*not {NOW}.*newer lama-arena"):
            use(empty)
    assert opening.version(empty) == NEXT


@pytest.mark.parametrize("version", [BEFORE_RELEASES, "0100a"])
def test_an_upgrade_leaves_an_unknown_version_alone(restored: Store, version: str) -> None:
    stamp(restored, version)

    with pytest.raises(SchemaMismatch, match=f"version {version}"):
        upgrade_store(url_of(restored))

    assert opening.version(url_of(restored)) == version


def test_opening_does_not_create_tables(tmp_path: Path, postgres_url: str) -> None:
    (tmp_path / "arena.db").touch()
    for url in (f"sqlite:///{tmp_path / 'arena.db'}", empty_database(postgres_url, "untouched")):
        with pytest.raises(SchemaMismatch, match="empty. Create its tables with"):
            open_store(url)
        assert opening.version(url) is None


def test_a_process_that_runs_writes_nothing_into_another_schema(restored: Store) -> None:
    running = open_store(url_of(restored))
    with running.write() as conn:
        bots.register(conn, "before")
    stamp(restored, "9999")

    with pytest.raises(SchemaMismatch), running.write() as conn:
        bots.register(conn, "after")

    with whatever_version(restored) as conn:
        assert [bot.name for bot in bots.all_bots(conn)] == ["before"]
    stamp(restored, HEAD)
    with running.write() as conn:  # a backup was put back
        bots.register(conn, "again")
    running.dispose()


@pytest.mark.parametrize("way", ["read", "snapshot"])
def test_a_process_that_runs_soon_reads_nothing_either(
    restored: Store, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.engine.CHECK_S", 0.0)
    running = open_store(url_of(restored))
    stamp(restored, "9999")

    with pytest.raises(SchemaMismatch), getattr(running, way)():
        pytest.fail("it was read")
    running.dispose()


def test_a_migration_waits_for_writers(older: Store) -> None:
    with older.write() as conn:
        upgrading = in_a_thread(lambda: upgrade_store(url_of(older)).dispose())
        time.sleep(0.5)
        assert upgrading.is_alive()
        # The transaction that began first is stored by the release that it was begun by.
        assert conn.scalar(text(f"SELECT version_num FROM {schema.TABLE}")) == NOW
    upgrading.join(30)

    assert opening.version(url_of(older)) == NEXT


def test_transactions_during_a_migration_wait_and_are_refused(
    older: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrating, go_on = threading.Event(), threading.Event()
    step = migrate._step

    def slowly(*given: Any) -> None:
        step(*given)
        migrating.set()
        assert go_on.wait(20)

    monkeypatch.setattr(migrate, "_step", slowly)
    upgrading = in_a_thread(lambda: upgrade_store(url_of(older)).dispose())
    assert migrating.wait(20)
    refused: list[BaseException] = []

    def store_something() -> None:
        try:
            with older.write():
                refused.append(AssertionError("it was stored"))
        except SchemaMismatch as error:
            refused.append(error)

    storing = in_a_thread(store_something)
    time.sleep(0.3)
    assert storing.is_alive()
    assert refused == []
    go_on.set()
    storing.join(20)
    upgrading.join(20)

    assert [type(error) for error in refused] == [SchemaMismatch]


@pytest.fixture
def recounted(older: Store) -> Store:
    """The same, where the next release counts sums over deals otherwise."""
    with older.write() as conn:
        conn.execute(text("UPDATE projection_versions SET version = 0 WHERE name = 'deal_sums'"))
    return older


COUNTED = "Recomputing deal sums of 60 lama matches, 1 of 1"


def test_an_upgrade_reports_its_progress(recounted: Store) -> None:
    told: list[str] = []

    upgrade_store(url_of(recounted), tell=told.append).dispose()

    assert told == [f"{NEXT} of {NEXT}: Bots have a motto, at first their name.", COUNTED]


def test_readers_go_on_while_matches_are_counted_anew(
    recounted: Store,
) -> None:
    beside, read, refused = Store(recounted.url), list[int](), list[str]()

    def look(sentence: str) -> None:
        if not sentence.startswith("Recomputing"):
            return
        with beside.read() as conn:
            for table in ("matches", "tournaments", "entrants", "ratings", "match_seats"):
                if conn.dialect.name == "postgresql":
                    conn.execute(text("SET LOCAL lock_timeout = '1s'"))
                read.append(conn.scalar(text(f"SELECT count(*) FROM {table}")) or 0)
        try:
            open_store(url_of(recounted))
        except SchemaMismatch as error:
            refused.append(str(error))

    upgrade_store(url_of(recounted), tell=look).dispose()

    beside.dispose()
    assert len(read) == 5
    assert min(read) > 0
    assert ["being upgraded" in sentence for sentence in refused] == [True]


def test_an_upgrade_that_was_stopped_goes_on_where_it_was(recounted: Store) -> None:
    def stop(sentence: str) -> None:
        if sentence.startswith("Recomputing"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upgrade_store(url_of(recounted), tell=stop)
    assert opening.version(url_of(recounted)) == f"{NEXT}+counting"

    again: list[str] = []
    upgrade_store(url_of(recounted), tell=again.append).dispose()

    assert opening.version(url_of(recounted)) == NEXT
    assert again == [COUNTED]


def test_a_migration_does_not_wait_for_ever(older: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "WAIT_S", 1)
    monkeypatch.setattr("arena.store.engine.BUSY_S", 1)

    with older.write(), pytest.raises(Unavailable, match=r"without a pause for 1 s|locked"):
        upgrade_store(url_of(older))

    assert opening.version(url_of(older)) == NOW


def in_a_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


# Processes


@pytest.fixture
def arena(sqlite_store: Store, redis_url: str) -> Settings:
    return Settings(
        data=Path(str(sqlite_store.url.database)).parent,
        database_url=url_of(sqlite_store),
        redis_url=redis_url,
        port=free_port(),
        dashboard_port=free_port(),
        workers=1,
        window=8,
    )


def start(settings: Settings, *command: str) -> subprocess.Popen[str]:
    return nursery.start("arena.cli", *command, env=environment(settings))


PROCESSES = ("gateway", "worker", "worker --prompt", "beat", "worker --review", "dashboard")
PLAYING = PROCESSES[:4]  # what a tournament needs; all meet the database while it is played
COMMANDS = ("bot list", "bot add x", "account list", "tournament list", "ratings rebuild")
REFUSED = (
    f"Error: The database cannot be used. It has version 9999, not {HEAD}. It was created by"
    " a newer lama-arena. Upgrade this one and start it again."
)


@pytest.mark.parametrize("command", [*PROCESSES, "up"])
def test_every_process_refuses_a_schema_that_is_not_its_own(
    sqlite_store: Store, arena: Settings, command: str
) -> None:
    stamp(sqlite_store, "9999")

    process = start(arena, *command.split())
    said, _ = process.communicate(timeout=60)

    assert process.returncode == 2
    assert said.splitlines()[-1] == REFUSED
    assert "Traceback" not in said
    assert opening.version(arena.database) == "9999"


@pytest.mark.parametrize("command", [*COMMANDS, "db check"])
def test_every_command_refuses_a_schema_that_is_not_its_own(
    sqlite_store: Store, run: Run, command: str
) -> None:
    stamp(sqlite_store, "9999")

    refused = run(*command.split())

    assert refused.status == 2
    assert refused.err.splitlines()[-1] == REFUSED
    assert "Traceback" not in refused.err
    assert opening.version(url_of(sqlite_store)) == "9999"


def test_the_dashboard_explains_a_migration_on_every_page_and_recovers(
    restored: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.engine.CHECK_S", 0.0)
    browser = create_app(Settings(), restored, None).test_client()
    stamp(restored, "9999")

    for path in ("/", "/tournaments", "/api/health", "/sign-in"):
        answer = browser.get(path)
        assert "has version 9999" in answer.text or path == "/sign-in"
        if path == "/api/health":
            assert answer.status_code == 200
            continue
        if path == "/sign-in" and answer.status_code == 200:
            continue  # a form that reads nothing
        assert answer.status_code == 503, path
    assert browser.get("/healthz").status_code == 503
    stamp(restored, HEAD)
    assert browser.get("/").status_code == 200
    assert browser.get("/healthz").status_code == 200


@pytest.mark.timeout(300)  # six processes start, which takes a while on a busy machine
def test_processes_end_when_the_database_is_migrated_and_newer_ones_play_on(
    sqlite_store: Store, arena: Settings, redis_client: redis.Redis
) -> None:
    world = World(sqlite_store, redis_client)
    longer = {"max_rounds": "3"}
    tournament = world.tournament(
        ("a", "b", "c", "d"), cycles=CYCLES, start_grace_s=60, options=longer
    )
    with FakeGateway(redis_client) as bots_here, ExitStack() as stack:
        bots_here.connect(*tournament.players)
        bots_here.answer = slowly  # so that it is not over before the migration
        older = {name: start(arena, *name.split()) for name in PLAYING}
        for process in older.values():
            stack.callback(ended, process)
        until(lambda: world.read(tournament).played > 0, 90)
        stamp(sqlite_store, "9999")
        stored = played_now(sqlite_store)

        for name, process in older.items():
            sweep(arena)  # a worker without any task finds out with the next one
            said, _ = process.communicate(timeout=90)
            assert process.returncode == 2, (name, said)
            assert "has version 9999" in said.splitlines()[-1], name
            assert "Traceback" not in said, said
        assert played_now(sqlite_store) == stored < MATCHES
        assert not redis_client.keys("arena:batch:*:failures")

        # The code is brought up to date, and the processes start from it.
        stamp(sqlite_store, HEAD)
        for name in ("worker", "beat"):
            stack.callback(ended, start(arena, name))
        bots_here.connect(*tournament.players)
        bots_here.answer = first_offered
        until(lambda: world.read(tournament).state == "finished", 90)
    with sqlite_store.read() as conn:
        assert world.read(tournament).played == MATCHES
        assert rebuild.compare(conn, "lama").differences == ()


CYCLES = 4
MATCHES = 4 * CYCLES * 3


def slowly(decision: pb.Decision) -> dict[str, Any]:
    time.sleep(0.002)
    return first_offered(decision)


def sweep(settings: Settings) -> None:
    """The scheduler's work of each second, for each worker."""
    for _ in range(4):
        _producer(settings.redis_url).send_task("arena.sweep", queue=ADVANCE)


def played_now(store: Store) -> int:
    with whatever_version(store) as conn:
        return int(conn.scalar(text("SELECT count(*) FROM matches")) or 0)


def until(condition: Callable[[], bool], limit_s: float = 30.0) -> None:
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, "the condition did not come true"
        time.sleep(0.05)


def ended(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
    process.communicate(timeout=30)


def test_arena_up_migrates_the_database_in_its_own_folder(tmp_path: Path, redis_url: str) -> None:
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    upgrade_store(url).dispose()
    (tmp_path / "sitecustomize.py").write_text(OF_THE_NEXT_RELEASE)
    variables = {
        "ARENA_DATA": str(tmp_path),
        "ARENA_REDIS_URL": redis_url,
        "ARENA_PORT": str(free_port()),
        "ARENA_DASHBOARD_PORT": str(free_port()),
        "ARENA_WORKERS": "1",
        "NEXT_MIGRATIONS": str(tmp_path / "migrations"),
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
    }
    with ExitStack() as stack:
        up = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.cli", "up", "--no-house-bots"],
            env=os.environ | variables,
            text=True,
        )
        stack.callback(ended, up)
        until((tmp_path / "arena.json").exists, 60)
        assert opening.version(url) == NEXT


def test_arena_up_leaves_a_named_database_as_it_is(
    tmp_path: Path, redis_url: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    upgrade_store(url).dispose()
    monkeypatch.setenv("ARENA_DATABASE_URL", url)
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)

    with next_release(tmp_path / "migrations"):
        refused = run("up", "--no-house-bots", "--port", "0", "--dashboard-port", "0")

    assert refused.status == 2
    assert "Run `arena db upgrade`" in refused.err
    assert opening.version(url) == NOW


OF_THE_NEXT_RELEASE = """
import os
from pathlib import Path
from tests.next_release import install

install(Path(os.environ["NEXT_MIGRATIONS"], str(os.getpid())))
"""


# The command


def test_arena_db_upgrade_waits_for_a_server_that_is_still_starting(
    run: Run, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    answers = opening.version
    starting = iter((True, True, False))

    def later(url: str) -> str | None:
        if next(starting):
            raise Unavailable("it is starting")
        return answers(url)

    monkeypatch.setattr("arena.cli.db.LOOK_EVERY_S", 0)
    monkeypatch.setattr(opening, "version", later)
    monkeypatch.setenv("ARENA_DATABASE_URL", empty_database(postgres_url, "waited_for"))
    assert run("db", "upgrade").status == 2  # does not wait by default
    ran = run("db", "upgrade", "--wait", "60")
    assert (ran.status, ran.out) == (0, f"Created the database, version {HEAD}.\n")


def test_arena_db_makes_checks_and_upgrades_the_database(tmp_path: Path, run: Run) -> None:
    assert "arena db upgrade" in run("db", "check").err
    assert run("db", "upgrade").out == f"Created the database, version {HEAD}.\n"
    assert run("db", "check").status == 0
    store = Store(parse_url(f"sqlite:///{tmp_path / 'arena.db'}"))
    assert run("db", "upgrade").out == f"The database already has version {HEAD}.\n"
    for version, said in (("9999", "newer lama-arena"), (BEFORE_RELEASES, "Create a new database")):
        stamp(store, version)
        for command in ("check", "upgrade"):
            refused = run("db", command)
            assert refused.status == 2
            assert said in refused.err
    store.dispose()
