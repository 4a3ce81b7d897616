"""Makes the requested reviews."""

from collections.abc import Callable, Sequence

import structlog

from arena.base import instant
from arena.base.errors import ArenaError, Unavailable
from arena.games.packed_log import replay
from arena.games.rules import View
from arena.store import Store
from arena.store.matches.matches import get_match
from arena.store.reviews import puzzles, requests
from arena.store.reviews.requests import ReviewLimits, ReviewTask
from arena.value.review import Review, peers, review_match, values
from arena.value.review.leaks import Others, decisions_of_leaks
from arena.value.review.losses import Halves
from arena.value.review.puzzles import puzzles_of

log = structlog.get_logger()

BUSY = 5  # waiting reviews, more of which leave no time for puzzles


def review_next(store: Store, limits: ReviewLimits, progress: Callable[[], None]) -> bool:
    """Makes the review that has waited longest. Returns False if none waits. Raises Unavailable."""
    with store.write() as conn:
        task = requests.take(conn, instant.now())
    if task is None:
        return False
    progress()
    try:
        made, others = review_of(store, task, progress)
    except Unavailable:
        with store.write() as conn:
            requests.give_back(conn, task)
        raise
    except ArenaError as error:
        with store.write() as conn:
            requests.fail(conn, task, str(error))
        return True
    with store.write() as conn:
        requests.finish(conn, task, made, instant.now(), limits, others)
    log.info("match reviewed", match=task.match, decisions=len(made.decisions))
    progress()
    make_puzzles(store, made)
    return True


def review_of(
    store: Store, task: ReviewTask, progress: Callable[[], None]
) -> tuple[Review, Others]:
    """The review of a stored match, and the house bots' choices where it finds a better move.
    Raises ArenaError with a text for the requesting user."""
    with store.read() as conn:
        stored = get_match(conn, task.match)
    match = replay(stored.setup, stored.log)

    def evaluate(
        views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> Sequence[Halves]:
        progress()  # a review of many seats can take long on a slow and busy machine
        return values.evaluate(views, places, samples, seed)

    review = review_match(match, evaluate=evaluate, reviewer=values.reviewer())
    return review, peers.others(match, [each.number for each in decisions_of_leaks(review)])


def make_puzzles(store: Store, review: Review) -> None:
    """Stores the puzzles of a reviewed match, if it may have some and few reviews wait. Raises
    Unavailable."""
    with store.read() as conn:
        stored = get_match(conn, review.match)
        busy = requests.waiting(conn, instant.now()) > BUSY
        if busy or not puzzles.wanted(conn, stored):
            return
    found = puzzles_of(replay(stored.setup, stored.log), review)
    with store.write() as conn:
        puzzles.add(conn, stored, found)
