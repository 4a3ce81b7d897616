"""The gateway and a house bot as processes of their own, ended politely and not."""

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import redis

from arena.games.match import Match, MatchSetup, Seat
from arena.protocol.decisions import encode_decision
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.service.live import keys
from arena.service.live.mailbox import deliver
from arena.service.live.player_presence import Presence
from arena.service.live.presence import any_gateway, present
from arena.store import Store
from arena.store.registry import bots
from tests import nursery
from tests.integration.gateway_world import collected, scenario, until
from tests.servers import free_port


@asynccontextmanager
async def process(
    module: str, *arguments: str, **variables: str
) -> AsyncIterator[subprocess.Popen[str]]:
    """A program of ours, killed at the end if it still runs."""
    child = nursery.start(module, *arguments, env=variables)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


def gateway_of(store: Store, redis_url: str, port: int) -> dict[str, str]:
    return {
        "ARENA_DATABASE_URL": f"sqlite:///{store.url.database}",
        "ARENA_REDIS_URL": redis_url,
        "ARENA_PORT": str(port),
    }


async def asked(client: redis.Redis, presence: Presence) -> Reply:
    """What a real bot answers to the first decision of a match."""
    seats = tuple(Seat(name) for name in "ab")
    match = Match(MatchSetup("m", "lama", bytes(16), seats))
    assert match.decision is not None
    mail = Delivery(
        player=presence.player,
        reply_to=keys.new_reply_list(),
        tickets=[1],
        decisions=[encode_decision(match.decision, 1, 9000)],
        time_ms=9000,
    )
    deliver(client, {presence.gateway: [mail]})
    (replies,) = await asyncio.to_thread(collected, client, mail.reply_to, 5, 1, 0)
    (reply,) = replies.others
    assert reply.action in match.decision.actions
    return reply


@scenario
async def test_a_house_bot_survives_the_death_of_its_gateway(
    sqlite_store: Store, redis_url: str, redis_client: redis.Redis
) -> None:
    with sqlite_store.write() as connection:
        bot, token = bots.register(connection, "sharp")
    port = free_port()
    served = gateway_of(sqlite_store, redis_url, port)
    program = process("arena.bots", "sharp", ARENA_URL=f"127.0.0.1:{port}", ARENA_TOKEN=token)

    def here() -> Presence | None:
        return present(redis_client, [bot.player]).get(bot.player)

    async with program as bot_process:
        async with process("arena.cli", "gateway", **served) as gateway:
            first = await until(here, 60)
            assert (await asked(redis_client, first)).outcome == Reply.ANSWER
            gateway.kill()
        async with process("arena.cli", "gateway", **served) as gateway:
            second = await until(lambda: (p := here()) and p.gateway != first.gateway and p, 60)
            assert (await asked(redis_client, second)).outcome == Reply.ANSWER
            gateway.terminate()
            await until(lambda: gateway.poll() is not None)
            assert gateway.returncode == 0
            assert here() is None
        assert bot_process.poll() is None


@scenario
async def test_a_gateway_is_told_to_stop_by_ctrl_c_too(
    sqlite_store: Store, redis_url: str, redis_client: redis.Redis
) -> None:
    served = gateway_of(sqlite_store, redis_url, free_port())
    async with process("arena.cli", "gateway", **served) as gateway:
        await until(lambda: any_gateway(redis_client), 20)
        gateway.send_signal(signal.SIGINT)
        await until(lambda: gateway.poll() is not None)
        assert gateway.returncode == 0


@scenario
async def test_a_house_bot_that_is_refused_ends_with_one_line(
    sqlite_store: Store, redis_url: str, redis_client: redis.Redis
) -> None:
    port = free_port()
    async with process("arena.cli", "gateway", **gateway_of(sqlite_store, redis_url, port)):
        await until(lambda: any_gateway(redis_client), 20)
        url = f"127.0.0.1:{port}"
        program = process("arena.bots", "five", ARENA_URL=url, ARENA_TOKEN="lama_wrong")
        async with program as bot_process:
            await until(lambda: bot_process.poll() is not None, 20)
            assert bot_process.returncode == 1
            printed = bot_process.communicate()[0].splitlines()
            assert printed[-1].startswith("Error: This token belongs to no bot")
            assert not any("Traceback" in line for line in printed)


@pytest.mark.parametrize("missing", ["ARENA_REDIS_URL", "ARENA_DATABASE_URL"])
def test_a_gateway_without_its_services_says_which(
    sqlite_store: Store, redis_url: str, missing: str
) -> None:
    unreachable = {
        "ARENA_REDIS_URL": "redis://127.0.0.1:1/0",
        "ARENA_DATABASE_URL": "postgresql://127.0.0.1:1/arena",
    }
    served = gateway_of(sqlite_store, redis_url, 0) | {missing: unreachable[missing]}

    ended = nursery.start("arena.cli", "gateway", env=served)
    said, _ = ended.communicate(timeout=30)

    assert ended.returncode == 2
    assert "127.0.0.1:1" in said
    assert "Traceback" not in said
