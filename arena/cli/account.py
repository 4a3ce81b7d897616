"""`arena account`: manage the accounts of the dashboard."""

import json
import sys
from pathlib import Path

import click

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.cli.screen import json_option, note, print_table, say, when
from arena.cli.where import data_option, open_local_store
from arena.service.bootstrap import operator
from arena.store.registry import accounts, audit_log, passwords
from arena.store.reports.own_data import own_data
from arena.store.tournaments.departure import delete_account


@click.group()
def account() -> None:
    """Manage accounts and appoint organisers.

    Users sign in to the dashboard with an account. Organisers can also create tournaments. These
    commands need access to the arena's database (--data or ARENA_DATABASE_URL).
    """


@account.command("list")
@json_option
@data_option
def list_(json_: bool, data: Path | None) -> None:
    """List the accounts."""
    with open_local_store(data) as store, store.read() as conn:
        people = accounts.all_accounts(conn)
    if json_:
        lines = [
            {"name": each.name, "organiser": each.organiser, "created": each.created}
            for each in people
        ]
        print(json.dumps({"accounts": lines}, indent=2))
    elif not people:
        note(
            "There are no accounts yet. Users sign up on the dashboard, or add one with "
            "`arena account add NAME`."
        )
    else:
        rows = [
            (each.name, "yes" if each.organiser else "no", when(each.created)) for each in people
        ]
        print_table(("name", "organiser", "since"), rows, left=("name", "organiser"))


@account.command()
@click.argument("name")
@click.option(
    "--organiser", is_flag=True, help="Let the account create, cancel and resume tournaments."
)
@data_option
def add(name: str, organiser: bool, data: Path | None) -> None:
    """Add an account.

    The command asks for the password or reads it from standard input.

    \b
    Example:
      arena account add ada --organiser
    """
    accounts.check_name(name)
    hashed = passwords.hashed(_new_password(name))
    with open_local_store(data, begin=True) as store, store.write() as conn:
        person = accounts.sign_up(conn, name, hashed, organiser=organiser)
        role = "as an organiser" if organiser else ""
        audit_log.note(conn, operator(), "made", f"account {person.name}", role)
    say(f"{person.name} can sign in{' and is an organiser' if organiser else ''}.")


@account.command()
@click.argument("name")
@click.option("--revoke", is_flag=True, help="Revoke the right.")
@data_option
def organiser(name: str, revoke: bool, data: Path | None) -> None:
    """Let an account organise tournaments on the dashboard."""
    with open_local_store(data) as store, store.write() as conn:
        person = accounts.set_organiser(conn, name, not revoke)
        done = "dismissed as organiser" if revoke else "made organiser"
        audit_log.note(conn, operator(), done, f"account {person.name}")
    say(f"{person.name} is {'no longer an' if revoke else 'an'} organiser.")


@account.command()
@click.argument("name")
@data_option
def password(name: str, data: Path | None) -> None:
    """Set a new password for an account.

    The command asks for the password or reads it from standard input. All sessions of the account
    are signed out.
    """
    with open_local_store(data) as store:
        with store.read() as conn:
            person = accounts.by_name(conn, name)
        hashed = passwords.hashed(_new_password(person.name))
        with store.write() as conn:
            accounts.set_password(conn, person.name, hashed)
            audit_log.note(conn, operator(), "gave a new password", f"account {person.name}")
    say(f"Changed the password of {person.name}.")


@account.command()
@click.argument("name")
@data_option
def export(name: str, data: Path | None) -> None:
    """Print all stored data of an account as JSON."""
    with open_local_store(data) as store, store.read() as conn:
        print(json.dumps(own_data(conn, accounts.by_name(conn, name)), indent=2))


@account.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="No confirmation.")
@data_option
def delete(name: str, yes: bool, data: Path | None) -> None:
    """Delete an account for good.

    Its bots are retired and no longer have an owner. Their results are kept.
    """
    with open_local_store(data) as store:
        with store.read() as conn:
            person = accounts.by_name(conn, name)
        if not yes:
            click.confirm(f"Delete the account {person.name}, for good?", abort=True)
        with store.write() as conn:
            delete_account(conn, person.id, instant.now())
            audit_log.note(conn, operator(), "deleted", f"account {person.name}")
    say(f"{person.name} is deleted.")


def _new_password(name: str) -> str:
    if sys.stdin.isatty():
        secret: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        secret = sys.stdin.readline().rstrip("\r\n")
        if not secret:
            raise InvalidRequest("No password. Type it, or send it to standard input.")
    return passwords.check_password(secret, name)
