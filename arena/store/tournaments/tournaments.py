"""Tournaments: what is played, by whom, and how far it is.

States: waiting (for bots) → running → finished; cancelled from the first two, from where a
tournament can be resumed. Whoever changes one holds its `lock`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, Select, bindparam, case, func, select, update

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.tables import entrants, tournaments
from arena.tournaments.formats import FromSecret, TournamentSpec, format_of
from arena.tournaments.formats.priority import WEIGHTS, Priority
from arena.tournaments.formats.sign_up import SignUp

State = Literal["waiting", "running", "finished", "cancelled"]
STATES: tuple[State, ...] = get_args(State)
UNDER_WAY: tuple[State, ...] = ("waiting", "running")
OVER: tuple[State, ...] = ("finished", "cancelled")  # the second unless somebody resumes it
# Only the first counts in ratings and is listed by itself: a "test" shows a bot's owner whether
# it plays, at a "table" there sits a human.
Kind = Literal["tournament", "test", "table"]
LeftOut = Literal["benched", "retired"]


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament; `players` are in entrant order, like the bots of its spec."""

    id: int
    spec: TournamentSpec
    state: State
    note: str  # what there is to know about the state
    created: float
    waiting_since: float  # the start grace runs from then
    started: float | None
    finished: float | None
    planned: int  # matches in all
    played: int  # matches stored
    players: tuple[int, ...]
    owner: int | None = None  # the account that made it
    kind: Kind = "tournament"
    commitment: str = ""  # hexadecimal: to what all cards follow from
    secret: str = ""  # hexadecimal: what they follow from; "" until it is finished
    priority: Priority = "normal"
    queued_s: float = 0.0  # so long it waited for a worker since it first began, up to now
    stopped_s: float = 0.0  # and so long it was stopped, or waited for its bots anew
    starts_at: float | None = None  # Unix seconds before which it does not begin
    sign_up: SignUp | None = None  # while bots may enter: until it begins, or was to begin
    # Bots that had entered and were not in when the sign-up closed, with the reasons.
    left_out: Mapping[str, LeftOut] = field(default_factory=dict, hash=False)

    def scheduled(self, now: float) -> bool:
        """Whether it waits for its start time (all Unix seconds)."""
        return self.state == "waiting" and self.starts_at is not None and now < self.starts_at

    def open(self, now: float) -> bool:
        """Whether authors may enter their bots (at a time in Unix seconds)."""
        return self.sign_up is not None and self.scheduled(now)

    @property
    def weight(self) -> float:
        """Its share of the workers compared with that of others."""
        return WEIGHTS[self.priority]

    @property
    def shares_deals(self) -> bool:
        """Whether a deal is played in several matches, so that one of them tells of the others."""
        return format_of(self.spec.format).matches_per_deal(self.spec) > 1

    @property
    def repeatable(self) -> bool:
        """Whether its secret was made of a number that somebody gave."""
        return self.spec.repeats is not None

    @property
    def open_seed(self) -> int | None:
        """The number that it repeats, if it is finished and there is one. A cancelled one may yet
        be resumed."""
        return self.spec.repeats if self.state == "finished" else None

    @property
    def open_salt(self) -> str:
        """What the secret was made of beside that number, if it is finished; else empty."""
        return self.spec.salt if self.state == "finished" else ""


def get(conn: Connection, tournament: int) -> Tournament:
    """One tournament. Raises NotFound."""
    rows = _read(conn, ONE, {"of": tournament})
    if not rows:
        raise NotFound(f"There is no tournament {tournament}.")
    return rows[0]


def names(conn: Connection, numbers: Collection[int]) -> dict[int, str]:
    """The names of these tournaments, by number."""
    rows = conn.execute(SPECS, {"numbers": list(numbers)})
    return {number: decode_spec(spec).name for number, spec in rows}


def newest_names(conn: Connection, limit: int) -> dict[int, str]:
    """The names of so many rated tournaments by number, the newest first."""
    rows = conn.execute(NEWEST, {"most": limit})
    return {number: decode_spec(spec).name for number, spec in rows}


def all_tournaments(
    conn: Connection,
    limit: int | None = None,
    before: int | None = None,
    *,
    kind: Kind = "tournament",
) -> list[Tournament]:
    """Those of a kind, newest first: at most `limit`, and only those older than number `before`."""
    query = _query().where(tournaments.c.kind == kind)
    query = query.order_by(tournaments.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tournaments.c.id < before)
    return _read(conn, query)


