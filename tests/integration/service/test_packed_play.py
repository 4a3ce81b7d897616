"""Packed decisions from a worker to bots and back, over real gRPC; the test plays the worker."""

import asyncio
import random
from typing import Any

import pytest

from arena.games.rules import GAMES, View
from arena.games.rules.rows import VERSION
from arena.protocol.decisions import decode_view
from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, Decisions
from arena.store import Store
from tests.integration.gateway_world import scenario, world
from tests.integration.sdk.test_sdk import Clumsy, Second, running
from tests.unit.sdk.test_sdk_decisions import views

COUNT = 40


def by_ticket(game: str = "lama", seats: int = 4) -> dict[int, View]:
    """Some decisions, by ticket."""
    rng = random.Random(1)
    return {rng.getrandbits(63) | 1: view for view in views(game, seats, COUNT)}


class Batched(Bot):
    """Answers the second action of each, in as many calls as messages come."""

    games = tuple(GAMES)
    max_in_flight = 64

    def __init__(self) -> None:
        self.asked: list[int] = []

    def choose_batch(self, decisions: Decisions) -> Any:
        self.asked.append(len(decisions))
        return decisions.column("indices")[:, 1]


@pytest.mark.parametrize("game", GAMES)
def test_one_by_one_or_all_at_once_it_is_the_same(
    sqlite_store: Store, redis_url: str, game: str
) -> None:
    @scenario
    async def play(kind: type[Bot]) -> None:
        given = by_ticket(game, 3)
        async with world(sqlite_store, redis_url) as w:
            bot = kind()
            async with running(w, bot, kind.__name__.lower()) as program:
                presence = w.presence(kind.__name__.lower())
                assert presence is not None
                assert presence.packed == VERSION
                w.ask_packed(kind.__name__.lower(), given)
                replies = await w.replies(COUNT)
                assert not program.done()
        wanted = {ticket: view.indices[1] for ticket, view in given.items()}
        if isinstance(bot, Batched):
            assert {ticket: one.index for ticket, one in replies.items()} == wanted
            assert bot.asked == [COUNT]
        else:
            actions = {ticket: view.actions[1] for ticket, view in given.items()}
            assert {ticket: one.action for ticket, one in replies.items()} == actions

    class Named(Second):
        games = tuple(GAMES)

    play(Batched)
    play(Named)


@scenario
async def test_both_ways_in_one_message(sqlite_store: Store, redis_url: str) -> None:
    """A decision that fits in no row comes by itself."""
    async with world(sqlite_store, redis_url) as w, running(w, Batched()):
        given = by_ticket()
        large = {ticket: given.pop(ticket) for ticket in list(given)[:3]}
        w.ask_packed("nora", given, large)
        replies = await w.replies(COUNT)
        assert {ticket: one.index for ticket, one in replies.items()} == {
            ticket: view.indices[1] for ticket, view in (given | large).items()
        }


@scenario
async def test_a_thinking_batch_does_not_stop_the_next(sqlite_store: Store, redis_url: str) -> None:
    begun, answered = asyncio.Event(), asyncio.Event()

    class Thinker(Batched):
        """Thinks about its first batch until it has been asked, and has answered, another."""

        async def choose_batch(self, decisions: Decisions) -> list[int]:
            if not begun.is_set():
                begun.set()
                await answered.wait()
            answered.set()
            return [view.indices[0] for view in decisions]

    async with world(sqlite_store, redis_url) as w, running(w, Thinker()):
        given = list(by_ticket().items())
        w.ask_packed("nora", dict(given[:4]))
        await begun.wait()
        w.ask_packed("nora", dict(given[4:]))
        replies = await w.replies(COUNT)
        assert {t: one.index for t, one in replies.items()} == {
            ticket: view.indices[0] for ticket, view in given
        }


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ValueError("lost a card"), "ValueError: lost a card"),
        ([1], "returned 1 answers to 40"),
        (None, "returned None"),
    ],
)
def test_a_mistake_is_one_in_all(
    sqlite_store: Store, redis_url: str, result: Any, said: str
) -> None:
    class Wrong(Batched):
        def choose_batch(self, decisions: Decisions) -> Any:
            if isinstance(result, Exception):
                raise result
            return result

    @scenario
    async def play() -> None:
        async with world(sqlite_store, redis_url) as w, running(w, Wrong()):
            w.ask_packed("nora", by_ticket())
            replies = await w.replies(COUNT)
            assert {one.outcome for one in replies.values()} == {Reply.ERROR}
            assert all(said in one.error for one in replies.values())

    play()


@scenario
async def test_mistakes_one_by_one(sqlite_store: Store, redis_url: str) -> None:
    given = {n: view._replace(number=n) for n, view in enumerate(views("lama", 4, 5), 1)}
    bot = Clumsy([ValueError("lost a card"), None, 0, "nonsense", 1])
    async with world(sqlite_store, redis_url) as w, running(w, bot):
        w.ask_packed("nora", given)
        replies = await w.replies(5)
    assert [replies[n].outcome for n in (1, 2, 3, 5)] == [Reply.ERROR] * 4
    assert (replies[4].outcome, replies[4].action) == (Reply.ANSWER, "nonsense")


@scenario
async def test_a_bot_that_comes_back_as_another_program_can_read_them(
    sqlite_store: Store, redis_url: str
) -> None:
    given = by_ticket("kadabra")
    async with world(sqlite_store, redis_url, grace_s=5.0) as w:
        packed = await w.connect("nora", packed=VERSION, max_in_flight=64)
        w.ask_packed("nora", given)
        message = await packed.read()
        (got,) = message.batch.packed
        assert list(got.tickets) == list(given)
        await packed.hang_up()

        plain = await w.connect("nora", max_in_flight=64)
        decisions = await plain.decisions(COUNT)
        assert {one.ticket: decode_view(one.view) for one in decisions} == given
        await plain.answer(*given)
        assert len(await w.replies(COUNT)) == COUNT


@scenario
async def test_answers_as_lists_must_be_of_one_length(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, 2)
        await stream.decisions(2)
        await stream.say(choices=pb.Choices(tickets=[1, 2], indices=[1]))
        code, said = await stream.status()
        assert code.name == "INVALID_ARGUMENT"
        assert "2 tickets and 1 indices" in said
        assert {one.outcome for one in (await w.replies(2)).values()} == {Reply.ERROR}


@scenario
async def test_no_more_answers_than_a_message_holds(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        many = list(range(1, 4098))
        await stream.say(choices=pb.Choices(tickets=many, indices=[0] * len(many)))
        code, said = await stream.status()
        assert code.name == "INVALID_ARGUMENT"
        assert "4,097 choices" in said


@scenario
async def test_lists_of_answers_from_a_bot_that_reads_decisions_one_by_one(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        stream = await w.connect("nora")
        w.ask("nora", 1, 2, 3)
        await stream.decisions(3)
        await stream.say(choices=pb.Choices(tickets=[3, 1, 2], indices=[0, 1, 1]))
        replies = await w.replies(3)
        assert [replies[n].index for n in (1, 2, 3)] == [1, 1, 0]
