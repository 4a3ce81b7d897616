"""Reads submissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, func, literal, select

from arena.base.errors import NotFound
from arena.store.tables import bots, players, submissions

State = Literal["waiting", "building", "validating", "accepted", "refused", "withdrawn"]
OVER: tuple[State, ...] = ("accepted", "refused", "withdrawn")
HELD: tuple[State, ...] = ("building", "validating")  # by a host
LISTED = 100  # of a bot, per page

# The author of a bot as a number: its account, or the bot itself (negative) if it has no account.
AUTHOR = func.coalesce(bots.c.owner, -bots.c.id)


@dataclass(frozen=True, slots=True)
class Submission:
    """An upload for a bot, without its files. Times are Unix seconds."""

    id: int
    bot: str  # its name
    author: int  # see AUTHOR
    version: str  # the bot's version it became; empty before
    player: int | None  # the number of that version
    files_of: int | None  # the submission this one was rolled back to, which has the files
    label: str  # asked for with the upload, or empty
    created: float
    state: State
    attempts: int  # number of build attempts
    host: str  # the current or last host
    lease_until: float | None
    size: int  # of the source, in bytes
    sha256: bytes  # of the source
    manifest: str  # JSON; empty before it is accepted
    reason: str  # of a refusal; empty otherwise
    log: str  # empty in lists


def get(conn: Connection, number: int) -> Submission:
    """A submission. Raises NotFound."""
    row = conn.execute(_all().where(submissions.c.id == number)).first()
    if row is None:
        raise not_found(number)
    return Submission(*row)


def of_bot(conn: Connection, bot: int, limit: int = LISTED, before: int = 0) -> list[Submission]:
    """Up to `limit` submissions of a bot without their logs, newest first: those older than the
    submission `before`."""
    query = (
        _all(literal(""))
        .where(submissions.c.bot == bot)
        .order_by(submissions.c.id.desc())
        .limit(limit)
    )
    if before:
        query = query.where(submissions.c.id < before)
    return [Submission(*row) for row in conn.execute(query)]


def not_found(number: int) -> NotFound:
    """The error for a submission that does not exist or belongs to another author."""
    return NotFound(f"There is no submission {number}. `arena bot submissions` lists yours.")


def _all(log: ColumnElement[str] = submissions.c.log) -> Select[Any]:
    row = submissions.c
    return (
        select(
            row.id,
            bots.c.name,
            AUTHOR,
            func.coalesce(players.c.version, ""),
            row.player,
            row.files_of,
            row.label,
        )
        .add_columns(row.created, row.state, row.attempts, row.host, row.lease_until, row.size)
        .add_columns(row.sha256, row.manifest, row.reason, log)
        .join_from(submissions, bots, bots.c.id == row.bot)
        .outerjoin(players, players.c.id == row.player)
    )
