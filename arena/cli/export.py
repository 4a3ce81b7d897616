"""`arena tournament export`: write the results of a tournament as CSV or JSON."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import IO, Any

import click

from arena.base.text import Cell, cell
from arena.cli.screen import as_json
from arena.cli.where import Where, arena_options, open_control
from arena.games.match import FAULT_KINDS
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control import audit
from arena.service.control.port import Control, all_matches


@click.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.option(
    "--what",
    type=click.Choice(["standings", "crosstable", "matches", "faults", "verdict", "audit"]),
    default="standings",
    show_default=True,
    help="Data to export.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["csv", "json"]),
    default="csv",
    show_default=True,
    help="File format.",
)
@click.option(
    "--out",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    help="Output file.  [default: stdout]",
)
@arena_options
def export(id_: int, what: str, format_: str, out: IO[str], where: Where) -> None:
    """Write the results of a tournament as CSV or JSON.

    The crosstable has two lines per pair, one from each side: matches, mean score (1 for a better
    place, 1/2 for an equal one) and mean difference in penalty points (below 0 is better). Matches
    are listed newest first, in CSV with one line per seat. Faults are the first fault of each bot.
    The verdict is one line: whether the results can be trusted, the share of faulty decisions, the
    causes and the bots. The audit is the input of `arena tournament verify`, always as JSON lines.
    For complete match records, use `arena match export`.

    \b
    Examples:
      arena tournament export 3 --out standings.csv
      arena tournament export 3 --what crosstable --format json
      arena tournament export 3 --what faults --out faults.csv
    """
    with open_control(where) as control:
        if what == "audit":
            tournament = control.get_tournament(pb.TournamentId(id=id_))
            for line in audit.lines(tournament, all_matches(control, id_)):
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        elif format_ == "json":
            _write_json(_lines(control, id_, what), out)
        else:
            _write_csv(COLUMNS[what], _rows(control, id_, what), out)


COLUMNS = {
    "standings": tuple(pb.Standing.DESCRIPTOR.fields_by_name),
    "crosstable": tuple(pb.Meeting.DESCRIPTOR.fields_by_name),
    "faults": tuple(pb.FirstFault.DESCRIPTOR.fields_by_name),
    "verdict": (
        *("trusted", "cause", "decisions", "faults", "share"),
        *(*FAULT_KINDS, "unknown", "bots", "sentence"),
    ),
    "matches": (
        *("match", "position", "deal", "game", "finished", "seat"),
        *pb.SeatResult.DESCRIPTOR.fields_by_name,
    ),
}


def _lines(control: Control, id_: int, what: str) -> Iterator[dict[str, Any]]:
    """Yield the exported lines, with the field names of the Control API."""
    tournament = pb.TournamentId(id=id_)
    if what == "standings":
        tournament.ratings = True
        yield from map(as_json, control.get_tournament(tournament).standings)
    elif what == "verdict":
        yield as_json(control.get_tournament(tournament).verdict)
    elif what == "crosstable":
        yield from map(as_json, control.get_crosstable(tournament).meetings)
    elif what == "faults":
        yield from map(as_json, control.get_first_faults(tournament).faults)
    else:
        yield from map(as_json, all_matches(control, id_))


def _rows(control: Control, id_: int, what: str) -> Iterator[Mapping[str, Cell]]:
    """Yield rows for COLUMNS: one per seat of a match, and a column per cause of a verdict."""
    if what == "verdict":
        for line in _lines(control, id_, what):
            kinds = dict.fromkeys((*FAULT_KINDS, "unknown"), 0) | line["kinds"]
            yield {**line, **kinds, "bots": ", ".join(bot["bot"] for bot in line["bots"])}
        return
    if what != "matches":
        yield from _lines(control, id_, what)
        return
    for match in all_matches(control, id_):
        for number, seat in enumerate(match.seats):
            shared: dict[str, Any] = {"match": match.id, "position": match.position}
            shared |= {"deal": match.deal, "game": match.game}
            yield {**shared, "finished": match.finished, "seat": number, **as_json(seat)}


def _write_csv(columns: Iterable[str], rows: Iterable[Mapping[str, Cell]], out: IO[str]) -> None:
    """Write RFC 4180, except for native line ends. The file is created only once the first row is
    known."""
    names, source = tuple(columns), iter(rows)
    first = list(islice(source, 1))
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([cell(row[name]) for name in names] for row in chain(first, source))


def _write_json(lines: Iterable[Mapping[str, Any]], out: IO[str]) -> None:
    """Write a list with one element per line, streamed."""
    before = "[\n"
    for line in lines:
        out.write(before + json.dumps(line, ensure_ascii=False))
        before = ",\n"
    out.write("\n]\n" if before != "[\n" else "[]\n")
