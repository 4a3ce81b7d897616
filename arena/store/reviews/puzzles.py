"""Puzzles from reviewed matches, the answers of accounts, and the ratings of both.

Only matches of tournaments become puzzles: casual games and test matches belong to people. A
puzzle is shown once its tournament is finished. An account has one answer to a puzzle. It is rated
unless it came after a hint.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, exists, func, select, update

from arena.base.errors import InvalidRequest, NotFound
from arena.store.dialects import insert, upsert
from arena.store.matches.matches import StoredMatch
from arena.store.registry import accounts
from arena.store.tables import (
    matches,
    puzzle_attempts,
    puzzle_ratings,
    puzzles,
    reviews,
    tournaments,
)
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.puzzles import changes
from arena.value.review.puzzles import Alternative, Puzzle

KEPT = 10_000  # puzzles
DIGITS = 4  # of stored values
RECENT = 100  # finished tournaments, and matches of each, of which some are reviewed for puzzles
NEAR = 10  # unsolved puzzles near a rating, of which one is chosen


@dataclass(frozen=True)
class StoredPuzzle:
    """A puzzle with its Elo. `attempts` counts the rated answers, `solved` the right ones."""

    id: int
    match: str
    number: int
    seat: int
    game: str
    rating: float
    attempts: int
    solved: int
    alternatives: tuple[Alternative, ...]  # the best first

    @property
    def best(self) -> str:
        """The right answer, in notation."""
        return self.alternatives[0].action

    @property
    def worse_half(self) -> frozenset[str]:
        """The actions that a hint strikes out: the worst, at most half of them."""
        count = len(self.alternatives)
        return frozenset([each.action for each in self.alternatives[count - count // 2 :]])


@dataclass(frozen=True)
class PuzzleAttempt:
    """An account's answer; `action` is empty after a hint without an answer."""

    hinted: bool
    action: str
    solved: bool
    change: float | None  # of the account's rating; None if the answer is not rated


@dataclass(frozen=True)
class PuzzleRating:
    """An account's rating (Elo) in a game, with the number of its rated and right answers."""

    rating: float = START
    attempts: int = 0
    solved: int = 0


# Making puzzles


def wanted(conn: Connection, match: StoredMatch) -> bool:
    """Whether a match can become puzzles: of a tournament, not locked, and without puzzles yet."""
    kind = conn.scalar(select(tournaments.c.kind).where(tournaments.c.id == match.tournament))
    if kind != "tournament" or match.locked:
        return False
    if conn.scalar(select(puzzles.c.id).where(puzzles.c.match == match.id).limit(1)) is not None:
        return False
    return (conn.scalar(select(func.count()).select_from(puzzles)) or 0) < KEPT


def add(conn: Connection, match: StoredMatch, found: Sequence[Puzzle]) -> None:
    """Stores puzzles of a match, if it is `wanted`."""
    if not found or not wanted(conn, match):
        return
    about = {"match": match.id, "game": match.game, "tournament": match.tournament}
    new = {"rating": START, "attempts": 0, "solved": 0}
    for each in found:
        actions = [
            [one.action, *(round(number, DIGITS) for number in one[1:])]
            for one in each.alternatives
        ]
        row = {"number": each.number, "seat": each.seat, "alternatives": json.dumps(actions)}
        made = insert(conn, puzzles).values(**about, **new, **row)
        conn.execute(made.on_conflict_do_nothing())


def unreviewed(conn: Connection, game: str, count: int) -> list[str]:
    """Ids of at most `count` random matches whose reviews could give puzzles: of the newest
    finished tournaments of the game, and without a review."""
    if (conn.scalar(select(func.count()).select_from(puzzles)) or 0) >= KEPT:
        return []
    row, about, found = matches.c, tournaments.c, list[str]()
    finished = select(about.id).where(about.kind == "tournament", about.state == "finished")
    newest = list(conn.scalars(finished.order_by(about.id.desc()).limit(RECENT)))
    for tournament in random.sample(newest, len(newest)):
        of_it = select(row.game).where(row.tournament == tournament).limit(1)
        if len(found) >= count or conn.scalar(of_it) != game:
            continue
        last = select(row.id).where(row.tournament == tournament).order_by(row.number.desc())
        some = last.limit(RECENT).subquery().c.id
        found += conn.scalars(select(some).where(~exists().where(reviews.c.match == some)))
    return random.sample(found, min(count, len(found)))


# Reading


def _shown() -> ColumnElement[bool]:
    """Whether visitors may see the puzzle of the enclosing query."""
    row = tournaments.c
    finished = row.kind == "tournament", row.state == "finished"
    return exists().where(row.id == puzzles.c.tournament, *finished)


def get(conn: Connection, number: int, *, lock: bool = False) -> StoredPuzzle:
    """A puzzle that visitors may see. Raises NotFound."""
    query = select(puzzles).where(puzzles.c.id == number, _shown())
    found = conn.execute(query.with_for_update(of=puzzles) if lock else query).first()
    if found is None:
        raise NotFound(f"There is no puzzle {number}. Choose one on the page of puzzles.")
    return _puzzle(found)


