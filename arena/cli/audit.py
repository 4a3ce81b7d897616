"""`arena tournament verify`: checks a finished tournament from exports alone."""

from __future__ import annotations

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
    help="The one that you noted before the tournament was over.",
)
def verify(files: Sequence[IO[str]], commitment: str) -> None:
    """Check that all cards, ids and the schedule of a finished tournament were fixed beforehand.

    Takes what arena tournament export ID --what audit wrote, or the audit file of the
    tournament's page, and the records of its matches, as arena match export --tournament ID
    writes them; - is stdin. No arena is asked. From the secret everything is made again:
    commitment, schedule, match ids, and with the records seeds, shuffles, moves and results. Exit
    status 1 with the first thing that differs.

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
                f"{file.name}, line {number}, is no JSON object: give what arena tournament "
                "export ID --what audit and arena match export wrote."
            )
        yield item


def _lines(export: exported.Audit, *, noted: bool) -> Iterator[str]:
    yield f"Tournament {export.number}: the secret fits the commitment {export.commitment}."
    if not noted:
        yield "Compare it with the one that was shown before the end, or give --commitment."
    if export.spec.salt:
        yield f"Repeatable: --seed {export.spec.repeats} --salt {export.spec.salt}"
    elif export.spec.repeats is not None:
        yield f"Repeatable: whoever guessed {export.spec.repeats} knew all cards."
    matches = len(export.matches)
    quantity = "1 match" if matches == 1 else f"{matches} matches"
    yield f"{quantity}: schedule, deals and ids follow from it."
    if export.cancelled:
        gone = ", ".join(export.entrants[entrant][0] for entrant in sorted(export.withdrawn))
        yield f"Without {export.cancelled} of bots that were withdrawn: {gone}."
    if export.records == matches:
        yield "Every shuffle, roll and result follows, too."
    else:
        left = matches - export.records
        yield (
            f"Shuffles and results of {left} were not checked: give their records "
            f"(arena match export --tournament {export.number})."
        )
