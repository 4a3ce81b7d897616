"""Everything runs with passwords, tokens and keys, and fails in many ways: none of them is told."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
from sqlalchemy import URL, Engine, create_engine, make_url, text

from arena.base import folder
from arena.operations import embedded
from tests import nursery, servers
from tests.integration.conftest import Ran, Run

pytestmark = pytest.mark.timeout(400)

ROLE, DATABASE = "arena_locked", "arena_locked"
PATIENCE_S = 60.0
HOUSE = ("five", "sharp")

# Each with signs that stand for something else in a URL or in a format.
SECRETS = {
    "database": "Dq7pass/w@rd:%s#9",
    "redis": "Rk4pass/w@rd:{x}#9",
    "admin": "Ad1token-Zu8",
    "key": "Se5cret-Key-Yv2",
    "wrong database": "Wd3wrong/w@rd#9",
    "wrong redis": "Wr6wrong/w@rd#9",
    "wrong admin": "Wa2wrong-Xt7",
}
PAGES = (
    "/",
    "/ratings",
    "/tournaments",
    "/tournaments/1",
    "/bots",
    "/matches",
    "/play",
    "/sign-in",
    "/nothing-here",
    "/events",
    "/api/health",
    "/api/bots",
    "/api/tournaments/1",
    "/livez",
    "/healthz",
    "/readyz",
    "/status",
)


def shapes(secret: str) -> set[str]:
    """As it is, as it stands in a URL, and the parts that are left when that is cut up."""
    parts = {part for sign in "/@#:" for part in secret.split(sign) if len(part) > 5}
    return {secret, quote(secret, safe=""), quote(secret), repr(secret)[1:-1], *parts}


@dataclass
class Server:
    """A PostgreSQL that wants a password for one role."""

    admin: Engine
    socket: str

    def url(self, password: str) -> str:
        found = URL.create(
            "postgresql", ROLE, password, database=DATABASE, query={"host": self.socket}
        )
        return found.render_as_string(hide_password=False)

    def do(self, *statements: str) -> None:
        with self.admin.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
            for statement in statements:
                conn.execute(text(statement.replace(":", r"\:")))

    def cut(self) -> None:
        """Ends all its connections."""
        self.do(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename='{ROLE}'")


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    url = make_url(postgres_url).set(drivername="postgresql+psycopg")
    admin = create_engine(url)
    made = Server(admin, str(url.query["host"]))
    with admin.connect() as conn:
        access = Path(str(conn.scalar(text("SHOW hba_file"))))
    usual = access.read_text()
    access.write_text(f"local all {ROLE} scram-sha-256\n{usual}")
    made.do(
        "SELECT pg_reload_conf()",
        f"CREATE ROLE {ROLE} LOGIN PASSWORD '{SECRETS['database']}'",
        f"CREATE DATABASE {DATABASE} OWNER {ROLE}",
    )
    yield made
    made.do(f"DROP DATABASE {DATABASE} WITH (FORCE)", f"DROP ROLE {ROLE}")
    access.write_text(usual)
    made.do("SELECT pg_reload_conf()")
    admin.dispose()


class Redis:
    """A Redis whose password changes when it is started again."""

    def __init__(self) -> None:
        self.port = servers.free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, password: str) -> str:
        return f"redis://:{quote(password, safe='')}@127.0.0.1:{self.port}/0"

    def start(self, password: str) -> None:
        config = embedded.redis_config(self.port, f'"{password}"')
        self._process = servers.start(config)
        servers.wait_until_ready(self._process, self.port, password)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@dataclass
class Everything:
    """An arena and all that was said in it."""

    data: Path
    env: dict[str, str]
    said: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        return nursery.start("arena.cli", *arguments, env={**self.env, **env})

    def end(self, process: subprocess.Popen[str], what: str) -> int:
        self.said[what] = process.communicate(timeout=PATIENCE_S)[0]
        return process.returncode

    def run(self, *arguments: str, **env: str) -> int:
        process = self.start(*arguments, **env)
        return self.end(process, f"arena {' '.join(arguments)} {len(self.said)}")

    def visit(self, dashboard: str, when: str) -> set[int]:
        """Looks at pages; gives their statuses."""
        found = set()
        for path in PAGES:
            try:
                with urllib.request.urlopen(f"{dashboard}{path}", timeout=30) as answer:
                    status, headers, body = answer.status, answer.headers, answer.read()
            except urllib.error.HTTPError as error:
                status, headers, body = error.code, error.headers, error.read()
            found.add(status)
            self.said[f"{path} {when}"] = f"{headers}\n{body.decode()}"
        return found

    def see_processes(self, top: int) -> int:
        """Notes what a list of processes shows; says how many they are."""
        lines = []
        for process in psutil.Process(top).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                lines.append(" ".join(process.cmdline()))
        self.said[f"processes {len(self.said)}"] = "\n".join(lines)
        return len(lines)


@pytest.fixture
def everything(tmp_path: Path, server: Server) -> Iterator[tuple[Everything, Redis]]:
    data = tmp_path / "data"
    others = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    with ExitStack() as stack:
        redis = Redis()
        redis.start(SECRETS["redis"])
        stack.callback(redis.stop)
        env = {
            **others,
            "ARENA_DATA": str(data),
            "ARENA_DATABASE_URL": server.url(SECRETS["database"]),
            "ARENA_REDIS_URL": redis.url(SECRETS["redis"]),
            "ARENA_ADMIN_TOKEN": SECRETS["admin"],
            "ARENA_SECRET_KEY": SECRETS["key"],
            "ARENA_WORKERS": "1",
            "ARENA_HOUSE_BOTS": ",".join(HOUSE),
            "ARENA_LOG_LEVEL": "debug",
        }
        yield Everything(data, env), redis


def wait_for_arena(data: Path, process: subprocess.Popen[str]) -> folder.Running:
    deadline = time.monotonic() + PATIENCE_S
    while (found := folder.find_running(data)) is None:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def wait_for_house_bots(run: Run) -> None:
    """They are registered one after the other once the arena runs."""
    deadline = time.monotonic() + PATIENCE_S
    while not all(name in run("bot", "list").out for name in HOUSE):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def what_works(world: Everything, running: folder.Running, top: int, run: Run) -> str:
    """Commands, a tournament, pages. Gives a bot's token, which is told once."""

    def runs(*arguments: str) -> Ran:
        ran = run(*arguments)
        world.said[f"arena {' '.join(arguments)}"] = ran.out + ran.err
        return ran

    token = run("bot", "add", "mine").out.strip()
    wait_for_house_bots(run)
    assert runs("tournament", "new", "five", "sharp", "--seats", "2", "--matches", "4").status == 0
    assert runs("tournament", "watch", "1").status == 0
    for command in (
        ("bot", "list"),
        ("account", "list"),
        ("tournament", "show", "1", "--json"),
        ("ratings",),
        ("ratings", "rebuild", "--check"),
        ("match", "list"),
        ("bot", "list", "--url", running.gateway),
    ):
        assert runs(*command).status == 0, world.said
    assert world.run("bot", "list", "--url", running.gateway, **wrong("admin")) == 2
    assert world.see_processes(top) > 8
    assert world.visit(running.dashboard, "at first") == {200, 400, 404}
    return token


