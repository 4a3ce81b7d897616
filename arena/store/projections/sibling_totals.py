"""How bots did at tables with siblings and at those without, added up match by match.

The sums stand beside the other counters of an entrant and are brought up to date with them.
Tables at which a person sits have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from sqlalchemy import Connection, bindparam, select, update

from arena.store.bulk import Row, write_rows
from arena.store.matches.columns import MatchColumns, sums_by
from arena.store.matches.read_columns import by_tournament
from arena.store.projections.projection import Change
from arena.store.tables import entrants, tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.tournaments.formats import siblings

# What is counted of the matches in which a sibling of the bot sat at the table, too.
NAMES = ("sibling_matches", "sibling_opponents", "sibling_halves")

Sums = dict[int, tuple[int, ...]]  # by player, in the order of NAMES

PLACES = ("of", "key", *(f"new_{name}" for name in NAMES))
_entrant = update(entrants).where(
    entrants.c.tournament == bindparam("of"), entrants.c.player == bindparam("key")
)
ADD = _entrant.values({name: entrants.c[name] + bindparam(f"new_{name}") for name in NAMES})
SET = _entrant.values({name: bindparam(f"new_{name}") for name in NAMES})


class SiblingTotalsProjection:
    """Of a tournament's entrants, how they did with a sibling at the table."""

    name = "sibling_totals"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        author_of = authors(conn, change.tournament)
        sums = add_up(change.columns, author_of) if author_of else {}
        write_rows(conn, ADD, PLACES, _rows(change.tournament, sums))

    def rebuild(self, conn: Connection, game: str) -> None:
        """Counts the stored matches of every tournament of a game with siblings again."""
        for tournament, sums in _recount(conn, game):
            write_rows(conn, SET, PLACES, _rows(tournament, sums))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Of how many entrants the sums differ."""
        wrong = 0
        for tournament, expected in _recount(conn, game):
            query = select(entrants.c.player, *(entrants.c[name] for name in NAMES))
            for player, *actual in conn.execute(query.where(entrants.c.tournament == tournament)):
                wrong += tuple(actual) != expected[player]
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


def add_up(found: MatchColumns, author_of: Mapping[int, int]) -> Sums:
    """The sums of some matches, by player; only of those who met siblings."""
    players, player = np.unique(found.players, return_inverse=True)
    author = np.array([author_of[key] for key in players.tolist()], dtype=np.int64)[player]
    # A match and an author: the seats that have both equal are siblings.
    _, table, seated = np.unique(
        np.stack([found.match, author]), axis=1, return_inverse=True, return_counts=True
    )
    met = seated[table] > 1
    opponents = found.seats[found.match] - 1
    keys, sums = sums_by(
        found.players[met], (np.ones_like(opponents[met]), opponents[met], found.halves[met])
    )
    return dict(zip(keys.tolist(), map(tuple, sums.tolist()), strict=True))


def _rows(tournament: int, sums: Sums) -> list[Row]:
    """The columns of PLACES."""
    return [(tournament, player, *counts) for player, counts in sums.items()]


def _with_siblings(conn: Connection, game: str) -> list[int]:
    """The tournaments of a game among whose bots there are siblings."""
    rows = conn.execute(select(tournaments.c.id, tournaments.c.spec).order_by(tournaments.c.id))
    specs = ((number, decode_spec(text)) for number, text in rows)
    return [n for n, spec in specs if spec.game == game and siblings.there_are(spec.authors)]


def _recount(conn: Connection, game: str) -> Iterator[tuple[int, Sums]]:
    """The sums of all entrants of each tournament of a game with siblings, as its matches give
    them."""
    played = {found.tournament: found.columns for found in by_tournament(conn, game)}
    for tournament in _with_siblings(conn, game):
        author_of = authors(conn, tournament)
        none = dict.fromkeys(author_of, (0,) * len(NAMES))
        found = played.get(tournament)
        yield tournament, none if found is None else none | add_up(found, author_of)
