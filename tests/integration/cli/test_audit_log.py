"""What organisers and administrators did is noted with the change itself, and nothing else is."""

import io
import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask import Flask

from arena.base.config import Settings
from arena.base.errors import AlreadyExists, NotNow
from arena.cli.remote import RemoteControl
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import operator
from arena.service.control.service import ControlService
from arena.service.gateway.auth import ADMINISTRATOR
from arena.store import Store, upgrade_store
from arena.store.registry import audit_log, bots
from arena.store.registry.audit_log import Actor
from arena.store.tournaments import creation
from arena.tournaments.formats import TournamentSpec
from arena.tournaments.formats.sign_up import SignUp, check_open
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.gateway_world import ADMIN, scenario, world
from tests.integration.people import csrf, person
from tests.integration.store.test_schema import (  # noqa: F401  # fixtures
    older,
    played_database,
    played_file,
    url_of,
)
from tests.made_results import entered

ADA = Actor("ada", "command line")
Noted = list[tuple[str, str, str, str]]


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """The dashboard of an arena that runs."""
    return create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)


def noted(store: Store, **which: Any) -> Noted:
    """Who did what to what, from where; the oldest first."""
    with store.read() as conn:
        found = audit_log.entries(conn, 1000, **which)
    return [(each.who, each.source, each.action, each.subject) for each in reversed(found)]


def post(app: Flask, browser: Any, path: str, **fields: str) -> None:
    token = csrf(browser)
    answer = browser.post(path, data={**fields, "csrf_token": token})
    assert answer.status_code == 303, answer.text


def test_actions_over_the_control_service_are_logged(store: Store, redis_url: str) -> None:
    control = ControlService(store, redis_url, actor=lambda: ADA)
    for name in ("ann", "bob"):
        control.register_bot(pb.RegisterBotRequest(name=name))
    control.rotate_token(pb.BotName(name="ann"))
    control.new_version(pb.NewVersionRequest(name="ann", version="2"))
    control.unbench_bot(pb.BotName(name="ann"))
    spec = pb.TournamentSpec(game="lama", seats=2, bots=["ann", "bob"], name="cup")
    control.create_tournament(spec)
    control.cancel_tournament(pb.TournamentId(id=1))
    control.resume_tournament(pb.TournamentId(id=1))
    control.set_anchor(pb.Anchor(game="lama", bot="ann"))
    control.close()

    assert noted(store) == [
        ("ada", "command line", "registered", "bot ann"),
        ("ada", "command line", "registered", "bot bob"),
        ("ada", "command line", "gave a new token", "bot ann"),
        ("ada", "command line", "gave a new version", "bot ann"),
        ("ada", "command line", "cleared the bench", "bot ann"),
        ("ada", "command line", "created", "tournament 1"),
        ("ada", "command line", "stopped", "tournament 1"),
        ("ada", "command line", "resumed", "tournament 1"),
        ("ada", "command line", "chose the anchor", "ratings of lama"),
    ]
    with store.read() as conn:
        (created,) = [e for e in audit_log.entries(conn, 9) if e.action == "created"]
    assert created.details == "cup: round-robin, lama, 2 bots"


def test_entering_a_ladder_is_noted(store: Store) -> None:
    entered(store, format="ladder", matches=3, repeats=None)
    with store.write() as conn:
        bots.register(conn, "zed")

    ControlService(store, None, actor=lambda: ADA).enter_tournament(
        pb.EnterRequest(tournament=1, bot="zed")
    )

    assert noted(store) == [("ada", "command line", "entered a bot", "tournament 1")]


def test_entering_before_the_start_and_withdrawing_is_noted(store: Store) -> None:
    places = SignUp()
    spec = check_open(TournamentSpec(), places)
    with store.write() as conn:
        bots.register(conn, "zed")
        creation.create(conn, spec, starts_at=time.time() + 3600, sign_up=places)
    control = ControlService(store, None, actor=lambda: ADA)

    control.enter_tournament(pb.EnterRequest(tournament=1, bot="zed"))
    control.withdraw_from_tournament(pb.EnterRequest(tournament=1, bot="zed"))

    assert noted(store) == [
        ("ada", "command line", "entered a bot", "tournament 1"),
        ("ada", "command line", "withdrew a bot", "tournament 1"),
    ]


def test_failed_actions_are_not_logged(store: Store) -> None:
    control = ControlService(store, None, actor=lambda: ADA)
    control.register_bot(pb.RegisterBotRequest(name="ann"))
    entered(store)
    control.cancel_tournament(pb.TournamentId(id=1))

    with pytest.raises(AlreadyExists):
        control.register_bot(pb.RegisterBotRequest(name="ann"))
    with pytest.raises(NotNow):
        control.cancel_tournament(pb.TournamentId(id=1))

    assert [action for _, _, action, _ in noted(store)] == ["registered", "stopped"]


def test_a_change_and_its_entry_are_stored_together_or_not_at_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr("arena.store.registry.audit_log.note", fail)

    with pytest.raises(RuntimeError):
        ControlService(store, None, actor=lambda: ADA).register_bot(
            pb.RegisterBotRequest(name="ann")
        )

    with store.read() as conn:
        assert bots.all_bots(conn) == []


