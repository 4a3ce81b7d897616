"""A new account or bot cannot have a name that looks like another's, on both databases."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy import Connection, select

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.store import Store, tables
from arena.store.registry import accounts, bots
from arena.store.registry.names import alike
from tests.integration.dashboard.test_account_pages import send, sign_up

LIKE_ANN = ["Ann", "ann.", "ann_", "a.n-n", "4nn", "ANN-"]
LIKE_BOT1 = ["BOT-1", "b0t1", "botl", "boti", "bot.1"]


def person(conn: Connection, name: str) -> int:
    return accounts.sign_up(conn, name, "hash").id


def test_no_bot_looks_like_the_account_of_another(store: Store) -> None:
    with store.write() as conn:
        ann, bob = person(conn, "ann"), person(conn, "bob")
        for name in ("ann", *LIKE_ANN):
            with pytest.raises(InvalidRequest, match=f'"{name}".*looks like "ann"'):
                bots.register(conn, name, owner=bob)
        for name in LIKE_ANN:
            assert bots.register(conn, name, owner=ann)[0].name == name


def test_no_account_looks_like_another_or_like_the_bot_of_another(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "ann", owner=person(conn, "bob"))
        person(conn, "cyd")
        for name in ("ann", *LIKE_ANN):
            with pytest.raises(InvalidRequest, match='looks like "ann"'):
                person(conn, name)
        for name in ("cyd.", "C-Y-D", "bob_", "b0b"):
            with pytest.raises(InvalidRequest, match="looks like"):
                person(conn, name)


def test_no_bot_looks_like_the_bot_of_another(store: Store) -> None:
    with store.write() as conn:
        ann, bob = person(conn, "ann"), person(conn, "bob")
        bots.register(conn, "bot1", owner=ann)
        for name in LIKE_BOT1:
            with pytest.raises(InvalidRequest, match='looks like "bot1"'):
                bots.register(conn, name, owner=bob)
        with pytest.raises(AlreadyExists):
            bots.register(conn, "BOT1", owner=bob)
        bots.register(conn, "bot2", owner=bob)
        for name in LIKE_BOT1:
            assert bots.register(conn, name, owner=ann)[0].name == name


def test_bots_of_the_house_and_of_the_operator_are_not_imitated(store: Store) -> None:
    with store.write() as conn:
        bots.register(conn, "sharp", kind="house")
        bots.register(conn, "dan")
        for name in ("5harp", "sharp", "sharp.", "dan.", "d4n"):
            with pytest.raises(InvalidRequest, match="looks like"):
                person(conn, name)
        # The operator may register a bot for an author who signs up later.
        owner = person(conn, "dan")
        with pytest.raises(InvalidRequest, match='looks like "sharp"'):
            bots.register(conn, "sh4rp", owner=owner)
        bots.register(conn, "5harp")


def test_the_form_says_so_and_names_that_are_there_keep_working(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        person(conn, "ann")
        row = {"name_key": "ann.", "token_digest": b"1", "created": 1.0, "kind": "bot"}
        conn.execute(tables.bots.insert().values(name="Ann.", owner=None, **row))
        key = conn.scalar(select(tables.bots.c.id).where(tables.bots.c.name == "Ann."))
        conn.execute(tables.players.insert().values(bot=key, version="1", created=1.0))
    sign_up(browser, "bob")

    answer = send(browser, "/my/bots/-/new", "/my/bots/-/new", name="4nn")

    assert answer.status_code == 400
    assert "looks like &#34;ann&#34;" in answer.text
    with sqlite_store.write() as conn:
        assert bots.get(conn, "ann.").name == "Ann."
        assert bots.new_version(conn, "Ann.").version == "2"


def test_names_that_look_alike_have_one_key_and_others_do_not() -> None:
    assert len({alike(name) for name in ["ann", *LIKE_ANN]}) == 1
    assert len({alike(name) for name in ["bot1", *LIKE_BOT1]}) == 1
    assert alike("rnodern") == alike("modern") == alike("M.0.D.E.R.N")
    assert alike("vvolf") == alike("wolf")
    assert len({alike(f"bot-{number}") for number in range(2000)}) == 2000
    assert len({alike(name) for name in ("bot3", "bote", "bot5", "bots", "anna", "ann4")}) == 6
