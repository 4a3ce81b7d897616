"""Sign-up: tournaments that bots enter until the start.

Until then, the spec and the entrants list the current bots, as in other tournaments. Matches are
neither counted nor planned yet, because bots may enter, withdraw or get a new version. `close`
settles the entrants. The caller of each function holds the tournament's lock.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlalchemy import Connection, delete, select, update

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest, LimitReached, NotFound, NotNow
from arena.base.text import plural
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import entrants, players, tournaments
from arena.store.tournaments import bench, creation, hosted
from arena.store.tournaments.tournaments import Tournament, get, lock, set_state
from arena.tournaments.formats import TournamentSpec, check_spec, format_of
from arena.tournaments.formats.sign_up import too_few


def enter(
    conn: Connection,
    tournament: Tournament,
    name: str,
    bench_after: int = bench.BENCH_AFTER,
    *,
    author: int | None = None,
    now: float | None = None,
) -> None:
    """Enters a bot in a tournament that is open for sign-up. For an `author` (an account), the
    limit per author applies; None is an organiser.

    Raises NotFound, NotNow after the start, AlreadyExists, LimitReached when all places are taken,
    overall or for the author, InvalidRequest for a bot that is retired, benched, or not trusted as
    required.
    """
    _check_open(tournament, instant.now() if now is None else now)
    there = present(conn, tournament)
    bot = bots.get_all(conn, [name])[0]
    creation.check_entered([bot], tournament.kind)
    hosted.check_stored(conn, [bot])
    bench.check(conn, [bot], tournament.spec.game, bench_after)
    if any(bot.player == each.player for each in there.values()):
        raise AlreadyExists(f"{bot.name} is already in tournament {tournament.id}.")
    check_room(tournament, there.values(), author)
    store(conn, tournament, there | {bot.called(name): bot})


def withdraw(
    conn: Connection, tournament: Tournament, name: str, now: float | None = None
) -> RegisteredBot:
    """Withdraws a bot during sign-up. Raises NotFound if it has not entered, NotNow after the
    start."""
    _check_open(tournament, instant.now() if now is None else now)
    there = present(conn, tournament)
    gone = next((called for called in there if called.lower() == name.lower()), None)
    if gone is None:
        raise NotFound(f'"{bots.printable(name)}" is not entered in tournament {tournament.id}.')
    bot = there.pop(gone)
    store(conn, tournament, there)
    return bot


def withdraw_everywhere(conn: Connection, gone: Collection[int]) -> None:
    """Withdraws retired bots from all tournaments that are open for sign-up."""
    row = tournaments.c
    entered = select(row.id).join_from(tournaments, entrants).join(players)
    entered = entered.where(row.max_bots.is_not(None), row.state == "waiting")
    for number in conn.scalars(
        entered.where(players.c.bot.in_(gone)).distinct().order_by(row.id)
    ).all():
        tournament = lock(conn, number)
        if tournament.sign_up is not None:
            store(conn, tournament, present(conn, tournament))


def close(conn: Connection, tournament: Tournament, bench_after: int, now: float) -> None:
    """Closes sign-up: the bots that are `ready` become the entrants, and the number of matches is
    set. If there are too few, the tournament is cancelled, and sign-up closes when it is
    resumed."""
    there = ready(conn, tournament, bench_after)
    _note_left_out(conn, tournament, there)
    store(conn, tournament, there)
    try:
        spec = check_closed(get(conn, tournament.id).spec)
    except InvalidRequest as error:
        set_state(conn, tournament.id, "cancelled", f"Cancelled at the start. {error}", now)
        return
    planned = format_of(spec.format).count(spec)
    row = update(tournaments).where(tournaments.c.id == tournament.id)
    conn.execute(row.values(planned=planned, max_bots=None, bots_per_author=None))


def _note_left_out(conn: Connection, tournament: Tournament, ready: Collection[str]) -> None:
    """Stores which entered bots do not play. Adds to the bots noted when sign-up was closed
    before."""
    there = present(conn, tournament)
    gone = {
        name: "benched" if name in there else "retired"
        for name in tournament.spec.bots
        if name not in ready
    }
    if gone:
        row = update(tournaments).where(tournaments.c.id == tournament.id)
        conn.execute(row.values(left_out=json.dumps({**tournament.left_out, **gone})))


def check_closed(spec: TournamentSpec) -> TournamentSpec:
    """Returns the spec after sign-up, checked. Raises InvalidRequest."""
    if why := too_few(spec):
        raise InvalidRequest(why)
    return check_spec(spec)


def ready(conn: Connection, tournament: Tournament, bench_after: int) -> dict[str, RegisteredBot]:
    """The bots that are `present` and not benched."""
    there = present(conn, tournament)
    out = benched(conn, tournament, there, bench_after)
    return {name: bot for name, bot in there.items() if name not in out}


def benched(
    conn: Connection, tournament: Tournament, there: Mapping[str, RegisteredBot], bench_after: int
) -> set[str]:
    """Of the bots that are `present`, the names of those that are benched."""
    players = [bot.player for bot in there.values()]
    out = bench.benched(conn, players, bench_after, tournament.spec.game)
    return {name for name, bot in there.items() if bot.player in out}


def present(conn: Connection, tournament: Tournament) -> dict[str, RegisteredBot]:
    """The entered bots that are not retired, by their names in the tournament; in their newest
    versions unless another one was named."""
    listed = zip(tournament.spec.bots, bots.get_all(conn, tournament.spec.bots), strict=True)
    return {name: bot for name, bot in listed if bot.retired is None}


def check_begins(conn: Connection, tournament: Tournament, bench_after: int) -> None:
    """Raises NotNow if a tournament that is open for sign-up has too few bots to start."""
    if tournament.sign_up is None:
        return
    there = tuple(ready(conn, tournament, bench_after))
    if why := too_few(replace(tournament.spec, bots=there)):
        raise NotNow(f"Tournament {tournament.id} cannot start. {why}")


def _check_open(tournament: Tournament, now: float) -> None:
    if not tournament.open(now):
        raise NotNow(
            f"The entries of tournament {tournament.id} cannot change. It is not open for sign-up."
        )


def check_room(
    tournament: Tournament, there: Collection[RegisteredBot], author: int | None
) -> None:
    """Raises LimitReached if no other bot may enter: all places are taken, overall or for an
    `author` (an account; None is an organiser)."""
    sign_up = tournament.sign_up
    if sign_up is None:
        return
    if len(there) >= sign_up.max_bots:
        raise LimitReached(
            f"Tournament {tournament.id} is full. All {sign_up.max_bots:,} places are taken. "
            "Wait for a bot to be withdrawn."
        )
    if author is not None and sum(bot.owner == author for bot in there) >= sign_up.bots_per_author:
        most = plural(sign_up.bots_per_author, "bot")
        raise LimitReached(
            f"You cannot enter another bot. Each author may enter {most} here. Withdraw one first."
        )


def store(conn: Connection, tournament: Tournament, entered: Mapping[str, RegisteredBot]) -> None:
    """Replaces the entrants by these bots, given by their names in the tournament."""
    spec = replace(tournament.spec, bots=tuple(entered))
    spec, ordered = creation.arranged(conn, spec, list(entered.values()))
    conn.execute(delete(entrants).where(entrants.c.tournament == tournament.id))
    creation.store_entrants(conn, tournament.id, spec, ordered)