def wrong(what: str) -> dict[str, str]:
    return {"ARENA_ADMIN_TOKEN": SECRETS[f"wrong {what}"]}


def what_fails(world: Everything, running: folder.Running, server: Server, redis: Redis) -> None:
    """The database goes away, comes back with another password; then Redis does."""
    server.do(f"ALTER ROLE {ROLE} NOLOGIN")
    server.cut()
    assert 503 in world.visit(running.dashboard, "without database")
    time.sleep(2.5)  # workers, beat and gateway notice
    server.cut()  # also connections that were just being made
    server.do(f"ALTER ROLE {ROLE} LOGIN PASSWORD '{SECRETS['wrong database']}'")
    assert 503 in world.visit(running.dashboard, "with the wrong password")
    assert world.run("ratings") == 2
    assert world.run("bot", "list", "--url", running.gateway) == 2
    time.sleep(1.5)
    server.do(f"ALTER ROLE {ROLE} PASSWORD '{SECRETS['database']}'")
    redis.stop()
    world.visit(running.dashboard, "without Redis")
    assert world.run("tournament", "new", "five", "sharp", "--seats", "2") == 2
    time.sleep(1.5)
    redis.start(SECRETS["wrong redis"])
    world.visit(running.dashboard, "with the wrong password of Redis")
    assert world.run("tournament", "new", "five", "sharp", "--seats", "2") == 2
    time.sleep(3)


