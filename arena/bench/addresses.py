"""The dashboard pages that are measured, and the URLs to request for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.bench.synthetic_arena import GAME, SEATS
from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.reports import leaderboard
from arena.store.tournaments import tournaments

SEVERAL = 20  # distinct matches, bots and pairs, so that caching one of them does not help


@dataclass(frozen=True)
class Page:
    """A page and the URLs that are requested in turn to measure it."""

    name: str
    addresses: Sequence[str]


def pages(conn: Connection) -> list[Page]:
    """The pages to measure in this arena."""
    table = leaderboard.table(conn, GAME)
    names = [line.bot for line in table[:: max(1, len(table) // SEVERAL)]]
    best, other = names[0], names[len(names) // 2]
    every = tournaments.all_tournaments(conn)
    largest, running = max(every, key=lambda each: each.played), every[0]
    small = min(every, key=lambda each: each.played)
    recent = _recent(conn)
    deep = recent[0].number * 9 // 10
    ladder = f"game={GAME}"
    return [
        Page("leaderboard", [f"/ratings?{ladder}"]),
        Page("leaderboard, one number of seats", [f"/ratings?{ladder}&seats={SEATS}"]),
        Page("leaderboard, sorted by points", [f"/ratings?{ladder}&sort=mean_points"]),
        Page("leaderboard, active ones", [f"/ratings?{ladder}&active_days=7"]),
        Page("leaderboard as JSON", [f"/api/ratings?{ladder}"]),
        Page("home", ["/"]),
        Page("home, live part", ["/live"]),
        Page("overview as JSON", ["/api/overview"]),
        Page("tournaments", ["/tournaments"]),
        Page("largest tournament", [f"/tournaments/{largest.id}"]),
        Page("running tournament", [f"/tournaments/{running.id}"]),
        Page("running tournament, live part", [f"/tournaments/{running.id}/live"]),
        Page("largest tournament as JSON", [f"/api/tournaments/{largest.id}"]),
        Page("crosstable, largest", [f"/tournaments/{largest.id}/crosstable"]),
        Page("crosstable, small", [f"/tournaments/{small.id}/crosstable"]),
        Page("matches", ["/matches"]),
        Page("matches, deep page", [f"/matches?after={deep}"]),
        Page("matches of a bot", [f"/matches?bot={name}" for name in names]),
        Page("matches of a bot, deep", [f"/matches?bot={name}&after={deep}" for name in names]),
        Page(
            "matches of a bot in a tournament",
            [f"/matches?bot={name}&tournament={largest.id}" for name in names],
        ),
        Page("matches as JSON", ["/api/matches"]),
        Page("a match", [f"/matches/{match.id}" for match in recent]),
        Page("replay", [f"/matches/{match.id}/replay" for match in recent]),
        Page("match record", [f"/api/matches/{match.id}" for match in recent]),
        Page("a bot", [f"/bots/{name}" for name in names]),
        Page("a bot as JSON", [f"/api/bots/{name}" for name in names]),
        Page("bots", ["/bots"]),
        Page("bots as JSON", ["/api/bots"]),
        Page("pairs", [f"/ratings/pairs?{ladder}"]),
        Page("head to head", [f"/ratings/pairs?{ladder}&a={best}&b={other}"]),
        Page("pairs as JSON", [f"/api/ratings/pairs?{ladder}"]),
    ]


def _recent(conn: Connection) -> list[MatchRow]:
    rows, _ = matches.list_matches(conn, limit=10 * SEVERAL)
    return [match for match in rows if not match.locked][-SEVERAL:]
