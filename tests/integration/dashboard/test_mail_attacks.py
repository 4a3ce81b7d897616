"""Attacks on links in e-mails: floods, links that outlive a password, what an answer gives away."""

import time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event

from arena.base.errors import LimitReached
from arena.store import Store
from arena.store.registry import accounts
from arena.store.registry.mail import addresses, links, outbox
from arena.store.tournaments.departure import delete_account
from dashboard import create_app
from tests.integration.dashboard.test_mail import NEW, SENDS, Post, follow, path_in
from tests.integration.people import HASHED, PASSWORD, csrf, person, send

VICTIM = "victim@mail.example"
ALONE = SENDS.model_copy(update={"people_per_address": 1})


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    return create_app(SENDS, sqlite_store, None)


@pytest.fixture
def post(sqlite_store: Store) -> Post:
    return Post(sqlite_store)


@pytest.fixture
def victim(app: Flask, sqlite_store: Store) -> FlaskClient:
    """Signed in, with a confirmed address."""
    browser = person(app, sqlite_store, "victim")
    with sqlite_store.write() as conn:
        addresses.confirm(conn, number_of(sqlite_store, "victim"), VICTIM, 1.0)
    return browser


def number_of(store: Store, name: str) -> int:
    with store.read() as conn:
        return accounts.by_name(conn, name).id


def ask_reset(store: Store, count: int, now: float) -> None:
    with store.write() as conn:
        for _ in range(count):
            outbox.add(conn, "reset", None, "victim", now)


def ask_to_confirm(browser: FlaskClient, address: str) -> int:
    form = {"address": address, "old": PASSWORD}
    return send(browser, "/account/email", "/account", **form).status_code


def email_of(store: Store, name: str) -> str:
    with store.read() as conn:
        found = addresses.of_account(conn, accounts.by_name(conn, name).id)
    return found.address if found else ""


# Links that outlive a password


@pytest.mark.parametrize("by", ["owner", "operator"])
def test_a_new_password_ends_links_to_an_address_that_is_not_confirmed_yet(
    app: Flask, sqlite_store: Store, post: Post, by: str
) -> None:
    thief = person(app, sqlite_store, "ada")
    assert ask_to_confirm(thief, "thief@mail.example") == 303
    (message,) = post.send()

    new_password(app, sqlite_store, by)

    assert follow_link(app, message.text) == 400
    assert email_of(sqlite_store, "ada") == ""


@pytest.mark.parametrize("by", ["owner", "operator"])
def test_a_new_password_ends_links_that_wait_to_be_sent(
    app: Flask, sqlite_store: Store, post: Post, by: str
) -> None:
    thief = person(app, sqlite_store, "ada")
    assert ask_to_confirm(thief, "thief@mail.example") == 303

    new_password(app, sqlite_store, by)

    assert [each.subject for each in post.send()] == []


def new_password(app: Flask, store: Store, by: str) -> None:
    if by == "operator":
        with store.write() as conn:
            accounts.set_password(conn, "ada", HASHED)
        return
    owner = app.test_client()
    send(owner, "/sign-in", name="ada", password=PASSWORD)
    changed = send(owner, "/account/password", "/account", old=PASSWORD, new=NEW)
    assert changed.status_code == 303


def follow_link(app: Flask, text: str) -> int:
    token = text.partition("token=")[2].split()[0]
    browser = app.test_client()
    return send(browser, "/account/email/confirm", token=token).status_code


# Floods


