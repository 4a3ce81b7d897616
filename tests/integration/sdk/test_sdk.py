"""Bots written with the SDK against a real gateway; the test plays the worker."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, Fault, MatchEnded, MatchStarted, RoundEnded, View, client
from arena.service.gateway import heartbeat
from arena.store import Store
from arena.store.registry import bots
from tests.integration.gateway_world import World, scenario, until, world


class Second(Bot):
    """Answers the second action, by name."""

    max_in_flight = 64
    max_matches = 9

    def choose(self, view: View) -> str:
        return view.actions[1]


@asynccontextmanager
async def running(w: World, bot: Bot, name: str = "nora") -> AsyncIterator[asyncio.Task[None]]:
    """The bot's program, for the length of the block."""
    if name not in w.tokens:
        w.register(name)
    url = f"grpc://127.0.0.1:{w.gateways[0].port}"
    program = asyncio.create_task(client.stay_connected(bot, url, w.tokens[name]))
    try:
        # Present is who is being seated, too: a question would come back.
        sessions = w.gateways[0].sessions.registry.sessions
        await until(lambda: w.players[name] in sessions or program.done())
        yield program
    finally:
        program.cancel()
        await asyncio.gather(program, return_exceptions=True)


@scenario
async def test_a_plain_bot_answers(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w, running(w, Second()):
        presence = w.presence("nora")
        assert presence is not None
        assert presence.sdk.startswith("lama-arena-python/")
        assert (presence.max_in_flight, presence.notices) == (64, False)
        assert presence.max_matches == 9
        w.ask("nora", *range(1, 41))
        replies = await w.replies(40)
        assert {reply.action for reply in replies.values()} == {"quit"}


@scenario
async def test_async_answers_are_thought_of_at_once(sqlite_store: Store, redis_url: str) -> None:
    asked = 0
    all_asked = asyncio.Event()

    class Thinker(Second):
        """Answers nothing before it has been asked everything."""

        async def choose(self, view: View) -> int:  # type: ignore[override]
            nonlocal asked
            asked += 1
            if asked == 40:
                all_asked.set()
            await all_asked.wait()
            return view.indices[0]

    async with world(sqlite_store, redis_url) as w, running(w, Thinker()):
        w.ask("nora", *range(1, 41))
        replies = await w.replies(40)
        assert {reply.index for reply in replies.values()} == {1}


@scenario
async def test_answers_do_not_wait_for_the_rest_of_a_batch(
    sqlite_store: Store, redis_url: str
) -> None:
    class Slow(Second):
        def choose(self, view: View) -> str:
            time.sleep(0.05)
            return super().choose(view)

    async with world(sqlite_store, redis_url) as w, running(w, Slow()):
        w.ask("nora", *range(1, 11))
        replies = await w.replies(10)
        assert replies[1].latency_us < replies[10].latency_us - 200_000


class Clumsy(Bot):
    max_in_flight = 64

    def __init__(self, results: list[Any]) -> None:
        self.results = results

    def choose(self, view: View) -> Any:
        result = self.results[view.number - 1]
        if isinstance(result, Exception):
            raise result
        return result


@scenario
async def test_mistakes_are_printed_and_reported_one_by_one(
    sqlite_store: Store, redis_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bot = Clumsy([ValueError("lost a card"), None, True, -1, 2.5, 0, "nonsense"])
    async with world(sqlite_store, redis_url) as w, running(w, bot):
        w.ask("nora", *range(1, 8))
        replies = await w.replies(7)
    assert [replies[n].outcome for n in range(1, 8)] == [Reply.ERROR] * 6 + [Reply.ANSWER]
    assert replies[1].error == "ValueError: lost a card"
    for number in range(2, 7):
        assert "choose returned" in replies[number].error
    assert replies[7].action == "nonsense"
    printed = capfd.readouterr().err
    assert "Traceback" in printed
    assert "ValueError: lost a card" in printed


@scenario
async def test_an_async_mistake_is_reported_too(sqlite_store: Store, redis_url: str) -> None:
    class Clumsy(Second):
        async def choose(self, view: View) -> str:  # type: ignore[override]
            raise KeyError(view.number)

    async with world(sqlite_store, redis_url) as w, running(w, Clumsy()):
        w.ask("nora", 1)
        assert (await w.replies(1))[1].error == "KeyError: 1"


class Listener(Second):
    """Hears everything; one of its hooks is async, one fails."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def on_match_started(self, started: MatchStarted) -> None:
        self.heard.append(started)
        raise RuntimeError("this changes nothing")

    async def on_round_ended(self, ended: RoundEnded) -> None:
        await asyncio.sleep(0)
        self.heard.append(ended)

    def on_match_ended(self, ended: MatchEnded) -> None:
        self.heard.append(ended)

    def on_fault(self, fault: Fault) -> None:
        self.heard.append(fault)


@scenario
async def test_hooks_hear_what_happens(sqlite_store: Store, redis_url: str) -> None:
    bot = Listener()
    async with world(sqlite_store, redis_url) as w, running(w, bot):
        started = pb.MatchStarted(match="m", game="lama", seat=1, bots=["a", "b"])
        hands = [pb.Cards(cards=["1"]), pb.Cards()]
        ended = pb.RoundEnded(match="m", round=1, hands=hands, penalties=[1, 0], points=[1, 0])
        fault = pb.Fault(match="m", number=3, kind="illegal", reason="no", instead="quit")
        over = pb.MatchEnded(match="m", points=[41, 0], ranks=[2, 1])
        w.ask(
            "nora",
            1,
            started=[started.SerializeToString()],
            rounds=[ended.SerializeToString()],
            faults=[fault.SerializeToString()],
            ended=[over.SerializeToString()],
        )
        assert set(await w.replies(1)) == {1}
    assert bot.heard == [
        MatchStarted("m", "lama", "", {}, 1, ("a", "b"), b""),
        RoundEnded("m", 1, (("1",), ()), (1, 0), (1, 0)),
        Fault("m", 3, "illegal", "no", "quit", forfeited=False),
        MatchEnded("m", (41, 0), (2, 1)),
    ]


@scenario
async def test_a_bot_finds_its_way_back_after_the_gateway_restarted(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w, running(w, Second()):
        first = w.gateways.pop()
        await first.stop()
        assert w.presence("nora") is None
        await w.gateway(port=first.port)
        await until(lambda: w.presence("nora"))
        w.ask("nora", 1)
        assert set(await w.replies(1)) == {1}


@scenario
async def test_a_replaced_bot_stops_and_says_why(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w, running(w, Second()) as program:
        await w.connect("nora")
        with pytest.raises(client.Refused, match="Another program connected"):
            await asyncio.wait_for(program, 5)


@scenario
async def test_a_bot_whose_token_was_rotated_stops(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.1)
    async with world(sqlite_store, redis_url) as w, running(w, Second()) as program:
        with sqlite_store.write() as connection:
            bots.rotate_token(connection, "nora")
        with pytest.raises(client.Refused, match="no longer valid"):
            await asyncio.wait_for(program, 5)


@scenario
async def test_a_refused_bot_stops(sqlite_store: Store, redis_url: str) -> None:
    class Chess(Second):
        games = ("chess",)

    async with world(sqlite_store, redis_url) as w:
        async with running(w, Chess()) as program:
            with pytest.raises(InvalidRequest, match="There is no game 'chess'"):
                await program
        w.tokens["otto"] = "lama_wrong"
        w.players["otto"] = 99
        async with running(w, Second(), "otto") as program:
            with pytest.raises(client.Refused, match="belongs to no bot"):
                await program
