"""How bots did at tables with siblings and at those without, added up match by match.

The sums stand beside the other counters of an entrant and are brought up to date with them.
Tournaments of older releases do not know whose their bots were, and have none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from arena.pairing import siblings
from arena.store.matches.outcomes import MatchOutcome, of_tournament
from arena.store.projections.projection import Change
from arena.store.tables import entrants, tournaments
from arena.store.tournaments.tournaments import decode_spec

# What is counted of the matches in which a sibling of the bot sat at the table, too.
NAMES = ("sibling_matches", "sibling_opponents", "sibling_halves")

Sums = dict[int, Counter[str]]  # by player


class SiblingTotalsProjection:
    """Of a tournament's entrants, how they did with a sibling at the table."""

    name = "sibling_totals"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds the new matches."""
        author_of = authors(conn, change.tournament)
        fresh = (result.outcome for result in change.results.values())
        sums = add_up(fresh, author_of) if author_of else {}
        if sums:
            more = {entrants.c[name]: entrants.c[name] + bindparam(f"new_{name}") for name in NAMES}
            _update(conn, change.tournament, more, sums)

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts the stored matches of every tournament of a game with siblings again."""
        columns: dict[Any, Any] = {entrants.c[name]: bindparam(f"new_{name}") for name in NAMES}
        for tournament in _with_siblings(conn, game):
            totals = _recount(conn, tournament)
            sums = {player: totals[player] for player in authors(conn, tournament)}
            _update(conn, tournament, columns, sums)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Of how many entrants the sums differ."""
        wrong = 0
        for tournament in _with_siblings(conn, game):
            expected = _recount(conn, tournament)
            query = select(entrants.c.player, *(entrants.c[name] for name in NAMES))
            for player, *actual in conn.execute(query.where(entrants.c.tournament == tournament)):
                wrong += actual != [expected[player][name] for name in NAMES]
        if wrong:
            yield f"the results with siblings of {wrong:,} bots in tournaments differ"


def authors(conn: Connection, tournament: int) -> dict[int, int]:
    """The number of its author by player; empty where there are no siblings, or nobody knows."""
    text = conn.scalar(select(tournaments.c.spec).where(tournaments.c.id == tournament))
    numbers = decode_spec(str(text)).authors
    if not siblings.there_are(numbers):
        return {}
    query = select(entrants.c.player).where(entrants.c.tournament == tournament)
    players = conn.scalars(query.order_by(entrants.c.entrant))
    return dict(zip(players, numbers, strict=True))


def add_up(outcomes: Iterable[MatchOutcome], author_of: Mapping[int, int]) -> Sums:
    """The sums of some matches, by player; only of those who met siblings."""
    sums: Sums = defaultdict(Counter)
    for outcome in outcomes:
        seated = Counter(author_of[player] for player in outcome.players)
        if len(seated) == len(outcome.players):
            continue
        halves = outcome.halves
        for seat, player in enumerate(outcome.players):
            if seated[author_of[player]] > 1:
                opponents = len(outcome.players) - 1
                counts = dict(zip(NAMES, (1, opponents, halves[seat]), strict=True))
                sums[player].update(counts)
    return sums


def _update(conn: Connection, tournament: int, columns: Mapping[Any, Any], sums: Sums) -> None:
    row = entrants.c
    change = update(entrants).where(row.tournament == tournament, row.player == bindparam("key"))
    lines = [
        {"key": player, **{f"new_{name}": counts[name] for name in NAMES}}
        for player, counts in sums.items()
    ]
    conn.execute(change.values(columns), lines)


def _with_siblings(conn: Connection, game: str) -> list[int]:
    """The tournaments of a game among whose bots there are siblings."""
    rows = conn.execute(select(tournaments.c.id, tournaments.c.spec).order_by(tournaments.c.id))
    specs = ((number, decode_spec(text)) for number, text in rows)
    return [n for n, spec in specs if spec.game == game and siblings.there_are(spec.authors)]


def _recount(conn: Connection, tournament: int) -> Sums:
    return add_up(of_tournament(conn, tournament), authors(conn, tournament))
