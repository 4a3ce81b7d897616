"""How often one may guess a password, sign up and send forms; a classroom may all of it."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.service.live.connect import impatient
from arena.store import Store
from arena.store.registry import accounts
from dashboard import create_app
from dashboard.account import failures
from dashboard.account.failures import Failures, SignInAttempt, in_words
from tests.integration.people import HASHED, PASSWORD, csrf

HERE, ELSEWHERE = "192.0.2.1", "192.0.2.99"
WRONG = "wrong horse battery"
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are compared without the time that takes on purpose."""
    right = lambda password, stored: stored is not None and password == PASSWORD  # noqa: E731
    monkeypatch.setattr("dashboard.account.view.passwords.is_right", right)
    monkeypatch.setattr("dashboard.account.view.passwords.hashed", lambda _: HASHED)


@pytest.fixture(params=["memory", "redis", "no redis"])
def client(request: pytest.FixtureRequest) -> redis.Redis | None:
    """Where counts are kept."""
    if request.param == "redis":
        found = request.getfixturevalue("redis_client")
        assert isinstance(found, redis.Redis)
        return found
    return None if request.param == "memory" else impatient(NOWHERE)


@pytest.fixture
def app(sqlite_store: Store, client: redis.Redis | None) -> Flask:
    return arena(sqlite_store, client)


def arena(store: Store, client: redis.Redis | None = None, **settings: Any) -> Flask:
    with store.write() as conn:
        for name in ("ada", *(f"pupil-{number}" for number in range(40))):
            accounts.sign_up(conn, name, HASHED)
    return create_app(Settings(secret_key="a key", **settings), store, client)


def browser_at(app: Flask, address: str) -> FlaskClient:
    browser = app.test_client()
    browser.environ_base["REMOTE_ADDR"] = address
    return browser


def sign_in(browser: FlaskClient, name: str, password: str) -> TestResponse:
    data = {"name": name, "password": password, "csrf_token": csrf(browser)}
    return browser.post("/sign-in", data=data)


def guess(app: Flask, times: int, name: str = "ada", address: str = HERE) -> list[int]:
    browser = browser_at(app, address)
    return [sign_in(browser, name, WRONG).status_code for _ in range(times)]