def page(conn: Connection, game: str | None, limit: int, after: int) -> list[StoredPuzzle]:
    """Puzzles with numbers above `after`, in order."""
    query = select(puzzles).where(puzzles.c.id > after, _shown()).order_by(puzzles.c.id)
    if game is not None:
        query = query.where(puzzles.c.game == game)
    return [_puzzle(row) for row in conn.execute(query.limit(limit))]


def _puzzle(row: Row[Any]) -> StoredPuzzle:
    actions = tuple([Alternative(*each) for each in json.loads(row.alternatives)])
    about = row.id, row.match, row.number, row.seat, row.game
    return StoredPuzzle(*about, row.rating, row.attempts, row.solved, actions)


def choose(
    conn: Connection, game: str, account: int | None = None, besides: int = 0
) -> list[StoredPuzzle]:
    """A few puzzles near the account's rating that it has not answered, other than `besides`, in
    random order. Without an account, random ones."""
    row, done = puzzles.c, puzzle_attempts.c
    query = select(puzzles).where(row.game == game, row.id != besides, _shown())
    if account is None:
        query = query.order_by(func.random()).limit(NEAR)
    else:
        answered = exists().where(done.puzzle == row.id, done.account == account, done.action != "")
        mine = rating_of(conn, account, game).rating
        query = query.where(~answered).order_by(func.abs(row.rating - mine), row.id).limit(NEAR)
    near = [_puzzle(found) for found in conn.execute(query)]
    random.shuffle(near)
    return near


def rating_of(conn: Connection, account: int, game: str) -> PuzzleRating:
    """The rating of an account in a game."""
    row = puzzle_ratings.c
    query = select(row.rating, row.attempts, row.solved)
    found = conn.execute(query.where(row.account == account, row.game == game)).first()
    return PuzzleRating(*found) if found else PuzzleRating()


# Answers


def attempt(conn: Connection, puzzle: int, account: int) -> PuzzleAttempt | None:
    """An account's answer to a puzzle, or the hint that it took."""
    row = puzzle_attempts.c
    query = select(row.hinted, row.action, row.solved, row.change)
    found = conn.execute(query.where(row.puzzle == puzzle, row.account == account)).first()
    return PuzzleAttempt(*found) if found else None


def take_hint(conn: Connection, number: int, account: int, now: float) -> None:
    """Notes that an account took the hint, unless it has answered. Raises NotFound."""
    accounts.get(conn, account, lock=True)
    get(conn, number)
    row = {"account": account, "puzzle": number, "time": now}
    made = insert(conn, puzzle_attempts).values(**row, hinted=True, action="", solved=False)
    conn.execute(made.on_conflict_do_nothing())


def answer(conn: Connection, number: int, account: int, action: str, now: float) -> PuzzleAttempt:
    """Stores an account's first answer and rates it, unless the account took the hint. Later
    answers change nothing. Returns the first one. Raises NotFound, InvalidRequest."""
    accounts.get(conn, account, lock=True)  # before all else, like its deletion
    puzzle = get(conn, number, lock=True)
    if action not in [each.action for each in puzzle.alternatives]:
        raise InvalidRequest(
            f'"{action[:40]}" is not an action of puzzle {number}. Choose another.'
        )
    before = attempt(conn, number, account)
    if before is not None and before.action:
        return before
    solved, hinted = action == puzzle.best, before is not None
    change = None if hinted else _rate(conn, puzzle, account, solved=solved)
    row = {"account": account, "puzzle": number, "time": now, "hinted": hinted, "action": action}
    conn.execute(upsert(conn, puzzle_attempts).values(**row, solved=solved, change=change))
    return PuzzleAttempt(hinted, action, solved, change)


def _rate(conn: Connection, puzzle: StoredPuzzle, account: int, *, solved: bool) -> float:
    """Changes both ratings; returns the account's change. The puzzle's row is locked."""
    row = puzzle_ratings.c
    mine = row.account == account, row.game == puzzle.game
    new = {"account": account, "game": puzzle.game, "rating": START, "attempts": 0, "solved": 0}
    conn.execute(insert(conn, puzzle_ratings).values(**new).on_conflict_do_nothing())
    conn.execute(select(row.account).where(*mine).with_for_update())
    person = rating_of(conn, account, puzzle.game)
    own, its = changes(person.rating, person.attempts, puzzle.rating, puzzle.attempts, right=solved)
    for table, which, change in (
        (puzzle_ratings, mine, own),
        (puzzles, (puzzles.c.id == puzzle.id,), its),
    ):
        counted = {"attempts": table.c.attempts + 1, "solved": table.c.solved + int(solved)}
        conn.execute(update(table).where(*which).values(rating=table.c.rating + change, **counted))
    return own


def of_account(conn: Connection, account: int) -> list[dict[str, Any]]:
    """All answers of an account, for its download."""
    row = puzzle_attempts.c
    query = select(row.puzzle, row.time, row.hinted, row.action, row.solved, row.change)
    found = conn.execute(query.where(row.account == account).order_by(row.time, row.puzzle))
    return [dict(each._mapping) for each in found]