def played(conn: Connection, tournament: int) -> int:
    """How many matches of a tournament are stored: what follows from them changes with it."""
    return int(conn.scalar(PLAYED, {"of": tournament}) or 0)


def under_way(conn: Connection) -> dict[int, State]:
    """The numbers of those waiting or running, oldest first, with their states; nothing is read
    that could be broken."""
    row = tournaments.c
    query = select(row.id, row.state).where(row.state.in_(UNDER_WAY)).order_by(row.id)
    return dict(conn.execute(query).all())


def readable(conn: Connection, numbers: Collection[int]) -> tuple[list[Tournament], list[int]]:
    """These tournaments, and the numbers of those whose rows are damaged."""
    rows = conn.execute(_query().where(tournaments.c.id.in_(numbers))).all()
    entered = _players(conn, [row.id for row in rows])
    found, broken = [], []
    for row in rows:
        try:
            found.append(_tournament(row, entered[row.id]))
        except (ValueError, TypeError):
            broken.append(row.id)
    return found, broken


def running(conn: Connection, numbers: Collection[int]) -> set[int]:
    """Those of these tournaments that run."""
    row = tournaments.c
    query = select(row.id).where(row.id.in_(numbers), row.state == "running")
    return set(conn.scalars(query))


def last_finished(conn: Connection) -> float:
    """When the last one was finished (Unix seconds); 0 before the first."""
    ended = select(func.max(tournaments.c.finished)).where(tournaments.c.state == "finished")
    return float(conn.scalar(ended) or 0.0)


def latest_finished(conn: Connection, limit: int) -> list[Tournament]:
    """So many finished tournaments, the one that ended last first."""
    row = tournaments.c
    query = _query().where(row.kind == "tournament", row.state == "finished")
    return _read(conn, query.order_by(row.finished.desc(), row.id.desc()).limit(limit))


def lock(conn: Connection, tournament: int) -> Tournament:
    """One tournament, kept from other writers until this transaction ends. Raises NotFound."""
    lock_row(conn, tournament)
    return get(conn, tournament)


def lock_row(conn: Connection, tournament: int) -> int | None:
    """Locks a tournament; gives the position of its next match to be rated, None if its matches
    are not rated. Raises NotFound.

    SQLite has one writer at a time anyway. The lock is the kind that does not stand in the
    way of rows that refer to the tournament.
    """
    query = select(tournaments.c.rated, tournaments.c.kind).where(tournaments.c.id == tournament)
    row = conn.execute(query.with_for_update(key_share=True)).first()
    if row is None:
        raise NotFound(f"There is no tournament {tournament}.")
    return int(row.rated) if row.kind == "tournament" else None


def set_state(
    conn: Connection, tournament: int, state: State, note: str = "", now: float | None = None
) -> None:
    """Moves a tournament to a state, and notes when it first ran and when it ended.

    One that is resumed waits for its bots anew. Setting the state it is in changes the note
    only. The caller holds the lock.
    """
    before = get(conn, tournament)
    moment = instant.now() if now is None else now
    started, finished, waiting = before.started, before.finished, before.waiting_since
    stopped = before.stopped_s + _stopped_s(before, state, moment)
    if state == "waiting" != before.state:
        waiting = moment
    if state == "running" and started is None:
        started = moment
    if state in UNDER_WAY:
        finished = None
    elif before.state != state:
        finished = moment
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament)
        .values(
            state=state,
            note=note,
            waiting_since=waiting,
            started=started,
            finished=finished,
            stopped_s=stopped,
        )
    )


def _stopped_s(before: Tournament, state: State, moment: float) -> float:
    """What a change of state adds to the time in which a tournament that had begun stood still."""
    if before.started is None or before.state == state:
        return 0.0
    if before.state == "cancelled":
        return max(0.0, moment - (before.finished or moment))
    return max(0.0, moment - before.waiting_since) if before.state == "waiting" else 0.0


def add_queued(conn: Connection, tournament: int, seconds: float) -> None:
    """Notes that a tournament waited for a worker for so long."""
    row = tournaments.c
    longer = update(tournaments).where(row.id == tournament)
    conn.execute(longer.values(queued_s=row.queued_s + seconds))


def set_note(conn: Connection, tournament: int, note: str) -> None:
    """Says something new about a tournament, if it runs. The caller holds the lock."""
    row = tournaments.c
    running = update(tournaments).where(row.id == tournament, row.state == "running")
    conn.execute(running.values(note=note))


