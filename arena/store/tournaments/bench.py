"""Who is benched: kept out of rated tournaments, for forfeiting match after match.

A bot that is broken costs its opponents their time, and the workers theirs. It is a version that is
benched, in one game; its owner brings it back by a test match without a fault, by a word ("come
back"), or with a new version, which is another player. Then its streak begins anew.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.base import instant
from arena.base.errors import InvalidRequest
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
from arena.store.upsert import upsert

BENCH_AFTER = 20  # forfeited matches in a row, unless a setting says otherwise; 0: nobody


@dataclass(frozen=True, slots=True)
class Bench:
    """A player is benched in a game after so many forfeited matches in a row, the newest of which
    ended at `last` (Unix seconds)."""

    player: int
    game: str
    matches: int
    last: float

    def why(self, name: str) -> str:
        """As a sentence, with what its owner can do."""
        return (
            f"{name} forfeited its last {self.matches} matches of {self.game} by its own faults and"
            " is benched: play a test match without a fault, make a new version, or let it come"
            f" back on its page or with `arena bot unbench {name}`."
        )


def benched(
    conn: Connection,
    players: Collection[int],
    after: int = BENCH_AFTER,
    game: str | None = None,
) -> dict[int, Bench]:
    """Those of these players who are benched, in this game or in any, each with the longest streak.

    It costs one indexed look at nearly all times, when nobody has a long streak.
    """
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
    """Raises InvalidRequest naming those who are benched."""
    found = benched(conn, [bot.player for bot in entered], after, game)
    if found:
        raise InvalidRequest(
            " ".join([found[bot.player].why(bot.name) for bot in entered if bot.player in found])
        )


def come_back(conn: Connection, name: str, now: float | None = None) -> RegisteredBot:
    """Lets the newest version of a bot play again, in all games. Raises NotFound."""
    bot = bots.get(conn, name)
    row = {"player": bot.player, "at": instant.now() if now is None else now}
    conn.execute(upsert(conn, bench_returns), [row])
    return bot


def _since_return(conn: Connection, player: int, game: str, streak: int) -> int:
    """How many matches of a streak ended since the player was last brought back."""
    returned = conn.scalar(select(bench_returns.c.at).where(bench_returns.c.player == player))
    at = max(returned or 0.0, _last_clean_test(conn, player, game))
    if not at:
        return streak
    newest = (
        select(matches.c.finished)
        .join_from(match_seats, matches, matches.c.number == match_seats.c.match)
        .join(tournaments, tournaments.c.id == matches.c.tournament)
        .where(match_seats.c.bot == _bot_of(conn, player), match_seats.c.player == player)
        .where(matches.c.game == game, tournaments.c.kind == "tournament")
        .order_by(match_seats.c.match.desc())
        .limit(streak)
        .subquery()
    )
    ended: list[float] = list(conn.scalars(select(newest.c.finished)))
    older = streak - len(ended) if _archived_until(conn, player) > at else 0
    return older + sum(moment > at for moment in ended)


def _archived_until(conn: Connection, player: int) -> float:
    """When the last archived match ended of tournaments that the player entered; 0.0 without."""
    row = archived_tournaments.c
    query = (
        select(func.max(archives.c.ended))
        .join_from(archives, archived_tournaments)
        .join(entrants, entrants.c.tournament == row.tournament)
        .where(entrants.c.player == player)
    )
    return float(conn.scalar(query) or 0.0)


def _last_clean_test(conn: Connection, player: int, game: str) -> float:
    """When the player last finished a test match of a game without a fault; 0.0 if never."""
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


def _bot_of(conn: Connection, player: int) -> int:
    found = bots.by_players(conn, [player])
    return found[player].id
