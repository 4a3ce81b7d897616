"""A run that plays what waits of several tournaments, on a real Redis and store."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import redis
from sqlalchemy import Connection

from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live import keys, ready
from arena.store import Store, engine, save
from arena.store.matches.model import MatchResult
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.integration.play_world import until
from tests.integration.worker_world import FakeGateway, World, first_offered
from tests.integration.workers.test_batches import assert_no_match_began_again, stored
from workers.playing import lease
from workers.playing.batch import BatchRun
from workers.playing.lease import Lease
from workers.playing.shared_run import SharedRun
from workers.schedule import shared
from workers.schedule.commands import Save
from workers.schedule.schedule import RENEW_S


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run claims another batch as soon as it has room."""
    monkeypatch.setattr(shared, "CLAIM_S", 0)


def connected(
    world: World, gateway: FakeGateway, names: str = "abc", cycles: int = 8
) -> Tournament:
    """A tournament of four batches; its bots are there."""
    tournament = world.tournament(tuple(names), cycles=cycles)
    gateway.connect(*tournament.players)
    return tournament


def left(world: World, tournament: Tournament) -> list[int]:
    with world.store.read() as conn:
        return batches.open_numbers(conn, tournament.id)


def held(run: SharedRun, tournament: Tournament) -> list[Lease]:
    """Its leases of a tournament's batches."""
    found = run.runs.get(tournament.id)
    return list(found.leases.values()) if found else []


def played(world: World, tournament: Tournament) -> int:
    found = stored(world, tournament)
    assert len(found) == len({match.id for match in found})
    return len(found)


def test_all_that_waits_is_played_whosever_it_is(world: World, gateway: FakeGateway) -> None:
    first, second = connected(world, gateway), connected(world, gateway, "def")
    world.queue(first, second)

    world.shared_run().play()

    assert (played(world, first), played(world, second)) == (24, 24)
    assert left(world, first) == left(world, second) == []
    assert world.waiting() == []
    assert sorted(world.ended) == [first.id] * 4 + [second.id] * 4
    assert not world.client.exists(keys.PLAYING)
    assert not world.client.keys("arena:batch:*")