@scenario
async def test_admin_token_grants_administration(sqlite_store: Store, redis_url: str) -> None:
    import asyncio

    control = ControlService(sqlite_store, redis_url, actor=lambda: ADMINISTRATOR)
    async with world(sqlite_store, redis_url, control) as w:
        with RemoteControl(f"127.0.0.1:{w.gateways[0].port}", ADMIN) as remote:
            await asyncio.to_thread(remote.register_bot, pb.RegisterBotRequest(name="ann"))

    assert noted(sqlite_store) == [("administrator", "Control", "registered", "bot ann")]


def test_on_the_dashboard_organisers_are_noted_and_owners_are_not(
    app: Flask, sqlite_store: Store
) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    ann = person(app, sqlite_store, "ann")
    entered(sqlite_store)
    for name, browser in (("hers", ann), ("mine", olga)):
        post(app, browser, "/my/bots/-/new", name=name)
        post(app, browser, f"/my/bots/{name}/token")
        post(app, browser, f"/my/bots/{name}/version", version="2")
        post(app, browser, f"/my/bots/{name}/retire")
        post(app, browser, f"/my/bots/{name}/bring-back")
        post(app, browser, f"/my/bots/{name}/come-back")
    post(app, olga, "/tournaments/1/cancel")

    assert noted(sqlite_store) == [
        ("olga", "dashboard", "registered", "bot mine"),
        ("olga", "dashboard", "gave a new token", "bot mine"),
        ("olga", "dashboard", "gave a new version", "bot mine"),
        ("olga", "dashboard", "retired", "bot mine"),
        ("olga", "dashboard", "brought back", "bot mine"),
        ("olga", "dashboard", "cleared the bench", "bot mine"),
        ("olga", "dashboard", "stopped", "tournament 1"),
    ]


def test_an_upgrade_is_noted_and_the_making_of_a_database_is_not(
    older: Store,  # noqa: F811
    store: Store,
) -> None:
    upgraded = upgrade_store(url_of(older), ADA)
    again = upgrade_store(url_of(older), ADA)

    assert noted(upgraded) == [("ada", "command line", "upgraded", "database")]
    assert noted(store) == []
    upgraded.dispose()
    again.dispose()


def test_the_oldest_entries_are_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "MOST", 3)
    with store.write() as conn:
        for number in range(10):
            audit_log.note(conn, ADA, "did", f"thing {number}", "x" * 10_000, now=float(number))

    assert [subject for *_, subject in noted(store)] == ["thing 7", "thing 8", "thing 9"]
    with store.read() as conn:
        assert {len(entry.details) for entry in audit_log.entries(conn, 9)} == {audit_log.LONGEST}


def test_entries_are_found_by_name_and_time(store: Store) -> None:
    with store.write() as conn:
        audit_log.note(conn, ADA, "did", "one", now=100.0)
        audit_log.note(conn, Actor("A_a", "dashboard"), "did", "two", now=200.0)
        audit_log.note(conn, Actor("ADA", "dashboard"), "did", "three", now=300.0)

    assert [subject for *_, subject in noted(store, who="aDa")] == ["one", "three"]
    assert [subject for *_, subject in noted(store, who="a_a")] == ["two"]
    assert [subject for *_, subject in noted(store, since=200.0)] == ["two", "three"]


# The command


def test_the_command_line_notes_its_user_and_lists_what_was_done(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: Callable[[], None] = lambda: monkeypatch.setattr(  # noqa: E731
        "sys.stdin", io.StringIO("correct horse battery\n")
    )
    monkeypatch.setenv("SUDO_USER", "olga")
    typed()
    assert run("account", "add", "ada", "--organiser").status == 0
    typed()
    assert run("account", "password", "ada").status == 0
    for command in (
        ("account", "organiser", "ada", "--revoke"),
        ("bot", "add", "nora"),
        ("bot", "owner", "nora", "ada"),
        ("bot", "retire", "nora"),
        ("ratings", "rebuild"),
        ("ratings", "rebuild", "--check"),
    ):
        assert run(*command).status == 0

    listed = run("audit-log", "--json", "--since", "1h", "--who", "OLGA").out.splitlines()
    entries = [json.loads(line) for line in reversed(listed)]
    assert {(entry["who"], entry["source"]) for entry in entries} == {("olga", "command line")}
    assert [f"{entry['action']} {entry['subject']}" for entry in entries] == [
        "made account ada",
        "gave a new password account ada",
        "dismissed as organiser account ada",
        "registered bot nora",
        "gave away bot nora",
        "retired bot nora",
        "rebuilt ratings",
    ]
    table = run("audit-log", "--limit", "2").out
    assert re.search(r"olga +command line +rebuilt +ratings", table)
    assert "nora" in table
    assert "organiser" not in table
    assert "argon2" not in run("audit-log", "--json").out


def test_a_time_that_is_none_is_refused(run: Run) -> None:
    refused = run("audit-log", "--since", "yesterday")

    assert refused.status == 2
    assert "is not a time. Write 2026-03-01" in refused.err


def test_days_and_times_are_understood(run: Run) -> None:
    run("bot", "add", "nora")

    for since, lines in (("2020-01-01", 1), ("2020-01-01T12:00", 1), ("7d", 1), ("2100-01-01", 0)):
        assert len(run("audit-log", "--json", "--since", since).out.splitlines()) == lines


def test_the_user_of_the_machine_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)

    assert operator().who
    assert operator().source == "command line"
