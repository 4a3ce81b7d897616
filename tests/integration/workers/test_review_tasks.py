"""Review tasks of workers: make reviews, give up impossible ones, find lost ones."""

import time

import pytest

from arena.base.errors import InvalidRequest, Unavailable
from arena.games.match import Match
from arena.service.live.queues import REVIEW
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import puzzles, reading, requests
from arena.value.review import Review
from arena.value.review.puzzles import Puzzle
from arena.value.review.values import reviewer
from tests.integration.played import play
from tests.integration.puzzled import choices, puzzle_at
from tests.integration.reviewed import some_matches, stored_matches
from tests.integration.worker_world import World
from workers import tasks
from workers.analysis import review as reviewing
from workers.setup import watchdog


@pytest.fixture
def sent(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks of a worker in this process; those that are sent are only noted."""
    sent: list[str] = []
    monkeypatch.setattr(tasks, "store", lambda: world.store)
    monkeypatch.setattr(tasks, "client", lambda: world.client)
    monkeypatch.setattr(tasks.review, "apply_async", lambda args, queue: sent.append(queue))
    monkeypatch.setattr(tasks.luck, "apply_async", lambda args: None)
    return sent


def ask(world: World, match: StoredMatch) -> None:
    with world.store.write() as conn:
        requests.ask(conn, match, reviewer().name, "ada", time.time())


def found(world: World, match: StoredMatch) -> reading.MatchReview:
    with world.store.read() as conn:
        review = reading.of_match(conn, match.id, reviewer().name)
    assert review is not None
    return review


def test_all_that_wait_are_made_by_one_task(world: World, sent: list[str]) -> None:
    three = some_matches(world.store)
    for match in three:
        ask(world, match)
    tasks.review.apply(throw=True)
    for match in three:
        done = found(world, match)
        assert done.state == "done"
        assert done.review is not None
        assert done.review.reviewer == reviewer().name


def test_a_review_reports_progress_before_its_end(
    world: World, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[str] = []
    monkeypatch.setattr(watchdog, "mark_progress", marks.append)
    ask(world, some_matches(world.store)[0])
    tasks.review.apply(throw=True)
    assert len(marks) > 4


def test_failed_review_gives_the_reason(
    world: World, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(match: Match, **_: object) -> None:
        raise InvalidRequest("This match is too long.")

    monkeypatch.setattr(reviewing, "review_match", refuse)
    match = some_matches(world.store)[0]
    ask(world, match)
    tasks.review.apply(throw=True)
    assert (found(world, match).state, found(world, match).note) == (
        "failed",
        "This match is too long.",
    )


def test_an_outage_is_no_fault_of_the_match(
    world: World, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(match: Match, **_: object) -> None:
        raise Unavailable("The archive is away.")

    monkeypatch.setattr(reviewing, "review_match", away)
    match = some_matches(world.store)[0]
    ask(world, match)
    tasks.review.apply(throw=True)
    assert found(world, match).state == "waiting"
    with world.store.read() as conn:
        assert requests.waiting(conn, time.time()) == 1


def test_a_sweep_finds_the_review_whose_task_was_lost(world: World, sent: list[str]) -> None:
    match = some_matches(world.store)[0]
    tasks.sweep.apply(throw=True)
    assert sent == []
    ask(world, match)
    tasks.sweep.apply(throw=True)
    assert sent == [REVIEW]


def test_no_task_is_sent_while_one_waits(world: World, sent: list[str]) -> None:
    ask(world, some_matches(world.store)[0])
    world.client.lpush(REVIEW, "a task")
    tasks.wake_reviewer()
    assert sent == []


def test_a_review_of_a_tournament_makes_puzzles_and_one_of_a_test_match_none(
    world: World, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def puzzles_of(match: Match, review: Review) -> list[Puzzle]:
        assert review.match == match.setup.id
        return [puzzle_at(choices(by_id[review.match])[0])]

    monkeypatch.setattr(reviewing, "puzzles_of", puzzles_of)
    rated = some_matches(world.store)[0]
    test = stored_matches(world.store, play(world.store, "ada", "bob", kind="test"))[0]
    by_id = {rated.id: rated, test.id: test}
    for match in (rated, test):
        ask(world, match)
    tasks.review.apply(throw=True)
    assert {found(world, match).state for match in (rated, test)} == {"done"}
    with world.store.read() as conn:
        assert [each.match for each in puzzles.page(conn, None, 10, 0)] == [rated.id]
