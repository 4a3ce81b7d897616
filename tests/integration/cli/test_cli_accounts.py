"""`arena account`, and what `arena bot` does about owners and retirement."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from arena.store import open_store
from arena.store.registry import accounts, bots, passwords

Run = Callable[..., Any]
PASSWORD = "correct horse battery"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a text on standard input."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


@contextmanager
def reading(folder: Path) -> Iterator[Connection]:
    """A connection to the arena in a folder."""
    store = open_store(f"sqlite:///{folder / 'arena.db'}")
    with store.read() as conn:
        yield conn
    store.dispose()


def test_an_account_is_made_with_a_password_from_standard_input(
    run: Run, typed: Callable[[str], None], tmp_path: Path
) -> None:
    typed(f"{PASSWORD}\n")
    made = run("account", "add", "ada", "--organiser")

    assert (made.status, made.out) == (0, "ada can sign in and is an organiser.\n")
    assert PASSWORD not in made.out + made.err
    with reading(tmp_path) as conn:
        account = accounts.by_name(conn, "ada")
    assert account.organiser
    assert passwords.is_right(PASSWORD, account.password)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("<b>", PASSWORD, "is not a valid account name"),
        ("ada", "short", "10 to 200 characters"),
        ("ada", "", "No password."),
    ],
)
def test_an_account_that_cannot_be_made_is_told_why(
    run: Run, typed: Callable[[str], None], name: str, text: str, said: str
) -> None:
    typed(text)
    refused = run("account", "add", name)

    assert refused.status == 2
    assert said in refused.err
    assert "Traceback" not in refused.err


def test_a_name_is_given_once(run: Run, typed: Callable[[str], None]) -> None:
    typed(PASSWORD)
    assert run("account", "add", "ada").status == 0
    typed(PASSWORD)
    refused = run("account", "add", "ADA")

    assert refused.status == 2
    assert "There is already an account" in refused.err


def test_organisers_are_appointed_dismissed_and_listed(
    run: Run, typed: Callable[[str], None]
) -> None:
    typed(PASSWORD)
    run("account", "add", "ada")

    assert run("account", "organiser", "ada").out == "ada is an organiser.\n"
    assert json.loads(run("account", "list", "--json").out)["accounts"][0]["organiser"] is True
    assert run("account", "organiser", "ada", "--revoke").out == "ada is no longer an organiser.\n"
    assert "ada" in run("account", "list").out
    assert "argon2" not in run("account", "list", "--json").out
    assert run("account", "organiser", "bob").status == 2


def test_a_forgotten_password_is_replaced(
    run: Run, typed: Callable[[str], None], tmp_path: Path
) -> None:
    typed(PASSWORD)
    run("account", "add", "ada")
    typed("another horse battery")

    assert run("account", "password", "ADA").status == 0

    with reading(tmp_path) as conn:
        stored = accounts.by_name(conn, "ada").password
    assert passwords.is_right("another horse battery", stored)


def test_bots_are_given_to_accounts_and_taken_back(
    run: Run, typed: Callable[[str], None], tmp_path: Path
) -> None:
    typed(PASSWORD)
    run("account", "add", "ada")
    run("bot", "add", "nora")

    assert run("bot", "owner", "NORA", "ada").out == "nora belongs to ada.\n"
    with reading(tmp_path) as conn:
        assert bots.get(conn, "nora").owner == accounts.by_name(conn, "ada").id
    assert run("bot", "owner", "nora").out == "nora has no owner.\n"
    assert run("bot", "owner", "nora", "bob").err == 'Error: There is no account named "bob".\n'
    assert run("bot", "owner", "none", "ada").err == 'Error: There is no bot named "none".\n'


def test_bots_are_retired_and_reinstated(run: Run) -> None:
    run("bot", "add", "nora")

    assert run("bot", "retire", "nora").out == "nora is retired.\n"
    assert "nora" not in run("bot", "list").out
    assert run("bot", "retire", "nora", "--back").out == "nora is reinstated.\n"
    assert "nora" in run("bot", "list").out


def test_missing_arena_is_reported(run: Run) -> None:
    refused = run("account", "list")

    assert refused.status == 2
    assert "Start one with `arena up --data " in refused.err
