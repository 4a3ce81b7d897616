"""The results of bots in matches against bots of the same owner, counted match by match.

The sums are stored and updated with the other counters of an entrant. Casual games have none.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from sqlalchemy import Connection, bindparam, select, update

from arena.store.dialects import Row, write_rows
from arena.store.matches.columns import MatchColumns, sums_by
from arena.store.matches.read_columns import by_tournament
from arena.store.projections.projection import Change
from arena.store.tables import entrants, tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.tournaments.formats import siblings

# Counters over the matches with another bot of the same owner.
NAMES = ("sibling_matches", "sibling_opponents", "sibling_halves")

Sums = dict[int, tuple[int, ...]]  # by player, in the order of NAMES

PLACES = ("of", "key", *(f"new_{name}" for name in NAMES))
_entrant = update(entrants).where(
    entrants.c.tournament == bindparam("of"), entrants.c.player == bindparam("key")
)
ADD = _entrant.values({name: entrants.c[name] + bindparam(f"new_{name}") for name in NAMES})
SET = _entrant.values({name: bindparam(f"new_{name}") for name in NAMES})


class SiblingTotalsProjection:
    """By entrant of a tournament, its results against bots of the same owner."""

    name = "sibling_totals"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        author_of = authors(conn, change.tournament)
        sums = add_up(change.columns, author_of) if author_of else {}
        write_rows(conn, ADD, PLACES, _rows(change.tournament, sums))

    def rebuild(self, conn: Connection, game: str) -> None:
        for tournament, sums in _recount(conn, game):
            write_rows(conn, SET, PLACES, _rows(tournament, sums))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        wrong = 0
        for tournament, expected in _recount(conn, game):
            query = select(entrants.c.player, *(entrants.c[name] for name in NAMES))
            for player, *actual in conn.execute(query.where(entrants.c.tournament == tournament)):
                wrong += tuple(actual) != expected[player]
        if wrong:
            yield f"the results against bots of the same owner of {wrong:,} entrants differ"


def authors(conn: Connection, tournament: int) -> dict[int, int]:
    """By player, its author number; empty if no owner has several bots, or if it is unknown."""
    text = conn.scalar(select(tournaments.c.spec).where(tournaments.c.id == tournament))
    numbers = decode_spec(str(text)).authors
    if not siblings.there_are(numbers):
        return {}
    query = select(entrants.c.player).where(entrants.c.tournament == tournament)
    players = conn.scalars(query.order_by(entrants.c.entrant))
    return dict(zip(players, numbers, strict=True))


def add_up(found: MatchColumns, author_of: Mapping[int, int]) -> Sums:
    """By player, the sums of some matches; only players with such a match."""
    players, player = np.unique(found.players, return_inverse=True)
    author = np.array([author_of[key] for key in players.tolist()], dtype=np.int64)[player]
    # Seats with the same match and author are bots of the same owner.
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
    return [(tournament, player, *counts) for player, counts in sums.items()]


def _with_siblings(conn: Connection, game: str) -> list[int]:
    """The tournaments of a game in which an owner has several bots."""
    rows = conn.execute(select(tournaments.c.id, tournaments.c.spec).order_by(tournaments.c.id))
    specs = ((number, decode_spec(text)) for number, text in rows)
    return [n for n, spec in specs if spec.game == game and siblings.there_are(spec.authors)]


def _recount(conn: Connection, game: str) -> Iterator[tuple[int, Sums]]:
    """The sums of all entrants of each such tournament of a game, as computed from its matches."""
    played = {found.tournament: found.columns for found in by_tournament(conn, game)}
    for tournament in _with_siblings(conn, game):
        author_of = authors(conn, tournament)
        none = dict.fromkeys(author_of, (0,) * len(NAMES))
        found = played.get(tournament)
        yield tournament, none if found is None else none | add_up(found, author_of)