def test_stored_matches_that_a_failover_loses_are_played_again(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament, lost = connected(world, gateway), list[MatchResult]()
    store = save.save_results

    def loses_the_first(conn: Connection, results: Iterable[MatchResult]) -> int:
        if not lost:
            lost.extend(results)
            return len(lost)
        return store(conn, results)

    monkeypatch.setattr(save, "save_results", loses_the_first)
    world.queue(tournament)
    world.shared_run().play()

    assert left(world, tournament)
    assert {str(error) for _, error in world.given_back} == {
        f"The database has lost stored matches of tournament {tournament.id}, probably in a"
        " failover. They are played again."
    }

    world.queue(tournament)
    world.shared_run().play()

    assert played(world, tournament) == 24
    assert left(world, tournament) == []


def test_batches_of_another_run_are_left_alone(world: World, gateway: FakeGateway) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    elsewhere = world.run(tournament, 1)

    world.shared_run().play()

    assert left(world, tournament) == [1]
    elsewhere.play()
    assert left(world, tournament) == []
    assert played(world, tournament) == 24


def test_a_full_window_starts_no_more(world: World, gateway: FakeGateway) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    world.window = 4
    run = world.shared_run()
    for _ in range(5):
        world.step(run)

    schedule = run.schedule.schedules[tournament.id]
    assert len(schedule.matches) == 4
    assert [batch.number for batch in schedule.batches] == [0]
    assert len(world.waiting()) == 3


def test_a_tournament_that_comes_later_begins_though_the_window_is_full(
    world: World, gateway: FakeGateway
) -> None:
    gateway.answer = lambda decision: None
    large = connected(world, gateway)
    world.window = 4
    world.queue(large)
    run = world.shared_run()
    world.step(run)
    until(lambda: len(gateway.asked) == 4)
    gateway.answer = lambda decision: (
        None if decision.view.match in slow else first_offered(decision)
    )
    slow = {decision.view.match for decision in gateway.asked}

    small = connected(world, gateway, "def", cycles=1)
    world.queue(small)
    while left(world, small):
        world.step(run)

    assert played(world, small) == 3
    assert played(world, large) == 0


def test_batches_suspended_together_are_resumed_each_by_itself(
    world: World, gateway: FakeGateway
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    both = world.shared_run("first")
    while len(held(both, tournament)) < 2:
        world.step(both)
    world.step(both)
    world.stop = True
    both.play()
    world.stop = False
    assert world.put_back == [tournament.id]
    assert not world.client.exists(keys.PLAYING)

    runs = [world.run(tournament, number) for number in left(world, tournament)]
    resumed = [run.schedule.batches[0] for run in runs]
    assert len({batch.outbound.reply_to for batch in resumed}) == len(runs)
    assert sum(bool(batch.running) for batch in resumed) > 1, "they were in the middle of it"
    for run in runs:
        run.play()

    assert played(world, tournament) == 24
    assert_no_match_began_again(gateway)


def test_a_run_resumes_the_checkpoint_of_a_batch_it_claims(
    world: World, gateway: FakeGateway
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    before = world.shared_run("first")
    for _ in range(5):
        world.step(before)
    world.stop = True
    before.play()
    world.stop = False
    world.queue(tournament)

    world.shared_run("second").play()

    assert played(world, tournament) == 24
    assert_no_match_began_again(gateway)


def test_a_tournament_that_lost_one_lease_leaves_and_releases_its_others(
    world: World, gateway: FakeGateway
) -> None:
    lost, kept = connected(world, gateway), connected(world, gateway, "def")
    world.queue(lost, kept)
    run = world.shared_run()
    while {lost.id, kept.id} - run.runs.keys():
        world.step(run)
    (taken, *_) = held(run, lost)
    world.client.set(taken.key, "somebody else")
    for schedule in run.schedule.schedules.values():
        schedule._renewed = float("-inf")
    world.step(run)

    assert run.runs.keys() == {kept.id}
    assert world.client.get(taken.key) == b"somebody else"
    run.play()
    assert played(world, kept) == 24


def test_a_cancelled_tournament_leaves_the_run_and_can_be_resumed(
    world: World, gateway: FakeGateway
) -> None:
    stopped, other = connected(world, gateway), connected(world, gateway, "def")
    world.queue(stopped, other)
    run = world.shared_run()
    while {stopped.id, other.id} - run.runs.keys():
        world.step(run)
    with world.store.write() as conn:
        tournaments.set_state(conn, stopped.id, "cancelled")
    for schedule in run.schedule.schedules.values():
        schedule._renewed = float("-inf")

    run.play()

    assert played(world, other) == 24
    assert left(world, stopped)
    with world.store.write() as conn:
        tournaments.set_state(conn, stopped.id, "waiting")
    world.queue(stopped)
    world.shared_run("again").play()
    assert played(world, stopped) == 24


def test_a_run_whose_process_died_goes_on_when_its_task_comes_back(
    world: World, gateway: FakeGateway
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    dead = world.shared_run("task")
    while not dead.runs:
        world.step(dead)
    assert held(dead, tournament)

    world.shared_run("task").play()

    assert left(world, tournament) == []
    assert played(world, tournament) == 24


def test_a_task_that_comes_back_while_it_runs_takes_its_batches_over(
    world: World, gateway: FakeGateway
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    first = world.shared_run(lease.new_holder("task"))
    while not first.runs:
        world.step(first)
    lost = held(first, tournament)

    second = world.shared_run(lease.new_holder("task"))
    carry_out, renewed = second.carry_out, list[bool]()

    def carry_out_and_look(command: Any) -> None:
        carry_out(command)
        if not renewed:
            for each in lost:
                each.release()  # as the first run does when it cannot renew a lease
            assert not any(lease.renew_all(world.client, lost))
            renewed.extend(lease.renew_all(world.client, held(second, tournament)))

    second.carry_out = carry_out_and_look  # type: ignore[method-assign]
    second.play()

    assert renewed
    assert all(renewed)
    assert left(world, tournament) == []
    assert played(world, tournament) == 24


def test_batches_of_a_dead_run_are_missing_when_its_leases_expire(
    world: World, gateway: FakeGateway
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    dead = world.shared_run()
    while not dead.runs:
        world.step(dead)
    (claimed, *_) = held(dead, tournament)
    every = [(tournament.id, number) for number in range(4)]
    assert ready.missing(world.client, every) == []

    world.client.delete(claimed.key)  # as time would

    assert ready.missing(world.client, every) == [(tournament.id, 0)]


def test_lease_lasts_longer_than_a_wait_for_a_lock(store: Store) -> None:
    asked = {
        "sqlite": "PRAGMA busy_timeout",
        "postgresql": "SELECT setting FROM pg_settings WHERE name = 'lock_timeout'",
    }
    with store.read() as conn:
        lock_ms = float(conn.exec_driver_sql(asked[conn.dialect.name]).scalar_one())
    assert RENEW_S + lock_ms / 1000 < lease.HELD_S


# Errors


@pytest.mark.parametrize("error", [Unavailable("The row is locked."), ZeroDivisionError()])
def test_error_in_one_tournament_removes_only_that_one(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    sick, well = connected(world, gateway), connected(world, gateway, "def")
    world.queue(sick, well)
    save = BatchRun._save

    def fails(run: BatchRun, command: Save, limits: Mapping[str, int]) -> None:
        if run.tournament.id == sick.id:
            raise error
        save(run, command, limits)

    monkeypatch.setattr(BatchRun, "_save", fails)
    world.shared_run().play()

    assert played(world, well) == 24
    assert world.given_back
    assert {tournament for tournament, _ in world.given_back} == {sick.id}
    assert not world.client.exists(keys.PLAYING)


def test_a_locked_row_is_waited_for_less_where_others_wait_too(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = connected(world, gateway), connected(world, gateway, "def")
    write, seen = Store.write, set[tuple[bool, int]]()
    run = world.shared_run()

    def noted(store: Store, limits: Mapping[str, int] = engine.WRITING) -> Any:
        seen.add((len(run.runs) > 1, limits.get("lock_timeout", engine.LOCK_MS)))
        return write(store, limits)

    monkeypatch.setattr(Store, "write", noted)
    world.queue(first, second)
    run.play()
    assert (True, 3_000) in seen
    assert not any(together for together, wait in seen if wait > 3_000)

    seen.clear()
    alone = connected(world, gateway, "ghi")
    world.queue(alone)
    world.shared_run().play()
    waits = {wait for _, wait in seen}
    assert engine.LOCK_MS in waits
    assert 3_000 not in waits


def test_a_damaged_batch_does_not_take_others_with_it(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = connected(world, gateway)
    world.queue(tournament)
    join = BatchRun.join

    def fails(run: BatchRun, batch: Any, claim: Lease) -> None:
        if batch.number == 2:
            raise ZeroDivisionError
        join(run, batch, claim)

    monkeypatch.setattr(BatchRun, "join", fails)
    world.shared_run().play()

    assert left(world, tournament) == [2]
    assert [str(type(error)) for _, error in world.given_back] == [str(ZeroDivisionError)]
    assert lease.failed(world.client, tournament.id, range(4)) == {2}


@pytest.mark.parametrize(
    "error", [redis.ConnectionError("away"), SchemaMismatch("another release"), SystemExit(1)]
)
def test_common_error_ends_the_run_and_gives_up_all_leases(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    first, second = connected(world, gateway), connected(world, gateway, "def")
    world.queue(first, second)
    run = world.shared_run()
    while {first.id, second.id} - run.runs.keys():
        world.step(run)

    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(BatchRun, "_save", fails)
    with pytest.raises(type(error)):
        run.play()

    assert {tournament for tournament, _ in world.given_back} == {first.id, second.id}
    assert not world.client.exists(keys.PLAYING)
