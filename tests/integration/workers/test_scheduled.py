"""Tournaments with a start time: when they begin, and what is shown of them."""

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import redis
from flask import Flask

from arena.base import instant
from arena.base.config import Settings
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.service.forecast.waits import spent
from arena.store import Store
from arena.store.registry import audit_log
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.tournaments.create.form import blank
from tests.integration.people import csrf, person
from tests.integration.played import register
from workers.advancing import advance as advancing
from workers.advancing.beginning import Absent, begins
from workers.advancing.sweep import Sweep

NOBODY_AWAY = Absent({}, {})
HOUR_S = 3600


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """The dashboard of an arena that runs, with two bots."""
    register(sqlite_store, "ann", "bob")
    return create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)


def scheduled(app: Flask, store: Store, ahead_s: float = 2 * HOUR_S) -> Tournament:
    """Creates a tournament with the form that starts after this many seconds."""
    olga = person(app, store, "olga", organiser=True)
    at = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + ahead_s))
    fields = {**blank().values, "seats": "2", "bots": ["ann", "bob"], "starts_at": at}
    answer = olga.post("/tournaments", data={**fields, "csrf_token": csrf(olga)})
    assert answer.status_code == 303, answer.text
    with store.read() as conn:
        return tournaments.all_tournaments(conn)[0]


def test_it_begins_at_its_time_and_not_before(app: Flask, sqlite_store: Store) -> None:
    made = scheduled(app, sqlite_store)
    at = made.starts_at
    assert at is not None

    state, note = begins(made, NOBODY_AWAY, at - 1)
    assert state == "waiting"
    assert note.startswith("Scheduled for ")
    assert begins(made, NOBODY_AWAY, at) == ("running", "")
    assert begins(made, NOBODY_AWAY, at + 9 * HOUR_S) == ("running", "")  # after downtime
    assert begins(made, Absent({1: "ann"}, {}), at + 1)[0] == "waiting"  # the grace begins there
    assert begins(replace(made, starts_at=None), NOBODY_AWAY, at - 1) == ("running", "")


