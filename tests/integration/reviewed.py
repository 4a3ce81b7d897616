"""Matches with reviews, for tests of pages and the store: judged by random play."""

import time

from arena.games.packed_log import replay
from arena.store import Store
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import requests
from arena.store.tournaments.tournaments import Tournament
from arena.value.review import Review, review_match
from arena.value.review.values import Reviewer, reviewer
from tests.integration.played import play, register
from tests.valued import by_random_play

NAMES = ("ada", "bob", "cyd")


def stored_matches(store: Store, tournament: Tournament) -> list[StoredMatch]:
    """All matches of a tournament, the oldest first."""
    with store.read() as conn:
        rows, _ = matches.list_matches(conn, tournament=tournament.id)
        return [matches.get_match(conn, row.id) for row in reversed(rows)]


def some_matches(store: Store, game: str = "lama", only: int | None = None) -> list[StoredMatch]:
    """Matches at tables of three."""
    register(store, *NAMES)
    return stored_matches(store, play(store, *NAMES, seats=3, game=game, only=only))


def review_of(stored: StoredMatch, samples: int = 8) -> Review:
    """A review under the name of the installation's reviewer."""
    small = Reviewer(reviewer().name, samples)
    return review_match(replay(stored.setup, stored.log), by_random_play, small)


def store_review(store: Store, stored: StoredMatch) -> Review:
    """Asks for a review as a visitor would, and makes it as a worker would."""
    found = review_of(stored)
    with store.write() as conn:
        assert requests.ask(conn, stored, reviewer().name, "somebody", time.time())
        task = requests.take(conn, time.time())
        assert task is not None
        assert task.match == stored.id
        requests.finish(conn, task, found, time.time())
    return found
