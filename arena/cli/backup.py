"""`arena backup` and `arena restore`: everything in the database, in one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from arena.base.errors import InvalidRequest
from arena.cli.db import data_option
from arena.cli.screen import note, say, when
from arena.cli.where import Where, open_local_store, settings_of
from arena.store.archive import catalogue
from arena.store.backup import Contents, check_backup, restore_backup, save_backup
from arena.store.migrate import HEAD


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@data_option
def backup(file: Path, data: Path | None) -> None:
    """Save everything in the database to FILE, also while the arena runs and before an upgrade.

    FILE holds the database as it was at one moment, and is the same for SQLite and PostgreSQL:
    either can be restored into the other. It appears when it is complete; one that exists is
    left alone. Only you can read it, for it holds tournaments' secrets and digests of passwords
    and tokens: keep it so. Two things are not in FILE. Keep copies of the secret key (the file
    secret_key in the data folder, or ARENA_SECRET_KEY) and of the archives that the command names.

    A database of an older release is saved with its own schema version: take the backup before
    `arena db upgrade`, with the old release or the new one. Either restores it.

    \b
    Example:
      arena backup /backups/arena-$(date +%F).gz
    """
    with open_local_store(Where(data), of_any_version=True) as store:
        contents = save_backup(store, file)
        with store.read() as conn:
            archives = catalogue.names(conn) if contents.rows["archives"] else []
    say(f"{file}: {_told(contents)}, {file.stat().st_size / 1e6:,.1f} MB.")
    if contents.version != HEAD:
        note(f"The database is older than this release, which needs schema version {HEAD}.")
    if archives:
        note(
            f"Archived matches are not in it: keep copies of {', '.join(archives)}, too, which "
            f"are in {store.archive}."
        )


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only read FILE through and say what is in it.")
@data_option
def restore(file: Path, check: bool, data: Path | None) -> None:
    """Fill an empty database with what `arena backup` saved.

    FILE is read through before anything is touched. The database is the one in the folder --data,
    or ARENA_DATABASE_URL; it is made if it is not there, and has to be empty. It is filled in one
    transaction, so it holds everything or nothing. Afterwards `arena ratings rebuild --check`
    compares all numbers with the matches. FILE may be of an older schema version: run
    `arena db upgrade` afterwards.

    \b
    Example:
      arena restore arena-2026-03-01.gz --data fresh
    """
    with _opened(file) as stream:
        if check:
            say(f"{file}: {_told(check_backup(stream))}; it is whole.")
            return
        note("Restoring; with many matches this takes a while")
        contents = restore_backup(settings_of(data)[0].database, stream)
    say(f"Restored {_told(contents)}.")
    if contents.version != HEAD:
        note(f"This release needs schema version {HEAD}: run `arena db upgrade` next.")


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise InvalidRequest(
            f"{file} cannot be read ({error.strerror or error}): give the file that `arena backup` "
            "wrote; it is read twice, so a pipe will not do."
        ) from None


def _told(contents: Contents) -> str:
    made = f"made {when(contents.created)} by lama-arena {contents.release}"
    matches = f"{contents.rows['matches']:,} matches"
    return f"{contents.total:,} rows ({matches}), {made}, schema version {contents.version}"
