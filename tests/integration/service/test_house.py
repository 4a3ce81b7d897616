"""`arena house` as a process of its own: it connects the house's bots wherever the gateway is."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import redis

from arena.base.config import Settings
from arena.bots import HOUSE
from arena.operations.doctor.role import examine_role
from arena.service.live import hosting, keys
from arena.service.live.presence import any_gateway, present
from arena.store import Store
from arena.store.registry import bots
from tests import nursery
from tests.integration.operations.test_supervise import wait_for
from tests.servers import free_port


@contextmanager
def started(*arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """`arena ...` as a process; killed at the end if it still runs."""
    process = nursery.start("arena.cli", *arguments, env=variables)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


@pytest.fixture
def settings(sqlite_store: Store, redis_url: str, tmp_path: Path) -> Settings:
    return Settings(
        data=tmp_path / "gateway",
        database_url=f"sqlite:///{sqlite_store.url.database}",
        redis_url=redis_url,
        port=free_port(),
    )


@pytest.fixture
def variables(settings: Settings) -> dict[str, str]:
    return {
        "ARENA_DATABASE_URL": settings.database_url,
        "ARENA_REDIS_URL": settings.redis_url,
        "ARENA_PORT": str(settings.port),
        "ARENA_GRACE_S": "0.5",  # for which a gateway waits for a bot that is gone
    }


@pytest.fixture
def gateway(variables: dict[str, str], redis_client: redis.Redis) -> Iterator[str]:
    """The address of a gateway that runs."""
    with started("gateway", **variables):
        wait_for(lambda: any_gateway(redis_client), 30)
        yield f"127.0.0.1:{variables['ARENA_PORT']}"


def connected(store: Store, client: redis.Redis) -> dict[str, str]:
    """The house's bots that are connected, with their sessions."""
    with store.read() as conn:
        ours = {bot.player: bot.name for bot in bots.all_bots(conn) if bot.kind == "house"}
    return {ours[player]: there.session for player, there in present(client, ours).items()}


def test_one_connects_the_house_bots_and_another_takes_over_when_it_dies(
    gateway: str,
    settings: Settings,
    variables: dict[str, str],
    sqlite_store: Store,
    redis_client: redis.Redis,
    tmp_path: Path,
) -> None:
    with sqlite_store.write() as conn:
        bots.register(conn, "Sharp")  # somebody's own

    def house_in(folder: str) -> dict[str, str]:
        return {**variables, "ARENA_DATA": str(tmp_path / folder), "ARENA_URL": gateway}

    assert examine_role("house", settings).state == "wrong"
    with started("house", **house_in("one")) as first:
        wait_for(lambda: len(connected(sqlite_store, redis_client)) == len(HOUSE) - 1, 30)
        before = connected(sqlite_store, redis_client)
        assert before.keys() == HOUSE.keys() - {"sharp"}
        assert examine_role("house", settings).state == "fine"
        assert examine_role("gateway", settings).state == "fine"

        with started("house", "--url", gateway, **house_in("two")) as second:
            assert second.stdout is not None
            assert "Standby" in second.stdout.readline()
            assert connected(sqlite_store, redis_client) == before  # it has left them alone
            first.kill()

            wait_for(
                lambda: (
                    len(now := connected(sqlite_store, redis_client)) == len(before)
                    and not set(now.values()) & set(before.values())
                ),
                30,
            )
            second.send_signal(signal.SIGTERM)
            wait_for(lambda: second.poll() is not None)
            assert second.returncode == 0
    assert not hosting.house_is_held(redis_client)
    wait_for(lambda: not connected(sqlite_store, redis_client))


def test_process_that_lost_the_house_lease_ends_its_bots(
    gateway: str,
    variables: dict[str, str],
    sqlite_store: Store,
    redis_client: redis.Redis,
    tmp_path: Path,
) -> None:
    with started("house", **variables, ARENA_DATA=str(tmp_path / "one"), ARENA_URL=gateway) as one:
        wait_for(lambda: len(connected(sqlite_store, redis_client)) == len(HOUSE), 30)

        redis_client.set(keys.HOUSE, "another")  # as if this one had stood still for too long

        wait_for(lambda: not connected(sqlite_store, redis_client), 30)
        assert one.poll() is None
        redis_client.delete(keys.HOUSE)  # the other one has left
        wait_for(lambda: len(connected(sqlite_store, redis_client)) == len(HOUSE), 30)


def test_only_those_that_are_wanted_are_registered_and_connected(
    gateway: str,
    settings: Settings,
    variables: dict[str, str],
    sqlite_store: Store,
    redis_client: redis.Redis,
    tmp_path: Path,
) -> None:
    with sqlite_store.write() as conn:
        bots.register(conn, "timid", kind="house")  # wanted once
    two = {"ARENA_DATA": str(tmp_path / "house"), "ARENA_HOUSE_BOTS": "sharp, five"}

    with started("house", "--url", gateway, **variables, **two):
        wait_for(lambda: len(connected(sqlite_store, redis_client)) == 2, 30)

        assert connected(sqlite_store, redis_client).keys() == {"five", "sharp"}
        assert examine_role("house", settings).sentence == (
            "Not connected: timid."  # where all that are registered are wanted
        )
        finding = examine_role("house", settings.model_copy(update={"house_bots": "sharp,five"}))
        assert (finding.state, finding.sentence) == ("fine", "Connected: five, sharp.")
    with sqlite_store.read() as conn:
        assert {bot.name for bot in bots.all_bots(conn)} == {"five", "sharp", "timid"}


def test_where_none_is_wanted_it_waits_and_leaves_them_to_others(
    settings: Settings, variables: dict[str, str], redis_client: redis.Redis, tmp_path: Path
) -> None:
    none = {"ARENA_DATA": str(tmp_path / "house"), "ARENA_HOUSE_BOTS": "none"}
    alive = tmp_path / "alive"
    with started("house", **variables, **none, ARENA_LIVENESS_FILE=str(alive)) as process:
        wait_for(alive.exists, 30)

        assert not hosting.house_is_held(redis_client)
        unwanted = settings.model_copy(update={"house_bots": "none"})
        assert examine_role("house", unwanted).state == "fine"
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "House bots are disabled" in said


def test_a_house_bot_that_there_is_not_is_refused_in_a_sentence(
    settings: Settings, variables: dict[str, str]
) -> None:
    with started("house", **variables, ARENA_HOUSE_BOTS="five,fife") as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert (
        "ARENA_HOUSE_BOTS is 'five,fife'. Set it to all, none, or a comma-separated list of" in said
    )
    assert "Traceback" not in said
    assert examine_role("house", settings.model_copy(update={"house_bots": "fife"})).state == (
        "wrong"
    )


def test_without_a_database_it_ends_and_says_why(tmp_path: Path, redis_url: str) -> None:
    variables = {"ARENA_DATABASE_URL": f"sqlite:///{tmp_path / 'none.db'}"}
    with started("house", **variables, ARENA_REDIS_URL=redis_url) as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "arena db upgrade" in said
    assert "Traceback" not in said
