"""`arena host` as a process of its own: it builds what is submitted, and plays it."""

import asyncio
import io
import os
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from math import comb
from pathlib import Path

import pytest
import redis
import redis.asyncio
from sqlalchemy import Connection

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.hosting.sandbox.kinds import FIRST_USER, Bubblewrap, Unconfined
from arena.hosting.submission import artifact
from arena.hosting.submission.files import File
from arena.hosting.submission.manifest import Manifest
from arena.hosting.submission.pack import pack
from arena.kit.new.languages import LANGUAGES, TEMPLATES, files
from arena.operations.supervise import house
from arena.sdk.address import address
from arena.service.health.state import look
from arena.service.host import host as host_module
from arena.service.host.artifacts import ArtifactCache
from arena.service.host.host import HostProcess
from arena.service.live import hosting, keys
from arena.service.live.presence import any_gateway, present
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import accounts, bots, building, hosts, runs, submissions
from arena.store.registry.runs import RunKind
from arena.store.reports import leaderboard
from arena.store.tables import hosts as hosts_table
from arena.store.tournaments import creation
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.integration.operations.test_supervise import wait_for
from tests.integration.service.test_house import started
from tests.integration.worker_world import World
from tests.made_uploads import zipped
from tests.servers import free_port
from workers.schedule import RunOutcome

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    games = ("lama",)
    asked = 0

    def choose(self, view):
        self.asked += 1
        return view.actions[0]
