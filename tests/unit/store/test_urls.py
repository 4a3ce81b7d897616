"""What is told of a database's or a Redis' URL holds nothing of its password."""

import pytest
from sqlalchemy import make_url

from arena.base.errors import ArenaError, InvalidRequest
from arena.base.folder import Running
from arena.service.bootstrap import load_settings
from arena.service.live import connect
from arena.store.database_error import Locked, unavailable
from arena.store.database_url import parse_url, place

SECRET = "s3cret"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:s3cret@db:5432/arena",
        "postgresql://ada:%73%33cret@db/arena?password=s3cret&sslpassword=s3cret",
        "postgresql:///arena?user=ada&password=s3cret",
    ],
)
def test_a_database_is_named_without_its_password(url: str) -> None:
    parsed = parse_url(url)

    assert SECRET not in place(parsed)
    assert SECRET not in str(unavailable(OSError("away"), place(parsed)))
    assert "arena" in place(parsed)


def test_a_lock_held_by_others_differs_from_an_outage() -> None:
    class LockNotAvailable(Exception):
        sqlstate = "55P03"

    assert isinstance(unavailable(LockNotAvailable("lock timeout"), "here"), Locked)
    assert not isinstance(unavailable(OSError("away"), "here"), Locked)


@pytest.mark.parametrize(
    "url", ["postgresql://ada:p@s3cret@db/arena", "postgresql://ada:s3cret", "s3cret", "x://s3cret"]
)
def test_an_invalid_database_url_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_url(url)

    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_password_with_an_at_sign_is_explained() -> None:
    with pytest.raises(InvalidRequest, match="Write it as %40"):
        parse_url("postgresql://ada:s3c@ret@db/arena")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:s3cret@host:6379/0", "host:6379"),
        ("redis://ada:s3/s3cret?#@host:6379/0?password=s3cret", "host:6379"),
        ("rediss://host/0?password=s3cret", "host"),
        ("unix://:s3cret@/run/redis.sock?db=0", "/run/redis.sock"),
    ],
)
def test_redis_is_named_without_its_password(url: str, shown: str) -> None:
    assert connect.place(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "redis://:s3cret/x@127.0.0.1:1/0",
        "redis://:s3cret#x@127.0.0.1:1/0",
        "redis://:s3cret?x@127.0.0.1:1/0",
        "redis://:s3cret@127.0.0.1:s3cret/0",
        "redis://127.0.0.1:1/0?socket_timeout=s3cret",
        "redis://:s3cret",
        "s3cret",
    ],
)
def test_an_invalid_redis_url_is_refused_without_showing_it(url: str) -> None:
    for attempt in (connect.connect, connect.check_url):
        with pytest.raises(ArenaError, match="ARENA_REDIS_URL is not a Redis URL") as refused:
            attempt(url)
        assert SECRET not in str(refused.value)
        assert refused.value.__cause__ is None


@pytest.mark.long
def test_a_redis_that_is_away_is_named_without_its_password() -> None:
    with pytest.raises(ArenaError, match=r"Redis at 127.0.0.1:1 cannot be reached") as refused:
        connect.connect("redis://:s3cret@127.0.0.1:1/0")

    assert SECRET not in str(refused.value)


def test_settings_and_processes_show_no_secrets() -> None:
    url = make_url("postgresql://ada:s3cret@db/arena").render_as_string(hide_password=False)
    settings = load_settings(
        database_url=url, redis_url="redis://:s3cret@db", admin_token=SECRET, secret_key=SECRET
    )

    assert SECRET not in repr(settings)
    assert SECRET not in repr(Running(1, "", "", url, "redis://:s3cret@db", SECRET))
