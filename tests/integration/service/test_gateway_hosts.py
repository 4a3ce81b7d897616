"""Hosts at a gateway: whom it lets in as a hosted version, what limits them, what ends them."""

import asyncio
from typing import Any

import grpc
import pytest

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.gateway import heartbeat
from arena.store import Store
from arena.store.registry import bots, hosts
from tests.integration.gateway_world import World, scenario, until, world

STRANGERS: dict[str, Any] = {"exempt_addresses": "", "people_per_address": 1}
INVALID, UNAUTHENTICATED = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNAUTHENTICATED


async def refused(w: World, host_of: str, token: str = "", **hello: Any) -> tuple[Any, str]:
    """How a host's stream ends."""
    stream = await w.dial_host(host_of, token=token)
    if hello:
        await stream.say(hello=pb.Hello(games=["lama"], protocol=1, **hello))
    return await stream.status()


@scenario
async def test_a_host_is_let_in_as_the_versions_it_names(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        for name in ("nora", "omar"):
            w.register_hosted(name)
        w.register_host()
        nora = await w.dial_host("nora@2")
        welcome = await nora.hello(max_matches=12)
        omar = await w.connect_host("omar@2", version="2")

        assert (welcome.bot, welcome.version) == ("nora", "2")
        presence = w.presence("nora@2")
        assert presence is not None
        assert (presence.hosted, presence.max_matches) == (True, 12)
        for name, stream in (("nora@2", nora), ("omar@2", omar)):
            w.ask(name, w.players[name], group=5)
            (decision,) = await stream.decisions(1)
            assert (decision.ticket, decision.group) == (w.players[name], 5)


@scenario
async def test_a_host_is_refused_what_it_may_not_play(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register_hosted("nora")
        w.register_host()

        assert await refused(w, "") == (INVALID, ANY_BOT)
        assert await refused(w, "nora") == (INVALID, ANY_BOT)
        assert (await refused(w, "nora@9"))[0] is grpc.StatusCode.NOT_FOUND
        assert (await refused(w, "zoe@1"))[0] is grpc.StatusCode.NOT_FOUND
        code, sentence = await refused(w, "nora@1")
        assert (code, sentence[:23]) == (INVALID, "nora@1 is not hosted. C")
        code, sentence = await refused(w, "nora@2", version="1")
        assert (code, sentence[:25]) == (INVALID, "This host called for nora")
        code, sentence = await refused(w, "nora@2", token="host_wrong")
        assert (code, sentence[:32]) == (UNAUTHENTICATED, "This token does not belong to a ")
        with sqlite_store.write() as connection:
            bots.retire(connection, "nora")
        assert (await refused(w, "nora@2"))[0] is UNAUTHENTICATED


ANY_BOT = "The call does not name a bot. Hosts must send the metadata arena-bot: NAME@VERSION."


@scenario
async def test_a_program_cannot_be_a_hosted_version(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register_hosted("nora")
        for version in ("", "2"):
            stream = await w.dial("nora")
            await stream.say(hello=pb.Hello(games=["lama"], protocol=1, version=version))
            code, sentence = await stream.status()

            assert code is INVALID
            assert sentence.startswith("nora@2 is hosted, so programs cannot connect")
            assert "Create a new version for the program on the bot's page" in sentence

        older = await w.dial("nora")
        assert (await older.hello(version="1")).version == "1"


@scenario
async def test_decisions_of_a_host_that_vanishes_go_to_the_next_and_cost_nobody_anything(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, grace_s=0.1) as w:
        w.register_hosted("nora")
        w.register_host()
        stream = await w.connect_host("nora@2")
        w.ask("nora@2", 1, time_ms=50)
        await stream.decisions(1)
        await asyncio.sleep(0.2)  # longer than the time for a move
        await stream.hang_up()

        assert (await w.replies(1))[1].outcome == Reply.BOUNCED

        stream = await w.connect_host("nora@2")
        w.ask("nora@2", 2, 3, time_ms=50)
        assert {one.time_ms for one in await stream.decisions(2)} == {50}
        choices = [
            pb.Choice(ticket=2, action="draw", cpu_us=400),
            pb.Choice(ticket=3, timeout="It took 60 ms of CPU time.", cpu_us=60_000),
        ]
        await stream.say(choices=pb.Choices(choices=choices))
        replies = await w.replies(2)
        assert (replies[2].outcome, replies[2].latency_us) == (Reply.ANSWER, 400)
        assert (replies[3].outcome, replies[3].latency_us) == (Reply.TIMEOUT, 60_000)
        assert replies[3].error == "It took 60 ms of CPU time."


@scenario
async def test_a_host_that_breaks_the_contract_harms_no_bot(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url) as w:
        w.register_hosted("nora")
        w.register_host()
        stream = await w.connect_host("nora@2")
        w.ask("nora@2", 1, 2)
        await stream.decisions(2)

        await stream.say(choices=pb.Choices(tickets=[1, 2], indices=[0, 0], cpu_us=[5]))

        code, sentence = await stream.status()
        assert (code, sentence[:40]) == (INVALID, "A message has 2 tickets and 1 CPU times.")
        assert {one.outcome for one in (await w.replies(2)).values()} == {Reply.BOUNCED}


@scenario
async def test_events_that_end_the_streams_of_a_host(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.05)
    async with world(sqlite_store, redis_url) as w:
        for name in ("nora", "omar", "pia"):
            w.register_hosted(name)
        host = w.register_host()
        nora, omar, pia = [await w.connect_host(f"{n}@2") for n in ("nora", "omar", "pia")]

        with sqlite_store.write() as connection:
            bots.new_version(connection, "nora", hosted=True)  # which ends nothing
            bots.retire(connection, "omar")
            bots.set_hosted(connection, w.players["pia@2"], hosted=False)
        assert "omar is retired" in (await omar.read()).closed.reason
        assert (await pia.read()).closed.reason.startswith("pia@2 is not hosted")
        w.ask("nora@2", 1)
        assert await nora.decisions(1)

        with sqlite_store.write() as connection:
            hosts.remove(connection, host.id)
        closed = (await nora.read()).closed
        assert (closed.reason[:32], closed.reconnect) == ("This token does not belong to a ", False)


@scenario
async def test_program_ends_when_its_bot_is_hosted(
    sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RECHECK_TOKENS_S", 0.05)
    async with world(sqlite_store, redis_url) as w:
        nora, omar = [await w.connect(name) for name in ("nora", "omar")]
        named = await w.dial("omar")
        with sqlite_store.write() as connection:
            bots.new_version(connection, "omar", hosted=True)
            bots.set_hosted(connection, w.players["nora"], hosted=True)

        for name, stream in (("nora@1", nora), ("omar@2", omar)):
            closed = (await stream.read()).closed
            assert closed.reason.startswith(f"{name} is hosted")
            assert not closed.reconnect
        assert (await named.hello(version="1")).version == "1"


@scenario
async def test_a_host_may_come_for_many_versions_and_each_is_limited_by_itself(
    sqlite_store: Store, redis_url: str
) -> None:
    limits = {"calls_per_minute": 4, "reconnects_per_minute": 2, **STRANGERS}
    async with world(sqlite_store, redis_url, **limits) as w:
        for number in range(12):
            w.register_hosted(f"bot{number}")
        w.register_host()
        for number in range(12):  # more than there are streams of a bot, or calls a minute
            await w.connect_host(f"bot{number}@2")

        for _ in range(2):
            await w.connect_host("bot3@2")
        code, sentence = await refused(w, "bot3@2")

        assert (code, sentence[:40]) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "More than 2 new streams with this token ",
        )
        await w.connect_host("bot4@2")


@scenario
async def test_choices_nobody_asked_for_are_counted_by_version(
    sqlite_store: Store, redis_url: str
) -> None:
    async with world(sqlite_store, redis_url, spare_choices_per_minute=100, **STRANGERS) as w:
        for name in ("nora", "omar"):
            w.register_hosted(name)
        w.register_host()
        nora, omar = [await w.connect_host(f"{name}@2") for name in ("nora", "omar")]
        spare = pb.Choices(tickets=range(90), indices=[1] * 90)
        for stream in (nora, omar):
            await stream.say(choices=spare)
            codes = {(await stream.read()).problem.code for _ in range(17)}
            assert codes == {"unknown_ticket"}

        await nora.say(choices=spare)

        assert (await nora.read()).problem.code == "too_many_choices"


@scenario
async def test_presence_goes_when_no_host_comes_back(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url, grace_s=0.1) as w:
        w.register_hosted("nora")
        w.register_host()
        stream = await w.connect_host("nora@2")

        await stream.hang_up()

        await until(lambda: w.presence("nora@2") is None)
