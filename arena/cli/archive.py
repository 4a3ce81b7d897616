"""`arena archive`: move old months of matches into files, and back."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from arena.base.errors import ArenaError, InvalidRequest, NotFound, NotNow
from arena.base.text import plural
from arena.cli.screen import note, print_table, say, when
from arena.cli.where import data_option, open_local_store, settings_of
from arena.service.bootstrap import operator
from arena.store import Store, archiving
from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.archiving import ready
from arena.store.matches import months

COLUMNS = ("archive", "month", "matches", "bytes each", "made", "file")


def _month(ctx: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """Return the number of a month, given as 2026-11 or "earlier"."""
    try:
        return None if text is None else months.named(text)
    except InvalidRequest as error:
        raise click.BadParameter(str(error)) from None


@click.group()
def archive() -> None:
    """Move old months of matches into files, and back.

    Archived matches keep their pages, replays and records, and count in all ratings. Lists leave
    them out. The files are in ARENA_ARCHIVE, or in the folder archive of the data folder. If you
    move them, set ARENA_ARCHIVE to the new folder; do not rename them. Backups of the database do
    not include them.
    """


@archive.command()
@click.option(
    "--before",
    callback=_month,
    metavar="YYYY-MM",
    help="First month to keep.  [default: the last complete month]",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be archived.")
@data_option
def save(before: int | None, dry_run: bool, data: Path | None) -> None:
    """Archive old months. The arena can keep running.

    A month is archived once its matches are final: its tournaments are over, or its matches are
    rated and no longer needed to continue. The newest month with matches is kept. Files are
    written, read back and compared before the matches are deleted from the database. If
    interrupted, run the command again. Exit status 1 if a month could not be archived.

    \b
    Example:
      arena archive save --before 2026-09
    """
    _check_folder(data)
    with open_local_store(data) as store:
        with store.read() as conn:
            first = archiving.default_before() if before is None else before
            wanted = archiving.months_to_save(conn, first)
            if future := ready.future_month(conn):
                note(
                    f"A match was stored with a wrong clock, in {months.name(future)}. Newer ones "
                    "count as that month, too, and cannot be archived before it is over."
                )
        if not wanted:
            note("There is no month to archive.")
        done = [_save(store, month, dry_run=dry_run) for month in wanted]
    if not all(done):
        raise SystemExit(1)


def _check_folder(data: Path | None) -> None:
    """Require ARENA_ARCHIVE for a shared database: data folders differ between machines."""
    settings, _ = settings_of(data)
    if settings.archive is None and not settings.database.startswith("sqlite"):
        raise InvalidRequest(
            "ARENA_ARCHIVE is not set, but other machines may use this database. Set it, for every "
            "process of the arena, to a permanent folder that all machines can read."
        )


def _save(store: Store, month: int, *, dry_run: bool) -> bool:
    """Archive a month, or only print its size. Returns whether it can be archived."""
    name = months.name(month)
    try:
        if dry_run:
            with store.read() as conn:
                count = sum(each.matches for each in ready.check(conn, month))
            say(
                f"{name}: {plural(count, 'match', 'matches')} would be archived in {store.archive}."
            )
            return True
        files = archiving.save_month(store, month, operator(), note)
    except NotNow as error:
        note(str(error))
        return False
    count, size = (
        sum(values) for values in zip(*((f.matches, f.size) for f in files), strict=True)
    )
    matches = plural(count, "match", "matches")
    say(f"{name}: {matches} archived, {size / 1e6:,.1f} MB in {store.archive}.")
    return True


@archive.command("list")
@data_option
def list_(data: Path | None) -> None:
    """List the archives and check that their files exist."""
    rows = []
    with open_local_store(data) as store, store.read() as conn:
        for each in catalogue.every(conn):
            size, file = _file(open_files.path_of(conn, each), each)
            month, made = months.name(each.month), when(each.created)
            rows.append((each.name, month, each.matches, size, made, file))
    if not rows:
        note("There are no archives.")
        return
    print_table(COLUMNS, rows, left=("archive", "file"))


def _file(path: Path, of: Archive) -> tuple[object, str]:
    """Return the bytes per match and the path of the file."""
    if not os.access(path, os.R_OK):
        return "", f"MISSING in {path.parent}"
    return round(path.stat().st_size / of.matches), str(path)


@archive.command()
@click.argument("names", metavar="[FILE|all]...", nargs=-1)
@data_option
def check(names: Sequence[str], data: Path | None) -> None:
    """Read archives and verify their checksums.

    FILE is a name from `arena archive list`. Without FILE, all archives are checked. Exit status 1
    if one is missing or damaged.
    """
    wrong = 0
    with open_local_store(data) as store, store.read() as conn:
        for each in _named(catalogue.every(conn), names):
            try:
                archiving.check_archive(conn, each)
            except ArenaError as error:
                wrong += 1
                note(str(error))
            else:
                say(f"{each.name}: {plural(each.matches, 'match', 'matches')}, intact.")
    if wrong:
        raise SystemExit(1)


def _named(known: Sequence[Archive], names: Sequence[str]) -> Iterator[Archive]:
    by_name = {each.name: each for each in known}
    if not names or "all" in names:
        yield from known
        return
    for name in names:
        if Path(name).name not in by_name:
            raise NotFound(f"There is no archive {name}. `arena archive list` lists all archives.")
        yield by_name[Path(name).name]


@archive.command()
@click.argument("month", callback=_month)
@data_option
def restore(month: int, data: Path | None) -> None:
    """Restore an archived MONTH (2026-03) into the database.

    The files are checked first, and the month is restored in one transaction. The files stay in
    the folder, but are no longer needed.

    \b
    Example:
      arena archive restore 2026-03
    """
    with open_local_store(data) as store:
        names = archiving.restore_month(store, month, operator(), note)
    say(f"Restored {months.name(month)}. No longer needed: {', '.join(names)}.")