"""
COMES_UP_S = 90.0
TOOLS = {"node": ("node",), "cpp": ("g++", "make")}
TESTS = {"node": ("node", "--test"), "cpp": ("make", "test", "CXXFLAGS=-std=c++17")}
NODE = TEMPLATES / "node"
RUN_BY_NODE = 'language = "node"\ncommand = ["node", "mybot.js"]\n'


@pytest.fixture
def settings(sqlite_store: Store, redis_url: str, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path / "gateway",
        database_url=f"sqlite:///{sqlite_store.url.database}",
        redis_url=redis_url,
        port=free_port(),
    )


@pytest.fixture
def variables(settings: Settings, open_folder: Path) -> dict[str, str]:
    return {
        "ARENA_DATABASE_URL": settings.database_url,
        "ARENA_REDIS_URL": settings.redis_url,
        "ARENA_PORT": str(settings.port),
        "ARENA_URL": f"127.0.0.1:{settings.port}",
        "ARENA_DATA": str(open_folder),
        "ARENA_HOST_PROCESSES": "24",
    }


@pytest.fixture
def gateway(variables: dict[str, str], redis_client: redis.Redis) -> Iterator[None]:
    with started("gateway", **variables):
        wait_for(lambda: any_gateway(redis_client), COMES_UP_S)
        yield


def submitted(store: Store, name: str, source: str) -> int:
    """Uploads it for a new bot; the number of the submission."""
    with store.write() as conn:
        bot, _ = bots.register(conn, name)
        return submissions.submit(conn, bot, source.encode()).id


def submitted_files(store: Store, name: str, contents: Mapping[str, str | bytes]) -> int:
    """The same of several files."""
    with store.write() as conn:
        bot, _ = bots.register(conn, name)
        return submissions.submit(conn, bot, zipped(contents)).id


def has_tools(language: str) -> bool:
    """Whether this machine has what a hosted program in this language needs."""
    return all(shutil.which(tool) for tool in TOOLS[language])


def submitted_program(store: Store, language: str, folder: Path) -> str:
    """Uploads what `arena new --hosted` writes in a language, built and tested; its name."""
    name = f"in_{language}"
    for file, text in files(LANGUAGES[language], name, hosted=True).items():
        (folder / language).mkdir(exist_ok=True)
        (folder / language / file).write_text(text)
    done = subprocess.run(TESTS[language], cwd=folder / language, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with store.write() as conn:
        bot, _ = bots.register(conn, name)
        submissions.submit(conn, bot, pack(folder / language).content)
    return name


def state(store: Store, number: int) -> str:
    with store.read() as conn:
        return submissions.get(conn, number).state


def is_hosted(store: Store, client: redis.Redis, *names: str) -> bool:
    """Whether a host has these bots, each in its newest version, connected."""
    with store.read() as conn:
        players = [bots.get(conn, name).player for name in names]
    return len(present(client, players)) == len(names)


def tournament(store: Store, *names: str, repeats: int = 5) -> Tournament:
    spec = TournamentSpec(
        bots=names, game="lama", seats=2, matches=2 * repeats, options={"max_rounds": "3"}
    )
    with store.write() as conn:
        return creation.create(conn, check_spec(spec))


def play_through(world: World, found: Tournament) -> None:
    """Plays all, also what was suspended because no host had its bots for a while."""
    while numbers := world.advance(found):
        for number in numbers:
            outcome = None
            while outcome is not RunOutcome.DONE:
                run = world.run(found, number)
                outcome = run.play()
                run.release()


def faults(store: Store, found: Tournament) -> int:
    with store.read() as conn:
        played = list(matches.iterate_matches(conn, found.id))
    return sum(seat.faults for match in played for seat in match.seats)


def test_accepted_upload_plays_from_then_on(
    gateway: None,
    variables: dict[str, str],
    world: World,
    redis_client: redis.Redis,
    tmp_path: Path,
) -> None:
    store = world.store
    ada = submitted(store, "ada", BOT.replace("return", "print(view.number); return"))
    bob = submitted(store, "bob", BOT)
    broken = submitted(store, "cho", "raise ValueError('as you wish')")
    idle = submitted(store, "dee", BOT.replace("view.actions[0]", "print('hm') or 'fly'"))
    programs = filter(has_tools, TOOLS)
    names = ("ada", "bob", *(submitted_program(store, each, tmp_path) for each in programs))
    unpacked = {file: (NODE / file).read_bytes() for file in ("mybot.js", "package.json")}
    connects = submitted_files(store, "eve", {"bot.toml": RUN_BY_NODE, **unpacked})
    with started("host", **variables) as host:
        wait_for(lambda: is_hosted(store, redis_client, *names), COMES_UP_S)
        wrong = (broken, idle, connects)
        wait_for(lambda: {state(store, each) for each in wrong} == {"refused"}, COMES_UP_S)

        with store.read() as conn:
            assert [submissions.get(conn, one).state for one in (ada, bob)] == ["accepted"] * 2
            assert submissions.get(conn, ada).version == "2"
            assert "a match without a fault" in submissions.get(conn, ada).log
            refused = submissions.get(conn, broken)
            illegal = submissions.get(conn, idle)
            without_module = submissions.get(conn, connects)
        assert refused.reason.startswith("The bot does not start. The process ended with status 1.")
        assert refused.reason.endswith("It wrote: ValueError: as you wish (bot.py, line 1)")
        assert "Traceback" in refused.log
        assert illegal.reason.startswith("A fault at decision 1 of a match of lama (illegal): ")
        assert "The bot wrote:\nhm\n" in illegal.log
        if has_tools("node"):
            assert without_module.reason.endswith(
                "It wrote: Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@grpc/grpc-js'"
                " imported from mybot.js"
            )
            assert "node:internal/modules/esm" in without_module.log
        for each in (refused, illegal, without_module):
            assert "/hosted/" not in each.reason + each.log

        found = tournament(store, *names, repeats=1)
        play_through(world, found)
        played = world.read(found)
        assert (played.state, played.played) == ("finished", 2 * comb(len(names), 2))
        assert faults(store, played) == 0
        host.terminate()
        assert host.wait(COMES_UP_S) == 0
    with store.read() as conn:
        assert not conn.execute(hosts_table.select()).all()
        check_runs(conn, "ada", [each.id for each in matches.iterate_matches(conn, found.id)])
        rated = {row.bot for row in leaderboard.table(conn, "lama") if row.rating}
        assert set(names) <= rated
        assert {each.size for each in runs.of_bot(conn, bots.get(conn, "bob").id)} == {0}
    wait_for(lambda: not present(redis_client, played.players))


def check_runs(conn: Connection, name: str, played: list[str]) -> None:
    """What the bot printed in its matches is there, by decision: it printed their numbers."""
    kept = runs.of_bot(conn, bots.get(conn, name).id)
    assert kept
    assert {each.match for each in kept} <= set(played)
    for each in kept:
        assert (each.kind, each.ending, each.memory_kb > 0) == (RunKind.WROTE, "", True)
        parts = runs.get(conn, each.id).parts
        assert {(part.when, part.match) for part in parts} == {("decision", each.match)}
        assert [part.text for part in parts] == [f"{part.decision}\n" for part in parts]


def test_house_bots_are_hosted_and_stay_the_versions_that_they_are(
    gateway: None,
    variables: dict[str, str],
    settings: Settings,
    world: World,
    redis_client: redis.Redis,
) -> None:
    store = world.store
    with store.write() as conn:
        bots.register(conn, "five", kind="house")
        bots.register(conn, "timid")  # somebody's own
        bots.register(conn, "sharp", kind="house")
        bots.retire(conn, "sharp")
    hosted = house.host_house_bots(settings)
    assert set(hosted) == {"random", "stubborn", "five", "careful"}
    with started("host", **variables):
        wait_for(lambda: len(present(redis_client, hosted.values())) == 4, COMES_UP_S)
        found = tournament(store, "five", "careful")
        play_through(world, found)
        assert (world.read(found).state, faults(store, found)) == ("finished", 0)

        # Once more, as after a restart: nothing is registered or uploaded twice.
        assert house.host_house_bots(settings) == hosted
        with store.read() as conn:
            assert {bot.version for bot in bots.all_bots(conn)} == {"1"}
            page = submissions.of_bot(conn, bots.get(conn, "five").id)
            assert [one.state for one in page] == ["accepted"]
            assert b'HOUSE["five"]' in submissions.source(conn, page[0].id)


def test_a_host_that_is_killed_loses_nothing_and_blames_nobody(
    gateway: None,
    variables: dict[str, str],
    world: World,
    redis_client: redis.Redis,
    open_folder: Path,
) -> None:
    store = world.store
    for name in ("ada", "bob"):
        submitted(store, name, BOT)
    with started("host", **variables) as first:
        wait_for(lambda: is_hosted(store, redis_client, "ada", "bob"), COMES_UP_S)
        found = tournament(store, "ada", "bob", repeats=6)
        playing = threading.Thread(target=play_through, args=[world, found])
        playing.start()
        wait_for(lambda: world.read(found).played > 0, 2 * COMES_UP_S)
        first.kill()

        with started("host", **{**variables, "ARENA_DATA": str(open_folder / "second")}):
            playing.join(3 * COMES_UP_S)
            assert not playing.is_alive()
    over = world.read(found)
    assert (over.state, over.played) == ("finished", 12)
    assert faults(store, over) == 0


def test_a_host_does_without_its_gateway_for_a_while_and_two_share_what_is_hosted(
    variables: dict[str, str],
    world: World,
    redis_client: redis.Redis,
    open_folder: Path,
) -> None:
    store = world.store
    names = ("ada", "bob", "cho", "dee")
    numbers = [submitted(store, name, BOT) for name in names]

    def by_host() -> dict[bytes | str, int]:
        with store.read() as conn:
            keys = [f"arena:hosted:{bots.get(conn, name).player}" for name in names]
        held = [holder for holder in redis_client.mget(keys) if holder is not None]
        return {holder: held.count(holder) for holder in held}

    with started("host", **variables):
        wait_for(lambda: {state(store, each) for each in numbers} == {"accepted"}, COMES_UP_S)
        with store.read() as conn:
            token_holders = conn.execute(hosts_table.select()).all()
        assert len(token_holders) == 1
        with started("gateway", **variables):
            wait_for(lambda: is_hosted(store, redis_client, *names), COMES_UP_S)
            assert list(by_host().values()) == [4]
            with started("host", **{**variables, "ARENA_DATA": str(open_folder / "second")}):
                wait_for(lambda: list(by_host().values()) == [2, 2], COMES_UP_S)
            wait_for(lambda: list(by_host().values()) == [4], COMES_UP_S)
            wait_for(lambda: is_hosted(store, redis_client, *names), COMES_UP_S)
            with store.write() as conn:
                bots.retire(conn, "ada")
            wait_for(lambda: not is_hosted(store, redis_client, "ada"), COMES_UP_S)


def test_hosts_that_died_are_forgotten(store: Store) -> None:
    with store.write() as conn:
        dead, _ = hosts.register(conn, "dead", now=0.0)
        alive, token = hosts.register(conn, "alive", now=200_000.0)
        assert dead.id != alive.id
        assert [row.name for row in conn.execute(hosts_table.select())] == ["alive"]
        assert hosts.by_token(conn, token) == alive


def test_hosts_of_root_on_one_machine_choose_different_users_for_their_sandboxes(
    settings: Settings, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter((0, 1000))
    monkeypatch.setattr(secrets, "randbelow", lambda below: next(drawn))
    client = redis.asyncio.Redis.from_url(settings.redis_url)
    place, sandbox = address("127.0.0.1:1"), Bubblewrap(FIRST_USER, privileged=True)
    made = [HostProcess(sqlite_store, client, settings, place, sandbox) for _ in range(2)]
    assert len({host._next_sandbox() for host in made for _ in range(3)}) == 6


def test_host_whose_data_folder_cannot_be_used_says_why(tmp_path: Path) -> None:
    data = tmp_path / "file" / "data"
    data.parent.touch()
    done = subprocess.run(
        [sys.executable, "-m", "arena.cli", "host"],
        env={**os.environ, "ARENA_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.startswith(f"Error: The folder {data} cannot be used for hosted bots (Not")
    assert done.returncode == 2


def accepted(store: Store, name: str, owner: int | None = None) -> int:
    """A bot with a hosted version; the number of the version."""
    with store.write() as conn:
        bot, _ = bots.register(conn, name, owner=owner)
        number = submissions.submit(conn, bot, b"source").id
        building.claim(conn, "h", 0.0, 60.0)
        tree = b"".join(artifact.write([File(f"{name}.py", b"")]))
        return building.accept(conn, number, "h", tree, Manifest(entry=f"{name}.py"), b"").player


def run_host(settings: Settings, store: Store, checks: Callable[[], Awaitable[None]]) -> None:
    """Runs a host in this process, without a gateway, until the checks are done."""

    async def run() -> None:
        client = redis.asyncio.Redis.from_url(settings.redis_url)
        place = address(f"127.0.0.1:{settings.port}")
        running = asyncio.create_task(
            HostProcess(store, client, settings, place, Unconfined()).run()
        )
        try:
            async with asyncio.timeout(COMES_UP_S):
                await asyncio.wait(
                    [running, asyncio.ensure_future(checks())], return_when="FIRST_COMPLETED"
                )
            assert not running.done(), running.exception()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await client.aclose()

    asyncio.run(run())


async def until(done: Callable[[], object]) -> None:
    while not done():  # noqa: ASYNC110 (there is no event)
        await asyncio.sleep(0.05)


def test_host_renews_its_leases_while_it_unpacks_a_large_version(
    settings: Settings,
    sqlite_store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    players = [accepted(sqlite_store, name) for name in ("ada", "bob")]
    leases, unpacked = [keys.hosted(player) for player in players], threading.Event()

    def place(artifacts: ArtifactCache, content: bytes) -> Path:
        unpacked.wait(2 * COMES_UP_S)
        raise OSError("The disk fails.")

    async def checks() -> None:
        for _ in range(2):
            await until(lambda: redis_client.exists(*leases) == 2)
            redis_client.delete(*leases)
        unpacked.set()

    monkeypatch.setattr(ArtifactCache, "place", place)
    try:
        run_host(settings, sqlite_store, checks)
    finally:
        unpacked.set()


def test_a_version_that_a_host_cannot_play_is_named_in_the_status(
    settings: Settings,
    sqlite_store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def place(artifacts: ArtifactCache, content: bytes) -> Path:
        raise OSError(28, "No space left on device")

    async def checks() -> None:
        await until(lambda: hosting.failures(redis_client))
        found.extend(each.sentence for each in look(settings).findings)

    found = list[str]()
    accepted(sqlite_store, "ada")
    monkeypatch.setattr(ArtifactCache, "place", place)
    run_host(settings, sqlite_store, checks)
    (sentence,) = (each for each in found if "ada@2" in each)
    assert sentence.startswith("ada@2 cannot be hosted by the host ")
    assert sentence.endswith("([Errno 28] No space left on device).")


def test_authors_take_turns_when_a_host_unpacks_their_versions(
    settings: Settings,
    sqlite_store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with sqlite_store.write() as conn:
        eve = accounts.sign_up(conn, "eve", "$argon2id$...").id
    for name in ("one", "two", "three"):
        accepted(sqlite_store, name, eve)
    accepted(sqlite_store, "ada")
    placed = list[str]()

    def place(artifacts: ArtifactCache, content: bytes) -> Path:
        [file] = artifact.read(io.BytesIO(content))
        placed.append(file.name)
        raise OSError("The disk fails.")

    monkeypatch.setattr(ArtifactCache, "place", place)
    run_host(settings, sqlite_store, lambda: until(lambda: len(placed) == 4))
    assert placed == ["one.py", "ada.py", "two.py", "three.py"]


def test_host_stays_when_the_database_is_away_and_registers_again_if_it_was_forgotten(
    settings: Settings,
    sqlite_store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep, tried = hosts.keep, list[int]()

    def kept_at_the_second_try(conn: Connection, host: int) -> None:
        tried.append(host)
        if len(tried) == 1:
            raise Unavailable("The database is away.")
        keep(conn, host)

    def registered() -> list[int]:
        with sqlite_store.read() as conn:
            return [row.id for row in conn.execute(hosts_table.select())]

    async def checks() -> None:
        await until(lambda: len(tried) > 1)
        [first] = registered()
        with sqlite_store.write() as conn:
            hosts.remove(conn, first)
            hosts.register(conn, "another host")
        await until(lambda: len(registered()) == 2)

    monkeypatch.setattr(host_module, "KEPT_S", 0.0)
    monkeypatch.setattr(hosts, "keep", kept_at_the_second_try)
    run_host(settings, sqlite_store, checks)
