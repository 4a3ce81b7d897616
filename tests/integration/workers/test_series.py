"""Series of tournaments: the next one opens when one starts, with the same bots."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
import redis

from arena.base import instant
from arena.base.errors import InvalidRequest, NotFound, NotNow
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.store import Store
from arena.store.registry import audit_log, bots
from arena.store.registry.audit_log import Actor
from arena.store.tournaments import series, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import series as recurring
from tests import made_results
from tests.integration.api_world import browser_on
from tests.integration.played import register
from workers.advancing import advance as advancing
from workers.advancing.sweep import Sweep

DAY_S = 86_400


@pytest.fixture
def control(store: Store, redis_client: redis.Redis, redis_url: str) -> Iterator[ControlService]:
    """The control service of an arena that runs, with three bots."""
    register(store, "ann", "bob", "cho")
    service = ControlService(store, redis_url, actor=lambda: Actor("olga", "dashboard"))
    yield service
    service.close()


def asked(**more: Any) -> pb.TournamentSpec:
    """A weekly tournament of two seats that starts in an hour."""
    starts = round(instant.now()) + 3600
    until = datetime.fromtimestamp(starts, UTC).date() + timedelta(weeks=3)
    fields: dict[str, Any] = {
        "name": "Cup",
        "game": "lama",
        "seats": 2,
        "matches": 2,
        "bots": ["ann", "bob"],
        "starts_at": starts,
        "sign_up": pb.SignUp(max_bots=4),
        "recurrence": pb.Recurrence(days=7, until=until.isoformat(), counted=1),
    }
    return pb.TournamentSpec(**{**fields, **more})


def of(store: Store) -> list[Tournament]:
    """All tournaments, oldest first."""
    with store.read() as conn:
        return tournaments.all_tournaments(conn)[::-1]


def start(
    store: Store, client: redis.Redis, latest: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lets the start time of a tournament come."""
    late = (latest.starts_at or 0.0) + 1
    monkeypatch.setattr(instant, "now", lambda: late)
    advancing.advance(store, client, latest.id)