def test_a_flood_of_resets_leaves_a_link_that_works_all_day(
    victim: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    ask_reset(sqlite_store, 50, 100.0)
    messages = post.send(200.0)

    assert len(messages) == links.MOST_A_DAY
    before_the_next = 200.0 + links.DAY_S - 1
    with sqlite_store.read() as conn:
        (secret,) = messages[-1].secrets
        assert links.find(conn, "reset", secret, before_the_next) is not None
    ask_reset(sqlite_store, 1, before_the_next + 2)
    assert len(post.send(before_the_next + 2)) == 1


def test_confirming_somebodys_address_uses_up_none_of_their_resets(
    app: Flask, victim: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    thief = person(app, sqlite_store, "thief")
    for _ in range(links.MOST_A_DAY):
        ask_to_confirm(thief, VICTIM)
    assert len(post.send()) == links.MOST_A_DAY

    ask_reset(sqlite_store, 1, time.time())
    assert [each.subject for each in post.send()] == ["Choose a new password"]


def test_one_account_has_links_sent_to_a_handful_of_strangers(
    app: Flask, sqlite_store: Store, post: Post
) -> None:
    thief = person(app, sqlite_store, "thief")
    asked = [ask_to_confirm(thief, f"stranger{n}@mail.example") for n in range(7)]

    assert asked == [303] * links.MOST_A_DAY + [429] * 2
    assert len(post.send()) == links.MOST_A_DAY


def test_a_mailbox_is_not_flooded_by_accounts_that_are_deleted_again(
    app: Flask, sqlite_store: Store, post: Post
) -> None:
    sent = []
    for number in range(links.MOST_A_DAY + 2):
        thief = person(app, sqlite_store, f"thief{number}")
        sent.append(ask_to_confirm(thief, VICTIM))
        post.send()
        with sqlite_store.write() as conn:
            delete_account(conn, accounts.by_name(conn, f"thief{number}").id, time.time())

    assert sent == [303] * links.MOST_A_DAY + [429] * 2


def test_addresses_with_a_tag_are_one_mailbox(sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        number = accounts.sign_up(conn, "thief", HASHED).id
        for tag in range(links.MOST_A_DAY):
            links.make(conn, "confirm", number, f"Victim+{tag}@mail.example", 10.0)
        with pytest.raises(LimitReached):
            links.make(conn, "confirm", number, VICTIM, 11.0)


def test_a_full_queue_keeps_no_owner_from_changing_a_password(
    victim: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, post: Post
) -> None:
    monkeypatch.setattr(outbox, "MOST", 3)
    ask_reset(sqlite_store, 3, time.time())
    with pytest.raises(LimitReached):
        ask_reset(sqlite_store, 1, time.time())

    changed = send(victim, "/account/password", "/account", old=PASSWORD, new=NEW)

    assert changed.status_code == 303
    assert "Your password was changed" in [each.subject for each in post.send()]


def test_asking_about_one_victim_is_limited_like_asking_about_many(
    sqlite_store: Store, post: Post
) -> None:
    browser = create_app(ALONE, sqlite_store, None).test_client()
    token = csrf(browser, "/reset-password")
    asked = [
        browser.post("/reset-password", data={"who": who, "csrf_token": token}).status_code
        for who in ("victim", "nobody", VICTIM, "victim", "victim", "victim", "other")
    ]

    assert asked == [303] * 5 + [429] * 2


# Whose request it was


def test_links_lead_to_the_arena_whatever_host_a_request_names(
    app: Flask, victim: FlaskClient, post: Post
) -> None:
    thief = app.test_client()
    evil = {"base_url": "http://evil.example"}
    spoofed = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    page = thief.get("/reset-password", headers=spoofed, **evil).text
    token = page.partition('name="csrf_token" value="')[2].partition('"')[0]
    form = {"who": "victim", "csrf_token": token}
    assert thief.post("/reset-password", data=form, headers=spoofed, **evil).status_code == 303
    (message,) = post.send()

    assert "https://arena.example/reset-password/new?token=" in message.text
    assert "evil.example" not in message.text


def test_forms_of_other_sites_ask_for_nothing_and_change_nothing(
    app: Flask, victim: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    ask_reset(sqlite_store, 1, time.time())
    (message,) = post.send()
    token = path_in(message).partition("token=")[2]
    forms = {
        "/reset-password": {"who": "victim"},
        "/reset-password/new": {"token": token, "new": NEW},
        "/account/email": {"address": "thief@mail.example", "old": PASSWORD},
        "/account/email/confirm": {"token": token},
    }

    assert [victim.post(path, data=form).status_code for path, form in forms.items()] == [400] * 4
    assert post.send() == []
    assert follow(app.test_client(), message, new=NEW) == 303, "the link still works"


def test_a_session_that_a_thief_planted_is_not_signed_in_by_a_reset(
    app: Flask, victim: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    """Session fixation: the victim's browser has the thief's cookie when the password is chosen."""
    thief, planted = app.test_client(), app.test_client()
    csrf(thief, "/sign-in")
    cookie = thief.get_cookie("arena_session")
    assert cookie is not None
    planted.set_cookie("arena_session", cookie.value)
    ask_reset(sqlite_store, 1, time.time())
    (message,) = post.send()

    assert follow(planted, message, new=NEW) == 303
    assert planted.get("/account").status_code == 200
    assert thief.get("/account").status_code == 303
    after = planted.get_cookie("arena_session")
    assert after is not None
    assert after.value != cookie.value


@pytest.mark.parametrize("change", ["password", "address", "removed", "deleted"])
def test_a_link_dies_with_what_it_was_sent_for(
    app: Flask, victim: FlaskClient, sqlite_store: Store, post: Post, change: str
) -> None:
    ask_reset(sqlite_store, 1, time.time())
    (message,) = post.send()
    if change == "password":
        send(victim, "/account/password", "/account", old=PASSWORD, new=NEW)
    elif change == "address":
        ask_to_confirm(victim, "new@mail.example")
        follow(victim, post.send()[0])
    elif change == "removed":
        send(victim, "/account/email/remove", "/account", old=PASSWORD)
    else:
        with sqlite_store.write() as conn:
            delete_account(conn, number_of(sqlite_store, "victim"), time.time())
        person(app, sqlite_store, "victim")  # another person takes the name

    token = path_in(message).partition("token=")[2]
    answer = send(app.test_client(), "/reset-password/new", token=token, new=NEW)
    assert answer.status_code == 400
    assert "no longer works" in answer.text


def test_a_page_with_a_link_is_kept_by_no_cache_and_named_to_no_other_site(
    app: Flask, victim: FlaskClient, sqlite_store: Store, post: Post
) -> None:
    ask_reset(sqlite_store, 1, time.time())
    (message,) = post.send()
    ask_to_confirm(victim, "new@mail.example")
    (confirm,) = post.send()

    for link in (message, confirm):
        page = app.test_client().get(path_in(link))
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "same-origin"


def test_asking_does_the_same_work_whether_there_is_such_an_account_or_not(
    app: Flask, victim: FlaskClient, sqlite_store: Store
) -> None:
    """It counts statements, not seconds: the database takes most of the time."""
    browser = app.test_client()
    token = csrf(browser, "/reset-password")
    seen: list[str] = []
    event.listen(sqlite_store.engine, "before_cursor_execute", lambda *each: seen.append(each[2]))
    done = []
    for who in ("victim", VICTIM, "nobody", "no@body.example"):
        seen.clear()
        browser.post("/reset-password", data={"who": who, "csrf_token": token})
        done.append([each for each in seen if any(table in each for table in ("mail", "account"))])

    assert any("INSERT INTO mails" in each for each in done[0])
    assert done[1:] == done[:1] * 3
