"""Reads tournaments and changes their state.

States: waiting (for bots) → running → finished. The first two can be cancelled, and a cancelled
tournament can be resumed. Code that changes a tournament holds its `lock`.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, Select, bindparam, case, select, update

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.tables import daily_attempts, daily_deals, entrants, tournaments
from arena.tournaments.formats import FromSecret, OnSharedDeal, TournamentSpec, format_of
from arena.tournaments.formats.priority import WEIGHTS, Priority
from arena.tournaments.formats.sign_up import SignUp

State = Literal["waiting", "running", "finished", "cancelled"]
STATES: tuple[State, ...] = get_args(State)
UNDER_WAY: tuple[State, ...] = ("waiting", "running")
OVER: tuple[State, ...] = ("finished", "cancelled")  # a cancelled one can be resumed
# Only a "tournament" counts in ratings and is listed. A "test" is a test match of a bot; a "table"
# is a casual game with a person.
Kind = Literal["tournament", "test", "table"]
LeftOut = Literal["benched", "retired"]
_row = tournaments.c
_under_way = select(_row.id, _row.state).where(_row.state.in_(UNDER_WAY)).order_by(_row.id)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament; `players` are in entrant order, like the bots of its spec."""

    id: int
    spec: TournamentSpec
    state: State
    note: str  # explains the state
    created: float
    waiting_since: float  # start of the grace period
    started: float | None
    finished: float | None
    planned: int  # matches in all
    played: int  # matches stored
    players: tuple[int, ...]
    owner: int | None = None  # the account that created it
    kind: Kind = "tournament"
    commitment: str = ""  # hexadecimal digest of the secret
    secret: str = ""  # hexadecimal source of all cards; "" until it is finished
    priority: Priority = "normal"
    queued_s: float = 0.0  # time it waited for a worker since its first start
    stopped_s: float = 0.0  # time it was cancelled, or waited for its bots again, since then
    starts_at: float | None = None  # earliest start, in Unix seconds
    sign_up: SignUp | None = None  # while bots may enter: until the start
    # Bots that had entered but could not play when sign-up closed, with the reasons.
    left_out: Mapping[str, LeftOut] = field(default_factory=dict, hash=False)

    def scheduled(self, now: float) -> bool:
        """Whether it waits for its start time (all in Unix seconds)."""
        return self.state == "waiting" and self.starts_at is not None and now < self.starts_at

    def open(self, now: float) -> bool:
        """Whether authors may enter their bots now (Unix seconds)."""
        return self.sign_up is not None and self.scheduled(now)

    @property
    def weight(self) -> float:
        """Its share of the workers, relative to other tournaments."""
        return WEIGHTS[self.priority]

    @property
    def shares_deals(self) -> bool:
        """Whether a deal is played in several matches, so that one reveals cards of another."""
        return format_of(self.spec.format).matches_per_deal(self.spec) > 1

    @property
    def repeatable(self) -> bool:
        """Whether its secret is derived from a given seed."""
        return self.spec.repeats is not None

    @property
    def open_seed(self) -> int | None:
        """The seed of a repeatable tournament, once it is finished; a cancelled one may be
        resumed."""
        return self.spec.repeats if self.state == "finished" else None

    @property
    def open_salt(self) -> str:
        """The salt that goes with the seed, once the tournament is finished; else empty."""
        return self.spec.salt if self.state == "finished" else ""


def get(conn: Connection, tournament: int) -> Tournament:
    """One tournament. Raises NotFound."""
    rows = read(conn, ONE, {"of": tournament})
    if not rows:
        raise NotFound(f"There is no tournament {tournament}.")
    return rows[0]