def test_the_next_one_opens_at_the_start_with_the_bots_of_then(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = control.create_tournament(asked())
    control.enter_tournament(pb.EnterRequest(tournament=first.id, bot="cho"))
    control.withdraw_from_tournament(pb.EnterRequest(tournament=first.id, bot="ann"))
    control.set_priority(pb.PriorityRequest(tournament=first.id, priority="high"))
    (begun,) = of(store)
    assert control.get_tournament(pb.TournamentId(id=first.id)).series == 1

    start(store, redis_client, begun, monkeypatch)
    started, second = of(store)
    assert (started.sign_up, started.planned) == (None, 2)
    assert second.spec.name == "Cup 2"
    assert second.spec.bots == ("bob", "cho")
    assert second.starts_at == (begun.starts_at or 0) + 7 * DAY_S
    assert second.open(instant.now())
    assert (second.priority, second.owner) == ("high", begun.owner)
    assert second.commitment != begun.commitment

    advancing.advance(store, redis_client, begun.id)  # a second one changes nothing
    assert len(of(store)) == 2
    start(store, redis_client, second, monkeypatch)
    start(store, redis_client, of(store)[2], monkeypatch)
    assert [each.spec.name for each in of(store)] == ["Cup", "Cup 2", "Cup 3", "Cup 4"]
    start(store, redis_client, of(store)[3], monkeypatch)  # on the last day
    assert len(of(store)) == 4
    with pytest.raises(NotNow, match="No further tournament"):
        control.end_series(pb.SeriesId(id=1))


def test_a_start_has_the_same_uid_in_all_calendars_before_and_after_it_opens(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def starts(path: str) -> dict[str, str]:
        text = browser_on(store).get(path).text
        return dict(re.findall(r"UID:(\S+).*?DTSTART:(\S+)", text, re.DOTALL))

    control.create_tournament(asked())
    before = starts("/series/1/calendar.ics")
    assert len(before) == 4
    # UIDs differ between arenas, because commitments do.
    assert all(of(store)[0].commitment[:16] in uid for uid in before)

    for number in (1, 2):
        start(store, redis_client, of(store)[-1], monkeypatch)

        assert starts("/series/1/calendar.ics") == before
        (opened,) = starts("/calendar.ics").items()
        assert opened in before.items()
        assert starts(f"/tournaments/{number + 1}/calendar.ics") == dict([opened])


def test_a_tournament_that_is_resumed_early_stays_in_the_calendar_of_its_series(
    control: ControlService, store: Store
) -> None:
    def uids() -> set[str]:
        text = browser_on(store).get("/series/1/calendar.ics").text
        return set(re.findall(r"UID:(\S+)", text))

    first = control.create_tournament(asked())
    before = uids()
    control.cancel_tournament(pb.TournamentId(id=first.id))
    control.resume_tournament(pb.TournamentId(id=first.id))

    assert uids() == before


def test_the_calendar_of_a_series_has_all_dates_to_come(
    control: ControlService, store: Store
) -> None:
    until = datetime.fromtimestamp(instant.now() + 3600, UTC).date() + timedelta(days=300)
    control.create_tournament(asked(recurrence=pb.Recurrence(days=1, until=f"{until}")))

    assert browser_on(store).get("/series/1/calendar.ics").text.count("BEGIN:VEVENT") == 301


def test_events_of_a_series_are_never_stamped_with_a_time_to_come(
    control: ControlService, store: Store
) -> None:
    control.create_tournament(asked())
    (first,) = of(store)

    text = browser_on(store).get("/series/1/calendar.ics").text

    created = f"{datetime.fromtimestamp(first.created, UTC):%Y%m%dT%H%M%SZ}"
    assert re.findall(r"DTSTAMP:(\S+)", text) == [created] * 4


def test_dates_in_which_the_arena_was_down_are_left_out(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.create_tournament(asked())
    (begun,) = of(store)
    due = begun.starts_at or 0.0
    monkeypatch.setattr(instant, "now", lambda: due + 8 * DAY_S)
    advancing.advance(store, redis_client, begun.id)
    assert of(store)[1].starts_at == due + 14 * DAY_S


def test_new_rules_of_a_zone_do_not_open_a_second_tournament_on_a_date(
    control: ControlService, store: Store
) -> None:
    control.create_tournament(asked())
    with store.read() as conn:
        known = series.get_series(conn, 1)
    coming = known.dates(instant.now())

    for moved_s in (-7200, -3600, 3600, 7200):  # of the open tournament, by its local time
        assert replace(known, due=known.due + moved_s).dates(instant.now()) == coming


def test_a_date_with_too_few_bots_is_cancelled_and_the_series_goes_on(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.create_tournament(asked(bots=["ann"]))
    (begun,) = of(store)
    start(store, redis_client, begun, monkeypatch)
    cancelled, second = of(store)
    assert cancelled.state == "cancelled"
    assert second.spec.bots == ("ann",)


def test_cancelling_a_date_leaves_out_that_one(control: ControlService, store: Store) -> None:
    first = control.create_tournament(asked())
    control.cancel_tournament(pb.TournamentId(id=first.id))
    cancelled, second = of(store)
    assert second.starts_at == (cancelled.starts_at or 0) + 7 * DAY_S
    control.resume_tournament(pb.TournamentId(id=first.id))
    control.cancel_tournament(pb.TournamentId(id=first.id))
    assert len(of(store)) == 2


def test_benched_bots_stay_entered_and_retired_ones_leave(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.create_tournament(asked(bots=["ann", "bob", "cho"]))
    control.retire_bot(pb.BotName(name="cho"))
    (begun,) = of(store)
    start(store, redis_client, begun, monkeypatch)
    assert of(store)[1].spec.bots == ("ann", "bob")


def test_an_ended_series_still_plays_the_open_one_and_no_more(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.create_tournament(asked())
    promise = "also plays in all later tournaments"
    assert promise in browser_on(store).get("/series/1").text
    ended = control.end_series(pb.SeriesId(id=1))
    assert not ended.starts
    for path in ("/series/1", "/tournaments/1"):
        assert promise not in browser_on(store).get(path).text
    (begun,) = of(store)
    start(store, redis_client, begun, monkeypatch)
    assert [each.state for each in of(store)] == ["waiting"]  # for its bots
    with store.read() as conn:
        entry, *_ = audit_log.entries(conn, 10)
    assert (entry.action, entry.subject, entry.details) == ("ended", "series 1", "Cup")


def test_the_season_adds_up_finished_tournaments(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control.create_tournament(asked())
    (begun,) = of(store)
    start(store, redis_client, begun, monkeypatch)
    assert not control.get_series(pb.SeriesId(id=1)).standings
    with store.read() as conn:
        source = tournaments.source(conn, begun.id)
    monkeypatch.setattr(made_results, "source_of", lambda _: source)
    made_results.save(store, made_results.results(of(store)[0]))
    with store.write() as conn:
        tournaments.end(conn, tournaments.lock(conn, begun.id))
        bots.new_version(conn, "ann")
    season = control.get_series(pb.SeriesId(id=1))
    assert list(season.tournaments) == [2, 1]
    assert len(season.starts) == 2
    assert sum(line.points for line in season.standings) == 25 + 18
    assert {line.bot for line in season.standings} == {"ann", "bob"}
    assert all(list(line.results) == [1] for line in season.standings)


def test_what_cannot_repeat_is_refused_and_nothing_is_stored(
    control: ControlService, store: Store
) -> None:
    closed = asked()
    closed.ClearField("sign_up")
    with pytest.raises(InvalidRequest, match="open for sign-up can"):
        control.create_tournament(closed)
    for wrong in (
        pb.Recurrence(days=3, until="2999-01-01"),
        pb.Recurrence(days=7, until="soon"),
        pb.Recurrence(days=7, until="2020-01-01"),
        pb.Recurrence(days=7, until="2999-01-01", zone="Nowhere"),
    ):
        with pytest.raises(InvalidRequest):
            control.create_tournament(asked(recurrence=wrong))
    assert of(store) == []
    with pytest.raises(NotFound, match="no series 1"):
        control.get_series(pb.SeriesId(id=1))


def test_a_series_ended_where_a_clock_change_moved_its_start_past_midnight_opens_no_more(
    control: ControlService, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On 28 March 2026, the clocks in Nuuk go from 23:00 to 0:00.
    zone = ZoneInfo("America/Nuuk")
    monkeypatch.setattr(instant, "now", lambda: datetime(2026, 3, 28, 12, tzinfo=zone).timestamp())
    starts = datetime(2026, 3, 28, 23, 30, tzinfo=zone).timestamp()
    recurrence = pb.Recurrence(days=1, zone="America/Nuuk", until="2026-06-01")
    control.create_tournament(asked(starts_at=starts, recurrence=recurrence))

    ended = control.end_series(pb.SeriesId(id=1))

    assert not ended.starts


def test_without_the_zone_tournaments_start_and_cancel_and_the_zone_is_named(
    control: ControlService,
    store: Store,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    until = f"{datetime.fromtimestamp(instant.now(), UTC).date() + timedelta(days=30)}"
    recurrence = pb.Recurrence(days=7, zone="America/New_York", until=until)
    for _ in range(2):
        control.create_tournament(asked(recurrence=recurrence))
    due, cancelled = of(store)

    def lacking(name: str) -> ZoneInfo:
        raise ZoneInfoNotFoundError(name)

    def sweep() -> None:
        Sweep(store, redis_client, advance=lambda _: None, hand_out=lambda *_: None).run()

    monkeypatch.setattr(recurring, "ZoneInfo", lacking)
    control.cancel_tournament(pb.TournamentId(id=cancelled.id))
    start(store, redis_client, due, monkeypatch)

    assert [(each.state, each.sign_up is None) for each in of(store)] == [
        ("waiting", True),  # for its bots
        ("cancelled", False),
    ]
    sentence = "does not know the time zone America/New_York; install the Python package tzdata."
    for path in ("/series/1", "/series/1/calendar.ics", "/api/series/1"):
        answer = browser_on(store).get(path)
        assert answer.status_code == 409
        assert sentence in answer.text
    for call in (control.get_series, control.end_series):
        with pytest.raises(NotNow, match=re.escape(sentence)):
            call(pb.SeriesId(id=1))

    sweep()
    assert len(of(store)) == 2
    monkeypatch.setattr(recurring, "ZoneInfo", ZoneInfo)
    for _ in range(2):
        sweep()
    opened = of(store)[2:]
    assert [each.spec.name for each in opened] == ["Cup 2"] * 2
    assert [each.spec.bots for each in opened] == [("ann", "bob")] * 2
    assert [each.sign_up and each.sign_up.max_bots for each in opened] == [16, 4]
