"""`arena tournament verify`: checks a finished tournament from exports alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

import click

from arena.cli.screen import note, say
from arena.errors import InvalidRequest
from arena.pairing import audit, exported


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
        found = _checked((line for file in files for line in _objects(file)), commitment)
    except exported.AuditError as error:
        note(str(error))
        raise SystemExit(1) from None
    for line in _told(found, noted=bool(commitment)):
        say(line)


def _checked(objects: Iterable[Mapping[str, Any]], noted: str) -> exported.Audit:
    found, records = exported.read(objects)
    if noted and noted.strip().lower() != found.commitment:
        raise exported.AuditError(
            f"The commitment is {found.commitment or 'missing'}, not the one that you noted."
        )
    audit.check(found, records)
    return found


def _objects(file: IO[str]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InvalidRequest(
                f"{file.name}, line {number}, is no JSON object: give what arena tournament "
                "export ID --what audit and arena match export wrote."
            )
        yield found


def _told(found: exported.Audit, *, noted: bool) -> Iterator[str]:
    yield f"Tournament {found.number}: the secret fits the commitment {found.commitment}."
    if not noted:
        yield "Compare it with the one that was shown before the end, or give --commitment."
    if found.spec.repeats is not None:
        yield f"Repeatable: whoever guessed {found.spec.repeats} knew all cards."
    matches = len(found.matches)
    counted = "1 match" if matches == 1 else f"{matches} matches"
    yield f"{counted}: schedule, deals and ids follow from it."
    if found.records == matches:
        yield "Every shuffle, roll and result follows, too."
    else:
        left = matches - found.records
        yield (
            f"Shuffles and results of {left} were not checked: give their records "
            f"(arena match export --tournament {found.number})."
        )
