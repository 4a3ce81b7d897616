"""The bench: keeps bots that forfeit match after match out of rated tournaments.

A broken bot wastes its opponents' and the workers' time. A version is benched in one game. Its
owner can clear the bench with a test match without a fault, with a button or command, or with a new
version, which is another player. Then its streak starts at 0.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.store.dialects import upsert
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import (
    archived_tournaments,
    archives,
    bench_returns,
    entrants,
    fault_streaks,
    match_seats,
    matches,
    tournaments,
)
from arena.store.tournaments.tournaments import decode_spec

BENCH_AFTER = 20  # default number of forfeits in a row; 0 disables the bench


@dataclass(frozen=True, slots=True)
class Bench:
    """A player is benched in a game after `matches` forfeits in a row; the newest of them ended at
    `last` (Unix seconds)."""

    player: int
    game: str
    matches: int
    last: float

    def why(self, name: str) -> str:
        """A sentence that also says what its owner can do."""
        return (
            f"{name} is benched. It forfeited its last {self.matches} matches of {self.game} by "
            "its own faults. Play a test match without a fault, create a new version, or clear the "
            f"bench on its page or with `arena bot unbench {name}`."
        )


def benched(
    conn: Connection,
    players: Collection[int],
    after: int = BENCH_AFTER,
    game: str | None = None,
) -> dict[int, Bench]:
    """By benched player among these, its longest streak, in one game or in any. Without long
    streaks, which is usual, this takes one indexed query."""
    if not after:
        return {}
    row = fault_streaks.c
    query = select(row.player, row.game, row.matches, row.last)
    query = query.where(row.player.in_(players), row.matches >= after)
    if game is not None:
        query = query.where(row.game == game)
    found: dict[int, Bench] = {}
    for player, of_game, streak, last in conn.execute(query.order_by(row.matches)).all():
        counted = _since_return(conn, player, of_game, streak)
        if counted >= after:
            found[player] = Bench(player, of_game, counted, last)
    return found


def check(conn: Connection, entered: Collection[RegisteredBot], game: str, after: int) -> None:
    """Raises InvalidRequest, which names the benched bots."""
    found = benched(conn, [bot.player for bot in entered], after, game)
    if found:
        raise InvalidRequest(
            " ".join([found[bot.player].why(bot.name) for bot in entered if bot.player in found])
        )


def clear(conn: Connection, name: str, now: float | None = None) -> RegisteredBot:
    """Clears the bench of the newest version of a bot, in all games. Raises NotFound."""
    bot = bots.get(conn, name)
    row = {"player": bot.player, "at": instant.now() if now is None else now}
    conn.execute(upsert(conn, bench_returns), [row])
    return bot


def _since_return(conn: Connection, player: int, game: str, streak: int) -> int:
    """Number of matches of a streak that ended after the bench was last cleared."""
    returned = conn.scalar(select(bench_returns.c.at).where(bench_returns.c.player == player))
    at = max(returned or 0.0, _last_clean_test(conn, player, game))
    if not at:
        return streak
    bot = bots.by_players(conn, [player])[player].id
    newest = (
        select(matches.c.finished)
        .join_from(match_seats, matches, matches.c.number == match_seats.c.match)
        .join(tournaments, tournaments.c.id == matches.c.tournament)
        .where(match_seats.c.bot == bot, match_seats.c.player == player)
        .where(matches.c.game == game, tournaments.c.kind == "tournament")
        .order_by(match_seats.c.match.desc())
        .limit(streak)
        .subquery()
    )
    ended: list[float] = list(conn.scalars(select(newest.c.finished)))
    older = streak - len(ended) if _archived_until(conn, player) > at else 0
    return older + sum(moment > at for moment in ended)


def _archived_until(conn: Connection, player: int) -> float:
    """When the last archived match of the player's tournaments ended; 0.0 without any."""
    row = archived_tournaments.c
    query = (
        select(func.max(archives.c.ended))
        .join_from(archives, archived_tournaments)
        .join(entrants, entrants.c.tournament == row.tournament)
        .where(entrants.c.player == player)
    )
    return float(conn.scalar(query) or 0.0)


def _last_clean_test(conn: Connection, player: int, game: str) -> float:
    """When the player last finished a test match of the game without a fault; 0.0 if never."""
    row = tournaments.c
    query = (
        select(row.finished, row.spec)
        .join_from(entrants, tournaments)
        .where(entrants.c.player == player, entrants.c.matches > 0, entrants.c.faults == 0)
        .where(row.kind == "test", row.state == "finished")
        .order_by(row.finished.desc())
    )
    tests = conn.execute(query).all()
    return next((ended for ended, spec in tests if decode_spec(spec).game == game), 0.0)
