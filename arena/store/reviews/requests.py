"""Requests for reviews, and their results.

A row is one match for one reviewer. It waits until a worker claims it for a while; then it is done
or has failed. If the worker dies, another one claims it, up to three times. Everything is in the
database, so nothing is lost with Redis or a worker.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, or_, select, update

from arena.base.errors import LimitReached, NotNow
from arena.store.dialects import insert as tolerant_insert
from arena.store.matches.matches import StoredMatch, get_match
from arena.store.tables import matches, players, review_seats, reviews
from arena.store.tournaments import daily, tournaments
from arena.value.review import Review
from arena.value.review.leaks import Others, part_payload, parts
from arena.value.review.payload import judged_payload, payload

WAITING, DONE, FAILED = "waiting", "done", "failed"
LEASE_S = 60.0  # a worker that takes longer is dead; a review takes a few seconds
ATTEMPTS = 3
WORST_KEPT = 10  # decisions per seat, for the bot's page


@dataclass(frozen=True)
class ReviewLimits:
    """Limits of the numbers of waiting and of stored reviews."""

    waiting: int = 200  # over all
    waiting_each: int = 5  # of an account, or of an IP address without one
    kept: int = 10_000


class ReviewTask(NamedTuple):
    """A review claimed by a worker."""

    id: int
    match: str
    attempt: int  # from 1; results of an earlier attempt are ignored


def ask(
    conn: Connection,
    stored: StoredMatch,
    reviewer: str,
    whom: str,
    now: float,
    limits: ReviewLimits = ReviewLimits(),
) -> bool:
    """Requests the review of a match. Returns whether workers should be notified: False if it is
    done or already waits.

    `whom` identifies the requester, whose waiting reviews are limited. Raises NotNow while the
    match's cards are secret, LimitReached.
    """
    if stored.locked:
        raise NotNow(daily.why_sealed(tournaments.get(conn, stored.tournament)))
    own = reviews.c.match == stored.id, reviews.c.reviewer == reviewer
    state = conn.scalar(select(reviews.c.state).where(*own))
    if state in (WAITING, DONE):
        return False
    _check_limits(conn, whom, limits)
    if state == FAILED:
        conn.execute(delete(reviews).where(*own))
    row = {"match": stored.id, "reviewer": reviewer, "state": WAITING, "asked": now, "whom": whom}
    made = tolerant_insert(conn, reviews).on_conflict_do_nothing()
    conn.execute(made.values(**row, attempts=0, lease_until=0.0, note=""))
    return True


def _check_limits(conn: Connection, whom: str, limits: ReviewLimits) -> None:
    if unfinished(conn) >= limits.waiting:
        raise LimitReached(
            f"{limits.waiting} reviews are waiting, the maximum. Try again in a minute."
        )
    if unfinished(conn, whom=whom) >= limits.waiting_each:
        raise LimitReached(
            f"You are waiting for {limits.waiting_each} reviews, the maximum. Come back to this "
            "match when one of them is done."
        )


def unfinished(conn: Connection, game: str = "", whom: str = "") -> int:
    """Number of reviews that wait for a worker or are being made, of a game and a requester."""
    query = select(func.count()).select_from(reviews).where(reviews.c.state == WAITING)
    if game:
        query = query.where(exists().where(matches.c.id == reviews.c.match, matches.c.game == game))
    return conn.scalar(query.where(reviews.c.whom == whom) if whom else query) or 0


# Workers


def waiting(conn: Connection, now: float) -> int:
    """Number of reviews that wait for a worker."""
    return conn.scalar(select(func.count()).select_from(reviews).where(*_free(now))) or 0


def take(conn: Connection, now: float) -> ReviewTask | None:
    """Claims the review that has waited longest. Those without attempts left fail here."""
    conn.execute(
        update(reviews)
        .where(*_free(now), reviews.c.attempts >= ATTEMPTS)
        .values(state=FAILED, note="The review was started three times and never finished.")
    )
    row = conn.execute(
        select(reviews.c.id, reviews.c.match, reviews.c.attempts)
        .where(*_free(now))
        .order_by(reviews.c.id)
        .limit(1)
    ).first()
    if row is None:
        return None
    taken = conn.execute(
        update(reviews)
        .where(reviews.c.id == row.id, *_free(now))
        .values(attempts=row.attempts + 1, lease_until=now + LEASE_S)
    )
    return ReviewTask(row.id, row.match, row.attempts + 1) if taken.rowcount else None


def _free(now: float) -> tuple[ColumnElement[bool], ...]:
    return reviews.c.state == WAITING, reviews.c.lease_until <= now


def _held(task: ReviewTask) -> tuple[ColumnElement[bool], ...]:
    of_it = reviews.c.id == task.id, reviews.c.attempts == task.attempt
    return *of_it, reviews.c.state == WAITING


def fail(conn: Connection, task: ReviewTask, note: str) -> None:
    """Marks a review as failed; `note` explains it to the requester."""
    conn.execute(update(reviews).where(*_held(task)).values(state=FAILED, note=note))


def give_back(conn: Connection, task: ReviewTask) -> None:
    """Releases a review for another worker, without counting the attempt."""
    values = {"attempts": task.attempt - 1, "lease_until": 0.0}
    conn.execute(update(reviews).where(*_held(task)).values(**values))


def finish(
    conn: Connection,
    task: ReviewTask,
    review: Review,
    now: float,
    limits: ReviewLimits = ReviewLimits(),
    others: Others | None = None,
) -> None:
    """Stores a review with the data for bots' pages, and deletes the oldest beyond the limit.
    `others` are the choices of house bots in its decisions."""
    blob = zlib.compress(json.dumps(payload(review), separators=(",", ":")).encode(), 9)
    values = {"state": DONE, "done": now, "payload": blob}
    if not conn.execute(update(reviews).where(*_held(task)).values(**values)).rowcount:
        return
    stored = get_match(conn, review.match)
    conn.execute(insert(review_seats), _seat_rows(conn, task, review, stored, others or {}))
    _prune(conn, limits.kept)


def _seat_rows(
    conn: Connection, task: ReviewTask, review: Review, stored: StoredMatch, others: Others
) -> Sequence[dict[str, Any]]:
    seated = [seat.player for seat in stored.seats]
    by_player = conn.execute(select(players.c.id, players.c.bot).where(players.c.id.in_(seated)))
    owners = {row.id: row.bot for row in by_player}
    return [
        {
            "review": task.id,
            "seat": number,
            "player": seated[number],
            "bot": owners[seated[number]],
            "game": stored.game,
            "finished": stored.finished,
            "decisions": seat.decisions,
            "lost": seat.lost,
            "stake": seat.stake,
            "phases": json.dumps({name: list(totals) for name, totals in seat.phases.items()}),
            "worst": json.dumps([judged_payload(each) for each in _worst(review, number)]),
            "leaks": json.dumps([part_payload(part) for part in parts(review, number, others)]),
        }
        for number, seat in enumerate(review.seats)
    ]


def _worst(review: Review, seat: int) -> list[Any]:
    own = [each for each in review.decisions if each.seat == seat and each.verdict]
    return sorted(own, key=lambda each: -each.loss)[:WORST_KEPT]


def _prune(conn: Connection, kept: int) -> None:
    """Deletes all but the newest reviews; failed ones count, too."""
    over = or_(reviews.c.state == DONE, reviews.c.state == FAILED)
    newest = select(reviews.c.id).where(over).order_by(reviews.c.id.desc())
    last = conn.scalar(newest.offset(kept - 1).limit(1))
    if last is not None:
        old = select(reviews.c.id).where(over, reviews.c.id < last)
        conn.execute(delete(review_seats).where(review_seats.c.review.in_(old)))
        conn.execute(delete(reviews).where(over, reviews.c.id < last))
