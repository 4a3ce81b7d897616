"""Reviews in the database: requested once, made once, limited, and never lost."""

import pytest
from sqlalchemy import func, select

from arena.base.errors import LimitReached, NotNow
from arena.store import Store
from arena.store.matches.matches import StoredMatch
from arena.store.registry import bots
from arena.store.reviews import reading, requests
from arena.store.reviews.requests import ATTEMPTS, LEASE_S, ReviewLimits, ReviewTask
from arena.store.tables import review_seats, reviews
from arena.store.tournaments import guests
from arena.value.review.values import reviewer
from tests.integration.reviewed import review_of, some_matches, store_review

NOW = 5000.0


@pytest.fixture
def found(store: Store) -> list[StoredMatch]:
    """Three matches, all of whose cards may be seen."""
    return some_matches(store)


def ask(store: Store, match: StoredMatch, whom: str = "ada", **limits: int) -> bool:
    with store.write() as conn:
        return requests.ask(conn, match, reviewer().name, whom, NOW, ReviewLimits(**limits))


def take(store: Store, now: float = NOW) -> ReviewTask | None:
    with store.write() as conn:
        return requests.take(conn, now)


def state(store: Store, match: StoredMatch) -> reading.MatchReview | None:
    with store.read() as conn:
        return reading.of_match(conn, match.id, reviewer().name)


def test_a_review_waits_is_made_and_is_there(store: Store, found: list[StoredMatch]) -> None:
    assert state(store, found[0]) is None
    assert ask(store, found[0])
    waits = state(store, found[0])
    assert waits is not None
    assert (waits.state, waits.ahead, waits.review) == ("waiting", 0, None)

    task = take(store)
    assert task is not None
    made = review_of(found[0])
    with store.write() as conn:
        requests.finish(conn, task, made, NOW)

    done = state(store, found[0])
    assert done is not None
    assert done.state == "done"
    assert done.review is not None
    assert [each.number for each in done.review.decisions] == [
        each.number for each in made.decisions
    ]
    assert take(store) is None


def test_a_waiting_or_finished_review_is_not_requested_again(
    store: Store, found: list[StoredMatch]
) -> None:
    store_review(store, found[1])
    assert not ask(store, found[1])
    assert ask(store, found[0])
    assert not ask(store, found[0], "bob")


def test_cards_that_are_secret_are_not_reviewed(store: Store) -> None:
    locked = next(match for match in some_matches(store, only=2) if match.locked)
    with pytest.raises(NotNow, match="sealed until every match of its deal"):
        ask(store, locked)


def test_reviews_that_wait_are_limited_by_person_and_over_all(
    store: Store, found: list[StoredMatch]
) -> None:
    assert ask(store, found[0], waiting_each=1)
    with pytest.raises(LimitReached, match="You are waiting for 1 reviews"):
        ask(store, found[1], waiting_each=1)
    assert ask(store, found[1], "bob", waiting_each=1)
    with pytest.raises(LimitReached, match="2 reviews are waiting"):
        ask(store, found[2], "cyd", waiting=2)


def test_they_are_made_in_the_order_in_which_they_were_asked_for(
    store: Store, found: list[StoredMatch]
) -> None:
    for match in found[:3]:
        ask(store, match)
    third = state(store, found[2])
    assert third is not None
    assert third.ahead == 2
    tasks = [take(store) for _ in range(3)]
    assert [task.match for task in tasks if task] == [match.id for match in found[:3]]
    assert take(store) is None


def test_a_review_of_a_dead_worker_is_claimed_by_another(
    store: Store, found: list[StoredMatch]
) -> None:
    ask(store, found[0])
    lost = take(store)
    assert take(store, NOW + LEASE_S - 1) is None
    again = take(store, NOW + LEASE_S + 1)
    assert lost is not None
    assert again is not None
    assert (again.match, again.attempt) == (lost.match, 2)

    # The first one was not dead, but slow: what it says comes too late.
    with store.write() as conn:
        requests.fail(conn, lost, "too late")
    waits = state(store, found[0])
    assert waits is not None
    assert waits.state == "waiting"


def test_a_review_that_kills_its_workers_fails_in_the_end(
    store: Store, found: list[StoredMatch]
) -> None:
    ask(store, found[0])
    for attempt in range(ATTEMPTS):
        assert take(store, NOW + 2 * LEASE_S * attempt)
    assert take(store, NOW + 2 * LEASE_S * ATTEMPTS) is None
    failed = state(store, found[0])
    assert failed is not None
    assert failed.state == "failed"
    assert "three times" in failed.note
    assert ask(store, found[0])  # a retry is allowed


def test_a_released_review_is_free_at_once_and_costs_no_attempt(
    store: Store, found: list[StoredMatch]
) -> None:
    ask(store, found[0])
    task = take(store)
    assert task is not None
    with store.write() as conn:
        requests.give_back(conn, task)
    assert take(store) == task


def test_only_the_newest_reviews_are_kept(store: Store, found: list[StoredMatch]) -> None:
    for match in found:
        made = review_of(match)
        ask(store, match)
        task = take(store)
        assert task is not None
        with store.write() as conn:
            requests.finish(conn, task, made, NOW, ReviewLimits(kept=2))
    with store.read() as conn:
        assert conn.scalars(select(reviews.c.match).order_by(reviews.c.id)).all() == [
            match.id for match in found[1:]
        ]
        assert conn.scalar(select(func.count()).select_from(review_seats)) == 2 * 3


def test_a_bot_has_its_reviewed_matches_and_its_worst_decisions(
    store: Store, found: list[StoredMatch]
) -> None:
    made = {match.id: store_review(store, match) for match in found[:3]}
    with store.read() as conn:
        bot = bots.get(conn, "ada")
        own = reading.of_bot(conn, bot.id, "lama", reviewer().name)
        games = reading.games_of_bot(conn, bot.id, reviewer().name)
    assert games == {"lama": 3}
    assert [each.match for each in own] == [match.id for match in reversed(found[:3])]
    seat = {match.id: [s.bot for s in match.seats].index("ada") for match in found[:3]}
    for each in own:
        review = made[each.match].seats[seat[each.match]]
        assert each.decisions == review.decisions
        assert each.lost == pytest.approx(review.lost)
        assert each.phases.keys() == review.phases.keys()
    worst = reading.worst_of(own, 5)
    losses = [judged.loss for _, judged in worst]
    assert losses == sorted(losses, reverse=True)
    assert all(judged.seat == seat[match.match] for match, judged in worst)


def test_a_review_by_another_reviewer_is_another_one(
    store: Store, found: list[StoredMatch]
) -> None:
    store_review(store, found[0])
    with store.read() as conn:
        assert reading.of_match(conn, found[0].id, "somebody stronger") is None


def test_hints_at_a_table_are_counted(store: Store, found: list[StoredMatch]) -> None:
    table = found[0].tournament
    with store.write() as conn:
        assert guests.count_hints(conn, table) == 0
        assert [guests.add_hint(conn, table) for _ in range(3)] == [1, 2, 3]
        assert guests.count_hints(conn, table) == 3


def test_waiting_reviews_are_counted(store: Store, found: list[StoredMatch]) -> None:
    ask(store, found[0])
    ask(store, found[1])
    take(store)
    with store.read() as conn:
        assert requests.waiting(conn, NOW) == 1
        assert requests.waiting(conn, NOW + 2 * LEASE_S) == 2
