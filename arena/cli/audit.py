"""`arena tournament verify`: verify a finished tournament from its exports alone."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

import click

from arena.base.errors import InvalidRequest
from arena.cli.screen import note, say
from arena.tournaments.formats import audit, exported


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, type=click.File(encoding="utf-8"))
@click.option(
    "--commitment",
    default="",
    metavar="HEX",
    help="Commitment that you noted before the end of the tournament.",
)
def verify(files: Sequence[IO[str]], commitment: str) -> None:
    """Verify the cards, ids and schedule of a tournament.

    The command checks that all of them follow from the secret chosen before the start. FILEs are
    the output of `arena tournament export ID --what audit` (or the audit file from the tournament's
    page) and of `arena match export --tournament ID`. Use - for stdin. No arena is needed. With
    match records, it also checks seeds, shuffles, moves and results. Exit status 1 at the first
    difference.

    \b
    Example:
      arena tournament verify audit.jsonl records.jsonl --commitment 5e1f...
    """
    try:
        export = _read_checked((line for file in files for line in _objects(file)), commitment)
    except exported.AuditError as error:
        note(str(error))
        raise SystemExit(1) from None
    for line in _lines(export, noted=bool(commitment)):
        say(line)


def _read_checked(objects: Iterable[Mapping[str, Any]], commitment: str) -> exported.Audit:
    export, records = exported.read(objects)
    if commitment and commitment.strip().lower() != export.commitment:
        raise exported.AuditError(
            f"The commitment is {export.commitment or 'missing'}, not the one that you noted."
        )
    audit.check(export, records)
    return export


def _objects(file: IO[str]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except ValueError:
            item = None
        if not isinstance(item, dict):
            raise InvalidRequest(
                f"{file.name}, line {number}, is not a JSON object. Give the output of `arena "
                "tournament export ID --what audit` and `arena match export`."
            )
        yield item


def _lines(export: exported.Audit, *, noted: bool) -> Iterator[str]:
    yield f"Tournament {export.number}: the secret matches the commitment {export.commitment}."
    if not noted:
        yield "Compare it with the one published before the end, or pass it as --commitment."
    if export.spec.salt:
        yield f"Repeatable: --seed {export.spec.repeats} --salt {export.spec.salt}"
    elif export.spec.repeats is not None:
        yield f"Repeatable without a salt: the seed {export.spec.repeats} alone reveals all cards."
    matches = len(export.matches)
    quantity = "1 match" if matches == 1 else f"{matches} matches"
    yield f"{quantity}: schedule, deals and ids follow from the secret."
    if export.cancelled:
        gone = ", ".join(export.entrants[entrant][0] for entrant in sorted(export.withdrawn))
        yield f"{export.cancelled} more were cancelled because bots were withdrawn: {gone}."
    if export.records == matches:
        yield "Every shuffle, roll and result follows from it, too."
    else:
        left = matches - export.records
        yield (
            f"Shuffles and results of {left} were not checked. Add their records, from "
            f"`arena match export --tournament {export.number}`."
        )
