"""`arena backup` and `arena restore`: the whole database in one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from arena.base.errors import InvalidRequest
from arena.cli.screen import note, say, when
from arena.cli.where import data_option, open_local_store, settings_of
from arena.store.archive import catalogue
from arena.store.backup.database import restore_backup, save_backup
from arena.store.backup.format import Contents, check_backup
from arena.store.migrate import HEAD


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@data_option
def backup(file: Path, data: Path | None) -> None:
    """Save the whole database to FILE. The arena can keep running.

    FILE is a consistent snapshot. SQLite and PostgreSQL use the same format, so you can restore
    either into the other. FILE appears once it is complete. An existing file is never overwritten.
    Only you can read FILE. Keep it private, because it contains tournament secrets and hashes of
    passwords and tokens. Two things are not in FILE: back up the secret key (the file secret_key
    in the data folder, or ARENA_SECRET_KEY) and the archives that the command names.

    Take a backup before `arena db upgrade`, with the old release or the new one. Both can restore
    it, because it keeps its schema version.

    \b
    Example:
      arena backup /backups/arena-$(date +%F).gz
    """
    with open_local_store(data, of_any_version=True) as store:
        contents = save_backup(store, file)
        with store.read() as conn:
            archives = catalogue.names(conn) if contents.rows["archives"] else []
    say(f"{file}: {_summary(contents)}, {file.stat().st_size / 1e6:,.1f} MB.")
    if contents.version != HEAD:
        note(f"The database is older than this release, which needs schema version {HEAD}.")
    if archives:
        note(
            f"Archived matches are not included. Also back up {', '.join(archives)} in "
            f"{store.archive}."
        )


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only check FILE and print its contents.")
@data_option
def restore(file: Path, check: bool, data: Path | None) -> None:
    """Fill an empty database from a backup.

    The database is the one in the folder --data, or ARENA_DATABASE_URL. It is created if missing
    and must be empty. FILE is checked first and then restored in one transaction. Run
    `arena ratings rebuild --check` afterwards to compare the ratings with the matches. If FILE has
    an older schema version, run `arena db upgrade`, too.

    \b
    Example:
      arena restore arena-2026-03-01.gz --data fresh
    """
    with _opened(file) as stream:
        if check:
            say(f"{file}: {_summary(check_backup(stream))}, intact.")
            return
        note("Restoring. With many matches, this takes a while.")
        contents = restore_backup(settings_of(data)[0].database, stream)
    say(f"Restored {_summary(contents)}.")
    if contents.version != HEAD:
        note(f"This release needs schema version {HEAD}. Run `arena db upgrade` next.")


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise InvalidRequest(
            f"{file} cannot be read ({error.strerror or error}). Give a file from `arena backup`, "
            "not a pipe, because it is read twice."
        ) from None


def _summary(contents: Contents) -> str:
    made = f"saved {when(contents.created)} by lama-arena {contents.release}"
    matches = f"{contents.rows['matches']:,} matches"
    return f"{contents.total:,} rows ({matches}), {made}, schema version {contents.version}"
