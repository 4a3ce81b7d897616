"""Creating tournaments, and entering bots in those that take new ones."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from secrets import token_bytes
from typing import Any

from sqlalchemy import Connection, func, select, update

from arena.errors import AlreadyExists, InvalidRequest, LimitReached
from arena.pairing import FromSecret, TournamentSpec, by_elo, format_of
from arena.pairing.secret import SECRET_BYTES, commitment, repeatable
from arena.rating.elo import START
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import COUNTERS, entrants, ratings, tournaments
from arena.store.tournaments import authors, bench, trust
from arena.store.tournaments.tournaments import UNDER_WAY, Kind, Tournament, get
from arena.store.upsert import insert

# Waiting or running at once, for all that is under way is looked after every second.
MOST_UNDER_WAY: dict[Kind, int] = {"tournament": 1_000, "test": 500, "table": 500}
PLURALS: dict[Kind, str] = {"tournament": "tournaments", "test": "test matches", "table": "tables"}


def create(
    conn: Connection,
    spec: TournamentSpec,
    now: float | None = None,
    *,
    owner: int | None = None,
    kind: Kind = "tournament",
    bench_after: int = bench.BENCH_AFTER,
    starts_at: float | None = None,
) -> Tournament:
    """Stores a checked spec as a tournament that waits for its bots, and for the time
    `starts_at` (Unix seconds) if one is given.

    The bots enter in their newest versions, or in those that are named (NAME@VERSION), and stay in
    these to the end. Raises NotFound naming bots that are missing, InvalidRequest naming those that
    are entered twice, retired or benched, or that have to be trusted and are not, LimitReached when
    as many of the kind are under way as may be.
    """
    _check_room(conn, kind)
    entered = bots.get_all(conn, spec.bots)
    names = _names(spec.bots, entered)
    _check_entered(entered, kind)
    trust.check(spec, entered, owner)
    if kind == "tournament":
        bench.check(conn, entered, spec.game, bench_after)
    if by_elo(spec):
        entered = _by_elo(conn, spec.game, entered)
    secret = token_bytes(SECRET_BYTES) if spec.repeats is None else repeatable(spec.repeats)
    listed = tuple([names[bot.player] for bot in entered])
    spec = replace(spec, bots=listed, authors=authors.of(spec.format, entered))
    row = _row(spec, secret, time.time() if now is None else now)
    row |= {"owner": owner, "kind": kind, "starts_at": starts_at}
    inserted = insert(conn, tournaments).values(**row).returning(tournaments.c.id)
    key = int(conn.scalar(inserted) or 0)
    _store_spec(conn, key, replace(spec, seed=FromSecret(secret, key).schedule_seed))
    _insert_entrants(conn, key, entered)
    return get(conn, key)


def _row(spec: TournamentSpec, secret: bytes, moment: float) -> dict[str, Any]:
    """What is stored of a tournament that was created at this moment (Unix seconds)."""
    return {
        "spec": "",  # its seed follows from the number that it gets
        "state": "waiting",
        "note": "",
        "created": moment,
        "waiting_since": moment,
        "planned": format_of(spec.format).count(spec),
        "played": 0,
        "rated": 0,
        "matches_per_deal": format_of(spec.format).matches_per_deal(spec),
        "secret": secret,
        "commitment": commitment(secret),
    }


def _insert_entrants(
    conn: Connection, tournament: int, entered: Sequence[RegisteredBot], first: int = 0
) -> None:
    """Stores them as the entrants from number `first` on, who have played nothing yet."""
    nothing = dict.fromkeys(COUNTERS, 0)
    rows = [
        {"tournament": tournament, "entrant": entrant, "player": bot.player, **nothing}
        for entrant, bot in enumerate(entered, first)
    ]
    conn.execute(insert(conn, entrants), rows)


def _names(asked: Sequence[str], entered: Sequence[RegisteredBot]) -> dict[int, str]:
    """What each player is called in the tournament: by name, or by name and version if so entered.
    Raises InvalidRequest for a version that is entered twice."""
    names: dict[int, str] = {}
    for wanted, bot in zip(asked, entered, strict=True):
        name = bot.called(wanted)
        if bot.player in names:
            raise InvalidRequest(
                f"{names[bot.player]} and {name} are one version, which enters once:"
                " leave one of them out."
            )
        names[bot.player] = name
    return names


def _check_room(conn: Connection, kind: Kind) -> None:
    query = select(func.count()).select_from(tournaments).where(tournaments.c.kind == kind)
    under_way = conn.scalar(query.where(tournaments.c.state.in_(UNDER_WAY))) or 0
    if under_way >= MOST_UNDER_WAY[kind]:
        raise LimitReached(
            f"{under_way:,} {PLURALS[kind]} are under way, which is the most: "
            "wait until some of them are over, or stop one."
        )


def _check_entered(entered: Sequence[RegisteredBot], kind: Kind) -> None:
    retired = [bot.name for bot in entered if bot.retired is not None]
    if retired:
        raise InvalidRequest(f"{', '.join(retired)}: retired, so nobody can be asked to play.")
    guests = [bot.name for bot in entered if bot.kind == "guest" and kind != "table"]
    if guests:
        raise InvalidRequest(f"{', '.join(guests)}: a person, who plays at tables only.")


def _by_elo(conn: Connection, game: str, entered: list[RegisteredBot]) -> list[RegisteredBot]:
    """The bots by their Elo in the game, best first; equal ones keep their order."""
    query = select(ratings.c.player, ratings.c.elo).where(ratings.c.game == game)
    elo: dict[int, float] = dict(conn.execute(query.where(ratings.c.seats == 0)).all())
    return sorted(entered, key=lambda bot: -elo.get(bot.player, START))


def enter(
    conn: Connection, tournament: Tournament, name: str, bench_after: int = bench.BENCH_AFTER
) -> None:
    """Enters a bot into a tournament under way, whose lock the caller holds. As NAME it enters in
    its newest version; an older one that entered so stays in the standings, but is not seated any
    more. As NAME@VERSION it enters beside its other versions.

    Raises NotFound, AlreadyExists, InvalidRequest for a format that does not take new bots, or
    a bot that would have to be trusted, or is benched.
    """
    spec = tournament.spec
    if not format_of(spec.format).takes_new:
        raise InvalidRequest(
            f"Tournament {tournament.id} is a {spec.format}; only a ladder takes new bots."
        )
    bot = bots.get_all(conn, [name])[0]
    _check_entered([bot], tournament.kind)
    if trust.takes_trust(spec):
        before = bots.by_players(conn, tournament.players).values()
        trust.check(spec, [*before, bot], tournament.owner)
    bench.check(conn, [bot], spec.game, bench_after)
    if bot.player in tournament.players:
        raise AlreadyExists(f"{bot.name} {bot.version} is in tournament {tournament.id} already.")
    _insert_entrants(conn, tournament.id, [bot], first=len(spec.bots))
    grown = authors.with_another(conn, spec, tournament.players, bot, bot.called(name))
    _store_spec(conn, tournament.id, grown)


def _store_spec(conn: Connection, tournament: int, spec: TournamentSpec) -> None:
    row = update(tournaments).where(tournaments.c.id == tournament)
    conn.execute(row.values(spec=json.dumps(asdict(spec))))