def start_now(conn: Connection, tournament: int, now: float) -> None:
    """Takes the start time off a tournament that waits, so that the start grace runs from `now`
    (Unix seconds). The caller holds the lock."""
    row = update(tournaments).where(tournaments.c.id == tournament)
    conn.execute(row.values(starts_at=None, waiting_since=now, note=""))


def upcoming(conn: Connection, now: float, limit: int) -> list[Tournament]:
    """So many of the tournaments that wait for their start time, the next one first."""
    row = tournaments.c
    query = _query().where(row.kind == "tournament", row.state == "waiting", row.starts_at > now)
    return _read(conn, query.order_by(row.starts_at, row.id).limit(limit))


def called_off(conn: Connection, since: float, limit: int) -> list[Tournament]:
    """So many of those that were cancelled before they began and were to begin since then (Unix
    seconds), the first one first."""
    row = tournaments.c
    query = _query().where(row.kind == "tournament", row.state == "cancelled")
    query = query.where(row.started.is_(None), row.starts_at > since)
    return _read(conn, query.order_by(row.starts_at, row.id).limit(limit))


def set_priority(conn: Connection, tournament: int, priority: Priority) -> None:
    """Changes the share of the workers that a tournament gets. The caller holds the lock."""
    row = update(tournaments).where(tournaments.c.id == tournament)
    conn.execute(row.values(priority=priority))


def source(conn: Connection, tournament: int) -> FromSecret:
    """What the cards and match ids of a tournament follow from: for those who deal, and nobody
    else before the end. Raises NotFound."""
    row = tournaments.c
    secret = conn.scalar(select(row.secret).where(row.id == tournament))
    if secret is None:
        raise NotFound(f"There is no tournament {tournament}.")
    return FromSecret(secret, tournament)


def end(conn: Connection, tournament: Tournament) -> None:
    """Notes that all is played; results may have ended it before all that was planned for."""
    set_state(conn, tournament.id, "finished")
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament.id)
        .values(planned=tournaments.c.played)
    )


@lru_cache(maxsize=256)  # those of two hundred bots have 3 kB, and pages read several times
def decode_spec(text: str) -> TournamentSpec:
    """A stored spec."""
    fields: dict[str, Any] = json.loads(text)
    lists = {name: tuple(fields[name]) for name in ("bots", "authors")}
    return TournamentSpec(**{**fields, **lists})


def _query() -> Select[Any]:
    """All that may be known of a tournament: its secret only when it is finished."""
    row = tournaments.c
    own = ("rated", "matches_per_deal", "secret")  # for those who store results or deal
    opened = case((row.state == "finished", row.secret), else_=None).label("secret")
    return select(*(column for column in row if column.name not in own), opened)


ONE = _query().where(tournaments.c.id == bindparam("of"))
ENTRANTS = (
    select(entrants.c.tournament, entrants.c.player)
    .where(entrants.c.tournament.in_(bindparam("numbers", expanding=True)))
    .order_by(entrants.c.tournament, entrants.c.entrant)
)
_row = tournaments.c
PLAYED = select(_row.played).where(_row.id == bindparam("of"))
SPECS = select(_row.id, _row.spec).where(_row.id.in_(bindparam("numbers", expanding=True)))
NEWEST = (
    select(_row.id, _row.spec)
    .where(_row.kind == "tournament")
    .order_by(_row.id.desc())
    .limit(bindparam("most"))
)


def _read(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[Tournament]:
    rows = conn.execute(query, values).all()
    entered = _players(conn, [row.id for row in rows])
    return [_tournament(row, entered[row.id]) for row in rows]


def _players(conn: Connection, ids: Sequence[int]) -> dict[int, list[int]]:
    players: dict[int, list[int]] = {key: [] for key in ids}
    for tournament, player in conn.execute(ENTRANTS, {"numbers": ids}):
        players[tournament].append(player)
    return players


def _tournament(row: Row[Any], entered: list[int]) -> Tournament:
    fields = {**row._mapping, "spec": decode_spec(row.spec), "players": tuple(entered)}
    limits = fields.pop("max_bots"), fields.pop("bots_per_author")
    fields["sign_up"] = None if limits[0] is None else SignUp(*limits)
    fields["left_out"] = json.loads(row.left_out or "{}")
    for name in ("commitment", "secret"):
        fields[name] = (fields[name] or b"").hex()
    return Tournament(**fields)