def what_does_not_start(world: Everything, server: Server, redis: Redis) -> None:
    """Each process on its own, with what cannot be used."""
    password, changed = SECRETS["database"], SECRETS["wrong database"]
    cases = {
        "another password": {"ARENA_DATABASE_URL": server.url(changed)},
        "a database that is away": {"ARENA_DATABASE_URL": f"{server.url(password)}-away"},
        "an unquoted password": {"ARENA_DATABASE_URL": f"postgresql://{ROLE}:{password}@/x"},
        "an unknown option": {"ARENA_DATABASE_URL": f"{server.url(password)}&pasword={changed}"},
        "another Redis": {"ARENA_REDIS_URL": redis.url(SECRETS["redis"])},
        "an unquoted Redis": {"ARENA_REDIS_URL": f"redis://:{SECRETS['redis']}@127.0.0.1:1/0"},
    }
    for name, env in cases.items():
        given = {"ARENA_REDIS_URL": redis.url(SECRETS["wrong redis"]), **env}
        given |= {"ARENA_LOG_FORMAT": "json", "ARENA_PORT": "0", "ARENA_DASHBOARD_PORT": "0"}
        # Without Redis a dashboard shows what it has.
        commands = ["gateway"]
        if name.startswith("another"):
            commands += ["worker", "beat", "up"]
        if name == "another password":
            commands.append("dashboard")
        started = {command: world.start(command, **given) for command in commands}
        for command, process in started.items():
            assert world.end(process, f"{command} with {name}") == 2, world.said
            told = world.said[f"{command} with {name}"]
            assert "Error: " in told
            assert "Traceback" not in told


def test_nothing_that_is_said_holds_a_secret(
    everything: tuple[Everything, Redis], server: Server, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, redis = everything
    for name, value in world.env.items():
        monkeypatch.setenv(name, value)
    assert world.run("db", "upgrade") == 0, world.said
    assert world.run("db", "check") == 0, world.said
    up = world.start("up", "--port", "0", "--dashboard-port", "0")
    try:
        running = wait_for_arena(world.data, up)
        token = what_works(world, running, up.pid, run)
        what_fails(world, running, server, redis)
    finally:
        up.send_signal(signal.SIGINT)
        world.end(up, "arena up")
    what_does_not_start(world, server, redis)

    logs = list(folder.logs(world.data).iterdir())
    world.said |= {log.name: log.read_text(errors="replace") for log in logs}
    assert {"gateway.log", "worker.log", "beat.log", "dashboard.log"} <= {log.name for log in logs}
    assert "cannot be used" in world.said["dashboard.log"]
    assert len(token) > 30
    hidden = {**SECRETS, "token": token}
    told = {
        (name, where, line)
        for name, secret in hidden.items()
        for where, output in world.said.items()
        for shape in shapes(secret)
        if shape in output
        for line in output.splitlines()
        if shape in line
    }
    assert told == set()