def all_tournaments(
    conn: Connection,
    limit: int | None = None,
    before: int | None = None,
    *,
    kind: Kind = "tournament",
) -> list[Tournament]:
    """Tournaments of a kind, newest first: at most `limit`, only those older than `before`."""
    query = selected().where(tournaments.c.kind == kind)
    query = query.order_by(tournaments.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(tournaments.c.id < before)
    return read(conn, query)


def played(conn: Connection, tournament: int) -> int:
    """Number of stored matches of a tournament; a version for everything computed from them."""
    return int(conn.scalar(PLAYED, {"of": tournament}) or 0)


def under_way(conn: Connection) -> dict[int, State]:
    """The states of waiting and running tournaments by number, oldest first. Works even if specs
    are damaged."""
    return dict(conn.execute(_under_way).all())


def readable(conn: Connection, numbers: Collection[int]) -> tuple[list[Tournament], list[int]]:
    """These tournaments, and the numbers of those whose rows are damaged."""
    rows = conn.execute(selected().where(tournaments.c.id.in_(numbers))).all()
    entered = _players(conn, [row.id for row in rows])
    found, broken = [], []
    for row in rows:
        try:
            found.append(_tournament(row, entered[row.id]))
        except (ValueError, TypeError):
            broken.append(row.id)
    return found, broken


def running(conn: Connection, numbers: Collection[int]) -> set[int]:
    """The running ones of these tournaments."""
    query = select(_row.id).where(_row.id.in_(numbers), _row.state == "running")
    return set(conn.scalars(query))


def lock(conn: Connection, tournament: int) -> Tournament:
    """One tournament, with its row lock until this transaction ends. Raises NotFound."""
    lock_row(conn, tournament)
    return get(conn, tournament)


def lock_row(conn: Connection, tournament: int) -> int | None:
    """Takes the row lock of a tournament. Returns the position of its next match to rate, None if
    its matches are not rated. Raises NotFound.

    The lock does not block rows that refer to the tournament. SQLite needs none: it has one writer
    at a time.
    """
    query = select(tournaments.c.rated, tournaments.c.kind).where(tournaments.c.id == tournament)
    row = conn.execute(query.with_for_update(key_share=True)).first()
    if row is None:
        raise NotFound(f"There is no tournament {tournament}.")
    return int(row.rated) if row.kind == "tournament" else None


def set_state(
    conn: Connection, tournament: int, state: State, note: str = "", now: float | None = None
) -> None:
    """Moves a tournament to a state, and stores when it first ran and when it ended.

    A resumed tournament waits for its bots again. With the current state, only the note changes.
    The caller holds the lock.
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
    row = update(tournaments).where(tournaments.c.id == tournament)
    times = {"waiting_since": waiting, "started": started, "finished": finished}
    conn.execute(row.values(state=state, note=note, stopped_s=stopped, **times))


def _stopped_s(before: Tournament, state: State, moment: float) -> float:
    """Seconds that a change of state adds to the time in which a started tournament stood idle."""
    if before.started is None or before.state == state:
        return 0.0
    if before.state == "cancelled":
        return max(0.0, moment - (before.finished or moment))
    return max(0.0, moment - before.waiting_since) if before.state == "waiting" else 0.0


def add_queued(conn: Connection, tournament: int, seconds: float) -> None:
    """Adds to the time for which a tournament waited for a worker."""
    longer = update(tournaments).where(_row.id == tournament)
    conn.execute(longer.values(queued_s=_row.queued_s + seconds))


def set_note(conn: Connection, tournament: int, note: str) -> None:
    """Changes the note of a tournament if it is running. The caller holds the lock."""
    running = update(tournaments).where(_row.id == tournament, _row.state == "running")
    conn.execute(running.values(note=note))


def start_now(conn: Connection, tournament: int, now: float) -> None:
    """Moves the start time of a waiting tournament to now (Unix seconds) unless it has passed. The
    grace period starts now. The caller holds the lock."""
    row = update(tournaments).where(tournaments.c.id == tournament)
    at = case((_row.starts_at > now, now), else_=_row.starts_at)
    conn.execute(row.values(starts_at=at, waiting_since=now, note=""))


def set_priority(conn: Connection, tournament: int, priority: Priority) -> None:
    """Changes a tournament's share of the workers. The caller holds the lock."""
    conn.execute(update(tournaments).where(_row.id == tournament).values(priority=priority))


def source(conn: Connection, tournament: int) -> FromSecret:
    """The source of a tournament's cards and match ids. Only code that deals may use it before the
    end. Raises NotFound."""
    found = conn.execute(SOURCE, {"of": tournament}).first()
    if found is None:
        raise NotFound(f"There is no tournament {tournament}.")
    own, cards, deal = found
    if deal is not None:
        return OnSharedDeal(own, tournament, FromSecret(cards, deal))
    return FromSecret(own, tournament)


def end(conn: Connection, tournament: Tournament) -> None:
    """Finishes a tournament; it may end before all planned matches were played."""
    set_state(conn, tournament.id, "finished")
    conn.execute(update(tournaments).where(_row.id == tournament.id).values(planned=_row.played))


@lru_cache(maxsize=256)  # pages decode them several times, and large ones have 3 kB
def decode_spec(text: str) -> TournamentSpec:
    fields: dict[str, Any] = json.loads(text)
    lists = {name: tuple(fields[name]) for name in ("bots", "authors")}
    return TournamentSpec(**{**fields, **lists})


def selected() -> Select[Any]:
    """Selects the public columns of tournaments, and the secret of finished ones."""
    own = ("rated", "matches_per_deal", "secret")  # only for code that stores results or deals
    opened = case((_row.state == "finished", _row.secret), else_=None).label("secret")
    return select(*(column for column in _row if column.name not in own), opened)


ONE = selected().where(tournaments.c.id == bindparam("of"))
ENTRANTS = (
    select(entrants.c.tournament, entrants.c.player)
    .where(entrants.c.tournament.in_(bindparam("numbers", expanding=True)))
    .order_by(entrants.c.tournament, entrants.c.entrant)
)
PLAYED = select(_row.played).where(_row.id == bindparam("of"))
_dealt = tournaments.outerjoin(daily_attempts).outerjoin(daily_deals)
SOURCE = select(_row.secret, daily_deals.c.secret, daily_deals.c.id).select_from(_dealt)
SOURCE = SOURCE.where(_row.id == bindparam("of"), _row.secret.is_not(None))


def read(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[Tournament]:
    """The tournaments of a query made of `selected`, in its order."""
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
