"""Tournaments: what is played, by whom, and how far it is.

States: waiting (for bots) → running → finished; cancelled from the first two, from where a
tournament can be resumed. Whoever changes one holds its `lock`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from secrets import token_bytes
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, Select, case, func, select, update

from arena.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound
from arena.pairing import FromSecret, FromSeed, Source, TournamentSpec, by_elo, format_of
from arena.pairing.secret import SECRET_BYTES, commitment, repeatable
from arena.rating.elo import START
from arena.store.registry import bots
from arena.store.registry.bots import Bot
from arena.store.tables import COUNTERS, entrants, ratings, tournaments
from arena.store.tournaments import authors, bench, trust
from arena.store.upsert import insert

State = Literal["waiting", "running", "finished", "cancelled"]
STATES: tuple[State, ...] = get_args(State)
UNDER_WAY: tuple[State, ...] = ("waiting", "running")
OVER: tuple[State, ...] = ("finished", "cancelled")  # the second unless somebody resumes it
# Only the first counts in ratings and is listed by itself: a "test" shows a bot's owner whether
# it plays, at a "table" there sits a human.
Kind = Literal["tournament", "test", "table"]

# Waiting or running at once, for all that is under way is looked after every second.
MOST_UNDER_WAY: dict[Kind, int] = {"tournament": 1_000, "test": 500, "table": 500}
PLURALS: dict[Kind, str] = {"tournament": "tournaments", "test": "test matches", "table": "tables"}


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
    commitment: str = ""  # hexadecimal: to what all cards follow from; "" in older releases
    secret: str = ""  # hexadecimal: what they follow from; "" until it is finished

    @property
    def repeatable(self) -> bool:
        """Whether its secret was made of a number that somebody gave."""
        return self.spec.repeats is not None

    @property
    def open_seed(self) -> int | None:
        """The number that all cards follow from, if it is finished and there is one: the one it
        repeats, in older releases its seed. A cancelled one may yet be resumed."""
        if self.state != "finished":
            return None
        return self.spec.repeats if self.commitment else self.spec.seed


def create(
    conn: Connection,
    spec: TournamentSpec,
    now: float | None = None,
    *,
    owner: int | None = None,
    kind: Kind = "tournament",
    bench_after: int = bench.BENCH_AFTER,
) -> Tournament:
    """Stores a checked spec as a tournament that waits for its bots.

    The bots enter in their newest versions and stay in these to the end. Raises NotFound naming
    bots that are missing, InvalidRequest naming those that are retired or benched, or that have to
    be trusted and are not, LimitReached when as many of the kind are under way as may be.
    """
    _check_room(conn, kind)
    entered = bots.get_all(conn, spec.bots)
    _check_entered(entered, kind)
    trust.check(spec, entered, owner)
    if kind == "tournament":
        bench.check(conn, entered, spec.game, bench_after)
    if by_elo(spec):
        entered = _by_elo(conn, spec.game, entered)
    moment = time.time() if now is None else now
    secret = token_bytes(SECRET_BYTES) if spec.repeats is None else repeatable(spec.repeats)
    names = tuple([bot.name for bot in entered])
    spec = replace(spec, bots=names, authors=authors.of(spec.format, entered))
    row = {
        "spec": "",  # its seed follows from the number that it gets
        "state": "waiting",
        "note": "",
        "created": moment,
        "waiting_since": moment,
        "planned": format_of(spec.format).count(spec),
        "played": 0,
        "rated": 0,
        "matches_per_deal": format_of(spec.format).matches_per_deal(spec),
        "owner": owner,
        "kind": kind,
        "secret": secret,
        "commitment": commitment(secret),
    }
    inserted = insert(conn, tournaments).values(**row).returning(tournaments.c.id)
    key = int(conn.scalar(inserted) or 0)
    _store_spec(conn, key, replace(spec, seed=FromSecret(secret, key).schedule_seed))
    _insert_entrants(conn, key, entered)
    return get(conn, key)


def _insert_entrants(
    conn: Connection, tournament: int, entered: Sequence[Bot], first: int = 0
) -> None:
    """Stores them as the entrants from number `first` on, who have played nothing yet."""
    nothing = dict.fromkeys(COUNTERS, 0)
    rows = [
        {"tournament": tournament, "entrant": entrant, "player": bot.player, **nothing}
        for entrant, bot in enumerate(entered, first)
    ]
    conn.execute(insert(conn, entrants), rows)


def _check_room(conn: Connection, kind: Kind) -> None:
    query = select(func.count()).select_from(tournaments).where(tournaments.c.kind == kind)
    under_way = conn.scalar(query.where(tournaments.c.state.in_(UNDER_WAY))) or 0
    if under_way >= MOST_UNDER_WAY[kind]:
        raise LimitReached(
            f"{under_way:,} {PLURALS[kind]} are under way, which is the most: "
            "wait until some of them are over, or stop one."
        )


def _check_entered(entered: Sequence[Bot], kind: Kind) -> None:
    retired = [bot.name for bot in entered if bot.retired is not None]
    if retired:
        raise InvalidRequest(f"{', '.join(retired)}: retired, so nobody can be asked to play.")
    guests = [bot.name for bot in entered if bot.kind == "guest" and kind != "table"]
    if guests:
        raise InvalidRequest(f"{', '.join(guests)}: a person, who plays at tables only.")


def _by_elo(conn: Connection, game: str, entered: list[Bot]) -> list[Bot]:
    """The bots by their Elo in the game, best first; equal ones keep their order."""
    query = select(ratings.c.player, ratings.c.elo).where(ratings.c.game == game)
    elo: dict[int, float] = dict(conn.execute(query.where(ratings.c.seats == 0)).all())
    return sorted(entered, key=lambda bot: -elo.get(bot.player, START))


def get(conn: Connection, tournament: int) -> Tournament:
    """One tournament. Raises NotFound."""
    rows = _read(conn, _query().where(tournaments.c.id == tournament))
    if not rows:
        raise NotFound(f"There is no tournament {tournament}.")
    return rows[0]


def names(conn: Connection, numbers: Collection[int]) -> dict[int, str]:
    """The names of these tournaments, by number."""
    query = select(tournaments.c.id, tournaments.c.spec).where(tournaments.c.id.in_(numbers))
    return {number: decode_spec(spec).name for number, spec in conn.execute(query)}


def newest_names(conn: Connection, limit: int) -> dict[int, str]:
    """The names of so many rated tournaments by number, the newest first."""
    row = tournaments.c
    query = select(row.id, row.spec).where(row.kind == "tournament")
    rows = conn.execute(query.order_by(row.id.desc()).limit(limit))
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
    count = conn.scalar(select(tournaments.c.played).where(tournaments.c.id == tournament))
    return int(count or 0)


def under_way(conn: Connection) -> dict[int, Kind]:
    """The numbers of those waiting or running, oldest first, with their kinds; nothing is read
    that could be broken."""
    row = tournaments.c
    query = select(row.id, row.kind).where(row.state.in_(UNDER_WAY)).order_by(row.id)
    return dict(conn.execute(query).all())


def last_finished(conn: Connection) -> float:
    """When the last one was finished (Unix seconds); 0 before the first."""
    ended = select(func.max(tournaments.c.finished)).where(tournaments.c.state == "finished")
    return float(conn.scalar(ended) or 0.0)


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
    moment = time.time() if now is None else now
    started, finished, waiting = before.started, before.finished, before.waiting_since
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
        .values(state=state, note=note, waiting_since=waiting, started=started, finished=finished)
    )


def enter(
    conn: Connection, tournament: Tournament, name: str, bench_after: int = bench.BENCH_AFTER
) -> None:
    """Enters a bot in its newest version into a tournament under way, whose lock the caller
    holds. An older version stays in the standings, but is not seated any more.

    Raises NotFound, AlreadyExists, InvalidRequest for a format that does not take new bots, or
    a bot that would have to be trusted, or is benched.
    """
    spec = tournament.spec
    if not format_of(spec.format).takes_new:
        raise InvalidRequest(
            f"Tournament {tournament.id} is a {spec.format}; only a ladder takes new bots."
        )
    bot = bots.get(conn, name)
    _check_entered([bot], tournament.kind)
    trust.check(spec, [bot], tournament.owner)
    bench.check(conn, [bot], spec.game, bench_after)
    if bot.player in tournament.players:
        raise AlreadyExists(f"{bot.name} {bot.version} is in tournament {tournament.id} already.")
    _insert_entrants(conn, tournament.id, [bot], first=len(spec.bots))
    grown = authors.with_another(conn, spec, tournament.players, bot)
    _store_spec(conn, tournament.id, grown)


def source(conn: Connection, tournament: int) -> Source:
    """What the cards and match ids of a tournament follow from: for those who deal, and nobody
    else before the end. Raises NotFound."""
    columns = select(tournaments.c.secret, tournaments.c.spec)
    row = conn.execute(columns.where(tournaments.c.id == tournament)).first()
    if row is None:
        raise NotFound(f"There is no tournament {tournament}.")
    if row.secret is None:
        return FromSeed(decode_spec(row.spec).seed, tournament)
    return FromSecret(row.secret, tournament)


def end(conn: Connection, tournament: Tournament) -> None:
    """Notes that all is played; results may have ended it before all that was planned for."""
    set_state(conn, tournament.id, "finished")
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament.id)
        .values(planned=tournaments.c.played)
    )


def decode_spec(text: str) -> TournamentSpec:
    """A stored spec."""
    fields: dict[str, Any] = json.loads(text)
    lists = {name: tuple(fields.get(name, ())) for name in ("bots", "authors")}
    return TournamentSpec(**{**fields, **lists})


def _store_spec(conn: Connection, tournament: int, spec: TournamentSpec) -> None:
    row = update(tournaments).where(tournaments.c.id == tournament)
    conn.execute(row.values(spec=json.dumps(asdict(spec))))


def _query() -> Select[Any]:
    """All that may be known of a tournament: its secret only when it is finished."""
    row = tournaments.c
    own = ("rated", "matches_per_deal", "secret")  # for those who store results or deal
    opened = case((row.state == "finished", row.secret), else_=None).label("secret")
    return select(*(column for column in row if column.name not in own), opened)


def _read(conn: Connection, query: Select[Any]) -> list[Tournament]:
    rows = conn.execute(query).all()
    entered = _players(conn, [row.id for row in rows])
    return [_tournament(row, entered[row.id]) for row in rows]


def _players(conn: Connection, ids: Sequence[int]) -> dict[int, list[int]]:
    players: dict[int, list[int]] = {key: [] for key in ids}
    rows = conn.execute(
        select(entrants.c.tournament, entrants.c.player)
        .where(entrants.c.tournament.in_(ids))
        .order_by(entrants.c.tournament, entrants.c.entrant)
    )
    for tournament, player in rows:
        players[tournament].append(player)
    return players


def _tournament(row: Row[Any], entered: list[int]) -> Tournament:
    fields = {**row._mapping, "spec": decode_spec(row.spec), "players": tuple(entered)}
    for name in ("commitment", "secret"):
        fields[name] = (fields[name] or b"").hex()
    return Tournament(**fields)
