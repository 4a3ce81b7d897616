"""A worker with a person at the table: nothing waits while they think, and they are waited for."""

import threading
import time
from typing import Any

from arena.games.packed_log import replay
from arena.protocol.internal.checkpoint_pb2 import Checkpoint, SuspendedMatch
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live import keys, people
from arena.service.live.people import Question
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.tournaments import batches, creation, guests, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.integration.worker_world import FakeGateway, World, first_offered
from workers.playing.batch import BatchRun
from workers.schedule import RunOutcome


def table(world: World, *opponents: str, **spec: Any) -> Tournament:
    """A table with a guest in seat 0."""
    with world.store.write() as conn:
        guest = guests.arrive(conn, None)
        for name in opponents:
            bots.register(conn, name)
        asked = TournamentSpec(
            bots=(guest.name, *opponents),
            seats=1 + len(opponents),
            format="sitting",
            deals=1,
            **{"start_grace_s": 0, "move_ms": 60_000, **spec},
        )
        return creation.create(conn, check_spec(asked, sitting=True), kind="table")


def sit(world: World, tournament: Tournament) -> None:
    spec = tournament.spec
    people.mark_present(world.client, tournament.players[0], spec.bots[0], spec.game, spec.seats)


def begin(world: World, gateway: FakeGateway, *opponents: str, **spec: Any) -> Tournament:
    """A table with all there, whose batch is to be played."""
    tournament = table(world, *opponents or ("ada", "bob"), **spec)
    gateway.connect(*tournament.players[1:])
    sit(world, tournament)
    assert world.advance(tournament) == [0]
    return tournament


def run(world: World, tournament: Tournament) -> BatchRun:
    return world.run(tournament, 0, holder=f"task-{time.monotonic()}")


def play(world: World, tournament: Tournament) -> bool:
    """One run, as the task does it; whether the match is over."""
    one = run(world, tournament)
    outcome = one.play()
    if outcome is not RunOutcome.WAITING_FOR_PEOPLE or not one.wait_for_people():
        one.release()
    return outcome is RunOutcome.DONE


def aside(world: World, tournament: Tournament) -> tuple[SuspendedMatch, Question]:
    with world.store.read() as conn:
        blob = batches.get_batch(conn, tournament.id, 0).checkpoint
    assert blob is not None
    kept = Checkpoint.FromString(blob)
    (match,) = kept.matches
    asked = Question(tournament.id, 0, match.ticket, kept.reply_to, match.asked)
    return match, asked


def offered(world: World, tournament: Tournament) -> tuple[int, ...]:
    """The player's legal actions, from the log in the checkpoint."""
    match, _ = aside(world, tournament)
    with world.store.read() as conn:
        current = tournaments.get(conn, tournament.id)
        batch = batches.get_batch(conn, tournament.id, 0)
        known = bots.by_players(conn, current.players)
    one = run(world, tournament)
    setup = one.schedule._factory.setup(batch.matches[0])
    one.release()
    assert [seat.bot for seat in setup.seats] == [known[p].name for p in current.players]
    decision = replay(setup, match.log, match.reasons).decision
    assert decision is not None
    assert decision.seat == 0
    return decision.indices


def lease_of(world: World, tournament: Tournament) -> Any:
    return world.client.get(keys.batch(tournament.id, 0))


def stored(world: World, tournament: Tournament) -> Any:
    with world.store.read() as conn:
        (match,) = matches.iterate_matches(conn, tournament.id)
    return match


def test_while_a_person_thinks_no_worker_has_the_match(world: World, gateway: FakeGateway) -> None:
    tournament = begin(world, gateway)

    began = time.monotonic()
    assert not play(world, tournament)

    assert time.monotonic() - began < 5
    assert lease_of(world, tournament) == people.THINKING
    assert world.advance(tournament) == []
    assert offered(world, tournament)


def test_a_worker_looks_again_when_the_move_time_is_over(
    world: World, gateway: FakeGateway
) -> None:
    for move_s, most in ((600, people.LOOK_S), (7, 7)):
        tournament = begin(world, gateway, f"a{move_s}", f"b{move_s}", move_ms=1000 * move_s)
        play(world, tournament)
        assert most - 3 <= world.client.ttl(keys.batch(tournament.id, 0)) <= most


def test_an_answer_queues_the_batch_once_and_takes_the_match_on(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway)
    play(world, tournament)
    before, question = aside(world, tournament)
    choice = offered(world, tournament)[0]
    people.wait_for_answer(world.client, keys.batch(tournament.id, 0), b"", "", 60)
    world.client.set(keys.batch(tournament.id, 0), people.THINKING)

    assert people.answered(world.client, question.ticket) is None
    assert people.answer(world.client, question, choice) == (True, True)
    assert lease_of(world, tournament) == people.QUEUED
    assert people.answer(world.client, question, choice) == (False, False)
    assert people.answered(world.client, question.ticket) == choice

    play(world, tournament)
    after, _ = aside(world, tournament)
    assert after.ticket != before.ticket
    assert len(after.log) > 0
    assert after.log != before.log


