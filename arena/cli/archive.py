"""`arena archive`: old months of matches, out of the database into files and back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from arena.base.errors import ArenaError, InvalidRequest, NotFound, NotNow
from arena.cli.db import data_option
from arena.cli.screen import note, print_table, say, when
from arena.cli.where import Where, open_local_store, settings_of
from arena.service.bootstrap import operator
from arena.store import Store, archiving
from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.archiving import ready
from arena.store.matches import months

COLUMNS = ("archive", "month", "matches", "bytes each", "made", "file")


def _month(ctx: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """The number of a month as people write it: 2026-11, or "earlier"."""
    try:
        return None if text is None else months.named(text)
    except InvalidRequest as error:
        raise click.BadParameter(str(error)) from None


@click.group()
def archive() -> None:
    """Move old months of matches into files, and back.

    Archived matches keep their pages, replays and records, and count in all ratings; lists end
    where they begin. The files are in ARENA_ARCHIVE, or in the folder archive of the data folder,
    and must stay there: no backup of the database holds them.
    """


@archive.command()
@click.option(
    "--before",
    callback=_month,
    metavar="YYYY-MM",
    help="Months before this one.  [default: all before the last whole one]",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@data_option
def save(before: int | None, dry_run: bool, data: Path | None) -> None:
    """Archive old months, also while the arena runs.

    A month is archived when nothing in it changes any more: its tournaments are over, or its
    matches are rated and not needed to go on. The newest one that has matches stays. Files are
    written, read back and compared with the database before the month is taken out of it. If it
    is stopped, run it again. Exit status 1 if a month could not be archived.

    \b
    Example:
      arena archive save --before 2026-09
    """
    _check_folder(data)
    with open_local_store(Where(data)) as store:
        with store.read() as conn:
            wanted = archiving.months_to_save(conn, before or archiving.default_before())
        if not wanted:
            note("No month is to be archived.")
        done = [_save(store, month, dry_run=dry_run) for month in wanted]
    if not all(done):
        raise SystemExit(1)


def _check_folder(data: Path | None) -> None:
    """A data folder may go with its container, and other machines have others."""
    settings, _ = settings_of(data)
    if settings.archive is None and not settings.database.startswith("sqlite"):
        raise InvalidRequest(
            "Other machines use this database, too: say in ARENA_ARCHIVE which folder all of them "
            "read and nobody deletes, and set it for every process of the arena."
        )


def _save(store: Store, month: int, *, dry_run: bool) -> bool:
    """Archives a month, or says what would be done; whether it can be."""
    name = months.name(month)
    try:
        if dry_run:
            with store.read() as conn:
                count = sum(each.matches for each in ready.check(conn, month))
            say(f"{name}: {_quantity(count)} would go to {store.archive}.")
            return True
        files = archiving.save_month(store, month, operator(), note)
    except NotNow as error:
        note(str(error))
        return False
    count, size = (
        sum(values) for values in zip(*((f.matches, f.size) for f in files), strict=True)
    )
    say(f"{name}: {_quantity(count)} archived, {size / 1e6:,.1f} MB in {store.archive}.")
    return True


@archive.command("list")
@data_option
def list_(data: Path | None) -> None:
    """List the archives, newest matches first, and whether their files are there."""
    with open_local_store(Where(data)) as store, store.read() as conn:
        known = catalogue.every(conn)
        lines = [
            (
                each.name,
                months.name(each.month),
                each.matches,
                *_file(open_files.path_of(conn, each), each),
            )
            for each in known
        ]
    if not known:
        note("Nothing is archived.")
        return
    rows = [(*line[:4], when(e.created), line[4]) for line, e in zip(lines, known, strict=True)]
    print_table(COLUMNS, rows, left=("archive", "file"))


def _file(path: Path, of: Archive) -> tuple[object, str]:
    """Bytes for each match, and where the file is."""
    if not os.access(path, os.R_OK):
        return "", f"MISSING in {path.parent}"
    return round(path.stat().st_size / of.matches), str(path)


@archive.command()
@click.argument("names", metavar="[FILE|all]...", nargs=-1)
@data_option
def check(names: Sequence[str], data: Path | None) -> None:
    """Read archives through and compare all digests; all of them if none is named.

    FILE is a name as `arena archive list` shows it. Exit status 1 if one is missing or damaged.
    """
    wrong = 0
    with open_local_store(Where(data)) as store, store.read() as conn:
        for each in _named(catalogue.every(conn), names):
            try:
                archiving.check_archive(conn, each)
            except ArenaError as error:
                wrong += 1
                note(str(error))
            else:
                say(f"{each.name}: {_quantity(each.matches)}; it is whole.")
    if wrong:
        raise SystemExit(1)


def _named(known: Sequence[Archive], names: Sequence[str]) -> Iterator[Archive]:
    by_name = {each.name: each for each in known}
    if not names or "all" in names:
        yield from known
        return
    for name in names:
        if Path(name).name not in by_name:
            raise NotFound(f"There is no archive {name}: `arena archive list` says what there is.")
        yield by_name[Path(name).name]


@archive.command()
@click.argument("month", callback=_month)
@data_option
def restore(month: int, data: Path | None) -> None:
    """Bring an archived MONTH (2026-03) back into the database, in one transaction.

    Its files are read through first. They stay in the folder, and are not needed any more.

    \b
    Example:
      arena archive restore 2026-03
    """
    with open_local_store(Where(data)) as store:
        names = archiving.restore_month(store, month, operator(), note)
    say(f"{months.name(month)} is back; no longer needed: {', '.join(names)}.")


def _quantity(count: int) -> str:
    return "1 match" if count == 1 else f"{count:,} matches"
