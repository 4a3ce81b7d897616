"""The dashboard pages that are measured, and the URLs to request for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import Connection, select

from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.reports import leaderboard
from arena.store.tables import matches as stored
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.lab.bench.synthetic_arena import GAME, SEATS

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
    return [
        *_rating_pages(),
        Page("home", ["/"]),
        Page("home, live part", ["/live"]),
        Page("overview as JSON", ["/api/overview"]),
        *_tournament_pages(conn),
        *_match_pages(conn, names),
        *_bot_pages(names),
        *_pair_pages(names[0], names[len(names) // 2]),
        *_search_pages(names),
    ]


def _rating_pages() -> list[Page]:
    ladder = f"/ratings?game={GAME}"
    return [
        Page("leaderboard", [ladder]),
        Page("leaderboard, one number of seats", [f"{ladder}&seats={SEATS}"]),
        Page("leaderboard, sorted by points", [f"{ladder}&sort=mean_points"]),
        Page("leaderboard, active ones", [f"{ladder}&active_days=7"]),
        Page("leaderboard as JSON", [f"/api{ladder}"]),
    ]


def _tournament_pages(conn: Connection) -> list[Page]:
    every = tournaments.all_tournaments(conn)
    running, largest, small = every[0].id, _largest(every).id, _smallest(every).id
    return [
        Page("tournaments", ["/tournaments"]),
        Page("largest tournament", [f"/tournaments/{largest}"]),
        Page("largest tournament, analysis", [f"/tournaments/{largest}/analysis"]),
        Page("running tournament", [f"/tournaments/{running}"]),
        Page("running tournament, live part", [f"/tournaments/{running}/live"]),
        Page("largest tournament as JSON", [f"/api/tournaments/{largest}"]),
        Page("crosstable, largest", [f"/tournaments/{largest}/crosstable"]),
        Page("crosstable, small", [f"/tournaments/{small}/crosstable"]),
    ]


def _largest(every: Sequence[Tournament]) -> Tournament:
    return max(every, key=lambda each: each.played)


def _smallest(every: Sequence[Tournament]) -> Tournament:
    return min(every, key=lambda each: each.played)


def _match_pages(conn: Connection, names: Sequence[str]) -> list[Page]:
    most = _largest(tournaments.all_tournaments(conn))
    largest, deep = most.id, _in_the_middle(conn, most)
    recent = _recent(conn)
    return [
        Page("matches", ["/matches"]),
        Page("matches, deep page", [f"/matches?after={deep}"]),
        Page("matches of a bot", [f"/matches?bot={name}" for name in names]),
        Page("matches of a bot, deep", [f"/matches?bot={name}&after={deep}" for name in names]),
        Page(
            "matches of a bot in a tournament",
            [f"/matches?bot={name}&tournament={largest}" for name in names],
        ),
        *_narrowed_pages(names),
        Page("matches as JSON", ["/api/matches"]),
        Page("a match", [f"/matches/{match.id}" for match in recent]),
        Page("replay", [f"/matches/{match.id}/replay" for match in recent]),
        Page("match record", [f"/api/matches/{match.id}" for match in recent]),
    ]


def _narrowed_pages(names: Sequence[str]) -> list[Page]:
    """Filters without a single index, and filters without results."""
    pairs = [f"bot={one}&opponent={other}" for one, other in pairwise(names)]
    return [
        Page("matches of a game", [f"/matches?game={GAME}"]),
        Page("matches of a game without any", ["/matches?game=party"]),
        Page("matches of a pair", [f"/matches?{pair}" for pair in pairs]),
        Page("matches of a pair, close", [f"/matches?{pair}&margin=0" for pair in pairs]),
        Page("matches, close", ["/matches?margin=1"]),
        Page("matches with faults", ["/matches?fault=timeout"]),
        Page("matches of some days", ["/matches?since=2020-01-01&until=2030-01-01"]),
    ]


def _bot_pages(names: Sequence[str]) -> list[Page]:
    return [
        Page("a bot", [f"/bots/{name}" for name in names]),
        Page("a bot as JSON", [f"/api/bots/{name}" for name in names]),
        Page("bots", ["/bots"]),
        Page("bots as JSON", ["/api/bots"]),
    ]


def _pair_pages(best: str, other: str) -> list[Page]:
    pairs = f"/ratings/pairs?game={GAME}"
    return [
        Page("pairs", [pairs]),
        Page("head to head", [f"{pairs}&a={best}&b={other}"]),
        Page("pairs as JSON", [f"/api{pairs}"]),
    ]


def _search_pages(names: Sequence[str]) -> list[Page]:
    """Search for a full name, for a prefix, and for an unknown word."""
    return [
        Page("search", [f"/search?q={name}" for name in names]),
        Page("search, many results", [f"/search?q={name[:2]}" for name in names]),
        Page("search without results", ["/search?q=nothing-of-that-name"]),
        Page("search as JSON", [f"/api/search?q={name}" for name in names]),
    ]


def _recent(conn: Connection) -> list[MatchRow]:
    rows, _ = matches.list_matches(conn, limit=10 * SEVERAL)
    return [match for match in rows if not match.locked][-SEVERAL:]


def _in_the_middle(conn: Connection, tournament: Tournament) -> int:
    """The number of a match in the middle of a tournament."""
    row = stored.c
    where = row.tournament == tournament.id, row.position == tournament.played // 2
    return int(conn.scalars(select(row.number).where(*where)).one())
