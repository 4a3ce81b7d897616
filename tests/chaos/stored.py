"""Checks of a tournament's stored data."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import redis
from sqlalchemy import Connection, Select, func, select

from arena.service.live import keys
from arena.store import Store, rebuild
from arena.store.tables import batches, entrants, fault_notes, match_seats, matches, tournaments


@dataclass(frozen=True)
class Stored:
    """A tournament after a fault. `blamed` counts faults of bots."""

    state: str
    planned: int
    lost: int = 0
    twice: int = 0
    blamed: int = 0
    remarks: tuple[str, ...] = ()  # other problems, as sentences

    @property
    def sound(self) -> bool:
        """Whether the data is the same as without the fault."""
        wrong = self.lost or self.twice or self.blamed or self.remarks
        return self.state == "finished" and not wrong


def played(store: Store, tournament: int) -> int:
    """The number of its stored matches. Raises Unavailable."""
    with store.read() as conn:
        return _played(conn, tournament)


def finished(store: Store, tournament: int) -> bool:
    """Whether the tournament is over. Raises Unavailable."""
    query = select(tournaments.c.state).where(tournaments.c.id == tournament)
    with store.read() as conn:
        return conn.scalar(query) == "finished"


def examine(store: Store, client: redis.Redis, tournament: int) -> Stored:
    """Reads the stored data in one snapshot. Raises Unavailable, RedisError."""
    with store.snapshot() as conn:
        query = select(tournaments).where(tournaments.c.id == tournament)
        row = conn.execute(query).mappings().one()
        planned, count = row["planned"], _played(conn, tournament)
        counted = _number(conn, select(func.sum(entrants.c.matches)), entrants, tournament)
        seats = _number(conn, select(func.count()), match_seats, tournament)
        blamed = _number(conn, select(func.sum(match_seats.c.faults)), match_seats, tournament)
        remarks = list(_remarks(conn, tournament))
    if row["played"] != count:
        remarks.append(f"The tournament counts {row['played']} matches, {count} are stored.")
    return Stored(
        state=row["state"],
        planned=planned,
        lost=max(0, planned - count),
        # The database rejects duplicate matches; the counters show anything added twice.
        twice=max(0, count - planned, counted - seats),
        blamed=blamed,
        remarks=(*remarks, *_left_in_redis(client, tournament)),
    )


def _played(conn: Connection, tournament: int) -> int:
    return _number(conn, select(func.count()), matches, tournament)


def _number(conn: Connection, query: Select[Any], table: Any, tournament: int) -> int:
    """A count or sum over a tournament's rows in a table."""
    if table is match_seats:
        table = match_seats.join(matches, matches.c.number == match_seats.c.match)
        where = matches.c.tournament == tournament
    else:
        where = table.c.tournament == tournament
    return int(conn.scalar(query.select_from(table).where(where)) or 0)


def _remarks(conn: Connection, tournament: int) -> Iterator[str]:
    left = select(func.count()).where(batches.c.tournament == tournament, ~batches.c.done)
    if count := conn.scalar(left):
        yield f"{count} batches are not done."
    joined = fault_notes.join(matches, matches.c.number == fault_notes.c.match)
    kinds = select(fault_notes.c.kind, fault_notes.c.reason, func.count()).select_from(joined)
    where = matches.c.tournament == tournament
    for kind, reason, count in conn.execute(
        kinds.where(where).group_by(fault_notes.c.kind, fault_notes.c.reason)
    ):
        yield f"Blamed {count} times: {kind} ({reason})"
    for game in rebuild.games(conn):
        yield from rebuild.compare(conn, game).differences


def _left_in_redis(client: redis.Redis, tournament: int) -> Iterator[str]:
    """Leases of abandoned batches, and batches that still wait after the end."""
    found: list[Any] = []
    leases = cast(list[Any], client.keys(f"{keys.LEASE}{tournament}:*"))
    found += [each for each in leases if not each.endswith((b":failures", b":outages"))]  # expire
    found += cast(list[Any], client.keys(f"{keys.READY_BATCHES}{tournament}"))
    playing = cast(list[Any], client.zrange(keys.PLAYING, 0, -1))
    found += [each for each in playing if each.startswith(f"{tournament}:".encode())]
    if found:
        yield f"Left in Redis: {', '.join(sorted(each.decode() for each in found))}."