def test_nothing_is_planned_before_and_it_starts_once(
    app: Flask, sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scheduled(app, sqlite_store)
    assert advancing.advance(sqlite_store, redis_client, made.id) == []
    assert advancing.due(sqlite_store, redis_client, [made.id]) == []  # nothing new to say

    late = (made.starts_at or 0.0) + HOUR_S
    monkeypatch.setattr(instant, "now", lambda: late)
    assert advancing.due(sqlite_store, redis_client, [made.id]) == [made.id]
    first = advancing.advance(sqlite_store, redis_client, made.id)
    assert first
    assert advancing.advance(sqlite_store, redis_client, made.id) == first
    with sqlite_store.read() as conn:
        begun = tournaments.get(conn, made.id)
    assert (begun.state, begun.started) == ("running", late)


def test_the_sweep_begins_it_at_its_time(
    app: Flask, sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scheduled(app, sqlite_store)
    advanced: list[int] = []

    def advance(number: int) -> None:
        advanced.append(number)
        advancing.advance(sqlite_store, redis_client, number)

    def sweep() -> None:
        Sweep(sqlite_store, redis_client, advance=advance, hand_out=lambda *_: None).run()

    sweep()  # which notes when it begins
    sweep()
    assert advanced in ([], [made.id])
    with sqlite_store.read() as conn:
        assert tournaments.get(conn, made.id).state == "waiting"
    late = (made.starts_at or 0.0) + HOUR_S
    monkeypatch.setattr(instant, "now", lambda: late)
    sweep()
    with sqlite_store.read() as conn:
        assert tournaments.get(conn, made.id).state == "running"


def test_pages_and_calendars_say_when_it_begins(app: Flask, sqlite_store: Store) -> None:
    made = scheduled(app, sqlite_store, 2 * HOUR_S - 300)  # the form takes whole minutes
    browser = app.test_client()

    page, listed = browser.get(f"/tournaments/{made.id}").text, browser.get("/tournaments").text
    assert "state-scheduled" in page
    assert "(in 1 h 5" in page
    assert "state-scheduled" in listed
    assert listed.index("Upcoming") < listed.index("<table")
    assert browser.get(f"/api/tournaments/{made.id}").get_json()["starts_at"] == made.starts_at
    for path in ("/calendar.ics", f"/tournaments/{made.id}/calendar.ics"):
        answer = browser.get(path)
        assert answer.mimetype == "text/calendar"
        assert answer.text.count("BEGIN:VEVENT") == 1
        assert f"UID:tournament-{made.id}-" in answer.text


@pytest.mark.parametrize("path", ["/calendar.ics", "/tournaments/1/calendar.ics"])
def test_a_calendar_is_sent_again_only_once_it_changed(
    app: Flask, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made = scheduled(app, sqlite_store)
    browser = app.test_client()
    first = browser.get(path)
    known = {"If-None-Match": first.headers["ETag"]}

    with monkeypatch.context() as later:
        later.setattr(time, "time", lambda: made.created + 90.0)
        again = browser.get(path, headers=known)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, made.id, "cancelled", now=made.created + 60)
    called_off = browser.get(path, headers=known)

    assert (first.status_code, again.status_code, called_off.status_code) == (200, 304, 200)
    assert [_stamp(first.text), _stamp(called_off.text)] == [
        f"{datetime.fromtimestamp(at, UTC):%Y%m%dT%H%M%SZ}"
        for at in (made.created, made.created + 60)
    ]


def _stamp(text: str) -> str:
    (found,) = re.findall(r"DTSTAMP:(\w+)", text)
    return str(found)


def test_an_organiser_begins_it_early(app: Flask, sqlite_store: Store) -> None:
    made = scheduled(app, sqlite_store)
    omar = person(app, sqlite_store, "omar", organiser=True)
    path, calendar = f"/tournaments/{made.id}/resume", f"/tournaments/{made.id}/calendar.ics"
    uid = re.findall(r"UID:(\S+)", omar.get(calendar).text)

    assert "Start this tournament now?" in omar.get(path).text
    assert omar.post(path, data={"csrf_token": csrf(omar, path)}).status_code == 303
    with sqlite_store.read() as conn:
        begun = tournaments.get(conn, made.id)
    assert made.starts_at is not None
    assert begun.starts_at == begun.waiting_since < made.starts_at
    shown = omar.get(calendar).text
    assert re.findall(r"UID:(\S+)", shown) == uid
    assert f"DTSTART:{datetime.fromtimestamp(begun.starts_at, UTC):%Y%m%dT%H%M%SZ}" in shown
    assert spent(begun, begun.waiting_since + 5).waiting == 5
    assert omar.get(path).status_code == 409
    with sqlite_store.read() as conn:
        assert audit_log.entries(conn, 1)[0].action == "began early"


def test_one_that_is_called_off_stays_in_calendars_for_some_days(
    app: Flask, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = scheduled(app, sqlite_store)
    ControlService(sqlite_store, None).cancel_tournament(pb.TournamentId(id=made.id))
    browser = app.test_client()

    assert "STATUS:CANCELLED" in browser.get("/calendar.ics").text
    later = (made.starts_at or 0.0) + 8 * 24 * HOUR_S
    monkeypatch.setattr(instant, "now", lambda: later)
    assert "VEVENT" not in browser.get("/calendar.ics").text


@pytest.mark.parametrize(
    ("at", "sentence"), [("2001-01-01T00:00", "is in the past"), ("x", "is not a start time")]
)
def test_a_wrong_time_stands_beside_its_field(
    app: Flask, sqlite_store: Store, at: str, sentence: str
) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    fields = {**blank().values, "seats": "2", "bots": ["ann", "bob"], "starts_at": at}
    answer = olga.post("/tournaments", data={**fields, "csrf_token": csrf(olga)})

    assert answer.status_code == 400
    assert sentence in answer.text


def test_calendars_have_nothing_of_others(app: Flask, sqlite_store: Store) -> None:
    assert app.test_client().get("/tournaments/99/calendar.ics").status_code == 404
    assert "VEVENT" not in app.test_client().get("/calendar.ics").text
