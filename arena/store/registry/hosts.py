"""Bot hosts: the processes that play hosted bots, and the tokens they connect with.

A host registers when it starts and removes itself when it stops. The row of a host that died goes a
day after it was last seen. Only the SHA-256 digest of a token is stored.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.dialects import insert
from arena.store.registry.tokens import by_digest, digest, new_token
from arena.store.tables import hosts

TOKEN_PREFIX = "host_"  # noqa: S105
SILENT_S = 86_400  # a host that was not seen for this long is dead


@dataclass(frozen=True, slots=True)
class Host:
    """A registered host. Times are Unix seconds."""

    id: int
    name: str
    started: float


def register(conn: Connection, name: str, now: float | None = None) -> tuple[Host, str]:
    """Registers a host and returns it with its token, which is not stored. The host must call
    `keep` more than once a day. Also removes dead hosts."""
    started = instant.now() if now is None else now
    conn.execute(delete(hosts).where(hosts.c.seen < started - SILENT_S))
    token = new_token(TOKEN_PREFIX)
    row = {"name": name, "token_digest": digest(token), "started": started, "seen": started}
    number = conn.scalar(insert(conn, hosts).values(row).returning(hosts.c.id))
    return Host(int(number or 0), name, started), token


def keep(conn: Connection, host: int, now: float | None = None) -> None:
    """Notes that a host is running. Raises NotFound if it is no longer registered."""
    seen = instant.now() if now is None else now
    if not conn.execute(update(hosts).where(hosts.c.id == host).values(seen=seen)).rowcount:
        raise NotFound(f"Host {host} is no longer registered. Start it again.")


def remove(conn: Connection, host: int) -> None:
    """Removes a host, if it is registered. Its token no longer works."""
    conn.execute(delete(hosts).where(hosts.c.id == host))


def by_token(conn: Connection, token: str) -> Host | None:
    return by_tokens(conn, [token]).get(token)


def by_tokens(conn: Connection, tokens: Collection[str]) -> dict[str, Host]:
    """By token, the host that has it; unknown tokens are left out."""
    holders: dict[str, Host] = {}
    for some in by_digest(tokens):
        query = select(hosts.c.id, hosts.c.name, hosts.c.started, hosts.c.token_digest)
        for *row, found in conn.execute(query.where(hosts.c.token_digest.in_(some))):
            holders[some[found]] = Host(*row)
    return holders
