"""Sessions: who gets in, what a Hello may say, who replaces whom."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest
import redis.asyncio

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import heartbeat, session_io
from arena.service.live import keys
from arena.service.live.player_presence import Presence
from arena.service.live.presence import claim, present, refresh
from arena.store import Store
from arena.store.registry import bots
from tests.integration.gateway_world import BotStream, scenario, until, world


@scenario
async def test_a_bot_is_welcomed_and_present(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.dial("nora")
        welcome = await stream.hello(max_in_flight=0, sdk="test/1", notices=True)
        assert (welcome.bot, welcome.version, welcome.max_in_flight) == ("nora", "1", 1)
        assert welcome.grace_ms == 1000
        presence = w.presence("nora")
        assert presence is not None
        assert presence.session == welcome.session
        assert presence.gateway == w.gateways[0].id
        assert (presence.bot, presence.games, presence.sdk) == ("nora", ("lama",), "test/1")
        assert (presence.min_seats, presence.max_seats) == (2, 6)
        assert presence.connected
        assert presence.notices
        assert presence.plays("lama", 4)
        assert not presence.plays("dice", 4)


@pytest.mark.parametrize(("token", "word"), [("", "no token"), ("lama_wrong", "no bot")])
def test_a_stranger_is_turned_away(
    sqlite_store: Store, redis_url: str, token: str, word: str
) -> None:
    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            friend = await w.connect("friend")
            stranger = BotStream(w.gateways[0].port, token)
            code, details = await stranger.status()
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert word in details
            await stranger.hang_up()
            w.ask("friend", 1)
            assert [d.ticket for d in await friend.decisions(1)] == [1]

    run()


@pytest.mark.parametrize(
    ("hello", "word"),
    [
        ({"protocol": 7}, "protocol 1"),
        ({"protocol": 0}, "protocol 1"),
        ({"games": []}, "at least one game"),
        ({"games": ["chess"]}, "lama"),
        ({"min_seats": 5, "max_seats": 3}, "5 to 3 seats"),
        ({"max_seats": 7}, "2 to 6"),
        ({"min_seats": 1}, "2 to 6"),
        ({"max_in_flight": 4097}, "4096"),
    ],
)
def test_a_hello_that_cannot_be_served_is_explained(
    sqlite_store: Store, redis_url: str, hello: dict[str, Any], word: str
) -> None:
    @scenario
    async def run() -> None:
        async with world(sqlite_store, redis_url) as w:
            stream = await w.dial("nora")
            await stream.say(hello=pb.Hello(**{"games": ["lama"], "protocol": 1, **hello}))
            code, details = await stream.status()
            assert code is grpc.StatusCode.INVALID_ARGUMENT
            assert word in details
            assert w.presence("nora") is None

    run()


@scenario
async def test_choices_before_hello_end_the_call(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.dial("nora")
        await stream.answer(1)
        code, details = await stream.status()
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "must be a Hello" in details


@scenario
async def test_hanging_up_before_hello_harms_nobody(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.dial("nora")
        await stream.call.done_writing()
        code, details = await stream.status()
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert "without a Hello" in details
        await w.connect("nora")


@scenario
async def test_a_newer_session_replaces_the_old(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        old = await w.connect("nora")
        new = await w.connect("nora")
        closed = (await old.read()).closed
        assert "Another program" in closed.reason
        assert not closed.reconnect
        assert (await old.status())[0] is grpc.StatusCode.OK
        w.ask("nora", 1)
        assert [d.ticket for d in await new.decisions(1)] == [1]
        assert len(w.gateways[0].sessions.registry.sessions) == 1


@scenario
async def test_a_bot_that_does_not_read_cannot_hold_its_session(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.gateway.stream_writer.CLOSE_WITHIN_S", 0.2)
    async with world(sqlite_store, redis_url) as w:
        await w.connect("nora", notices=True)
        sessions, ended = w.gateways[0].sessions, []
        monkeypatch.setattr(sessions, "disconnected", lambda _, stream: ended.append(stream))
        long = pb.MatchStarted(match="x" * 2000).SerializeToString()
        for _ in range(40):  # some 40 MB, far more than the stream holds
            w.ask("nora", started=[long] * 500)
        await until(lambda: w.client.llen(keys.inbox(w.gateways[0].id)) == 0)
        registry = sessions.registry
        unsent, before = registry.sessions[w.players["nora"]]._notices.started, -1
        while len(unsent) != before:  # until the writer is stuck
            before = len(unsent)
            await asyncio.sleep(0.3)
        assert unsent
        await w.connect("nora")
        await until(lambda: ended, 5)


@scenario
async def test_a_newer_session_at_another_gateway_replaces_the_old(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        old = await w.connect("nora")
        second = await w.gateway()
        new = await w.connect("nora", second)
        closed = (await old.read()).closed
        assert not closed.reconnect
        assert (await old.status())[0] is grpc.StatusCode.OK
        presence = w.presence("nora")
        assert presence is not None
        assert presence.gateway == second.id
        assert not w.gateways[0].sessions.registry.sessions
        w.ask("nora", 1)
        assert [d.ticket for d in await new.decisions(1)] == [1]


@scenario
async def test_replaced_bot_must_not_reconnect_before_welcome(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told that the arena is not available, and so two copies fought for ever."""
    async with world(sqlite_store, redis_url) as w:
        newer = await w.connect("nora")
        claimed = claim

        async def claim_late(client: redis.asyncio.Redis, presence: Presence) -> Presence:
            return replace(await claimed(client, presence), session="1")

        monkeypatch.setattr(session_io, "claim", claim_late)
        older = await w.dial("nora")
        await older.say(hello=pb.Hello(games=["lama"], protocol=1))
        closed = (await older.read()).closed

        assert "Another program connected" in closed.reason
        assert not closed.reconnect
        assert (await older.status())[0] is grpc.StatusCode.OK
        w.ask("nora", 1)
        assert [d.ticket for d in await newer.decisions(1)] == [1]


