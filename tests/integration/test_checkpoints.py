"""Checkpoints of batches, and those that the release before has left behind."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest
import redis

from arena import record
from arena.protocol.internal.checkpoint_pb2 import Checkpoint
from arena.store import Store, rebuild, upgrade_store
from arena.store.matches import matches
from arena.store.migrate import HEAD
from arena.store.tournaments import batches
from arena.store.tournaments.tournaments import Tournament
from tests.integration.test_schema import stamp, url_of, whatever_version
from tests.integration.worker_world import FakeGateway, World, first_offered
from tests.older_schema import take_back
from workers import lease
from workers.schedule import RunOutcome

JSON_UNTIL = "0013"


@pytest.fixture
def world(store: Store, redis_client: redis.Redis) -> Iterator[World]:
    """A worker's world, on each database, whose version is put right for the tests after."""
    yield World(store, redis_client)
    stamp(store, HEAD)


def as_json(blob: bytes) -> bytes:
    """A checkpoint as the release before kept it."""
    kept = Checkpoint.FromString(blob)
    suspended = [
        {
            "position": match.position,
            "ruleset": match.ruleset,
            "ticket": match.ticket,
            "asked": match.asked,
            "started": match.started,
            "log": base64.b64encode(match.log).decode(),
            "reasons": {str(number): reason for number, reason in match.reasons.items()},
        }
        for match in kept.matches
    ]
    return json.dumps({"reply_to": kept.reply_to, "matches": suspended}).encode()


def without_times(blob: bytes) -> bytes:
    """One of the oldest, which does not say when a question arose."""
    kept = json.loads(as_json(blob))
    for match in kept["matches"]:
        del match["asked"]
    return json.dumps(kept).encode()


def suspended_in_mid_play(world: World, gateway: FakeGateway) -> tuple[Tournament, int]:
    """A tournament of one batch whose matches, some with a fault, are all under way."""
    tournament = world.tournament(cycles=8, fault_limit=50)
    gateway.connect(*tournament.players)
    gateway.answer = lambda decision: (
        {"action": "fly"} if decision.view.number == 2 else first_offered(decision)
    )
    number, *others = world.advance(tournament)
    for other in others:
        lease.unqueue(world.client, tournament.id, other)
    run = world.run(tournament, number)
    for _ in range(6):
        world.step(run)
    world.stop = True
    assert run.play() is RunOutcome.SUSPENDED
    run.release()
    world.stop = False
    return tournament, number


def upgraded(world: World, tournament: Tournament, number: int, blob: bytes) -> bytes | None:
    """What an upgrade makes of such a checkpoint."""
    with world.store.write() as conn:
        batches.save_checkpoint(conn, tournament.id, number, blob)
        take_back(conn, JSON_UNTIL)
    upgrade_store(url_of(world.store)).dispose()
    return checkpoint_of(world, tournament, number)


def checkpoint_of(world: World, tournament: Tournament, number: int) -> bytes | None:
    with whatever_version(world.store) as conn:
        return batches.get_batch(conn, tournament.id, number).checkpoint


def asked_for(gateway: FakeGateway) -> dict[str, list[int]]:
    """The numbers of the decisions that were asked for, by match, in this order."""
    numbers: dict[str, list[int]] = {}
    for decision in gateway.asked:
        numbers.setdefault(decision.view.match, []).append(decision.view.number)
    return numbers


def assert_played_once(world: World, tournament: Tournament) -> None:
    ended = world.play_all(tournament)
    assert (ended.state, ended.played) == ("finished", tournament.planned)
    with world.store.read() as conn:
        stored = list(matches.iterate_matches(conn, tournament.id))
        assert len({match.id for match in stored}) == len(stored) == tournament.planned
        assert rebuild.compare(conn, "lama").differences == ()
    for match in stored:
        record.verify(record.export(record.replay(match.setup, match.log)))


def test_an_upgrade_converts_checkpoints_and_their_matches_go_on(
    world: World, gateway: FakeGateway
) -> None:
    tournament, number = suspended_in_mid_play(world, gateway)
    blob = checkpoint_of(world, tournament, number)
    assert blob is not None
    kept = Checkpoint.FromString(blob)
    assert kept.matches
    assert any(match.reasons for match in kept.matches)
    after = upgraded(world, tournament, number, as_json(blob))
    assert after is not None
    assert Checkpoint.FromString(after) == kept
    assert_played_once(world, tournament)
    assert all(numbers == sorted(numbers) for numbers in asked_for(gateway).values())


def test_a_question_without_a_time_is_as_old_as_its_match(
    world: World, gateway: FakeGateway
) -> None:
    tournament, number = suspended_in_mid_play(world, gateway)
    blob = checkpoint_of(world, tournament, number)
    assert blob is not None
    after = upgraded(world, tournament, number, without_times(blob))
    assert after is not None
    assert all(match.asked == match.started for match in Checkpoint.FromString(after).matches)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("damage", [b"{", b'{"matches": []}', b"\xff\x00"])
def test_a_damaged_checkpoint_is_dropped_and_its_matches_are_played_from_the_start(
    damage: bytes, world: World, gateway: FakeGateway
) -> None:
    tournament, number = suspended_in_mid_play(world, gateway)
    assert upgraded(world, tournament, number, damage) is None
    assert_played_once(world, tournament)