class Clock:
    """Time that passes when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr("limits.storage.memory.time.time", lambda: self.now)


def test_guessing_one_password_is_slowed_down_with_a_sentence(app: Flask) -> None:
    assert guess(app, 5) == [400] * 5
    refused = sign_in(browser_at(app, HERE), "ADA", PASSWORD)

    assert refused.status_code == 429
    assert "Too many wrong passwords for this name. Try again in" in refused.text
    assert 'value="ADA"' in refused.text
    assert PASSWORD not in refused.text
    assert 0 < int(refused.headers["Retry-After"]) <= 60


def test_a_stranger_does_not_lock_an_owner_out_elsewhere(app: Flask) -> None:
    assert guess(app, 6)[-1] == 429

    assert sign_in(browser_at(app, ELSEWHERE), "ada", PASSWORD).status_code == 303


def test_a_classroom_signs_in_behind_one_address(app: Flask) -> None:
    for number in range(40):
        browser = browser_at(app, HERE)
        if number % 2:
            assert sign_in(browser, f"pupil-{number}", WRONG).status_code == 400
        assert sign_in(browser, f"pupil-{number}", PASSWORD).status_code == 303


def test_signing_in_rightly_is_no_failure_however_often(app: Flask) -> None:
    for _ in range(30):
        assert sign_in(browser_at(app, HERE), "ada", PASSWORD).status_code == 303
    assert guess(app, 5) == [400] * 5


def test_names_that_do_not_exist_are_refused_alike(app: Flask) -> None:
    assert guess(app, 6, "nobody-here") == [400] * 5 + [429]


def test_after_a_minute_one_goes_on_and_after_twenty_in_an_hour_not(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, app = Clock(monkeypatch), arena(sqlite_store)
    for _ in range(4):
        assert guess(app, 6) == [400] * 5 + [429]
        clock.now += 61

    refused = sign_in(browser_at(app, HERE), "ada", PASSWORD)
    assert refused.status_code == 429
    assert "minutes" in refused.text
    clock.now += 3600
    assert sign_in(browser_at(app, HERE), "ada", PASSWORD).status_code == 303


def test_guessing_over_many_names_is_refused_by_address(sqlite_store: Store) -> None:
    app = arena(sqlite_store, people_per_address=4)
    tried = [guess(app, 1, f"pupil-{number}")[0] for number in range(9)]

    assert tried == [400] * 8 + [429]
    refused = sign_in(browser_at(app, HERE), "ada", PASSWORD)
    assert "Too many wrong passwords from your address" in refused.text
    assert sign_in(browser_at(app, ELSEWHERE), "ada", PASSWORD).status_code == 303


def test_many_addresses_together_guess_no_further_but_the_owners_browser_is_let_in(
    sqlite_store: Store,
) -> None:
    app = arena(sqlite_store)
    owner = browser_at(app, ELSEWHERE)
    assert sign_in(owner, "ada", PASSWORD).status_code == 303

    tried = [status for n in range(21) for status in guess(app, 5, address=f"198.51.100.{n}")]

    assert tried == [400] * 100 + [429] * 5
    stranger = sign_in(browser_at(app, "203.0.113.5"), "ada", PASSWORD)
    assert stranger.status_code == 429
    assert "use a browser in which you have signed in before" in stranger.text
    assert sign_in(owner, "ada", PASSWORD).status_code == 303


def test_guesses_from_the_same_address_do_not_lock_out_the_owners_browser(app: Flask) -> None:
    owner = browser_at(app, HERE)
    sign_in(owner, "ada", PASSWORD)

    assert guess(app, 6)[-1] == 429

    assert sign_in(owner, "ada", PASSWORD).status_code == 303


def test_the_owners_browser_may_not_guess_without_end_either(app: Flask) -> None:
    owner = browser_at(app, HERE)
    sign_in(owner, "ada", PASSWORD)

    tried = [sign_in(owner, "ada", WRONG).status_code for _ in range(6)]

    assert tried == [400] * 5 + [429]


def test_a_browser_is_known_for_its_own_accounts_only(app: Flask) -> None:
    pupil = browser_at(app, HERE)
    sign_in(pupil, "pupil-1", PASSWORD)
    assert guess(app, 6)[-1] == 429

    assert sign_in(pupil, "ada", PASSWORD).status_code == 429


def test_a_made_up_browser_is_nobodys(app: Flask) -> None:
    guess(app, 6)
    browser = browser_at(app, HERE)
    browser.set_cookie("arena_browser", "WyJ4IixbMV1d.aaaa.bbbb")

    assert sign_in(browser, "ada", PASSWORD).status_code == 429


def test_the_addresses_of_one_ipv6_network_are_one(app: Flask) -> None:
    for number in range(5):
        assert guess(app, 1, address=f"2001:db8:1:2::{number:x}") == [400]

    assert guess(app, 1, address="2001:db8:1:2:ffff::1") == [429]
    assert guess(app, 1, address="2001:db8:1:3::1") == [400]
    assert guess(app, 5, address="::ffff:203.0.113.9") == [400] * 5
    assert guess(app, 1, address="203.0.113.9") == [429]


def test_many_guesses_at_once_are_no_more_than_one_after_the_other(
    client: redis.Redis | None,
) -> None:
    counted = Failures(client)
    attempt = SignInAttempt("ada", HERE, "", 32)

    with ThreadPoolExecutor(8) as pool:
        refused = list(pool.map(lambda _: counted.charge(attempt), range(40)))

    assert refused.count(None) <= 5


def silent(*_: object, **__: object) -> bool:
    raise redis.ConnectionError("no answer")


def test_several_dashboards_count_together_and_go_on_counting_without_redis(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = SignInAttempt("ada", HERE, "", 32)
    one, two = Failures(redis_client), Failures(redis_client)
    assert [one.charge(attempt) for _ in range(3)] == [None] * 3
    assert [two.charge(attempt) for _ in range(2)] == [None] * 2
    assert one.charge(attempt) is not None

    monkeypatch.setattr(one._counted[1], "hit", silent)
    alone = [one.charge(attempt) for _ in range(3)]
    assert alone[:2] == [None, None]
    assert alone[2] is not None, "what was counted here before is counted still"


def test_a_silent_redis_is_not_asked_for_each_count(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Failures(impatient(NOWHERE))
    asked: list[str] = []

    def asks(*_: object, **__: object) -> bool:
        asked.append("hit")
        return silent()

    monkeypatch.setattr(counted._counted[1], "hit", asks)
    counted.charge(SignInAttempt("ada", HERE, "", 32))
    counted.charge(SignInAttempt("bob", HERE, "", 32))

    assert asked == ["hit"]


def test_pages_do_not_hang_where_redis_is_away(sqlite_store: Store) -> None:
    app = arena(sqlite_store, impatient(NOWHERE))
    began = time.monotonic()

    assert guess(app, 3) == [400] * 3

    assert time.monotonic() - began < 3.0


# Signing up


@pytest.fixture
def pupils(sqlite_store: Store) -> Flask:
    return create_app(Settings(secret_key="a key"), sqlite_store, None)


def sign_up(browser: FlaskClient, name: str, password: str = PASSWORD) -> int:
    data = {"name": name, "password": password, "csrf_token": csrf(browser, "/sign-up")}
    return browser.post("/sign-up", data=data).status_code


def test_a_classroom_signs_up_behind_one_address(pupils: Flask) -> None:
    for number in range(40):
        browser = browser_at(pupils, HERE)
        assert sign_up(browser, f"new-{number}", "short") == 400
        assert sign_up(browser, f"new-{number}") == 303


def test_there_is_an_end_of_accounts_from_one_address_whoever_is_signed_in(
    sqlite_store: Store,
) -> None:
    app = create_app(Settings(secret_key="a key", people_per_address=2), sqlite_store, None)
    browser = browser_at(app, HERE)

    made = [sign_up(browser, f"new-{number}") for number in range(5)]

    assert made == [303] * 4 + [429]
    assert sign_up(browser_at(app, ELSEWHERE), "another") == 303


def test_hashing_forms_are_rate_limited(sqlite_store: Store) -> None:
    app = create_app(Settings(secret_key="a key", people_per_address=1), sqlite_store, None)
    browser = browser_at(app, HERE)

    tried = [sign_up(browser, f"new-{number}", "short") for number in range(7)]

    assert tried == [400] * 6 + [429]


# Other forms


def test_forms_are_limited_by_person_and_for_strangers_by_as_many_as_share_an_address(
    sqlite_store: Store,
) -> None:
    app = arena(sqlite_store, people_per_address=2)
    stranger, pupil = browser_at(app, HERE), browser_at(app, HERE)
    sign_in(pupil, "pupil-1", PASSWORD)

    def often(browser: FlaskClient, times: int) -> list[int]:
        token = csrf(browser, "/account" if browser is pupil else "/sign-in")
        data = {"csrf_token": token}
        return [browser.post("/play", data=data).status_code for _ in range(times)]

    assert often(stranger, 21) == [400] * 20 + [429]
    assert often(pupil, 11) == [400] * 10 + [429]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (59, "59 seconds"), (90, "2 minutes"), (3600, "60 minutes")],
)
def test_times_to_wait_are_told_in_words(seconds: int, words: str) -> None:
    assert in_words(seconds) == words


def test_counts_share_the_prefix_of_all_limits(redis_client: redis.Redis) -> None:
    Failures(redis_client).charge(SignInAttempt("ada", HERE, "", 32))

    keys = [key.decode() for key in redis_client.scan_iter()]
    assert keys
    assert all(key.startswith(failures.PREFIX) for key in keys)
    assert all(redis_client.ttl(key) > 0 for key in keys), "nothing is kept for ever"
