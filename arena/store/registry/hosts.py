"""Hosts: the processes of the arena that play hosted bots, and the tokens they connect with.

A host registers itself when it starts and removes itself when it ends. One that died leaves its
row, which goes a day after it last said that it runs. Of a token only the SHA-256 digest is stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.registry.bots import TOKENS_AT_A_TIME, digest
from arena.store.tables import hosts
from arena.store.upsert import insert

TOKEN_PREFIX = "host_"  # noqa: S105
SILENT_S = 86_400  # a host that has not been seen for so long is dead


@dataclass(frozen=True, slots=True)
class Host:
    """A host that is registered. Times are Unix seconds."""

    id: int
    name: str
    started: float


def register(conn: Connection, name: str, now: float | None = None) -> tuple[Host, str]:
    """A new host, and its token, which cannot be had again. It is to call `keep` more often than
    once a day. Forgets hosts that died."""
    started = instant.now() if now is None else now
    conn.execute(delete(hosts).where(hosts.c.seen < started - SILENT_S))
    token = TOKEN_PREFIX + secrets.token_urlsafe(24)
    row = {"name": name, "token_digest": digest(token), "started": started, "seen": started}
    number = conn.scalar(insert(conn, hosts).values(row).returning(hosts.c.id))
    return Host(int(number or 0), name, started), token


def keep(conn: Connection, host: int, now: float | None = None) -> None:
    """Says that a host runs. Raises NotFound if it is registered no more."""
    seen = instant.now() if now is None else now
    if not conn.execute(update(hosts).where(hosts.c.id == host).values(seen=seen)).rowcount:
        raise NotFound(f"Host {host} is not registered any more: start it again.")


def remove(conn: Connection, host: int) -> None:
    """Forgets a host, whose token is void from now on; nothing happens if it is forgotten."""
    conn.execute(delete(hosts).where(hosts.c.id == host))


def by_token(conn: Connection, token: str) -> Host | None:
    """The host that has this token."""
    return by_tokens(conn, [token]).get(token)


def by_tokens(conn: Connection, tokens: Collection[str]) -> dict[str, Host]:
    """Of each of these tokens that a host has, this host."""
    holders: dict[str, Host] = {}
    listed = list(tokens)
    for first in range(0, len(listed), TOKENS_AT_A_TIME):
        by_digest = {digest(token): token for token in listed[first : first + TOKENS_AT_A_TIME]}
        query = select(hosts.c.id, hosts.c.name, hosts.c.started, hosts.c.token_digest)
        for *row, found in conn.execute(query.where(hosts.c.token_digest.in_(by_digest))):
            holders[by_digest[found]] = Host(*row)
    return holders
