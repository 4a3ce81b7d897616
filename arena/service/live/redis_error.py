"""Explains errors of Redis, with advice.

Redis may answer and still be unusable, for example because it refuses writes or the password.
Callers treat that like an outage.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import redis

from arena.service.live import keys

PROBE_MS = 1_000  # after which a probe's key expires


@dataclass(frozen=True)
class Explanation:
    """What failed and why ("Redis refuses writes: its memory is full."), and what to do."""

    sentence: str
    action: str

    def __str__(self) -> str:
        return f"{self.sentence} {self.action}"


# Patterns of error codes or texts (scripts and transactions quote them), predicates of
# "Redis ...", and advice.
_KINDS = (
    (
        r"\bOOM\b|when used memory > 'maxmemory'",
        "refuses writes: its memory is full.",
        "Raise maxmemory, or check what else is stored there.",
    ),
    (
        r"\bREADONLY\b|against a read only replica|master -> replica",
        "refuses writes: it is a read-only replica.",
        "Set ARENA_REDIS_URL to the primary.",
    ),
    (
        r"\bMISCONF\b|unable to persist to disk|Errors writing to the AOF",
        "refuses writes: it cannot save its data to disk.",
        "Free space on its disk, or turn persistence off. The arena does not need it.",
    ),
    (
        r"\bNOREPLICAS\b|Not enough good replicas",
        "refuses writes: it has too few replicas.",
        "Reconnect its replicas, or set min-replicas-to-write to 0.",
    ),
    (
        r"\bMASTERDOWN\b|Link with MASTER is down",
        "refuses commands: it is a replica that has lost its primary.",
        "Set ARENA_REDIS_URL to the primary.",
    ),
    (
        r"\bNOPERM\b|has no permissions",
        "refuses commands: its user lacks permissions.",
        "Allow the user in ARENA_REDIS_URL all commands, keys and channels.",
    ),
    (
        r"\b(MOVED|CROSSSLOT|CLUSTERDOWN)\b|same slot|Hash slot not served|in cluster mode",
        "is part of a cluster, which the arena cannot use.",
        "Set ARENA_REDIS_URL to a server that is not.",
    ),
    (
        r"unknown command ['`]",  # Redis 6 and newer
        "does not know commands that the arena needs. It may be a Sentinel.",
        "Set ARENA_REDIS_URL to the primary.",
    ),
    (
        r"\bLOADING\b|is loading the dataset",
        "is still loading its data.",
        "Wait. The arena continues automatically.",
    ),
    (
        r"max number of clients reached",
        "refuses connections: it has too many clients.",
        "Raise maxclients, or check what else is connected.",
    ),
    (
        r"\bWRONGPASS\b|\bNOAUTH\b|invalid (username-)?password|Authentication required"
        r"|no password is set|without any password",
        "rejects the password.",
        "Correct it in ARENA_REDIS_URL (redis://:PASSWORD@HOST:PORT/0).",
    ),
)
_SILENT = "Start it (`arena up` includes one), or correct ARENA_REDIS_URL."


def explain(error: BaseException, where: str = "") -> Explanation:
    """Explains an error of Redis or of the broker. `where`, such as "localhost:6379", is for
    operators; without it the sentence names no host."""
    name = f"Redis at {where}" if where else "Redis"
    texts = list(_texts(error))
    for pattern, sentence, action in _KINDS:
        if any(re.search(pattern, text) for text in texts):
            return Explanation(f"{name} {sentence}", action)
    if isinstance(error, redis.ResponseError):
        return Explanation(f"{name} reports an error: {error}.", "Read its log.")
    reason = f" ({str(error).rstrip('.')})" if where and str(error) else ""
    return Explanation(f"{name} cannot be reached{reason}.", _SILENT)


def _texts(error: BaseException | None) -> Iterator[str]:
    """The texts of the error and its causes, with their codes."""
    while error is not None:
        yield f"{getattr(error, 'status_code', None) or ''} {error}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def try_write(client: redis.Redis) -> None:
    """Writes a key that soon expires. Raises RedisError if Redis refuses it or is away, and if it
    is a cluster, which takes no command with these two keys."""
    client.set(keys.PROBE, 1, px=PROBE_MS)
    client.exists(keys.PROBE, keys.SWEPT)
