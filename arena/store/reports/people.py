"""The ratings of people, from their casual games against rated bots, and from puzzles.

A row per account and game holds the results of the latest games, so a table costs the same for any
number of matches. The end of a game marks the row as pending. A worker then computes it, without
holding a lock: reading the ratings of bots may take a while. A person is listed only if they agree.
Games of several people do not count, because they could help each other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select, update

from arena.store.dialects import insert
from arena.store.engine import Store
from arena.store.matches import matches
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.reports import leaderboard
from arena.store.reports.standings import shared_ranks
from arena.store.tables import accounts, bots, entrants, person_ratings, players, puzzle_ratings
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.ratings.performance import OpponentScore, Performance, performance

LATEST = 200  # games of a person that count
FEWEST = 10  # games to be listed
MOST = 100  # people in a table
FEWEST_ANSWERS = 10  # rated answers to puzzles to be listed
MOST_SOLVERS = 10  # people in the table of a game's puzzles


class Pending(NamedTuple):
    """A row that has to be computed, and the number of games that ended since it was."""

    account: int
    game: str
    games: int


NOTHING = {"games": 0, "wins": 0, "score": 0.0}


@dataclass(frozen=True)
class PersonRank:
    """A person in the table of a game; `score` is from 0 to 1, per opponent."""

    rank: int
    name: str
    rating: float
    plus_minus: float
    games: int
    wins: int
    score: float


def table(conn: Connection, game: str) -> list[PersonRank]:
    """The best people of a game who agreed to be listed, best first."""
    row = person_ratings.c
    query = (
        select(accounts.c.name, row.rating, row.plus_minus, row.games, row.wins, row.score)
        .join_from(person_ratings, accounts)
        .where(row.game == game, row.rating.is_not(None), row.games >= FEWEST, accounts.c.listed)
        .order_by(row.rating.desc(), accounts.c.name_key)
        .limit(MOST)
    )
    found = conn.execute(query).all()
    ranks = shared_ranks([line.rating for line in found])
    return [PersonRank(rank, *line) for rank, line in zip(ranks, found, strict=True)]


def games(conn: Connection, account: int, game: str) -> int:
    """The number of games in the row of an account."""
    row = person_ratings.c
    query = select(row.games).where(row.account == account, row.game == game)
    return conn.scalar(query) or 0


def performance_in(
    conn: Connection, game: str, played: Iterable[tuple[MatchRow, SeatRow]]
) -> Performance | None:
    """The performance rating of a person in matches of a game, each with the person's seat, from
    results against rated bots."""
    rated = leaderboard.by_player(conn, game)
    met = [
        OpponentScore(match.number, rating, _score(own, seat))
        for match, own in played
        for seat in match.seats
        if seat.player in rated and (rating := rated[seat.player].rating) is not None
    ]
    return performance(met)


def _score(own: SeatRow, other: SeatRow) -> float:
    return 0.5 if own.rank == other.rank else float(own.rank < other.rank)


# Keeping the rows up to date


def note_played(conn: Connection, table: Tournament) -> None:
    """Marks the row of the person in a finished casual game as pending."""
    query = select(bots.c.owner).join_from(entrants, players).join(bots)
    here = entrants.c.tournament == table.id, bots.c.kind == "guest", bots.c.owner.is_not(None)
    for account in conn.scalars(query.where(*here)).all():
        mark(conn, account, [table.spec.game])


def mark(conn: Connection, account: int, games: Iterable[str]) -> None:
    """Marks rows of an account as pending."""
    for game in games:
        row = {"account": account, "game": game, "pending": 1, **NOTHING}
        more = {"pending": person_ratings.c.pending + 1}
        made = insert(conn, person_ratings).values(**row)
        conn.execute(made.on_conflict_do_update(index_elements=["account", "game"], set_=more))


def pending(conn: Connection) -> Pending | None:
    """A row that has to be computed, or None."""
    row = person_ratings.c
    query = select(row.account, row.game, row.pending).where(row.pending > 0).limit(1)
    found = conn.execute(query).first()
    return None if found is None else Pending(*found)


def compute(store: Store, due: Pending) -> None:
    """Computes a row. Games that end in the meantime stay pending. Raises Unavailable."""
    with store.read() as conn:
        values = _row(conn, due.account, due.game)
    row = person_ratings.c
    mine = row.account == due.account, row.game == due.game
    with store.write() as conn:
        if values["games"]:
            left = {"pending": row.pending - due.games}
            conn.execute(update(person_ratings).where(*mine).values(**values, **left))
        else:
            conn.execute(delete(person_ratings).where(*mine, row.pending == due.games))


def _row(conn: Connection, account: int, game: str) -> dict[str, Any]:
    mine = bots.c.owner == account, bots.c.kind == "guest"
    guests = dict(conn.execute(select(bots.c.id, bots.c.name).where(*mine)).all())
    rows = matches.of_people(conn, list(guests), LATEST, game)
    names = set(guests.values())
    played = [(row, next(seat for seat in row.seats if seat.bot in names)) for row in rows]
    found = performance_in(conn, game, played)
    return {
        "games": len(played),
        "wins": sum(own.rank == 1 and not own.forfeited for _, own in played),
        "score": _mean([_score(own, s) for row, own in played for s in row.seats if s is not own]),
        "rating": found.rating if found else None,
        "plus_minus": found.plus_minus if found else None,
    }


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


# Puzzles


@dataclass(frozen=True)
class PuzzleRank:
    """A person in the table of a game's puzzles."""

    rank: int
    name: str
    rating: float
    attempts: int
    solved: int


def puzzle_table(conn: Connection, game: str) -> list[PuzzleRank]:
    """The people who solve the puzzles of a game best and agreed to be listed, best first."""
    row = puzzle_ratings.c
    query = (
        select(accounts.c.name, row.rating, row.attempts, row.solved)
        .join_from(puzzle_ratings, accounts)
        .where(row.game == game, row.attempts >= FEWEST_ANSWERS, accounts.c.listed)
        .order_by(row.rating.desc(), accounts.c.name_key)
        .limit(MOST_SOLVERS)
    )
    found = conn.execute(query).all()
    ranks = shared_ranks([line.rating for line in found])
    return [PuzzleRank(rank, *line) for rank, line in zip(ranks, found, strict=True)]
