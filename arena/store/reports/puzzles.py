"""The people who solve puzzles best."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from arena.store.reports.standings import shared_ranks
from arena.store.tables import accounts, puzzle_ratings

FEWEST = 10  # rated answers to be listed
MOST = 10  # people in the table


@dataclass(frozen=True)
class PuzzleRank:
    """A person in the table of a game."""

    rank: int
    name: str
    rating: float
    attempts: int
    solved: int


def table(conn: Connection, game: str) -> list[PuzzleRank]:
    """The best people of a game who agreed to be listed, best first."""
    row = puzzle_ratings.c
    query = (
        select(accounts.c.name, row.rating, row.attempts, row.solved)
        .join_from(puzzle_ratings, accounts)
        .where(row.game == game, row.attempts >= FEWEST, accounts.c.listed)
        .order_by(row.rating.desc(), accounts.c.name_key)
        .limit(MOST)
    )
    found = conn.execute(query).all()
    ranks = shared_ranks([line.rating for line in found])
    return [PuzzleRank(rank, *line) for rank, line in zip(ranks, found, strict=True)]
