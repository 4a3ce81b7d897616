"""Taking one's data along, and deleting an account."""

import io
import json
import zipfile

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from arena.base.config import Settings
from arena.base.errors import NotFound
from arena.store import Store
from arena.store.registry import accounts, audit_log, bot_lists, bots, profiles
from arena.store.registry.mail import addresses, links, outbox
from arena.store.registry.profiles import AuthorProfile, BotProfile
from arena.store.reports.own_data import own_data
from arena.store.tables import accounts as account_rows
from arena.store.tables import sessions
from arena.store.tables import tournaments as rows
from arena.store.tournaments import creation, guests, tournaments
from arena.store.tournaments.departure import delete_account
from arena.tournaments.formats import TournamentSpec, check_spec
from arena.tournaments.formats.formats import SITTING
from dashboard import create_app
from tests.integration.people import HASHED, PASSWORD, person, send
from tests.integration.played import play


def move_in(store: Store) -> int:
    """ada, with all that a person can have: a bot that has played, a table, an address."""
    with store.write() as conn:
        ada = accounts.find(conn, "ada") or accounts.sign_up(conn, "ada", HASHED)
        hers, _ = bots.register(conn, "hers", owner=ada.id)
        bots.register(conn, "other")
        profiles.describe(conn, hers.id, BotProfile("Counts cards.", "", "Rust"))
        profiles.publish(conn, ada, AuthorProfile("Likes llamas."))
        addresses.confirm(conn, ada.id, "ada@mail.example", 1.0)
        links.make(conn, "reset", ada.id, "ada@mail.example", 2.0)
        outbox.add(conn, "password", ada.id, "", 3.0)
        guest = guests.arrive(conn, (ada.id, ada.name))
        spec = TournamentSpec(format=SITTING, seats=2, matches=1, bots=(guest.name, "other"))
        table = check_spec(spec, sitting=True)
        creation.create(conn, table, owner=ada.id, kind="table")
    play(store, "hers", "other")
    return ada.id


def test_an_account_is_deleted_and_what_others_played_with_stays(store: Store) -> None:
    number = move_in(store)
    with store.write() as conn:
        _, token = bots.register(conn, "second", owner=number)
        delete_account(conn, number, 50.0)

    with store.read() as conn:
        with pytest.raises(NotFound):
            accounts.get(conn, number)
        hers = bots.get(conn, "hers")
        assert (hers.owner, hers.retired) == (None, 50.0)
        assert profiles.of_bot(conn, hers.id) == BotProfile()
        assert bots.by_token(conn, token) is None
        assert bot_lists.match_counts(conn, {hers.id})[hers.id] > 0, "matches are others' as well"
        assert not outbox.is_due(conn, 1e12)
        with pytest.raises(NotFound):
            bots.get(conn, "guest-ada")
        specs = conn.scalars(select(rows.c.spec)).all()
        assert specs
        assert not any("guest-ada" in spec for spec in specs)
        (table,) = tournaments.all_tournaments(conn, kind="table")
        assert (table.state, table.owner) == ("cancelled", None)
        guest = bots.by_players(conn, table.players)[table.players[0]]
        assert guest.name == table.spec.bots[0] != "guest-ada"
    with store.write() as conn:
        assert accounts.sign_up(conn, "ada", HASHED).id != number, "the name is free"


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(Settings(), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    browser = person(app, sqlite_store, "ada")
    move_in(sqlite_store)
    return browser


def test_deleting_takes_the_name_and_the_password(ada: FlaskClient, sqlite_store: Store) -> None:
    page = ada.get("/account/delete").text
    name = send(ada, "/account/delete", "/account/delete", name="bob", old=PASSWORD)
    wrong = send(ada, "/account/delete", "/account/delete", name="ada", old="not it")

    assert "hers" in page
    assert (name.status_code, wrong.status_code) == (400, 400)
    assert "name to confirm" in name.text
    assert "not your current password" in wrong.text

    gone = send(ada, "/account/delete", "/account/delete", name="Ada", old=PASSWORD)
    assert "Account deleted" in gone.text
    assert ada.get("/account").status_code == 303
    answer = send(ada, "/sign-in", name="ada", password=PASSWORD)
    assert "Wrong name or password" in answer.text
    assert ada.get("/authors/ada").status_code == 404
    assert ada.get("/bots/hers").status_code == 200


def test_an_organisers_leaving_is_in_the_audit_log(app: Flask, sqlite_store: Store) -> None:
    olga = person(app, sqlite_store, "olga", organiser=True)
    send(olga, "/account/delete", "/account/delete", name="olga", old=PASSWORD)

    with sqlite_store.read() as conn:
        (entry,) = audit_log.entries(conn, 5)
    assert (entry.who, entry.action, entry.subject) == ("olga", "deleted", "account olga")


def test_an_account_without_a_password_is_deleted_by_who_signed_in_just_now(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        conn.execute(account_rows.update().values(password=""))
        conn.execute(sessions.update().values(created=5.0))
    late = send(ada, "/account/delete", "/account/delete", name="ada", old="")
    assert "Sign out and in again first" in late.text
    with sqlite_store.write() as conn:
        conn.execute(sessions.update().values(created=4e9))
    assert "Account deleted" in send(ada, "/account/delete", "/account/delete", name="ada").text


def test_everything_of_ones_own_can_be_taken_along_and_no_secret(ada: FlaskClient) -> None:
    answer = ada.get("/account/export")

    assert answer.headers["Content-Disposition"] == 'attachment; filename="lama-arena-ada.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        files = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    kinds = ("account", "bots", "tournaments", "tables", "posts", "puzzles")
    assert set(files) == {f"{kind}.json" for kind in kinds}
    assert files["account.json"]["email"] == "ada@mail.example"
    assert files["account.json"]["public_page"]["about"] == "Likes llamas."
    (hers,) = files["bots.json"]
    assert (hers["name"], hers["language"]) == ("hers", "Rust")
    assert hers["ratings"][0]["game"] == "lama"
    told = json.dumps(files)
    assert "argon2" not in told
    assert "digest" not in told


def test_the_matches_that_one_played_are_in_it(sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        ada = accounts.sign_up(conn, "ada", HASHED)
        guest = guests.arrive(conn, (ada.id, ada.name))
        bots.register(conn, "other")
    table = play(sqlite_store, guest.name, "other", kind="table")

    with sqlite_store.read() as conn:
        told = own_data(conn, ada)["tables"]
    assert len(told) == table.planned
    assert {each["game"] for each in told} == {"lama"}
