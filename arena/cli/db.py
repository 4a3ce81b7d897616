"""`arena db`: the schema of the database, which only its owner changes."""

from __future__ import annotations

import time
from pathlib import Path

import click

from arena.base.errors import Unavailable
from arena.cli.screen import note, say
from arena.cli.where import settings_of
from arena.service.bootstrap import operator
from arena.store import open_store, opening, upgrade_store
from arena.store.migrate import HEAD

LOOK_EVERY_S = 0.5

data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded database.  [default: ARENA_DATA or .arena]",
)


@click.group()
def db() -> None:
    """Make the database, or bring its schema up to date.

    The database is the one in the folder --data, or ARENA_DATABASE_URL. `arena up` and
    `arena demo` do this by themselves for the database in their own folder.
    """


@db.command()
@data_option
@click.option(
    "--wait",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seconds to wait for a database server that is still starting.",
)
def upgrade(data: Path | None, wait: int) -> None:
    """Make the tables, or bring them up to this release.

    Safe while the arena runs: it waits for what is being stored. Processes of the older release
    then stop, and have to be started again from this one.
    """
    settings, _ = settings_of(data)
    url = settings.database
    before = _version_within(url, wait)
    if before != HEAD:
        note("Upgrading; with many matches this takes a while")
    upgrade_store(url, operator(), note, settings.archive_folder).dispose()
    if before is None:
        say(f"Made the database, version {HEAD}.")
    elif before == HEAD:
        say(f"The database is of version {before} already.")
    else:
        say(f"Upgraded the database from version {before} to {HEAD}.")


def _version_within(url: str, wait_s: float) -> str | None:
    """The version of the database, when its server answers. Raises Unavailable if it does not in
    time."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return opening.version(url)
        except Unavailable:
            if time.monotonic() >= deadline:
                raise
            time.sleep(LOOK_EVERY_S)


@db.command()
@data_option
def check(data: Path | None) -> None:
    """Say whether this release can work on the database; exit status 2 if not."""
    open_store(settings_of(data)[0].database).dispose()
    say(f"The database is of version {HEAD}, which is the one this release wants.")
