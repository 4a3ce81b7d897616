"""The faults, which are injected in sequence."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from tests.chaos.deployment import Deployment
from tests.chaos.servers import PASSWORD

BOUND_S = 15.0
BOUND_OF_ALL_S = 30.0
WORKERS = ("worker-1", "worker-2", "prompt-worker-1")
LATE_S = 30.0  # leases expire after 13 s; then matches of a dead process restart

# Injects a fault into an arena that plays this tournament, for the duration of the block.
Deed = Callable[[Deployment, int], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    """A fault. With 0 seconds, it ends at once, and the arena has to recover."""

    name: str
    seconds: float
    deed: Deed
    bound_s: float = BOUND_S  # for the recovery
    in_short: bool = True  # also runs without --long
    goes_on: bool = False  # most of the tournament is played meanwhile
    needs: str = ""  # "network" or "disk", not available on every machine
    # A part of the message in `arena status`. Empty for faults that end before heartbeats can stop
    # (`arena.service.live.vitals.ALIVE_S`).
    says: str = ""


def _killed(*names: str) -> Deed:
    @contextmanager
    def deed(arena: Deployment, _: int) -> Iterator[None]:
        arena.kill(*names)
        yield

    return deed


@contextmanager
def _worker_stopped(arena: Deployment, _: int) -> Iterator[None]:
    arena.stop("worker-1")
    yield


def _frozen(*names: str) -> Deed:
    return lambda arena, _: arena.frozen(*names)


def _away(name: str, *, killed: bool = False, emptied: bool = False) -> Deed:
    return lambda arena, _: arena.away(name, killed=killed, emptied=emptied)


@contextmanager
def _switched_over(arena: Deployment, _: int) -> Iterator[None]:
    arena.switch_over()
    yield


def _redis(*begin: str, end: str) -> Deed:
    return lambda arena, _: arena.redis_told(*begin, end=end)


@contextmanager
def _all_at_once(arena: Deployment, tournament: int) -> Iterator[None]:
    """Injects all faults within a moment. Redis and PostgreSQL return after six seconds. Then
    the row is locked, and after that the network and beat return."""
    with ExitStack() as until_the_end:
        if arena.hosts.cable:
            until_the_end.enter_context(arena.hosts.cut())
        until_the_end.enter_context(arena.away("beat-1", killed=True))
        with (
            arena.away("redis", killed=True, emptied=True),
            arena.away("postgresql", killed=True),
        ):
            arena.kill("worker-1", "prompt-worker-1", "gateway-1")
            arena.pause(6)
        arena.supervisor.await_ready("postgresql")
        until_the_end.enter_context(arena.locked(tournament))
        yield


OUT_OF_MEMORY = _redis("CONFIG SET maxmemory 1", end="CONFIG SET maxmemory 0")
REPLICA = _redis("REPLICAOF 127.0.0.1 1", end="REPLICAOF NO ONE")
# Close open connections, because they keep their rights.
OTHER_PASSWORD = _redis(
    "CONFIG SET requirepass other",
    *(f"CLIENT KILL TYPE {kind} SKIPME yes" for kind in ("normal", "pubsub")),
    end=f"CONFIG SET requirepass {PASSWORD}",
)

FAULTS = (
    Fault("worker killed", 0, _killed("worker-1")),
    Fault("all workers killed", 0, _killed(*WORKERS), in_short=False),
    Fault("worker told to end", 0, _worker_stopped, in_short=False),
    Fault(
        "worker frozen",
        8,
        _frozen("worker-1"),
        in_short=False,
        goes_on=True,
        says="The worker arena-",
    ),
    Fault("worker frozen", 25, _frozen("worker-1"), goes_on=True, says="The worker arena-"),
    Fault("gateway killed", 0, _killed("gateway-1")),
    Fault("gateway frozen", 25, _frozen("gateway-1"), in_short=False, says="The gateway "),
    Fault(
        "beat away",
        8,
        _away("beat-1", killed=True),
        in_short=False,
        goes_on=True,
        says="Beat is not running",
    ),
    Fault(
        "two beats",
        8,
        lambda arena, _: arena.second_beat(),
        in_short=False,
        goes_on=True,
        says="2 beats are running",
    ),
    Fault("Redis emptied", 0, _away("redis", killed=True, emptied=True), in_short=False),
    Fault("Redis away", 8, _away("redis"), says="cannot be reached"),
    Fault("Redis away", 25, _away("redis"), in_short=False, says="cannot be reached"),
    Fault(
        "Redis away, emptied",
        60,
        _away("redis", killed=True, emptied=True),
        in_short=False,
        says="cannot be reached",
    ),
    Fault("Redis frozen", 25, _frozen("redis"), in_short=False, says="cannot be reached"),
    Fault("Redis out of memory", 8, OUT_OF_MEMORY, says="its memory is full"),
    Fault("Redis read-only", 8, REPLICA, in_short=False, says="it is a read-only replica"),
    Fault("Redis password changed", 8, OTHER_PASSWORD, in_short=False, says="rejects the password"),
    Fault("PostgreSQL killed", 0, _away("postgresql", killed=True)),
    Fault("PostgreSQL away", 8, _away("postgresql"), says="cannot be used"),
    Fault("PostgreSQL away", 25, _away("postgresql"), in_short=False, says="cannot be used"),
    Fault("PostgreSQL away", 60, _away("postgresql"), in_short=False, says="cannot be used"),
    Fault("PostgreSQL frozen", 25, _frozen("postgresql"), in_short=False, says="cannot be used"),
    Fault(
        "PostgreSQL read-only",
        8,
        lambda arena, _: arena.read_only(),
        in_short=False,
        says="The database is read-only",
    ),
    Fault("PostgreSQL switched over", 0, _switched_over),
    Fault("tournament's row locked", 20, lambda arena, row: arena.locked(row), says="has blocked"),
    Fault(
        "disk full",
        8,
        lambda arena, _: arena.full_disk(),
        needs="disk",
        says="The disk of the database is full",
    ),
    Fault(
        "/dev/shm read-only",
        8,
        lambda arena, _: arena.read_only_shared_memory(),
        in_short=False,
        goes_on=True,
        needs="disk",
        says="/dev/shm cannot be written to",
    ),
    Fault(
        "network cut",
        25,
        lambda arena, _: arena.hosts.cut(),
        needs="network",
        says="has not answered",
    ),
    Fault("all at once", 6, _all_at_once, BOUND_OF_ALL_S, says="cannot be reached"),
)


def lacking(fault: Fault, arena: Deployment) -> bool:
    """Whether this machine does not support the fault."""
    missing = {"": False, "disk": arena.disk is None, "network": not arena.hosts.cable}
    return missing[fault.needs]
