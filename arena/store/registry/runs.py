"""Process runs of hosted bots: how they ended and what they wrote. Only the bot's author sees them.

Hosts report more runs than an author can read. The newest of each bot are kept, separately for each
kind, so that none displaces another: runs that were ended early, runs that wrote something, and a
sample of the rest.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, delete, insert, select

from arena.base.errors import NotFound
from arena.base.text import plain
from arena.store.tables import bots, players, runs

LISTED = 100  # per page
LONGEST_ENDING = 2_000  # characters


class RunKind(IntEnum):
    """The kind of a run; each has its own limit."""

    OTHER = 0
    WROTE = 1
    ENDED = 2  # by the arena or by itself, before its match was over


class OutputPart(NamedTuple):
    """A piece of output of a process.

    `when` is "start" (before it was ready), "decision" (until it answered), "unanswered" (during a
    decision that it never answered), "late" (after its time was up) or "end". `decision` is the
    number of the decision in its match, over all seats, from 1; 0 outside of decisions. `others` is
    the number of decisions that were answered together with it.
    """

    when: str
    text: str
    match: str
    decision: int
    others: int


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run as reported by a host."""

    player: int
    match: str  # its id; empty if the process was for all matches of a tournament
    kind: RunKind
    began: float  # Unix seconds
    cpu_s: float
    memory_kb: int  # peak; 0 if unknown
    ending: str  # the reason it ended, as a sentence; empty if its match was over
    parts: tuple[OutputPart, ...] = ()
    wall_s: float | None = None  # time in which it held decisions; None if unknown

    @property
    def size(self) -> int:
        """Number of characters it wrote."""
        return sum(len(part.text) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run."""

    id: int
    bot: str  # its name
    version: str
    match: str
    kind: RunKind
    began: float
    cpu_s: float
    memory_kb: int
    ending: str
    size: int  # characters it wrote
    wall_s: float | None = None
    parts: tuple[OutputPart, ...] = ()  # empty in lists


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits per bot, for each kind."""

    runs: int = 200
    characters: int = 2 * 1024 * 1024  # of output; the oldest runs with output go first


def add(conn: Connection, reported: Sequence[NewRun], limits: RunLimits = RunLimits()) -> None:
    """Stores runs and deletes older ones beyond the limits. Skips runs of unknown players."""
    of_players = select(players.c.id, players.c.bot).where(
        players.c.id.in_({run.player for run in reported})
    )
    bot_of = dict(map(tuple, conn.execute(of_players)))
    rows = [_row(run, bot_of[run.player]) for run in reported if run.player in bot_of]
    if rows:
        conn.execute(insert(runs), rows)
    for bot in sorted(set(bot_of.values())):  # sorted, so that two hosts do not deadlock
        _forget(conn, bot, limits)


def of_bot(
    conn: Connection, bot: int, limit: int = LISTED, before: int = 0, *, ended: bool = False
) -> list[Run]:
    """Up to `limit` runs of a bot without their output, newest first: those older than the run
    `before`, with `ended` only those that were ended early."""
    query = _all().where(runs.c.bot == bot).order_by(runs.c.id.desc()).limit(limit)
    if before:
        query = query.where(runs.c.id < before)
    if ended:
        query = query.where(runs.c.kind == int(RunKind.ENDED))
    return [_run(row) for row in conn.execute(query)]


def get(conn: Connection, number: int) -> Run:
    """A run with its output. Raises NotFound."""
    row = conn.execute(_all().add_columns(runs.c.output).where(runs.c.id == number)).first()
    if row is None:
        raise not_found(number)
    return _run(row[:-1], tuple(OutputPart(*part) for part in json.loads(row[-1])))


def not_found(number: int) -> NotFound:
    """The error for a run that does not exist, was deleted, or belongs to another author."""
    return NotFound(f"There is no run {number}. `arena bot runs` lists the stored ones.")


def _all() -> Select[Any]:
    row = runs.c
    return (
        select(row.id, bots.c.name, players.c.version, row.match, row.kind, row.began, row.cpu_s)
        .add_columns(row.memory_kb, row.ending, row.size, row.wall_s)
        .join_from(runs, bots, bots.c.id == row.bot)
        .join(players, players.c.id == row.player)
    )


def _run(row: Sequence[Any], parts: tuple[OutputPart, ...] = ()) -> Run:
    number, bot, version, match, kind, *rest = row
    return replace(Run(number, bot, version, match, RunKind(kind), *rest), parts=parts)


def _row(run: NewRun, bot: int) -> dict[str, object]:
    parts = [part._replace(text=plain(part.text)) for part in run.parts]
    return {
        "bot": bot,
        "player": run.player,
        "match": run.match,
        "kind": int(run.kind),
        "began": run.began,
        "cpu_s": run.cpu_s,
        "wall_s": run.wall_s,
        "memory_kb": run.memory_kb,
        "size": run.size,
        "ending": plain(run.ending)[:LONGEST_ENDING],
        "output": json.dumps(parts, ensure_ascii=False),
    }


def _forget(conn: Connection, bot: int, limits: RunLimits) -> None:
    query = select(runs.c.id, runs.c.kind, runs.c.size).where(runs.c.bot == bot)
    rows = conn.execute(query.order_by(runs.c.id.desc())).all()
    gone = [number for kind in RunKind for number in _beyond(rows, kind, limits)]
    if gone:
        conn.execute(delete(runs).where(runs.c.id.in_(gone)))


def _beyond(rows: Iterable[Any], kind: RunKind, limits: RunLimits) -> Collection[int]:
    """The rows (newest first) that exceed the limits of their kind."""
    found, count, characters = [], 0, 0
    for number, its, size in rows:
        if its == kind:
            count, characters = count + 1, characters + size
            if count > limits.runs or (size and characters > limits.characters):
                found.append(number)
    return found
