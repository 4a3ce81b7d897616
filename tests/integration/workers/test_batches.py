"""A worker plays its batches: faults, gateways and workers that die, suspended matches."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import select

from arena.base.instant import read_clock
from arena.games import packed_log, record
from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live import keys
from arena.store import Store, upgrade_store
from arena.store.matches import matches
from arena.store.reports import standings
from arena.store.tables import fault_notes
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.integration.worker_world import FakeGateway, World, first_offered
from workers.playing import lease
from workers.schedule import RunOutcome, schedule


def stored(world: World, tournament: Tournament) -> list[Any]:
    with world.store.read() as conn:
        return list(matches.iterate_matches(conn, tournament.id))


def only_one(world: World, tournament: Tournament) -> int:
    """The number of the one batch that there is for runs to play, for now."""
    first, *others = world.advance(tournament)
    for number in others:
        lease.unqueue(world.client, tournament.id, number)
    return first


def assert_no_match_began_again(gateway: FakeGateway) -> None:
    asked: dict[str, list[int]] = {}
    for decision in gateway.asked:
        asked.setdefault(decision.view.match, []).append(decision.view.number)
    assert all(numbers == sorted(numbers) for numbers in asked.values())


def test_a_tournament_is_played_to_its_end(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(("a", "b", "c", "d"), cycles=3)
    gateway.connect(*tournament.players)
    ended = world.play_all(tournament)
    assert (ended.state, ended.played) == ("finished", 4 * 3 * 3)
    for match in stored(world, tournament):
        record.verify(record.export(packed_log.replay(match.setup, match.log)))


@pytest.mark.parametrize("store", ["sqlite", "postgres"], indirect=True)
def test_a_bot_cannot_keep_results_from_being_stored_by_what_it_says(
    store: Store, redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    world = World(store, redis_client)
    tournament = world.tournament(("a", "b", "c", "d"), cycles=1, fault_limit=100)
    gateway.connect(*tournament.players)
    gateway.answer = lambda _: {"outcome": Reply.ERROR, "error": "NUL \0, \x1b[2J"}

    ended = world.play_all(tournament)

    assert (ended.state, ended.played) == ("finished", ended.planned)
    with store.read() as conn:
        reasons = set(conn.scalars(select(fault_notes.c.reason)))
    assert reasons == {"NUL \N{REPLACEMENT CHARACTER}, \N{REPLACEMENT CHARACTER}[2J"}


def test_it_is_played_the_same_whatever_the_batches(
    redis_client: redis.Redis, tmp_path: Path
) -> None:
    tables = []
    for window in (1, 64):
        redis_client.flushall()
        store = upgrade_store(f"sqlite:///{tmp_path / str(window)}.db")
        world = World(store, redis_client, window=window)
        with FakeGateway(redis_client) as gateway:
            tournament = world.tournament(cycles=2)
            gateway.connect(*tournament.players)
            world.play_all(tournament)
        with store.read() as conn:
            lines = standings.standings(conn, tournament.id)
        store.dispose()
        tables.append([(line.bot, line.mean_points, line.wins) for line in lines])
    assert tables[0] == tables[1]


def test_players_are_told_of_starts_rounds_and_ends(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players)
    world.play_all(tournament)
    told = [d for d in gateway.notices if d.player == tournament.players[0]]
    started = [pb.MatchStarted.FromString(one) for d in told for one in d.started]
    ended = [pb.MatchEnded.FromString(one) for d in told for one in d.ended]
    rounds = [pb.RoundEnded.FromString(one) for d in told for one in d.rounds]
    played = {match.id: match for match in stored(world, tournament)}
    assert {one.match for one in started} == {one.match for one in ended} == set(played)
    for one in ended:
        assert tuple(one.points) == tuple(seat.points for seat in played[one.match].seats)
    told_rounds = sorted((one.match, one.round) for one in rounds)
    assert told_rounds == sorted(
        (key, number)
        for key, match in played.items()
        for number in range(1, len(packed_log.replay(match.setup, match.log).game.rounds) + 1)
    )


def test_bot_without_notices_gets_only_decisions(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players, notices=False)
    world.play_all(tournament)
    assert not any(d.started or d.rounds or d.ended for d in gateway.notices)


FAULTS: dict[str, dict[str, Any]] = {
    "illegal": {"action": "play 9"},
    "timeout": {"outcome": Reply.TIMEOUT},
    "timeout, with a forfeit": {"outcome": Reply.TIMEOUT, "error": "It slept.", "forfeits": True},
    "error": {"outcome": Reply.ERROR, "error": "ZeroDivisionError in choose"},
    "disconnect": {"outcome": Reply.DISCONNECT},
}


@pytest.mark.parametrize("kind", FAULTS)
def test_faults_are_logged_counted_and_forfeit_at_the_limit(
    world: World, gateway: FakeGateway, kind: str
) -> None:
    limit = 3 if "forfeits" in FAULTS[kind] else 1
    tournament = world.tournament(cycles=1, fault_limit=limit)
    gateway.connect(*tournament.players)
    bad = tournament.players[0]
    seat_of: dict[str, int] = {}

    def answer(decision: pb.Decision) -> dict[str, Any]:
        return FAULTS[kind] if decision.view.seat == seat_of[decision.view.match] else (
            first_offered(decision)
        )  # fmt: skip

    gateway.answer = answer
    runs = [world.run(tournament, number) for number in world.advance(tournament)]
    for run in runs:
        factory = run.schedule._factory
        for planned in run.schedule.batches[0].matches:
            seat_of[factory.setup(planned).id] = factory.players_of(planned).index(bad)
    assert all(run.play() is RunOutcome.DONE for run in runs)
    assert len(stored(world, tournament)) == 3
    for match in stored(world, tournament):
        seat = next(s for s in match.seats if s.player == bad)
        assert (seat.faults, seat.forfeited, seat.rank) == (1, True, 3)
        assert {note.kind for note in match.notes} == {kind.partition(",")[0]}
        assert all(note.reason and note.instead for note in match.notes)
    faults = [
        pb.Fault.FromString(one) for d in gateway.notices if d.player == bad for one in d.faults
    ]
    if kind != "disconnect":
        assert [fault.forfeited for fault in faults].count(True) == 3


def test_a_bot_that_never_connects_forfeits(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players[1:])
    numbers = world.advance(tournament)
    begun = world.read(tournament)
    assert begun.state == "running"
    assert begun.note == "Started without a. They forfeit unless they connect."
    for number in numbers:
        began = time.monotonic()
        assert world.run(tournament, number).play() is RunOutcome.DONE
        assert time.monotonic() - began < 5, "nobody waits for it a second time"
    for match in stored(world, tournament):
        absent = next(seat for seat in match.seats if seat.bot == "a")
        assert (absent.forfeited, absent.rank) == (True, 3)
        assert "not connected" in match.notes[0].reason


def test_a_tournament_waits_for_its_bots_until_the_start_grace_is_over(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(start_grace_s=60)
    gateway.connect(*tournament.players[1:])
    assert world.advance(tournament) == []
    waiting = world.read(tournament)
    assert waiting.state == "waiting"
    assert waiting.note.startswith("Waiting for a. Starts without them in ")
    gateway.connect(tournament.players[0])
    assert world.advance(tournament)
    assert world.read(tournament).state == "running"


def test_a_bot_connected_for_other_games_is_named_so(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(start_grace_s=60)
    gateway.connect(*tournament.players)
    gateway.connect(tournament.players[2], max_seats=2)
    world.advance(tournament)
    assert "c (connected, but not for lama at 3 seats)" in world.read(tournament).note


def test_without_any_gateway_no_bot_is_at_fault(world: World, redis_client: redis.Redis) -> None:
    tournament = world.tournament(cycles=1)
    number = world.advance(tournament)[0]
    for player in tournament.players:
        redis_client.delete(keys.gone(player))
    done = threading.Thread(target=world.run(tournament, number).play)
    done.start()
    time.sleep(2 * world.grace_s)
    gateway = FakeGateway(redis_client)
    gateway.connect(*tournament.players)  # before it is alive, when all graces run
    with gateway:
        done.join()
    assert not any(match.notes for match in stored(world, tournament))


def test_questions_of_a_gateway_that_died_go_to_the_next(
    world: World, redis_client: redis.Redis
) -> None:
    tournament = world.tournament(cycles=2)
    silent = FakeGateway(redis_client, "g1", answer=lambda decision: None)
    with silent:
        silent.connect(*tournament.players)
        run = world.run(tournament, only_one(world, tournament))
        planned = len(run.schedule.batches[0].matches)
        player = threading.Thread(target=run.play)
        player.start()
        while not silent.asked:
            time.sleep(0.005)
    silent.die()
    with FakeGateway(redis_client, "g2") as second:
        second.connect(*tournament.players)
        player.join()
        assert {d.ticket for d in silent.asked} <= {d.ticket for d in second.asked}
    played = stored(world, tournament)
    assert len(played) == planned
    assert not any(match.notes for match in played), "it was not the bots' fault"


def test_a_bounced_question_is_sent_again(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players)
    bounced: set[int] = set()

    def answer(decision: pb.Decision) -> dict[str, Any]:
        if len(bounced) < 5 and decision.ticket not in bounced:
            bounced.add(decision.ticket)
            return {"outcome": Reply.BOUNCED}
        return first_offered(decision)

    gateway.answer = answer
    assert world.play_all(tournament).state == "finished"
    assert len(bounced) == 5
    assert not any(match.notes for match in stored(world, tournament))


def test_late_and_repeated_replies_are_let_pass(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players)
    run = world.run(tournament, world.advance(tournament)[0])
    stray = Replies(tickets=[1], indices=[0], latencies_us=[900])
    run.schedule.replies_received(stray, read_clock())
    assert run.play() is RunOutcome.DONE
    assert not any(match.notes for match in stored(world, tournament))


def test_a_suspended_match_is_resumed_where_it_was(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=6)
    gateway.connect(*tournament.players)
    world.slice_s = 0.02
    numbers, runs = world.advance(tournament), 0
    for number in numbers:
        while (run := world.run(tournament, number)).play() is not RunOutcome.DONE:
            run.release()
            runs += 1
            assert runs < 500
    assert runs > len(numbers)
    assert_no_match_began_again(gateway)
    for match in stored(world, tournament):
        record.verify(record.export(packed_log.replay(match.setup, match.log)))


def test_faults_before_a_checkpoint_keep_their_reasons(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=1, fault_limit=1)
    gateway.connect(*tournament.players)
    gateway.answer = lambda decision: {"action": "fly"}
    world.slice_s = 0.001
    numbers = world.advance(tournament)
    for number in numbers:
        while (run := world.run(tournament, number)).play() is not RunOutcome.DONE:
            run.release()
    notes = [note for match in stored(world, tournament) for note in match.notes]
    assert notes
    assert all("'fly' is not an action" in note.reason for note in notes)


def test_a_killed_workers_batch_is_played_by_the_next_run_and_counted_once(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = world.tournament(cycles=8)
    gateway.connect(*tournament.players)
    number = only_one(world, tournament)
    first = world.run(tournament, number, "task-1")
    monkeypatch.setattr(schedule, "SAVE_S", 0.0)
    while not stored(world, tournament):
        world.step(first)
    # Then it is gone without a word.
    again = world.run(tournament, number, "task-1")
    (batch,) = again.schedule.batches
    planned = len(batch.matches)
    assert 0 < len(batch.to_start) < planned
    assert again.play() is RunOutcome.DONE
    played = stored(world, tournament)
    assert len(played) == len({match.id for match in played}) == planned
    assert world.read(tournament).played == len(played)


def test_a_run_that_lost_its_lease_does_nothing_more(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament()
    run = world.run(tournament, world.advance(tournament)[0])
    world.client.set(run.lease.key, "somebody else")
    run.schedule._renewed = float("-inf")
    assert run.play() is RunOutcome.LEASE_LOST
    assert stored(world, tournament) == []


def test_a_batch_in_play_is_not_taken_by_another_task(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament()
    number = world.advance(tournament)[0]
    held = lease.Lease(world.client, tournament.id, number, "task-1")
    other = lease.Lease(world.client, tournament.id, number, "task-2")
    assert held.take()
    assert not other.take()
    assert held.take(), "the same task, delivered again, takes over"
    held.release()
    assert other.take()


def test_a_cancelled_tournament_stops_and_can_be_resumed(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(cycles=6)
    gateway.connect(*tournament.players)
    numbers = world.advance(tournament)
    run = world.run(tournament, numbers[0])
    for _ in range(10):
        world.step(run)
    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "cancelled")
    run.schedule._renewed = float("-inf")
    assert run.play() is RunOutcome.SUSPENDED
    run.release()
    assert world.advance(tournament) == []
    with world.store.write() as conn:
        tournaments.set_state(conn, tournament.id, "waiting")
    for number in numbers:
        lease.unqueue(world.client, tournament.id, number)
    ended = world.play_all(tournament)
    assert (ended.state, ended.played) == ("finished", ended.planned)


def test_a_lost_task_is_handed_out_again(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament()
    gateway.connect(*tournament.players)
    numbers = world.advance(tournament)
    assert world.advance(tournament) == [], "what is queued is not queued twice"
    lease.unqueue(world.client, tournament.id, numbers[0])  # as if the key had expired
    assert world.advance(tournament) == numbers[:1]


def test_a_stopping_worker_suspends_its_matches(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(cycles=6)
    gateway.connect(*tournament.players)
    run = world.run(tournament, world.advance(tournament)[0])
    for _ in range(5):
        world.step(run)
    world.stop = True
    assert run.play() is RunOutcome.SUSPENDED
    with world.store.read() as conn:
        assert batches.get_batch(conn, tournament.id, 0).checkpoint


def test_a_large_tournaments_batches_are_of_equal_size_and_leave_no_match_out(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(cycles=3333)
    gateway.connect(*tournament.players)
    planned, sizes = 0, []
    while numbers := world.advance(tournament):
        assert len(numbers) <= 33
        with world.store.write() as conn:
            for number in numbers:
                batch = batches.get_batch(conn, tournament.id, number)
                assert batch.first == planned
                planned += len(batch.matches)
                sizes.append(len(batch.matches))
                batches.finish_batch(conn, tournament.id, number)
    assert planned == tournament.planned == 9999
    assert max(sizes) <= 256
    assert min(sizes[:-2]) > 250
