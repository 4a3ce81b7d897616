"""What errors of a real Redis say, in sentences."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import kombu
import kombu.exceptions
import pytest
import redis

from arena.base.errors import Unavailable
from arena.service.live.connect import connect
from arena.service.live.redis_error import explain, try_write
from arena.service.live.vitals import beat_worker
from tests.servers import embedded_redis

PLACE = "localhost:6379"
FULL = "Redis refuses writes: its memory is full."
REPLICA = "Redis refuses writes: it is a read-only replica."
CLUSTER = "Redis is part of a cluster, which the arena cannot use."
REFUSALS = {
    FULL: (("CONFIG SET maxmemory 1",), ("CONFIG SET maxmemory 0",)),
    REPLICA: (("REPLICAOF 127.0.0.1 1",), ("REPLICAOF NO ONE",)),
    "Redis refuses writes: it has too few replicas.": (
        ("CONFIG SET min-replicas-to-write 1",),
        ("CONFIG SET min-replicas-to-write 0",),
    ),
    "Redis refuses commands: its user lacks permissions.": (
        ("ACL SETUSER default -set -eval",),
        ("ACL SETUSER default +@all",),
    ),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with embedded_redis() as url:
        yield url


@contextmanager
def refusing(url: str, sentence: str) -> Iterator[redis.Redis]:
    """A client of a Redis that refuses, as this sentence says."""
    begin, end = REFUSALS[sentence]
    with connect(url) as client:
        for command in begin:
            client.execute_command(command)
        try:
            yield client
        finally:
            for command in end:
                client.execute_command(command)


@pytest.mark.parametrize("sentence", REFUSALS)
@pytest.mark.parametrize(
    "write", [try_write, lambda client: beat_worker(client, "worker@host", ("play",))]
)
def test_a_redis_that_refuses_says_why(
    url: str, sentence: str, write: Callable[[redis.Redis], object]
) -> None:
    with refusing(url, sentence) as client, pytest.raises(redis.RedisError) as caught:
        write(client)
    assert explain(caught.value).sentence == sentence
    assert explain(caught.value, PLACE).sentence == sentence.replace("Redis", f"Redis at {PLACE}")


def test_the_cause_of_an_error_of_the_broker_is_explained(url: str) -> None:
    with (
        refusing(url, FULL),
        kombu.Connection(url) as connection,
        pytest.raises((redis.RedisError, kombu.exceptions.OperationalError)) as caught,
    ):
        connection.SimpleQueue("letters").put("letter")
    assert explain(caught.value).sentence == FULL


def test_a_transaction_that_is_refused_says_why(url: str) -> None:
    with refusing(url, FULL) as client, client.pipeline() as pipeline:
        pipeline.get("seat")
        pipeline.set("seat", 1)
        with pytest.raises(redis.RedisError) as caught:
            pipeline.execute()
    assert explain(caught.value).sentence == FULL


def test_a_probe_is_written_where_redis_takes_writes(url: str) -> None:
    with connect(url) as client:
        try_write(client)


def test_a_cluster_of_one_server_is_refused(tmp_path: Path) -> None:
    own = b"cluster-enabled yes\ndir %b\n" % bytes(tmp_path)
    with embedded_redis(own) as url, redis.Redis.from_url(url) as client:
        client.execute_command("CLUSTER ADDSLOTSRANGE 0 16383")
        while client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
            time.sleep(0.1)
        with pytest.raises(redis.RedisError) as caught:
            try_write(client)
    assert explain(caught.value).sentence == CLUSTER


def test_a_changed_password_is_named(url: str) -> None:
    with pytest.raises(Unavailable, match="rejects the password.*ARENA_REDIS_URL") as caught:
        connect(url.replace("redis://:", "redis://:x"))
    assert caught.value.__cause__
    assert explain(caught.value.__cause__).sentence == "Redis rejects the password."
    with pytest.raises(Unavailable, match="rejects the password"):
        connect(f"redis://{url.partition('@')[2]}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to"
            " persist to disk.",
            "Redis refuses writes: it cannot save its data to disk.",
        ),
        (
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "Redis refuses commands: it is a replica that has lost its primary.",
        ),
        (
            "ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed when"
            " used memory > 'maxmemory'.",
            FULL,
        ),
        (
            "UNBLOCKED force unblock from blocking operation, instance state changed (master ->"
            " replica?)",
            REPLICA,
        ),
        ("LOADING Redis is loading the dataset in memory", "Redis is still loading its data."),
        (
            "ERR max number of clients reached",
            "Redis refuses connections: it has too many clients.",
        ),
        ("Keys in request don't hash to the same slot", CLUSTER),
        ("CLUSTERDOWN Hash slot not served", CLUSTER),
        ("SELECT is not allowed in cluster mode", CLUSTER),
        (
            'Command # 1 (SET arena:gateway:1 1 EX 3) of pipeline caused error: ("unknown command'
            " 'SET', with args beginning with: 'arena:gateway:1'\",)",
            "Redis does not know commands that the arena needs. It may be a Sentinel.",
        ),
        (
            "unknown command `SET`, with args beginning with: `arena:gateway:1`, ",
            "Redis does not know commands that the arena needs. It may be a Sentinel.",
        ),
        ("ERR unknown command", "Redis reports an error: ERR unknown command."),
    ],
)
def test_answers_of_other_states_are_explained(text: str, sentence: str) -> None:
    assert explain(redis.ResponseError(text)).sentence == sentence


def test_a_key_of_another_server_of_a_cluster_is_explained() -> None:
    error = redis.exceptions.MovedError("3999 10.0.0.7:6379", status_code="MOVED")
    assert explain(error).sentence == CLUSTER


def test_a_redis_that_cannot_be_reached_is_named_to_operators_only() -> None:
    error = redis.ConnectionError("Error 111 connecting to 10.0.0.7:6379. Connection refused.")
    assert explain(error).sentence == "Redis cannot be reached."
    assert "10.0.0.7" in explain(error, PLACE).sentence