def test_a_whole_match_is_played_with_a_person_in_one_seat(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway)
    asked = 0
    while not play(world, tournament):
        _, question = aside(world, tournament)
        people.answer(world.client, question, offered(world, tournament)[0])
        asked += 1

    match = stored(world, tournament)
    assert asked > 3
    assert (match.locked, match.rated_seq) == (False, None)
    assert all(seat.elo_before is None for seat in match.seats)
    assert sum(seat.faults for seat in match.seats) == 0
    assert world.advance(tournament) == []
    assert world.read(tournament).state == "finished"


def test_an_answer_that_comes_as_the_match_is_put_aside_is_not_lost(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway)
    one = run(world, tournament)
    assert one.play() is RunOutcome.WAITING_FOR_PEOPLE
    _, question = aside(world, tournament)

    # The task still holds the lease, so an answer now queues nothing.
    ticket = question.ticket
    view = one.schedule.matches.open[ticket].match.decision
    assert view is not None
    assert people.answer(world.client, question, view.indices[0]) == (True, False)

    assert not one.wait_for_people()
    one.release()
    assert world.advance(tournament) == [0]


def test_who_thinks_too_long_has_the_default_played_for_him(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway, move_ms=300, fault_limit=1)
    play(world, tournament)
    _, question = aside(world, tournament)
    while time.time() < question.asked + 0.3:
        time.sleep(0.02)

    assert play(world, tournament)

    match = stored(world, tournament)
    assert [(note.seat, note.kind, note.reason) for note in match.notes] == [
        (0, "timeout", "No answer within 300 ms.")
    ]
    assert match.seats[0].forfeited


def test_a_closed_page_is_a_lost_connection_when_the_grace_is_over(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway, fault_limit=2)
    play(world, tournament)
    world.client.delete(keys.presence(tournament.players[0]))  # it expires after GRACE_S

    assert play(world, tournament)

    match = stored(world, tournament)
    assert {note.kind for note in match.notes} == {"disconnect"}
    assert len(match.notes) == 2
    assert match.seats[0].forfeited


def test_a_page_that_is_opened_again_in_time_costs_nothing(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway)
    play(world, tournament)
    _, before = aside(world, tournament)
    world.client.delete(keys.presence(tournament.players[0]))
    later = threading.Timer(0.1, sit, (world, tournament))
    later.start()

    assert not play(world, tournament)

    later.join()
    assert aside(world, tournament)[1] == before


def test_who_leaves_is_not_waited_for_and_cannot_come_back(
    world: World, gateway: FakeGateway
) -> None:
    world.grace_s = 60
    tournament = begin(world, gateway)
    play(world, tournament)
    me = tournament.players[0]

    people.leave(world.client, me)
    assert people.wake(world.client, tournament.id, 0) is True
    sit(world, tournament)
    assert people.has_left(world.client, me)

    assert play(world, tournament)
    (note,) = stored(world, tournament).notes
    assert (note.kind, note.reason) == ("disconnect", f"{tournament.spec.bots[0]} left the table.")
    assert stored(world, tournament).seats[0].forfeited


def test_people_see_what_happens_while_they_wait_for_a_slow_bot(
    world: World, gateway: FakeGateway
) -> None:
    slow = threading.Event()

    def answer(decision: pb.Decision) -> dict[str, Any] | None:
        return None if slow.is_set() and decision.view.seat == 2 else first_offered(decision)

    gateway.answer = answer
    tournament = begin(world, gateway)
    play(world, tournament)
    before, question = aside(world, tournament)
    slow.set()
    people.answer(world.client, question, offered(world, tournament)[0])
    one = run(world, tournament)
    playing = threading.Thread(target=one.play)
    playing.start()
    try:
        limit = time.monotonic() + 10
        while aside(world, tournament)[0].ticket == before.ticket:
            assert time.monotonic() < limit
            time.sleep(0.02)
    finally:
        world.stop = True
        playing.join()

    shown, _ = aside(world, tournament)
    assert shown.log != before.log


def test_an_answer_that_died_with_a_worker_can_be_given_again(
    world: World, gateway: FakeGateway
) -> None:
    tournament = begin(world, gateway)
    play(world, tournament)
    before, question = aside(world, tournament)
    choice = offered(world, tournament)[0]
    people.answer(world.client, question, choice)
    killed = run(world, tournament)  # took the answer, and is never heard of again
    killed.lease.release()
    assert aside(world, tournament)[0].ticket == before.ticket
    world.client.delete(keys.answered(question.ticket))  # expires after ANSWERED_S

    play(world, tournament)
    assert aside(world, tournament)[0].ticket == before.ticket
    assert people.answer(world.client, question, choice)[0]
    play(world, tournament)
    assert aside(world, tournament)[0].ticket != before.ticket
