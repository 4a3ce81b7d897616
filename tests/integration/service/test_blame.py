"""Who is charged for being away, and when that ends: as soon as the bot is back."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import redis
import redis.asyncio

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live import keys
from arena.service.live.presence import claim, give_up, mark_gone, release
from arena.store import Store
from arena.store.matches import matches
from arena.store.tournaments.tournaments import Tournament
from tests.integration.gateway_world import scenario, until
from tests.integration.gateway_world import world as gateway_world
from tests.integration.service.test_live import NORA, with_async_client
from tests.integration.worker_world import FakeGateway, World, first_offered
from workers.playing.redis_commands import take_snapshot
from workers.schedule.routes import Routes


def faults_of(world: World, tournament: Tournament, player: int) -> list[str]:
    with world.store.read() as conn:
        played = list(matches.iterate_matches(conn, tournament.id))
    return [
        note.kind
        for match in played
        for note in match.notes
        if match.seats[note.seat].player == player
    ]


# What a worker makes of it


def test_a_question_that_ran_out_charges_no_other_table_of_a_connected_bot(
    world: World, gateway: FakeGateway
) -> None:
    tournament = world.tournament(cycles=4)
    gateway.connect(*tournament.players)
    late: list[int] = []

    def answer(decision: pb.Decision) -> dict[str, Any]:
        if not late:
            late.append(decision.ticket)
            return {"outcome": Reply.DISCONNECT}
        return first_offered(decision)

    gateway.answer = answer
    assert world.play_all(tournament).state == "finished"
    charged = [faults_of(world, tournament, player) for player in tournament.players]
    assert sum(map(len, charged)) == 1, charged
    assert not any(world.client.exists(keys.gone(player)) for player in tournament.players)


def test_a_bot_that_is_back_has_its_whole_grace_again(world: World, gateway: FakeGateway) -> None:
    world.grace_s = 1.0
    tournament = world.tournament(cycles=1)
    gateway.connect(*tournament.players)
    away, refused = tournament.players[0], threading.Event()

    def answer(decision: pb.Decision) -> dict[str, Any]:
        if not refused.is_set():
            refused.set()
            # It had come back; then its program is started anew, which takes a moment.
            gateway.disconnect(away)
            threading.Timer(0.6, gateway.connect, [away]).start()
            return {"outcome": Reply.DISCONNECT}
        return first_offered(decision)

    gateway.answer = answer
    assert world.play_all(tournament).state == "finished"
    charged = [faults_of(world, tournament, player) for player in tournament.players]
    assert sum(map(len, charged)) == 1, charged


def refresh(routes: Routes, client: redis.Redis, now: float) -> None:
    """What a run does before a pass."""
    if routes.check_due(now):
        routes.update(take_snapshot(client, routes.players), now)


def serving(player: int, grace_s: float = 10.0) -> Routes:
    routes = Routes("lama", 3, grace_s)
    routes.serve([player])
    return routes


def test_waiting_matches_are_charged_only_while_the_bot_is_away_at_that_moment(
    redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    routes = serving(7)
    assert mark_gone(redis_client, 7)
    refresh(routes, redis_client, 100.0)
    assert routes.gone(7, 100.0)
    gateway.connect(7)
    refresh(routes, redis_client, 100.01)  # sooner than it checks those who are connected
    assert not routes.gone(7, 100.01)
    assert routes.gateway(7) == "g1"


def test_connected_players_are_not_marked_as_gone(
    redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    gateway.connect(7, games=("dice",))
    assert not mark_gone(redis_client, 7)
    assert not redis_client.exists(keys.gone(7))


def test_a_bot_connected_for_other_games_has_the_grace_time_from_then_on(
    redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    seconds, microseconds = redis_client.time()
    gateway.connect(7, games=("dice",), session=str((seconds - 4) * 1_000_000 + microseconds))
    routes = serving(7, grace_s=5.0)
    refresh(routes, redis_client, 100.0)
    assert not routes.gone(7, 100.5)
    assert routes.gone(7, 101.5), "four seconds had passed at the first check"


def test_player_marked_again_keeps_the_first_time(redis_client: redis.Redis) -> None:
    seconds, _ = redis_client.time()
    since = mark_gone(redis_client, 7)
    assert since is not None
    assert seconds <= since <= seconds + 60
    redis_client.set(keys.gone(7), 1000)

    assert mark_gone(redis_client, 7) == 1000.0
    assert take_snapshot(redis_client, [7, 8]).given_up == {7: 1000.0}


# What is noted, whatever comes first


def test_a_session_is_given_up_only_if_none_is_newer(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        old = await claim(client, NORA)
        new = await claim(client, replace(NORA, gateway="there"))
        assert await give_up(client, old) == new.session
        assert not redis_client.exists(keys.gone(1))
        assert redis_client.exists(keys.presence(1))
        assert await give_up(client, new) is None
        assert redis_client.exists(keys.gone(1))
        assert not redis_client.exists(keys.presence(1))

    with_async_client(redis_url, steps)


def test_coming_back_ends_the_blame_and_a_late_note_does_not_renew_it(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        old = await claim(client, NORA)
        assert await give_up(client, old) is None
        new = await claim(client, NORA)
        assert not redis_client.exists(keys.gone(1))
        assert await give_up(client, old) == new.session  # said twice, or late
        assert not mark_gone(redis_client, 1)
        assert not redis_client.exists(keys.gone(1))
        await release(client, new)  # its gateway stops: it may come to another
        assert not redis_client.exists(keys.gone(1))

    with_async_client(redis_url, steps)


# What a gateway makes of it


@scenario
async def test_player_that_stays_away_is_marked_as_gone_until_it_reconnects(
    sqlite_store: Store, redis_url: str
) -> None:
    async with gateway_world(sqlite_store, redis_url, grace_s=0.3) as w:
        stream = await w.connect("nora")
        mark = keys.gone(w.players["nora"])
        w.ask("nora", 1)
        await stream.decisions(1)
        await stream.hang_up()
        assert (await w.replies(1))[1].outcome == Reply.DISCONNECT
        assert w.client.exists(mark)
        assert w.presence("nora") is None
        await w.connect("nora")
        assert not w.client.exists(mark)


@scenario
async def test_late_answer_does_not_mark_a_player_as_gone(
    sqlite_store: Store, redis_url: str
) -> None:
    async with gateway_world(sqlite_store, redis_url, grace_s=1) as w:
        stream = await w.connect("nora", max_in_flight=1)
        w.ask("nora", 1, 2, time_ms=1000)
        await stream.decisions(1)
        for _ in range(20):  # each time it would gain what it thought since
            await asyncio.sleep(0.25)
            if w.client.llen(w.reply_list):
                break
            stream = await w.connect("nora", max_in_flight=1)
        assert (await w.replies(1))[1].outcome == Reply.TIMEOUT
        assert not w.client.exists(keys.gone(w.players["nora"]))
        while (await stream.decisions(1))[0].ticket != 2:
            pass


@scenario
async def test_player_that_reconnects_to_another_gateway_in_time_is_not_charged(
    sqlite_store: Store, redis_url: str
) -> None:
    async with gateway_world(sqlite_store, redis_url, grace_s=0.5) as w:
        stream = await w.connect("nora")
        player, first = w.players["nora"], w.gateways[0]
        w.ask("nora", 1)
        await stream.decisions(1)
        first.sessions.replaced = lambda *_: None  # type: ignore[method-assign]  # the news is late
        await stream.hang_up()
        session = first.sessions.registry.sessions[player]
        await until(lambda: session.stream is None)
        second = await w.gateway()
        back = await w.connect("nora", second)
        await asyncio.sleep(0.7)
        del first.sessions.replaced
        assert (await w.replies(1))[1].outcome == Reply.BOUNCED
        assert not w.client.exists(keys.gone(player))
        w.ask("nora", 1, gateway_id=second.id)
        assert await back.decisions(1)


@contextmanager
def slow_give_up(monkeypatch: Any, seconds: float) -> Iterator[None]:
    """Redis takes its time to hear that somebody stayed away."""
    from arena.service.gateway import session_io

    async def slow(client: redis.asyncio.Redis, presence: Any) -> str | None:
        await asyncio.sleep(seconds)
        return await give_up(client, presence)

    monkeypatch.setattr(session_io, "give_up", slow)
    yield


def test_player_that_reconnects_while_being_given_up_continues(
    sqlite_store: Store, redis_url: str, monkeypatch: Any
) -> None:
    @scenario
    async def run() -> None:
        async with gateway_world(sqlite_store, redis_url, grace_s=0.3) as w:
            stream = await w.connect("nora", max_in_flight=1)
            w.ask("nora", 1, 2)
            await stream.decisions(1)
            await stream.hang_up()
            await asyncio.sleep(0.6)
            back = await w.connect("nora", max_in_flight=1)
            # What the grace time did not pay for is gone from the clock.
            (again,) = await back.decisions(1)
            assert (again.ticket, again.time_ms < 1950) == (1, True)
            await back.answer(1)
            assert (await back.decisions(1))[0].ticket == 2
            await asyncio.sleep(0.6)
            assert not w.client.exists(keys.gone(w.players["nora"]))
            assert w.presence("nora") is not None

    with slow_give_up(monkeypatch, 0.5):
        run()


@scenario
async def test_without_redis_a_bot_is_given_up_when_redis_is_back(
    sqlite_store: Store, redis_url: str
) -> None:
    async with gateway_world(sqlite_store, redis_url, grace_s=0.3) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1)
        await stream.decisions(1)
        sessions = w.gateways[0].sessions
        working, broken = sessions._client, redis.asyncio.Redis(port=1)
        sessions._client = broken
        await stream.hang_up()
        await asyncio.sleep(0.8)
        sessions._client = working
        assert (await w.replies(1))[1].outcome == Reply.DISCONNECT
        assert w.client.exists(keys.gone(w.players["nora"]))
        await broken.aclose()
