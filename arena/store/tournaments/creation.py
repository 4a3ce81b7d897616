"""Creating tournaments, and entering bots in running ladders."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from secrets import token_bytes
from typing import Any

from sqlalchemy import Connection, func, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached
from arena.store.dialects import insert
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import COUNTERS, entrants, ratings, tournaments
from arena.store.tournaments import authors, bench, hosted
from arena.store.tournaments.tournaments import UNDER_WAY, Kind, Tournament, get
from arena.tournaments.formats import FromSecret, TournamentSpec, by_elo, format_of
from arena.tournaments.formats.checks import MAX_BOTS
from arena.tournaments.formats.secret import SALT_BYTES, SECRET_BYTES, commitment, repeatable
from arena.tournaments.formats.sign_up import SignUp
from arena.tournaments.ratings.elo import START

# Waiting or running at the same time: the scheduler visits them all every second.
MOST_UNDER_WAY: dict[Kind, int] = {"tournament": 1_000, "test": 500, "table": 500}
PLURALS: dict[Kind, str] = {
    "tournament": "tournaments",
    "test": "test matches",
    "table": "casual games",
}


def create(
    conn: Connection,
    spec: TournamentSpec,
    now: float | None = None,
    *,
    owner: int | None = None,
    kind: Kind = "tournament",
    bench_after: int = bench.BENCH_AFTER,
    starts_at: float | None = None,
    sign_up: SignUp | None = None,
    follows: bool = False,
) -> Tournament:
    """Creates a tournament from a checked spec. It waits for its bots and for `starts_at` (Unix
    seconds), if given. With `sign_up` more bots may enter until then, and matches are planned at
    the start. With `follows` it replaces one that ends its sign-up, so there is room for it.

    The bots enter in their newest versions or in the named ones (NAME@VERSION), and keep them to
    the end. Raises the errors of `check_entrants`, and LimitReached when too many of the kind are
    under way.
    """
    if not follows:
        _check_room(conn, kind)
    spec, entered = check_entrants(conn, spec, owner=owner, kind=kind, bench_after=bench_after)
    spec, secret = _with_secret(spec)
    spec, entered = arranged(conn, spec, entered)
    row = _row(spec, secret, instant.now() if now is None else now, sign_up)
    row |= {"owner": owner, "kind": kind, "starts_at": starts_at}
    inserted = insert(conn, tournaments).values(**row).returning(tournaments.c.id)
    key = int(conn.scalar(inserted) or 0)
    spec = replace(spec, seed=FromSecret(secret, key).schedule_seed)
    store_entrants(conn, key, spec, entered)
    return get(conn, key)


def check_entrants(
    conn: Connection,
    spec: TournamentSpec,
    *,
    owner: int | None = None,
    kind: Kind = "tournament",
    bench_after: int = bench.BENCH_AFTER,
) -> tuple[TournamentSpec, list[RegisteredBot]]:
    """Returns the spec with its bots' names in the tournament, and these bots. Raises NotFound for
    missing bots. Raises InvalidRequest for bots that are entered twice, retired, benched or not
    trusted as required, or whose uploads are no longer stored."""
    entered = bots.get_all(conn, spec.bots)
    names = _names(spec.bots, entered)
    check_entered(entered, kind)
    hosted.check_stored(conn, entered)
    authors.check_trusted(spec, entered, owner)
    if kind == "tournament":
        bench.check(conn, entered, spec.game, bench_after)
    return replace(spec, bots=tuple(names.values())), entered


def _with_secret(spec: TournamentSpec) -> tuple[TournamentSpec, bytes]:
    """Returns the secret of a tournament, and its spec, with a salt if it is repeatable."""
    if spec.repeats is None:
        return spec, token_bytes(SECRET_BYTES)
    salted = replace(spec, salt=spec.salt or token_bytes(SALT_BYTES).hex())
    return salted, repeatable(spec.repeats, bytes.fromhex(salted.salt))


def arranged(
    conn: Connection, spec: TournamentSpec, entered: Sequence[RegisteredBot]
) -> tuple[TournamentSpec, list[RegisteredBot]]:
    """Returns the spec and its bots in entrant order, the spec with their authors."""
    pairs = list(zip(spec.bots, entered, strict=True))
    if by_elo(spec):
        elo = _elo(conn, spec.game)
        pairs.sort(key=lambda pair: -elo.get(pair[1].player, START))
    ordered = [bot for _, bot in pairs]
    listed = tuple(name for name, _ in pairs)
    return replace(spec, bots=listed, authors=authors.of(spec.format, ordered)), ordered


def store_entrants(
    conn: Connection, tournament: int, spec: TournamentSpec, entered: Sequence[RegisteredBot]
) -> None:
    """Stores the spec of a tournament without entrants, and its entrants."""
    _store_spec(conn, tournament, spec)
    if entered:
        _insert_entrants(conn, tournament, entered)


def _row(
    spec: TournamentSpec, secret: bytes, moment: float, sign_up: SignUp | None
) -> dict[str, Any]:
    """The row of a new tournament; `moment` is in Unix seconds."""
    return {
        "spec": "",  # stored later: its seed depends on the number of the row
        "state": "waiting",
        "note": "",
        "created": moment,
        "waiting_since": moment,
        "planned": 0 if sign_up else format_of(spec.format).count(spec),
        "played": 0,
        "rated": 0,
        "matches_per_deal": format_of(spec.format).matches_per_deal(spec),
        "secret": secret,
        "commitment": commitment(secret),
        "max_bots": sign_up.max_bots if sign_up else None,
        "bots_per_author": sign_up.bots_per_author if sign_up else None,
    }


def _insert_entrants(
    conn: Connection, tournament: int, entered: Sequence[RegisteredBot], first: int = 0
) -> None:
    """Stores new entrants, numbered from `first` on."""
    nothing = dict.fromkeys(COUNTERS, 0)
    rows = [
        {"tournament": tournament, "entrant": entrant, "player": bot.player, **nothing}
        for entrant, bot in enumerate(entered, first)
    ]
    conn.execute(insert(conn, entrants), rows)


def _names(asked: Sequence[str], entered: Sequence[RegisteredBot]) -> dict[int, str]:
    """By player, its name in the tournament, with the version if it was entered that way. Raises
    InvalidRequest for a version that is entered twice."""
    names: dict[int, str] = {}
    for wanted, bot in zip(asked, entered, strict=True):
        name = bot.called(wanted)
        if bot.player in names:
            raise InvalidRequest(
                f"{names[bot.player]} and {name} cannot both enter. They are the same version. "
                "Remove one of them."
            )
        names[bot.player] = name
    return names


def _check_room(conn: Connection, kind: Kind) -> None:
    query = select(func.count()).select_from(tournaments).where(tournaments.c.kind == kind)
    under_way = conn.scalar(query.where(tournaments.c.state.in_(UNDER_WAY))) or 0
    if under_way >= MOST_UNDER_WAY[kind]:
        raise LimitReached(
            f"No new one can be created. {under_way:,} {PLURALS[kind]} are under way, the maximum. "
            "Wait until some are finished, or cancel one."
        )


def check_entered(entered: Sequence[RegisteredBot], kind: Kind) -> None:
    """Raises InvalidRequest for bots that cannot play in a tournament of this kind."""
    retired = [bot.name for bot in entered if bot.retired is not None]
    if retired:
        raise InvalidRequest(f"{', '.join(retired)} cannot enter. Retired bots do not play.")
    guests = [bot.name for bot in entered if bot.kind == "guest" and kind != "table"]
    if guests:
        raise InvalidRequest(f"{', '.join(guests)} cannot enter. People only play casual games.")


def _elo(conn: Connection, game: str) -> dict[int, float]:
    """By player, the Elo in a game; players without matches are left out."""
    query = select(ratings.c.player, ratings.c.elo).where(ratings.c.game == game)
    return dict(conn.execute(query.where(ratings.c.seats == 0)).all())


def enter(
    conn: Connection, tournament: Tournament, name: str, bench_after: int = bench.BENCH_AFTER
) -> None:
    """Enters a bot in a tournament under way; the caller holds its lock. NAME enters the newest
    version: an older version that entered this way stays in the standings but gets no more matches.
    NAME@VERSION enters in addition to the other versions.

    Raises NotFound, AlreadyExists, LimitReached. Raises InvalidRequest if the format takes no new
    bots, or the bot is benched, not trusted as required, or its upload is no longer stored.
    """
    spec = tournament.spec
    if not format_of(spec.format).takes_new:
        raise InvalidRequest(
            f"Tournament {tournament.id} takes no new bots. It is a {spec.format}, not a ladder."
        )
    if len(spec.bots) >= MAX_BOTS:
        raise LimitReached(
            f"Tournament {tournament.id} has {MAX_BOTS:,} bots with their older versions, the "
            "maximum. Create a new ladder."
        )
    bot = bots.get_all(conn, [name])[0]
    check_entered([bot], tournament.kind)
    hosted.check_stored(conn, [bot])
    if authors.takes_trust(spec):
        before = bots.by_players(conn, tournament.players).values()
        authors.check_trusted(spec, [*before, bot], tournament.owner)
    bench.check(conn, [bot], spec.game, bench_after)
    if bot.player in tournament.players:
        raise AlreadyExists(f"{bot.name} {bot.version} is already in tournament {tournament.id}.")
    _insert_entrants(conn, tournament.id, [bot], first=len(spec.bots))
    grown = authors.with_another(conn, spec, tournament.players, bot, bot.called(name))
    _store_spec(conn, tournament.id, grown)


def _store_spec(conn: Connection, tournament: int, spec: TournamentSpec) -> None:
    row = update(tournaments).where(tournaments.c.id == tournament)
    conn.execute(row.values(spec=json.dumps(asdict(spec))))
