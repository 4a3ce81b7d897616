"""The review of a match, and the reviews of a bot's matches."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import Connection, case, func, select

from arena.store.reviews.requests import DONE, LEASE_S, WAITING
from arena.store.tables import match_seats, matches, players, review_seats, reviews
from arena.value.review import Judged, PhaseTotals, Review
from arena.value.review.leaks import Leak, Part, leaks, part_from
from arena.value.review.payload import from_payload, judged_from

LATEST = 200  # reviewed matches on a bot's page
WORST = LEAKS = 10
LATEST_TIMES = 20  # reviews from whose durations the waiting time is estimated
USUAL_S = 2.0  # duration to assume before the first review


Phases: TypeAlias = dict[str, PhaseTotals]
Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True)
class MatchReview:
    """The state of a match's review: "waiting", "done" or "failed"."""

    state: str
    ahead: int  # earlier reviews that wait; 0 if this one does not wait
    note: str  # why it failed
    review: Review | None  # when done
    starts_s: float | None = None  # expected seconds until the start, while it waits


def of_match(conn: Connection, match: str, reviewer: str) -> MatchReview | None:
    """The review of a match by this reviewer; None if it was not requested."""
    row = reviews.c
    found = conn.execute(
        select(row.id, row.state, row.note, row.payload).where(
            row.match == match, row.reviewer == reviewer
        )
    ).first()
    if found is None:
        return None
    review = None
    if found.payload is not None:
        review = from_payload(json.loads(zlib.decompress(found.payload)))
    if found.state != WAITING:
        return MatchReview(found.state, 0, found.note, review)
    before = row.state == WAITING, row.id < found.id
    ahead = conn.scalar(select(func.count()).select_from(reviews).where(*before)) or 0
    return MatchReview(found.state, ahead, found.note, None, ahead * _seconds_each(conn))


def _seconds_each(conn: Connection) -> float:
    """Average duration of the latest reviews, in seconds."""
    row = reviews.c
    latest = select(row.done - row.lease_until + LEASE_S).where(row.state == DONE)
    took = conn.scalars(latest.order_by(row.id.desc()).limit(LATEST_TIMES)).all()
    return sum(took) / len(took) if took else USUAL_S


@dataclass(frozen=True)
class BotMatch:
    """A bot's choices in a match; `decisions` counts those that it took itself."""

    match: str
    version: str
    finished: float  # Unix seconds
    decisions: int
    lost: float
    stake: float
    phases: Phases
    worst: Sequence[Any]  # as stored: most are never shown
    leaks: Parts
    faults: int
    forfeited: bool


def of_bot(
    conn: Connection, bot: int, game: str, reviewer: str, limit: int = LATEST
) -> Sequence[BotMatch]:
    """The latest reviewed matches of a bot in a game, newest first, over all its versions."""
    seat, row, sat = review_seats.c, reviews.c, match_seats.c
    # Whole reviews are large, so they are only read for archived matches.
    payload = case((sat.faults.is_(None), row.payload))
    found = conn.execute(
        select(
            row.match, players.c.version, seat.finished, seat.decisions, seat.lost, seat.stake,
            seat.phases, seat.worst, seat.leaks, seat.seat,
        )
        .add_columns(sat.faults, sat.forfeited, payload)
        .join_from(review_seats, reviews, seat.review == row.id)
        .join(players, players.c.id == seat.player)
        .outerjoin(matches, matches.c.id == row.match)
        .outerjoin(match_seats, (sat.match == matches.c.number) & (sat.seat == seat.seat))
        .where(seat.bot == bot, seat.game == game, row.reviewer == reviewer, row.state == DONE)
        .order_by(seat.finished.desc(), seat.review.desc())
        .limit(limit)
    )  # fmt: skip
    return [_bot_match(*each) for each in found]


def games_of_bot(conn: Connection, bot: int, reviewer: str) -> dict[str, int]:
    """Number of reviewed matches of a bot, by game."""
    seat, row = review_seats.c, reviews.c
    counted = (
        select(seat.game, func.count())
        .join_from(review_seats, reviews, seat.review == row.id)
        .where(seat.bot == bot, row.reviewer == reviewer)
        .group_by(seat.game)
    )
    return {str(game): int(count) for game, count in conn.execute(counted)}


def _bot_match(
    match: str, version: str, finished: float, decisions: int, lost: float, stake: float,
    phases: str, worst: str, lost_by: str, seat: int, faults: int, forfeited: bool,
    payload: bytes | None,
) -> BotMatch:  # fmt: skip
    parsed = _parsed(phases, worst, lost_by)
    if payload is not None:
        own = [forfeits for of, forfeits in _faults(payload) if of == seat]
        faults, forfeited = len(own), any(own)
    return BotMatch(match, version, finished, decisions, lost, stake, *parsed, faults, forfeited)


@lru_cache(maxsize=1000)  # the pages of five bots, about ten MB
def _parsed(phases: str, worst: str, lost_by: str) -> tuple[Phases, Sequence[Any], Parts]:
    """Parses the JSON columns of a seat, which never change."""
    totals = {name: PhaseTotals(*each) for name, each in json.loads(phases).items()}
    return totals, json.loads(worst), tuple(map(part_from, json.loads(lost_by)))


@lru_cache(maxsize=1000)
def _faults(payload: bytes) -> Sequence[tuple[int, bool]]:
    """The seat of each fault in a stored review, and whether it forfeited the match."""
    faults = json.loads(zlib.decompress(payload))["faults"]
    return [(each["seat"], each["forfeits"]) for each in faults]


def leaks_of(matches: Sequence[BotMatch], count: int = LEAKS) -> list[Leak]:
    """The situations in which the bot lost most."""
    return leaks((match.match, part) for match in matches for part in match.leaks)[:count]


def worst_of(matches: Sequence[BotMatch], count: int = WORST) -> list[tuple[BotMatch, Judged]]:
    """The decisions that cost most, with their matches."""
    every = [(match, stored) for match in matches for stored in match.worst]
    worst = sorted(every, key=lambda each: -each[1]["loss"])[:count]
    return [(match, judged_from(stored)) for match, stored in worst]
