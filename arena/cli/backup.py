"""`arena backup` and `arena restore`: everything in the database, in one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from arena.cli.db import data_option
from arena.cli.screen import note, say, when
from arena.cli.where import Where, open_local_store, settings_of
from arena.errors import InvalidRequest
from arena.store.archive import catalogue
from arena.store.backup import Contents, check_backup, restore_backup, save_backup
from arena.store.migrate import HEAD


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@data_option
def backup(file: Path, data: Path | None) -> None:
    """Save everything in the database to FILE, also while the arena runs.

    FILE holds the database as it was at one moment, and is the same for SQLite and PostgreSQL:
    either can be restored into the other. It appears when it is complete; one that exists is
    left alone. Only you can read it, for it holds tournaments' secrets and digests of passwords
    and tokens: keep it so. The folder's key of sessions, secret_key, is not in it, and without it
    people sign in anew; nor are archives, whose names it says.

    \b
    Example:
      arena backup /backups/arena-$(date +%F).gz
    """
    with open_local_store(Where(data)) as store:
        contents = save_backup(store, file)
        with store.read() as conn:
            archives = [each.name for each in catalogue.every(conn)]
    say(f"{file}: {_told(contents)}, {file.stat().st_size / 1e6:,.1f} MB.")
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
    compares all numbers with the matches.

    \b
    Example:
      arena restore arena-2026-03-01.gz --data fresh
    """
    with _opened(file) as stream:
        if check:
            say(f"{file}: {_told(check_backup(stream, HEAD))}; it is whole.")
            return
        note("Restoring; with many matches this takes a while")
        contents = restore_backup(settings_of(data)[0].database, stream)
    say(f"Restored {_told(contents)}.")


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
