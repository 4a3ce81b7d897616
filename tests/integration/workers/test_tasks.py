"""The tasks: what goes wrong with one tournament, one batch, the broker or the database."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import log2
from typing import Any

import kombu.exceptions
import pytest
import redis
from pydantic import ValidationError
from sqlalchemy import update

from arena.base import instant
from arena.base.config import MOST_SLICE_S, Settings
from arena.base.errors import NotFound, SchemaMismatch, Unavailable
from arena.service.live import keys, presence
from arena.service.live.incidents import incidents
from arena.service.live.queues import ADVANCE, PLAY
from arena.store import Store
from arena.store.database_error import Locked
from arena.store.engine import WRITING
from arena.store.matches import matches
from arena.store.tables import tournaments as table
from arena.store.tournaments import batches, creation
from arena.store.tournaments.tournaments import Tournament
from tests.integration.store.test_schema import stamp, whatever_version
from tests.integration.worker_world import FakeGateway, World
from workers import tasks
from workers.advancing import advance as advancing
from workers.advancing import beginning, sweep
from workers.advancing.advance import advance as advance_tournament
from workers.playing import lease
from workers.playing.batch import BatchRun
from workers.schedule import schedule, shared
from workers.schedule.commands import Save
from workers.setup import shutdown
from workers.setup.app import HANGS_S, make_app


@dataclass
class Office:
    """The tasks of a worker in this process: those sent are noted, and played when a test says."""

    world: World
    played: list[tuple[int, ...]] = field(default_factory=list)  # sent, and not played yet
    advanced: list[int] = field(default_factory=list)
    broken: bool = False  # the broker is away

    def send_play(self, args: tuple[int, ...], queue: str) -> None:
        if self.broken:
            raise kombu.exceptions.OperationalError("the broker is away")
        self.played.append(args)

    def send_advance(self, args: tuple[int]) -> None:
        self.advanced.append(*args)

    def sweep(self) -> None:
        tasks.sweep.apply(throw=True)

    def play(self, *, throw: bool = True) -> None:
        """Plays the task that was sent first."""
        tasks.play.apply(args=self.played.pop(0), throw=throw)

    def play_all(self, tournament: Tournament) -> Tournament:
        for _ in range(100):
            self.sweep()
            while self.played:
                self.play(throw=False)
            if self.world.read(tournament).state != "running":
                break
        return self.world.read(tournament)

    def leases(self, tournament: Tournament) -> dict[int, bytes]:
        with self.world.store.read() as conn:
            numbers = batches.open_numbers(conn, tournament.id)
        found = {n: self.world.client.get(keys.batch(tournament.id, n)) for n in numbers}
        return {number: held for number, held in found.items() if isinstance(held, bytes)}

    def incident(self, *found: Tournament) -> dict[int, str]:
        noted = incidents(self.world.client, [each.id for each in found])
        return {number: each.reason for number, each in noted.items()}


@pytest.fixture
def office(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    made, limits = Office(world), Settings(window=64, slice_s=30, grace_s=0.3)
    monkeypatch.setattr(tasks, "store", lambda: world.store)
    monkeypatch.setattr(tasks, "client", lambda: world.client)
    monkeypatch.setattr(tasks, "settings", lambda: limits)
    monkeypatch.setattr(tasks.play, "apply_async", made.send_play)
    monkeypatch.setattr(tasks.advance, "apply_async", made.send_advance)
    monkeypatch.setattr(tasks.luck, "apply_async", lambda args: None)
    yield made
    shutdown._flags[shutdown.OUTDATED] = 0


def four_batches(world: World, gateway: FakeGateway, names: str = "abc") -> Tournament:
    tournament = world.tournament(tuple(names), cycles=8)
    gateway.connect(*tournament.players)
    return tournament


# One tournament that is broken


@pytest.mark.parametrize("broken", ["planning", "spec"])
def test_a_tournament_that_raises_stops_no_younger_one(
    office: Office,
    world: World,
    gateway: FakeGateway,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    broken: str,
) -> None:
    sick = four_batches(world, gateway)
    well = four_batches(world, gateway, "def")
    if broken == "planning":

        def raises(
            store: Store, client: redis.Redis, number: int, most: int, *, webhooks: bool
        ) -> list[int]:
            if number == sick.id:
                raise ZeroDivisionError("with password=hunter2")
            return advance_tournament(store, client, number, most, webhooks=webhooks)

        monkeypatch.setattr(advancing, "advance", raises)
    else:
        with world.store.write() as conn:
            conn.execute(update(table).where(table.c.id == sick.id).values(spec="{"))

    office.sweep()
    office.sweep()

    assert {tournament for tournament, _ in world.waiting()} == {well.id}
    assert world.client.exists(keys.SWEPT)
    told = office.incident(sick, well)
    assert told == {sick.id: "ZeroDivisionError" if broken == "planning" else "JSONDecodeError"}
    assert 0 < world.client.ttl(keys.incident(sick.id)) <= 5  # it fades when it is over


def test_a_broken_tournament_is_logged_with_its_number_once(
    office: Office, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sick = world.tournament()
    said: list[dict[str, Any]] = []
    monkeypatch.setattr(sweep.log, "exception", lambda _, **fields: said.append(fields))
    monkeypatch.setattr(advancing, "advance", lambda *_, **__: 1 / 0)

    for _ in range(3):
        office.sweep()

    assert said == [{"tournament": sick.id}]


def test_a_database_that_is_away_ends_the_sweep_at_once(
    office: Office, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in ("abc", "def", "ghi"):
        world.tournament(tuple(names))
    tried = []

    @contextmanager
    def away() -> Iterator[None]:
        raise Unavailable("The database is away.")
        yield

    def forward(
        store: Store, client: redis.Redis, number: int, most: int, *, webhooks: bool
    ) -> list[int]:
        tried.append(number)
        monkeypatch.setattr(world.store, "read", away)
        raise Unavailable("The database is away.")

    monkeypatch.setattr(advancing, "advance", forward)

    office.sweep()

    assert len(tried) == 1
    assert not world.client.exists(keys.SWEPT)


# Handing out


def test_one_task_is_sent_for_each_batch_that_waits_and_none_twice(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(office, "send_play", lambda args, queue: world.client.rpush(queue, "task"))
    monkeypatch.setattr(tasks.play, "apply_async", office.send_play)
    tournament = four_batches(world, gateway)

    for _ in range(5):
        office.sweep()

    assert world.waiting() == [(tournament.id, number) for number in range(4)]
    assert world.client.llen(PLAY) == 4


def test_a_queue_does_not_grow_with_what_waits(
    office: Office, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        tasks.play, "apply_async", lambda args, queue: world.client.rpush(queue, "task")
    )
    for _ in range(3):
        tasks.wake(10_000)

    assert world.client.llen(PLAY) == tasks.MOST_WAITING_TASKS


def test_tasks_that_could_not_be_sent_are_sent_by_the_next_sweep(
    office: Office, world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    office.broken = True
    office.sweep()
    assert not office.played
    assert len(world.waiting()) == 4

    office.broken = False
    ended = office.play_all(tournament)

    assert (ended.state, ended.played) == ("finished", 24)


def test_interactive_work_whose_task_could_not_be_sent_is_not_marked_as_queued(
    office: Office, world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    with world.store.write() as conn:
        conn.execute(update(table).where(table.c.id == tournament.id).values(kind="test"))
    office.broken = True
    office.sweep()
    assert office.leases(tournament) == {}

    office.broken = False
    office.sweep()

    assert sorted(office.played) == [(tournament.id, number) for number in range(4)]


def test_a_tournament_of_which_many_batches_end_is_advanced_by_one_task(
    office: Office, world: World
) -> None:
    for _ in range(5):
        tasks.send_advance(7)
    assert office.advanced == [7]

    with suppress(NotFound):  # there is none; but the task has come
        tasks.advance.apply(args=(7,), throw=True)
    tasks.send_advance(7)

    assert office.advanced == [7, 7]


# Sweeping


def test_a_sweep_advances_only_what_has_something_to_do(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = four_batches(world, gateway)
    absent = world.tournament(tuple("def"), start_grace_s=3600)
    office.sweep()
    advanced: list[int] = []
    original = advancing.advance

    def noted(
        store: Store, client: redis.Redis, number: int, most: int, *, webhooks: bool
    ) -> list[int]:
        advanced.append(number)
        return original(store, client, number, most, webhooks=webhooks)

    monkeypatch.setattr(advancing, "advance", noted)
    office.sweep()
    assert advanced == []

    gateway.connect(*absent.players)
    office.sweep()
    assert advanced == [absent.id]

    with world.store.write() as conn:
        for number in range(4):
            batches.finish_batch(conn, running.id, number)
    office.sweep()
    assert advanced == [absent.id, running.id], "nothing of it is planned"


def test_note_of_a_waiting_tournament_changes_only_every_few_seconds(
    office: Office, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = world.tournament(start_grace_s=600)
    notes = set()
    began = time.time()
    for second in range(0, 60, 2):
        monkeypatch.setattr(instant, "now", lambda: began + second)  # noqa: B023
        office.sweep()
        notes.add(world.read(tournament).note)

    assert all(note.startswith("Waiting for a, b, c. Starts without them in") for note in notes)
    assert len(notes) <= 60 / beginning.NOTE_S + 1


def test_a_test_match_waits_for_a_host_without_a_task(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = world.tournament(hosted="b", cycles=1)
    with world.store.write() as conn:
        conn.execute(update(table).where(table.c.id == tournament.id).values(kind="test"))
    gateway.connect(*tournament.players)
    office.sweep()
    assert world.read(tournament).state == "running"
    sent = len(office.played)
    gateway.disconnect(tournament.players[1])
    monkeypatch.setattr(schedule, "HOSTLESS_S", 0.1)
    while office.played:
        office.play()  # and all are put back

    for _ in range(2):
        office.sweep()
    assert office.played == []

    gateway.connect(tournament.players[1])
    office.sweep()
    assert len(office.played) == sent > 0
    assert office.play_all(tournament).state == "finished"


def test_one_sweep_is_done_at_a_time(office: Office, world: World, gateway: FakeGateway) -> None:
    tournament = four_batches(world, gateway)
    world.client.set(keys.SWEEPING, "another process")
    office.sweep()
    assert world.read(tournament).state == "waiting"
    assert not world.client.exists(keys.SWEPT)

    world.client.delete(keys.SWEEPING)
    office.sweep()

    assert world.read(tournament).state == "running"
    assert not world.client.exists(keys.SWEEPING)


def test_sweeps_that_piled_up_without_workers_are_left_out(
    office: Office, world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    world.client.lpush(ADVANCE, "the next sweep")
    world.client.set(keys.SWEEP_BEGAN, 1)  # by another worker
    office.sweep()
    assert world.read(tournament).state == "waiting"

    world.client.delete(keys.SWEEP_BEGAN)  # as time would
    office.sweep()
    assert world.read(tournament).state == "running"
    assert 0 < world.client.pttl(keys.SWEEP_BEGAN) <= tasks.SWEEP_PAUSE_MS


def test_the_last_sweep_of_a_pile_is_carried_out(
    office: Office, world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    world.client.set(keys.SWEEP_BEGAN, 1)
    office.sweep()
    assert world.read(tournament).state == "running"


def test_a_batch_that_got_lost_is_handed_out_again(
    office: Office, world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    office.sweep()
    world.client.flushall()
    gateway.connect(*tournament.players)

    office.sweep()

    assert world.waiting() == [(tournament.id, number) for number in range(4)]


def test_a_task_that_arrived_though_sending_failed_keeps_its_batch(
    world: World, gateway: FakeGateway
) -> None:
    tournament = four_batches(world, gateway)
    number, *_ = world.advance(tournament)
    run = world.run(tournament, number)

    lease.unqueue(world.client, tournament.id, number)

    assert run.lease.renew()


# Errors on the way


@pytest.mark.parametrize(
    "error",
    [
        Unavailable("The database restarts."),
        Locked("The row is locked."),
        ZeroDivisionError(),
        SystemExit(1),
    ],
)
def test_after_an_error_all_batches_of_a_run_are_there_for_others_at_once(
    office: Office,
    world: World,
    gateway: FakeGateway,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
) -> None:
    monkeypatch.setattr(shared, "CLAIM_S", 0.0)
    tournament = four_batches(world, gateway)
    office.sweep()
    saved = BatchRun._save
    held: list[int] = []

    def fail(run: BatchRun, command: Save, limits: Mapping[str, int]) -> None:
        held.extend(run.leases)
        raise error

    monkeypatch.setattr(BatchRun, "_save", fail)
    if isinstance(error, SystemExit):
        with pytest.raises(SystemExit):
            office.play()
    else:
        office.play()
    assert len(held) > 1, "no other was claimed"
    assert b"failed" not in office.leases(tournament).values()
    assert office.advanced == [tournament.id]

    monkeypatch.setattr(BatchRun, "_save", saved)
    office.played.clear()
    office.sweep()
    alone = {number for _, number in filter(None, office.played)}
    # Each that failed gets a separate task, but not after an outage of the arena.
    assert alone == (set() if type(error) is Unavailable else set(held))
    ended = office.play_all(tournament)
    assert (ended.state, ended.played) == ("finished", 24)


def test_a_batch_that_cannot_be_read_is_given_back(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = four_batches(world, gateway)
    assert lease.queue(world.client, tournament.id, 0)
    monkeypatch.setattr(tasks, "begin", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        tasks.play.apply(args=(tournament.id, 0), throw=True)

    assert not world.client.exists(keys.batch(tournament.id, 0))


def test_a_batch_that_was_being_claimed_is_given_back_too(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "CLAIM_S", 0.0)
    tournament = four_batches(world, gateway)
    office.sweep()
    get, calls = batches.get_batch, []

    def fails_the_second_time(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise Unavailable("The database restarts.")
        return get(*given)

    monkeypatch.setattr(batches, "get_batch", fails_the_second_time)
    office.play()

    assert len(calls) == 4
    assert lease.failed(world.client, tournament.id, range(4)) == set(), "it is played with others"
    assert office.leases(tournament) == {}


def test_with_redis_away_the_error_of_the_batch_is_the_one_that_is_raised(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = four_batches(world, gateway)
    monkeypatch.setattr(tasks, "begin", lambda *_: 1 / 0)

    def away(claim: lease.Lease, *, outage: bool) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr(lease.Lease, "fail", away)

    with pytest.raises(ZeroDivisionError):
        tasks.play.apply(args=(tournament.id, 0), throw=True)


def test_a_batch_that_always_fails_does_not_keep_workers_busy_nor_stop_the_others(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "CLAIM_S", 0.0)
    tournament = four_batches(world, gateway)
    sick, tried = 1, []
    join = BatchRun.join

    def fails(run: BatchRun, found: Any, claim: lease.Lease) -> None:
        if found.number == sick:
            tried.append(1)
            raise ZeroDivisionError
        join(run, found, claim)

    monkeypatch.setattr(BatchRun, "join", fails)

    began = time.monotonic()
    office.play_all(tournament)
    took_s = time.monotonic() - began

    assert list(office.leases(tournament)) == [sick]
    assert office.leases(tournament)[sick] == lease.FAILED
    assert 2 <= len(tried) <= 3 + log2(1 + took_s)  # pauses of 1, 2, 4, ... s
    assert office.incident(tournament) == {tournament.id: "ZeroDivisionError"}
    with world.store.read() as conn:
        assert len(list(matches.iterate_matches(conn, tournament.id))) == 18


# A database of another release


def test_a_worker_that_finds_another_schema_stores_nothing_and_ends(
    office: Office, world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = four_batches(world, gateway)
    office.sweep()
    save = BatchRun._save

    def migrated_before(run: BatchRun, command: Save, limits: Mapping[str, int]) -> None:
        stamp(world.store, "9999")
        save(run, command, limits)

    monkeypatch.setattr(BatchRun, "_save", migrated_before)
    office.play()

    assert shutdown.outdated()
    assert office.advanced == []
    with whatever_version(world.store) as conn:
        assert list(matches.iterate_matches(conn, tournament.id)) == []
    assert not world.client.exists(keys.batch(tournament.id, 0))
    assert not world.client.exists(keys.failures(tournament.id, 0))
    with pytest.raises(SchemaMismatch, match="version 9999"):
        world.store.check()


# No Redis within transactions


class Forbidding(redis.ConnectionPool):
    """Connections to Redis that fail while a transaction of the store writes."""

    writing = False

    def get_connection(self, *given: Any, **named: Any) -> Any:
        assert not self.writing, "Redis is asked while others wait for a lock in the database"
        return super().get_connection(*given, **named)


class Watched(Store):
    pool: Forbidding

    @contextmanager
    def write(self, limits: Mapping[str, int] = WRITING) -> Iterator[Any]:
        with super().write(limits) as conn:
            self.pool.writing = True
            try:
                yield conn
            finally:
                self.pool.writing = False


@pytest.mark.parametrize("absent", [0, 1])
def test_redis_is_never_asked_within_a_transaction(
    store: Store, redis_url: str, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch, absent: int
) -> None:
    monkeypatch.setattr(schedule, "SAVE_S", 0.0)
    watched = Watched(store.url, store.version)
    watched.pool = Forbidding.from_url(redis_url)
    world = World(watched, redis.Redis(connection_pool=watched.pool), slice_s=0.1, grace_s=0.1)
    tournament = world.tournament(cycles=1, start_grace_s=0)
    gateway.connect(*tournament.players[absent:])

    for _ in range(200):
        for number in world.advance(tournament):
            run = world.run(tournament, number)
            run.play()
            run.release()
        if world.read(tournament).state == "finished":
            break

    ended = world.read(tournament)
    watched.dispose()
    watched.pool.disconnect()
    assert (ended.state, ended.played) == ("finished", 3)
    if absent:
        assert world.client.exists(keys.gone(tournament.players[0]))


def test_bot_that_enters_before_the_lock_is_checked_by_the_next_sweep(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.store.registry import bots
    from arena.store.tournaments import tournaments

    ladder = world.tournament(format="ladder", seats=3)
    gateway.connect(*ladder.players)
    present = presence.present

    def meanwhile(*given: Any) -> Any:
        monkeypatch.undo()
        with world.store.write() as conn:
            bots.register(conn, "late")
            creation.enter(conn, tournaments.lock(conn, ladder.id), "late")
        return present(*given)

    monkeypatch.setattr(presence, "present", meanwhile)

    assert world.advance(ladder) == []
    assert world.read(ladder).state == "waiting"
    world.advance(ladder)
    assert "late" in world.read(ladder).note


# Time limits


@pytest.mark.parametrize("slice_s", [1, 60, 601, MOST_SLICE_S])
def test_no_task_is_ended_or_repeated_within_its_slice(slice_s: float) -> None:
    conf = make_app(Settings(slice_s=slice_s)).conf

    assert conf.task_time_limit >= slice_s + HANGS_S
    longest = make_app(Settings(slice_s=MOST_SLICE_S)).conf.task_time_limit
    assert conf.broker_transport_options["visibility_timeout"] > longest


def test_a_slice_of_more_than_an_hour_is_refused() -> None:
    with pytest.raises(ValidationError, match="less than or equal to 3600"):
        Settings(slice_s=MOST_SLICE_S + 1)