@scenario
async def test_many_bots_may_connect_at_once(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        names = [f"bot-{number}" for number in range(150)]
        for name in names:
            w.register(name)
        await asyncio.gather(*(w.connect(name) for name in names))
        assert len(present(w.client, w.players.values())) == 150
        clients = w.client.info("clients")["connected_clients"]
        assert clients < 30


@scenario
async def test_presences_are_refreshed_a_few_at_a_time(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_io, "REFRESHED_TOGETHER", 2)
    lots = list[int]()

    async def counted(client: redis.asyncio.Redis, presences: list[Presence]) -> list[Presence]:
        lots.append(len(presences))
        return await refresh(client, presences)

    async with world(sqlite_store, redis_url) as w:
        for name in ("ada", "bob", "eve", "kim", "nora"):
            await w.connect(name)
        for player in w.players.values():
            w.client.expire(keys.presence(player), 2)
        monkeypatch.setattr(session_io, "refresh", counted)

        await w.gateways[0].sessions.refresh()

        assert lots[:3] == [2, 2, 1]
        assert all(w.client.ttl(keys.presence(player)) > 2 for player in w.players.values())


@scenario
async def test_missed_news_of_a_replacement_is_made_up_for(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        old = await w.connect("nora")
        sessions, second = w.gateways[0].sessions, await w.gateway()
        registry = sessions.registry
        sessions.replaced = lambda player, newest: None  # type: ignore[method-assign]
        await w.connect("nora", second)
        assert registry.sessions
        await sessions.refresh()
        assert not registry.sessions
        assert not (await old.read()).closed.reconnect
        presence = w.presence("nora")
        assert presence is not None
        assert presence.gateway == second.id


@scenario
async def test_a_rotated_token_is_refused_at_once_and_open_sessions_end(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.1)
    async with world(sqlite_store, redis_url) as w:
        other = await w.connect("other")
        stream = await w.connect("nora")
        with sqlite_store.write() as connection:
            new_token = bots.rotate_token(connection, "nora")
        late = await w.dial("nora")
        assert (await late.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        closed = (await stream.read()).closed
        assert "no longer valid" in closed.reason
        assert not closed.reconnect
        w.tokens["nora"] = new_token
        await w.connect("nora")
        w.ask("other", 1)
        assert await other.decisions(1)


@scenario
async def test_a_new_version_ends_the_session_of_the_old_program_and_says_so(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.1)
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        with sqlite_store.write() as connection:
            bots.new_version(connection, "nora", "2")
        closed = (await stream.read()).closed
        assert closed.reason.startswith("nora has a new version. Restart its program")
        assert not closed.reconnect
        await w.connect("nora")


@scenario
async def test_versions_that_are_named_play_side_by_side_with_one_token(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.1)
    async with world(sqlite_store, redis_url) as w:
        first = w.register("nora")
        old = await w.dial("nora")
        assert (await old.hello(version="1")).version == "1"
        with sqlite_store.write() as connection:
            second = bots.new_version(connection, "nora", "2").player
        unnamed = await w.dial("nora")
        assert (await unnamed.hello()).version == "2"
        with sqlite_store.write() as connection:
            bots.new_version(connection, "nora", "3")

        # The recheck that ends the program which named no version leaves the other alone.
        assert "has a new version" in (await unnamed.read()).closed.reason
        new = await w.dial("nora")
        assert (await new.hello(version="2")).version == "2"
        for player, stream in ((first, old), (second, new)):
            w.players["nora"] = player
            w.ask("nora", player)
            assert [d.ticket for d in await stream.decisions(1)] == [player]


@scenario
async def test_a_version_that_a_bot_does_not_have_is_refused_for_good(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register("nora")
        stream = await w.dial("nora")
        await stream.say(hello=pb.Hello(games=["lama"], protocol=1, version="9"))
        code, details = await stream.status()
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert details.startswith('nora has no version "9". Its newest versions: 1.')


@scenario
async def test_a_retired_bot_is_refused_with_a_sentence_and_its_open_session_ends(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.1)
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        with sqlite_store.write() as connection:
            bots.retire(connection, "nora")
        closed = (await stream.read()).closed
        assert "nora is retired" in closed.reason
        assert not closed.reconnect
        late = await w.dial("nora")
        code, details = await late.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "arena bot retire nora --back" in details
        with sqlite_store.write() as connection:
            bots.reinstate(connection, "nora")
        await w.connect("nora")


@scenario
async def test_presence_shows_absence_and_then_goes(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, grace_s=0.4) as w:
        stream = await w.connect("nora")
        await stream.hang_up()
        away = await until(lambda: (p := w.presence("nora")) and not p.connected and p)
        assert away.away_since is not None
        await until(lambda: w.presence("nora") is None)
        await until(lambda: not w.gateways[0].sessions.registry.sessions)


@scenario
async def test_a_bot_that_closes_its_sending_side_ends_its_session(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=5) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, 2)
        await stream.decisions(2)
        await stream.answer(1)
        await stream.call.done_writing()
        assert (await stream.status())[0] is grpc.StatusCode.OK
        assert (await w.replies(1))[1].outcome == Reply.ANSWER  # sent before, so it counts
        again = await w.connect("nora")
        assert [d.ticket for d in await again.decisions(1)] == [2]
