"""`arena db`: create or upgrade the schema of the database."""

import time
from pathlib import Path

import click

from arena.base.errors import Unavailable
from arena.cli.screen import note, say
from arena.cli.where import data_option, settings_of
from arena.service.bootstrap import operator
from arena.store import open_store, opening, upgrade_store
from arena.store.migrate import HEAD

LOOK_EVERY_S = 0.5


@click.group()
def db() -> None:
    """Create the database or upgrade its schema.

    The database is the one in the folder --data, or ARENA_DATABASE_URL. `arena up` and
    `arena demo` do this automatically for the database in their folder.
    """


@db.command()
@data_option
@click.option(
    "--wait",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Seconds to wait for the database server to start.",
)
def upgrade(data: Path | None, wait: int) -> None:
    """Create the tables, or upgrade them to this release.

    Safe while the arena runs: the upgrade waits for open transactions. Processes of the older
    release then stop. Start them again from this release.
    """
    settings, _ = settings_of(data)
    url = settings.database
    before = _version_within(url, wait)
    if before != HEAD:
        note("Upgrading. With many matches, this takes a while.")
    upgrade_store(url, operator(), note, settings.archive_folder).dispose()
    if before is None:
        say(f"Created the database, version {HEAD}.")
    elif before == HEAD:
        say(f"The database already has version {before}.")
    else:
        say(f"Upgraded the database from version {before} to {HEAD}.")


def _version_within(url: str, wait_s: float) -> str | None:
    """Return the version of the database once its server answers. Raises Unavailable on timeout."""
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
    """Check whether this release can use the database.

    Exit status 2 if not.
    """
    open_store(settings_of(data)[0].database).dispose()
    say(f"The database has version {HEAD}, as this release requires.")
