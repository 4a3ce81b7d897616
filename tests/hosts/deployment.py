"""An arena on six hosts: data, two gateways, bots, two for workers.

data        Redis, PostgreSQL, beat, the prompt worker
gateway-1   a gateway each; bots know both by one name, as from a name server
gateway-2
bots        four bots that think for a while, half of them with the other gateway first
worker-1    a worker with few matches in flight: what its matches wait for is the bots'
worker-2    thinking, not the two cores of this machine. The second one joins in later
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import redis

from arena.base.config import Settings
from arena.base.errors import NotNow, Unavailable
from arena.operations.supervise import stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.live.connect import connect
from arena.service.live.presence import present
from arena.store import open_store, upgrade_store
from arena.store.registry import bots
from tests.chaos import servers
from tests.chaos.deployment import AT_ONCE, BOTS, LOOK_S, READY_S, THINKING_MS, WINDOW, Deployment
from tests.chaos.hosts import Hosts
from tests.hosts.network import NETWORK, Host, Network, names_for
from tests.lab import programs

NAMES = ("data", "gateway-1", "gateway-2", "bots", "worker-1", "worker-2")
REDIS, DATABASE, GATEWAY = 6379, 5432, 7420
NAME = "gateways.arena"


@dataclass
class Site:
    """The arena, and the network between its hosts."""

    arena: Deployment
    network: Network

    def start_worker(self, number: int) -> None:
        """Starts the worker of a host."""
        settings = self.arena.settings[0]
        self.arena.supervisor.start(
            _on(self.network.hosts[f"worker-{number}"], stack.worker(settings))
        )

    def gateways_of_bots(self) -> dict[str, str]:
        """For each bot that is connected its gateway, by a number that the gateway drew."""
        with (
            self.arena.store.read() as conn,
            connect(self.arena.settings[0].redis_url) as client,
        ):
            here = present(client, [bot.player for bot in bots.all_bots(conn)]).values()
            return {each.bot: each.gateway for each in here if each.connected}


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """A running arena in that folder, its bots connected, one host for workers still empty. Every
    process has ended afterwards.

    Raises Unavailable when a part does not start, Interrupted on Ctrl-C."""
    folder.chmod(0o755)  # PostgreSQL's folder is another user's
    with Supervisor(folder / "logs") as supervisor:
        network = Network(supervisor)
        hosts = {name: network.add(name) for name in NAMES}
        _start_servers(supervisor, folder, hosts["data"])
        settings = _settings(folder, hosts["data"])
        upgrade_store(settings.database).dispose()
        store = open_store(settings.database)
        with control_service(settings, redis_url=settings.redis_url) as control:
            arena = Deployment(
                folder, supervisor, Hosts(), (settings, settings), None, control, store
            )
            found = Site(arena, network)
            _start(found, folder)
            yield found
        store.dispose()


def _start_servers(supervisor: Supervisor, folder: Path, host: Host) -> None:
    disk = folder / "postgresql"
    disk.mkdir()
    redis_url = servers.redis_url(host.address, REDIS)
    own = servers.redis(folder / "redis", host.address, REDIS)
    for spec in (
        replace(own, ready=lambda: _redis_answers(redis_url)),
        servers.postgresql(disk, host.address, DATABASE, NETWORK),
    ):
        supervisor.start(replace(spec, command=(*host.enter, *spec.command)))
        supervisor.await_ready(spec.name)


def _redis_answers(url: str) -> bool:
    try:
        with connect(url) as client:
            return bool(client.ping())
    except (Unavailable, redis.RedisError):
        return False


def _settings(folder: Path, host: Host) -> Settings:
    """Those of all hosts but for where a gateway listens."""
    return Settings(
        data=folder / "data",
        database_url=servers.database_url(host.address, DATABASE),
        redis_url=servers.redis_url(host.address, REDIS),
        port=GATEWAY,
        workers=1,
        window=WINDOW,
        bench_after=0,  # a bot that is blamed once must not keep the next fault from being tried
    )


def _start(found: Site, folder: Path) -> None:
    arena, hosts = found.arena, found.network.hosts
    settings, supervisor = arena.settings[0], arena.supervisor
    for make in (stack.beat, stack.prompt_worker):
        supervisor.start(_on(hosts["data"], make(settings)))
    found.start_worker(1)
    addresses = tuple(hosts[name].address for name in ("gateway-1", "gateway-2"))
    names_for(folder, {NAME: addresses})
    # The second gateway first: whoever comes then finds nobody at the first one's address.
    for number, name in enumerate(("gateway-2", "gateway-1")):
        own = settings.model_copy(update={"host": hosts[name].address})
        supervisor.start(_on(hosts[name], stack.gateway(own)))
        supervisor.await_ready(f"gateway-{name}", within_s=READY_S)
        supervisor.start(_on(hosts["bots"], _bots(arena, number)))
        _await_bots(found, len(BOTS) // 2 * (number + 1))


def _await_bots(found: Site, count: int) -> None:
    for _ in range(round(READY_S / LOOK_S)):
        if len(found.gateways_of_bots()) == count:
            return
        found.arena.pause(LOOK_S)
    raise NotNow(f"The bots did not connect within {READY_S:.0f} s.")


def _bots(arena: Deployment, number: int) -> ChildSpec:
    """Every other bot."""
    register = arena.control.register_bot
    tokens = [register(pb.RegisterBotRequest(name=name)).token for name in BOTS[number::2]]
    command = programs.python(
        "tests.lab.bench.paced", str(THINKING_MS), str(AT_ONCE), "together", *tokens
    )
    return ChildSpec(f"{number}", command, {"ARENA_URL": f"{NAME}:{GATEWAY}"})


def _on(host: Host, spec: ChildSpec) -> ChildSpec:
    """A process on a host."""
    return replace(spec, name=f"{spec.name}-{host.name}", command=(*host.enter, *spec.command))
