"""The standings of a tournament, the winners of finished ones, and the standings of a series."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, and_, bindparam, select

from arena.store.cache import DatabaseCache
from arena.store.tables import bots, entrants, players, ratings
from arena.store.tournaments import format_state
from arena.store.tournaments.tournaments import Tournament, get
from arena.tournaments.formats import Place, SoFar, format_of
from arena.tournaments.formats.series import SeasonLine, points, season
from arena.tournaments.ratings.elo import START

Value = TypeVar("Value")

_cached_winners: DatabaseCache[tuple[str, ...]] = DatabaseCache(1024)
_cached_points: DatabaseCache[dict[str, float]] = DatabaseCache(1024)

_rating = ratings.c
_rated = and_(
    _rating.player == entrants.c.player, _rating.game == bindparam("game"), _rating.seats == 0
)
ROWS = (
    select(entrants, bots.c.name, players.c.version, _rating.elo)
    .join_from(entrants, players)
    .join(bots)
    .outerjoin(ratings, _rated)
    .where(entrants.c.tournament == bindparam("of"))
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a tournament's standings.

    `score` is the mean over matches and opponents of 1 for a better place, 1/2 for an equal one; a
    place is better with fewer points, and any place is better than a forfeit. `elo` is the bot's
    current overall Elo in the game. In `sibling_matches` another bot of the same owner played, too;
    the scores with and without are None if there are no such matches. `withdrawn` is when it was
    withdrawn (Unix seconds).
    """

    rank: int
    player: int
    bot: str
    version: str
    called: str  # its name in this tournament: NAME, or NAME@VERSION if it entered that way
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
    """The current standings, best first. Raises NotFound.

    Sorted by higher score, then fewer points per match, then name and order of entry; bots that are
    equal in the first two share a rank. Bots without matches come last. A format may add keys:
    `first` of its `Place`, which it computes from finished blocks, goes before all others, and
    `then` before the points.
    """
    item = get(conn, tournament)
    return standings_of(conn, item, format_state.get(conn, tournament).so_far)


def standings_of(conn: Connection, item: Tournament, so_far: SoFar) -> list[Standing]:
    """The standings of a tournament that was already read, with the state of its format."""
    spec = item.spec
    places = () if item.sign_up else format_of(spec.format).places(spec, so_far)
    rows = conn.execute(ROWS, {"of": item.id, "game": spec.game}).all()

    def key(row: Row[Any]) -> tuple[float, ...]:
        place = places[row.entrant] if places else Place()
        return place.first, not row.matches, -_score(row), place.then, _mean_points(row)

    keyed = [(key(row), row.name, row.entrant, row) for row in rows]
    ordered = sorted(keyed, key=itemgetter(0, 1, 2))
    ranks = shared_ranks([key for key, *_ in ordered])
    return [
        _standing(rank, row, spec.bots[row.entrant])
        for rank, (*_, row) in zip(ranks, ordered, strict=True)
    ]


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


def shared_ranks(keys: Sequence[Hashable]) -> list[int]:
    """Ranks from 1 for lines sorted by these keys; equal keys share the better rank."""
    ranks: list[int] = []
    for place, key in enumerate(keys):
        same = place > 0 and key == keys[place - 1]
        ranks.append(ranks[-1] if same else place + 1)
    return ranks


# Finished tournaments


def winners(conn: Connection, among: Iterable[Tournament]) -> dict[int, tuple[str, ...]]:
    """By number, the first bots in the standings of each finished tournament with matches; several
    if they are equal."""
    return _of_finished(conn, among, _cached_winners, _first)


def _of_finished(
    conn: Connection,
    among: Iterable[Tournament],
    cached: DatabaseCache[Value],
    value: Callable[[list[Standing]], Value],
) -> dict[int, Value]:
    """By number, a cached value of the standings of each finished tournament with matches."""
    return {
        each.id: cached.get(
            conn,
            (each.id,),
            partial(_version, each),
            partial(standings, tournament=each.id),
            value,
        )
        for each in among
        if each.state == "finished" and each.played
    }


def _version(tournament: Tournament, _: Connection) -> tuple[float | None, int]:
    return tournament.finished, tournament.played


def _first(lines: list[Standing]) -> tuple[str, ...]:
    return tuple(line.called for line in lines if line.rank == 1)


def season_of(conn: Connection, of: Iterable[Tournament], counted: int) -> list[SeasonLine]:
    """The standings over these tournaments of a series, of which the best `counted` results of
    each bot count (0: all)."""
    results = _of_finished(conn, of, _cached_points, _points)
    return season(results, counted)


def _points(lines: list[Standing]) -> dict[str, float]:
    """The points of each bot. If several versions of it played, the best one counts."""
    given = points([line.rank for line in lines])
    best: dict[str, float] = {}
    for line, own in zip(lines, given, strict=True):
        if line.matches:
            best[line.bot] = max(own, best.get(line.bot, 0.0))
    return best
