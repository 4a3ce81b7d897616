"""Pages that read a whole tournament leave threads and database connections to all others."""

import threading

import pytest
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from arena.store.tournaments import tournaments
from dashboard import create_app
from dashboard.system import slow_views
from tests.made_results import entered, results, save

SLOW = ("/tournaments/1/crosstable", "/api/tournaments/1/crosstable", "/tournaments/1/audit.jsonl")
QUICK = ("/", "/tournaments/1", "/matches", "/api/tournaments/1/standings")


@pytest.fixture
def browser(sqlite_store: Store, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A visitor of an arena with one finished tournament and a single slot for slow requests."""
    monkeypatch.setattr(slow_views, "TOGETHER", threading.BoundedSemaphore(1))
    monkeypatch.setattr(slow_views, "WAIT_S", 0.0)
    over = entered(sqlite_store)
    save(sqlite_store, results(over))
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, over.id, "running")
        tournaments.set_state(conn, over.id, "finished")
    return create_app(Settings(), sqlite_store, None).test_client()


def statuses(browser: FlaskClient, *paths: str) -> list[int]:
    return [browser.get(path, buffered=True).status_code for path in paths]


def test_each_gives_its_slot_back(browser: FlaskClient) -> None:
    assert statuses(browser, *SLOW, *SLOW) == [200] * 6
    assert statuses(browser, "/tournaments/9/crosstable", "/tournaments/9/audit.jsonl") == [404] * 2
    assert statuses(browser, *SLOW) == [200] * 3


def test_beyond_those_that_may_others_are_told_to_come_back(browser: FlaskClient) -> None:
    assert slow_views.TOGETHER.acquire()

    assert statuses(browser, *SLOW) == [503] * 3
    refused = browser.get(SLOW[0])
    assert refused.headers["Retry-After"] == "5"
    assert "Try again in 5 seconds" in refused.text
    assert browser.get(SLOW[1]).json == {"error": slow_views.FULL}
    assert statuses(browser, *QUICK) == [200] * 4


def test_a_stream_keeps_its_slot_until_it_is_read_or_left(browser: FlaskClient) -> None:
    for leave in ("read", "left"):
        answer = browser.get(SLOW[2])  # nothing of it is read yet
        assert statuses(browser, SLOW[0]) == [503]
        assert answer.data if leave == "read" else True
        answer.close()
        assert statuses(browser, SLOW[0]) == [200]


def test_a_reader_who_takes_too_long_is_cut_off(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_views, "STREAM_S", -1.0)

    with pytest.raises(TimeoutError):
        browser.get(SLOW[2], buffered=True)
    assert statuses(browser, SLOW[0]) == [200]
