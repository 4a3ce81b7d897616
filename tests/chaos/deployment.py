"""An arena on two hosts, and the faults of its processes.

The first host has Redis, PostgreSQL, the bots and one of each of the arena's processes except the
dashboard. The second one has a gateway, a worker, and room for another beat. A supervisor
restarts dead processes, as on real hosts. Half of the bots know only the first gateway, half only
the second.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import psycopg

from arena.base.config import Settings
from arena.base.errors import NotNow
from arena.operations.supervise import stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.control.service import ControlService
from arena.service.health.storage import SHARED_MEMORY
from arena.service.live.connect import connect
from arena.service.live.vitals import vitals
from arena.store import Store, open_store, upgrade_store
from tests.chaos import servers
from tests.chaos.hosts import Hosts, full, read_only, small_disk, two_hosts
from tests.lab import programs
from tests.servers import free_port

BOTS = ("ada", "bob", "cyd", "dot")
WINDOW = 24  # matches in flight for each worker: few, so that results arrive evenly
THINKING_MS, AT_ONCE = 30, 64
READY_S = 60.0
LOOK_S = 0.1


@dataclass
class Deployment:
    """The arena. Processes are named "redis", "postgresql", "gateway-1", "worker-2", "beat-1"."""

    folder: Path
    supervisor: Supervisor
    hosts: Hosts
    settings: tuple[Settings, Settings]  # by host
    disk: Path | None  # of PostgreSQL, if it can be filled
    control: ControlService
    store: Store

    def pause(self, seconds: float) -> None:
        """Waits, and restarts dead processes meanwhile."""
        self.supervisor.pause(seconds)

    def kill(self, *names: str) -> None:
        """Kills processes with their children; they are restarted."""
        for name in names:
            for process in self.processes(name):
                with suppress(psutil.NoSuchProcess):
                    process.kill()

    def stop(self, name: str) -> None:
        """Terminates a process; it is restarted."""
        os.kill(self.supervisor.pid(name), signal.SIGTERM)

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Freezes processes with their children during the block."""
        processes = [process for name in names for process in self.processes(name)]
        for process in processes:
            process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    @contextmanager
    def away(self, name: str, *, killed: bool = False, emptied: bool = False) -> Iterator[None]:
        """Ends or kills a process and keeps it down during the block. `emptied` clears Redis."""
        if killed:
            self.kill(name)
        spec = self.supervisor.end(name)
        if emptied:
            shutil.rmtree(self.folder / "redis")
            (self.folder / "redis").mkdir()
        try:
            yield
        finally:
            self.supervisor.start(spec)

    @contextmanager
    def second_beat(self) -> Iterator[None]:
        """Runs a second beat during the block."""
        spec = _on_second(self.hosts, stack.beat(self.settings[1]))
        self.supervisor.start(replace(spec, ready=self._two_beats))
        try:
            self.supervisor.await_ready("beat-2", within_s=READY_S)
            yield
        finally:
            self.supervisor.end("beat-2")

    def _two_beats(self) -> bool:
        with connect(self.settings[0].redis_url) as client:
            return vitals(client).beats == 2

    @contextmanager
    def locked(self, tournament: int) -> Iterator[None]:
        """Locks a tournament's row during the block."""
        with psycopg.connect(self.settings[0].database) as connection:
            connection.execute("SELECT 1 FROM tournaments WHERE id = %s FOR UPDATE", [tournament])
            yield

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Fills PostgreSQL's disk during the block."""
        assert self.disk is not None
        with full(self.disk):
            yield

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Makes PostgreSQL refuse writes during the block."""
        self._postgres(
            "ALTER ROLE postgres RESET default_transaction_read_only",
            "ALTER SYSTEM SET default_transaction_read_only = on",
            "SELECT pg_reload_conf()",
        )
        try:
            yield
        finally:
            self._postgres(
                "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()"
            )

    def switch_over(self) -> None:
        """Makes PostgreSQL refuse writes on the currently open connections."""
        self._postgres(
            "ALTER ROLE postgres SET default_transaction_read_only = off",
            "ALTER SYSTEM SET default_transaction_read_only = on",
            "SELECT pg_reload_conf()",
        )

    def _postgres(self, *statements: str) -> None:
        with psycopg.connect(self.settings[0].database, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            for statement in statements:
                connection.execute(statement.encode())

    @contextmanager
    def redis_told(self, *begin: str, end: str) -> Iterator[None]:
        """Sends these commands to Redis, and another one after the block."""
        with connect(self.settings[0].redis_url) as client:
            for command in begin:
                client.execute_command(command)
            try:
                yield
            finally:
                client.execute_command(end)

    @contextmanager
    def read_only_shared_memory(self) -> Iterator[None]:
        """Makes /dev/shm read-only for new processes, and restarts a worker."""
        with read_only(SHARED_MEMORY):
            self.kill("worker-1")
            yield

    def processes(self, name: str) -> list[psutil.Process]:
        """A process and its children."""
        process = psutil.Process(self.supervisor.pid(name))
        return [process, *process.children(recursive=True)]


@contextmanager
def deployment(folder: Path) -> Iterator[Deployment]:
    """Runs an arena with connected bots in that folder. All processes end with the block.

    Raises Unavailable when a part does not start, Interrupted on Ctrl-C."""
    folder.chmod(0o755)  # under root, PostgreSQL runs as another user
    disk = folder / "postgresql"
    with small_disk(disk) as can_fill, Supervisor(folder / "logs") as supervisor:
        hosts = two_hosts(supervisor)
        ports = free_port(), free_port()
        for spec in (
            servers.redis(folder / "redis", hosts.first, ports[0]),
            servers.postgresql(disk, hosts.first, ports[1]),
        ):
            supervisor.start(spec)
            supervisor.await_ready(spec.name)
        settings = _settings(folder, hosts, ports)
        upgrade_store(settings[0].database).dispose()
        store = open_store(settings[0].database)
        with control_service(settings[0], redis_url=settings[0].redis_url) as control:
            found = Deployment(
                folder, supervisor, hosts, settings, disk if can_fill else None, control, store
            )
            _start(found)
            yield found
        store.dispose()


def _settings(folder: Path, hosts: Hosts, ports: tuple[int, int]) -> tuple[Settings, Settings]:
    redis, database = ports
    first = Settings(
        data=folder / "data",
        database_url=servers.database_url(hosts.first, database),
        redis_url=servers.redis_url(hosts.first, redis),
        host=hosts.first,
        port=free_port(),
        workers=1,
        window=WINDOW,
        bench_after=0,  # blamed bots must stay for the next fault
    )
    return first, first.model_copy(update={"host": hosts.second, "port": free_port()})


def _start(arena: Deployment) -> None:
    first, second = arena.settings
    for begin in (stack.gateway, stack.worker, stack.prompt_worker, stack.beat):
        spec = begin(first)
        arena.supervisor.start(replace(spec, name=f"{spec.name}-1"))
    for spec in (stack.gateway(second), stack.worker(second)):
        arena.supervisor.start(_on_second(arena.hosts, spec))
    arena.supervisor.await_ready("gateway-1", "gateway-2", within_s=READY_S)
    for number, settings in enumerate(arena.settings, start=1):
        arena.supervisor.start(_bots(arena.control, number, settings))
    for _ in range(round(READY_S / LOOK_S)):
        if all(bot.connected for bot in arena.control.list_bots(pb.ListBotsRequest()).bots):
            return
        arena.pause(LOOK_S)
    raise NotNow(f"The bots did not connect within {READY_S:.0f} s.")


def _on_second(hosts: Hosts, spec: ChildSpec) -> ChildSpec:
    return replace(spec, name=f"{spec.name}-2", command=(*hosts.enter, *spec.command))


def _bots(control: ControlService, number: int, settings: Settings) -> ChildSpec:
    """Starts the bots that know only this gateway."""
    names = BOTS[number - 1 :: 2]
    tokens = [control.register_bot(pb.RegisterBotRequest(name=name)).token for name in names]
    command = programs.python(
        "tests.lab.bench.paced", str(THINKING_MS), str(AT_ONCE), "together", *tokens
    )
    url = f"{settings.host}:{settings.port}"
    return ChildSpec(f"bots-{number}", command, {"ARENA_URL": url})
