"""Tournaments of hosted bots: they wait for hosts, and are played over a real gateway by one."""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import grpc
import pytest
import redis

from arena.games import packed_log
from arena.games.rules.rows import VERSION
from arena.hosting.submission.manifest import Manifest
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Decisions
from arena.service.live import keys
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots, built
from arena.store.tournaments import withdrawals
from arena.store.tournaments.tournaments import Kind, Tournament
from tests.integration import gateway_world
from tests.integration.gateway_world import BotStream, scenario
from tests.integration.worker_world import FakeGateway, World
from workers.advancing.beginning import Absent, begins
from workers.schedule import RunOutcome, schedule


def stored(world: World, tournament: Tournament) -> list[Any]:
    with world.store.read() as conn:
        return list(matches.iterate_matches(conn, tournament.id))


def play(world: World, tournament: Tournament, numbers: Sequence[int]) -> Tournament:
    """Plays these batches, which are all; the tournament afterwards."""
    for number in numbers:
        run = world.run(tournament, number)
        assert run.play() is RunOutcome.DONE
        run.release()
    assert not world.advance(tournament)
    return world.read(tournament)


def test_it_begins_without_them_and_their_matches_wait_for_a_host(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(("a", "b", "c"), hosted="ab", seats=2, cycles=1)
    gateway.connect(tournament.players[2])

    numbers = world.advance(tournament)

    begun = world.read(tournament)
    assert begun.state == "running"
    assert begun.note == "Started before a host connected a, b. Their matches wait."
    assert not world.client.exists(*map(keys.gone, tournament.players))
    world.slice_s = 0.5
    run = world.run(tournament, numbers[0])
    assert run.play() is RunOutcome.SUSPENDED
    run.release()
    assert stored(world, tournament) == []

    gateway.connect(*tournament.players)
    world.slice_s = 30.0
    assert play(world, tournament, numbers).state == "finished"
    assert {seat.faults for match in stored(world, tournament) for seat in match.seats} == {0}


def test_of_a_hosted_bot_it_is_said_that_no_host_has_it(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(hosted="b", start_grace_s=60)
    gateway.connect(tournament.players[2])

    world.advance(tournament)

    waiting = world.read(tournament)
    assert waiting.state == "waiting"
    assert waiting.note.startswith("Waiting for a, b. Starts without them in ")
    assert waiting.note.endswith(". No host has connected b.")


def test_a_retired_hosted_bot_forfeits_like_any_other(world: World, gateway: FakeGateway) -> None:
    tournament = world.tournament(hosted="a", cycles=1)
    with world.store.write() as conn:
        bots.retire(conn, "a")
    gateway.connect(*tournament.players[1:])

    numbers = world.advance(tournament)

    assert world.read(tournament).note == "Started without a. They forfeit unless they connect."
    assert play(world, tournament, numbers).state == "finished"


def give_up(store: Store, name: str) -> None:
    """Hosts cannot build the version of a hosted bot again."""
    with store.write() as conn:
        bot = bots.get(conn, name)
        built.supply(conn, bot, b"source", b"tree", Manifest(entry="bot.py"), b"hello", 1.0)
        for failed in range(built.FAILED_REBUILDS):
            at = 1.0 + failed * built.FAILING_S
            built.not_built_again(conn, 1, "The index has no deep.", at)


def test_one_that_cannot_be_built_again_forfeits_and_is_withdrawn(
    world: World, gateway: FakeGateway
) -> None:
    world.withdraw_after = 2
    tournament = world.tournament(hosted="a", cycles=4)
    give_up(world.store, "a")
    gateway.connect(*tournament.players[1:])

    numbers = world.advance(tournament)

    assert world.read(tournament).note == "Started without a. They forfeit unless they connect."
    assert play(world, tournament, numbers).state == "finished"
    with world.store.read() as conn:
        assert withdrawals.of_all(conn, [tournament.id]) == {tournament.id: {0}}


@pytest.mark.parametrize("shared", [True, False])
def test_a_run_hears_within_seconds_that_a_version_is_given_up(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    monkeypatch.setattr(schedule, "RENEW_S", 0.05)
    monkeypatch.setattr(bots.RegisteredBot, "waits_for_host", True)  # as it began
    tournament = world.tournament(hosted="a", cycles=1)
    gateway.connect(*tournament.players[1:])
    number = (world.queue(tournament) if shared else world.advance(tournament))[0]
    threading.Timer(0.5, give_up, (world.store, "a")).start()

    if shared:
        world.shared_run().play()
    else:
        assert world.run(tournament, number).play() is RunOutcome.DONE

    assert len(stored(world, tournament)) == tournament.planned


@pytest.mark.parametrize("kind", ["test", "table"])
def test_interactive_match_starts_when_a_host_has_the_bot(world: World, kind: Kind) -> None:
    tournament = replace(world.tournament(hosted="b"), kind=kind)
    absent = Absent({}, {tournament.players[1]: "b"})

    assert begins(tournament, absent, time.time()) == (
        "waiting",
        "Waiting for b. No host has connected b.",
    )
    assert begins(tournament, Absent({}, {}), time.time()) == ("running", "")


@pytest.mark.parametrize("shared", [True, False])
def test_a_run_hears_within_seconds_that_a_version_is_hosted_now(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    monkeypatch.setattr(schedule, "RENEW_S", 0.05)
    monkeypatch.setattr(bots.RegisteredBot, "waits_for_host", False)  # as it began
    world.grace_s, world.slice_s = 0.3, 0.9
    tournament = world.tournament(hosted="a", cycles=1)
    gateway.connect(*tournament.players)
    number = (world.queue(tournament) if shared else world.advance(tournament))[0]
    gateway.disconnect(tournament.players[0])

    if shared:
        world.shared_run().play()
    else:
        assert world.run(tournament, number).play() is RunOutcome.SUSPENDED

    assert stored(world, tournament) == []


# Over a gateway


@dataclass
class FakeHost:
    """Answers whatever it is asked for all its bots, and notes what it was told."""

    groups: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # by bot
    matches: set[str] = field(default_factory=set)
    late: str = ""  # the bot whose time is always up
    streams: list[BotStream] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def play(self, w: gateway_world.World, names: str, packed: int = 0) -> None:
        for name in names:
            stream = await w.connect_host(f"{name}@1", max_in_flight=64, packed=packed)
            self.streams.append(stream)
            self.tasks.append(asyncio.create_task(self._play(name, stream)))

    async def _play(self, name: str, stream: BotStream) -> None:
        with suppress(grpc.aio.AioRpcError, AssertionError, asyncio.InvalidStateError):
            while True:
                await self._answer(name, stream, (await stream.read()).batch)

    async def _answer(self, name: str, stream: BotStream, batch: pb.Batch) -> None:
        asked = [(one.ticket, one.view.match, one.view.indices[0]) for one in batch.decisions]
        for one in batch.packed:
            decisions = Decisions(one.game, one.seats, dict(one.options), one.rows, one.moves)
            views = zip(one.tickets, decisions, strict=True)
            asked += [(ticket, view.match, view.indices[0]) for ticket, view in views]
        self.groups[name] |= {one.group for one in batch.decisions}
        self.groups[name] |= {one.group for one in batch.packed}
        self.matches |= {match for _, match, _ in asked}
        choices = pb.Choices()
        for ticket, _, index in asked:
            if name == self.late:
                choices.choices.add(ticket=ticket, timeout=f"{name} took 3 s.", cpu_us=3_000_000)
            else:
                choices.choices.add(ticket=ticket, index=index, cpu_us=42)
        if asked:
            await stream.say(choices=choices)

    async def vanish(self) -> None:
        for stream in self.streams:
            await stream.hang_up()
        for task in self.tasks:
            task.cancel()


def begun(store: Store, client: redis.Redis, w: gateway_world.World, **spec: Any) -> Any:
    """A tournament of hosted bots that runs, a worker for it, and its batches."""
    world = World(store, client)
    tournament = world.tournament(hosted="abc", **spec)
    w.register_host()
    return world, tournament, world.advance(tournament)


@pytest.mark.parametrize(("isolation", "packed"), [("match", 0), ("tournament", VERSION)])
def test_a_host_is_told_which_matches_share_a_process(
    sqlite_store: Store, redis_url: str, redis_client: redis.Redis, isolation: str, packed: int
) -> None:
    @scenario
    async def run_it() -> None:
        async with gateway_world.world(sqlite_store, redis_url) as w:
            world, tournament, numbers = begun(
                sqlite_store, redis_client, w, isolation=isolation, cycles=2
            )
            host = FakeHost()
            await host.play(w, "abc", packed)

            for number in numbers:
                run = world.run(tournament, number)
                assert await asyncio.to_thread(run.play) is RunOutcome.DONE

            group = tournament.id if isolation == "tournament" else 0
            assert host.groups == {name: {group} for name in "abc"}
            played = stored(world, tournament)
            assert host.matches == {match.id for match in played}
            for match in played:
                logged = packed_log.replay(match.setup, match.log).logged
                assert [one.latency_us for one in logged] == [pytest.approx(42, rel=0.1)] * len(
                    logged
                )

    run_it()


@scenario
async def test_a_host_dies_and_the_next_one_plays_on_and_only_its_bots_own_time_is_charged(
    sqlite_store: Store, redis_url: str, redis_client: redis.Redis
) -> None:
    async with gateway_world.world(sqlite_store, redis_url, grace_s=0.2) as w:
        await w.gateway(grace_s=0.2)
        world, tournament, numbers = begun(sqlite_store, redis_client, w, cycles=2, move_ms=50)
        silent = [await w.connect_host(f"{name}@1", max_in_flight=64) for name in "abc"]
        playing = [
            asyncio.create_task(asyncio.to_thread(world.run(tournament, number).play))
            for number in numbers
        ]
        await silent[0].decisions(1)
        await asyncio.sleep(0.3)  # longer than a move and the grace time
        for stream in silent:
            await stream.hang_up()

        host = FakeHost(late="b")
        for name in "abc":
            stream = await w.dial_host(f"{name}@1", w.gateways[1])
            await stream.hello(max_in_flight=64)
            host.tasks.append(asyncio.create_task(host._play(name, stream)))

        assert await asyncio.gather(*playing) == [RunOutcome.DONE] * len(numbers)
        played = stored(world, tournament)
        notes = [
            (match.seats[n.seat].bot, n.kind, n.reason) for match in played for n in match.notes
        ]
        assert set(notes) == {("b", "timeout", "b took 3 s.")}
        await host.vanish()
