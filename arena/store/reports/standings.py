"""A tournament's table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, select

from arena.store.reports.ranking import shared_ranks
from arena.store.tables import bots, entrants, players, ratings
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament, get
from arena.tournaments.formats import Place, SoFar, format_of
from arena.tournaments.ratings.elo import START


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a tournament's standings.

    `score` is the mean over matches and opponents of 1 for a better place, 1/2 for an equal
    one; a place is better with fewer points, and any is better than a forfeit. `elo` is the
    bot's Elo in the game now, over all numbers of seats. In `sibling_matches` a bot of the same
    author sat at the table, too; the score in these and in the others is None where there are none.
    `withdrawn` is when it was (Unix seconds), None while it is not.
    """

    rank: int
    player: int
    bot: str
    version: str
    called: str  # in this tournament: its name, or NAME@VERSION where it entered so
    elo: float
    matches: int
    wins: int  # alone or shared
    shared_wins: int
    mean_points: float
    score: float
    faults: int
    forfeits: int
    sibling_matches: int = 0
    score_with_siblings: float | None = None
    score_without_siblings: float | None = None
    withdrawn: float | None = None


def standings(conn: Connection, tournament: int) -> list[Standing]:
    """The table, best first, as it stands. Raises NotFound.

    Order: higher score, then fewer points per match, then name. Who is equal in the first two
    shares a rank. Some formats have a word in it: of their `Place`, which follows from the
    finished blocks, `first` goes before the score and `then` before the points.
    """
    item = get(conn, tournament)
    return standings_of(conn, item, format_state.get(conn, tournament).so_far)


def standings_of(conn: Connection, item: Tournament, so_far: SoFar) -> list[Standing]:
    """The same of a tournament that is read already, with what its format keeps of it."""
    spec = item.spec
    places = () if item.sign_up else format_of(spec.format).places(spec, so_far)
    rows = conn.execute(_rows(), {"of": item.id, "game": spec.game}).all()

    def key(row: Row[Any]) -> tuple[float, ...]:
        place = places[row.entrant] if places else Place()
        return place.first, -_score(row), place.then, _mean_points(row)

    ordered = sorted([(key(row), row.name, row) for row in rows], key=itemgetter(0, 1))
    ranks = shared_ranks([key for key, _, _ in ordered])
    return [
        _standing(rank, row, spec.bots[row.entrant])
        for rank, (_, _, row) in zip(ranks, ordered, strict=True)
    ]


@cache  # making a query takes longer than carrying it out
def _rows() -> Select[Any]:
    rating = ratings.c
    rated = and_(
        rating.player == entrants.c.player, rating.game == bindparam("game"), rating.seats == 0
    )
    return (
        select(entrants, bots.c.name, players.c.version, rating.elo)
        .join_from(entrants, players)
        .join(bots)
        .outerjoin(ratings, rated)
        .where(entrants.c.tournament == bindparam("of"))
    )


def _standing(rank: int, row: Row[Any], called: str) -> Standing:
    return Standing(
        rank=rank,
        player=row.player,
        bot=row.name,
        version=row.version,
        called=called,
        elo=START if row.elo is None else row.elo,
        matches=row.matches,
        wins=row.wins,
        shared_wins=row.shared,
        mean_points=_mean_points(row),
        score=_score(row),
        faults=row.faults,
        forfeits=row.forfeits,
        sibling_matches=row.sibling_matches,
        score_with_siblings=_share(row.sibling_halves, row.sibling_opponents),
        score_without_siblings=_share(
            row.halves - row.sibling_halves, row.opponents - row.sibling_opponents
        ),
        withdrawn=row.withdrawn,
    )


def _score(row: Row[Any]) -> float:
    return _share(row.halves, row.opponents) or 0.0


def _share(halves: int, opponents: int) -> float | None:
    return float(halves) / (2 * opponents) if opponents else None


def _mean_points(row: Row[Any]) -> float:
    return float(row.points) / row.matches if row.matches else 0.0
