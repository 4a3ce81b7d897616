"""`arena match`: list, show, explain, export and verify matches."""

import json
from collections.abc import Iterable
from typing import IO, Any

import click

from arena.base.errors import InvalidRequest
from arena.cli import match_text
from arena.cli.explain import explain
from arena.cli.records import all_ids, name_of, records
from arena.cli.screen import json_option, limit_option, note, print_json, print_table, say, when
from arena.cli.where import Where, arena_options, open_control
from arena.games.record import RecordError, parse, verify
from arena.protocol.v1 import control_pb2 as pb

tournament_option = click.option(
    "--tournament", type=click.IntRange(1, 2**32 - 1), help="Id of the tournament."
)


@click.group()
def match() -> None:
    """List, show, explain, export and verify matches."""


match.add_command(explain)


@match.command("list")
@click.option("--bot", default="", help="Bot at the table.")
@tournament_option
@click.option("--lost", is_flag=True, help="Only matches that --bot did not win.")
@click.option("--faults", is_flag=True, help="Only matches with a fault of --bot.")
@click.option(
    "--worst", is_flag=True, help="Worst of the latest 2,000 matches of --bot, the worst first."
)
@limit_option("matches", 50)
@click.option("--after", default="", metavar="NEXT", help="Cursor of the next page.")
@click.option("--archived", is_flag=True, help="Include archived matches; not with --bot.")
@json_option
@arena_options
def list_(tournament: int | None, json_: bool, where: Where, **wanted: Any) -> None:
    """List finished matches, newest first.

    The worst matches of a bot are those in which it scored furthest below the score predicted by
    Elo. You can combine --worst, --lost and --faults.

    \b
    Example:
      arena match list --bot mybot --worst --limit 20
    """
    request = pb.ListMatchesRequest(tournament=tournament or 0, **wanted)
    with open_control(where) as control:
        page = control.list_matches(request)
    if json_:
        print_json(page)
        return
    if not page.matches:
        note(f"No such match is {'rated' if request.worst else 'finished'} yet.")
    else:
        columns = ("match", "tournament", "game", "finished", "bots (points, best first)")
        print_table(columns, map(_line, page.matches), left=(columns[0], columns[4]))
    if page.next:
        note(f"More matches: --after {page.next}")
    elif page.older:
        note(page.older + ("" if request.bot else " Use --archived to list them, too."))


def _line(item: pb.Match) -> tuple[object, ...]:
    best_first = sorted(item.seats, key=lambda seat: seat.rank)
    seats = ", ".join(
        f"{seat.bot} ({seat.points}{', forfeited' if seat.forfeited else ''})"
        for seat in best_first
    )
    return item.id, item.tournament, item.game, when(item.finished), seats


@match.command()
@click.argument("id_", metavar="ID")
@click.option(
    "--json", "json_", is_flag=True, help="JSON record of the match (lama-arena/match/1)."
)
@arena_options
def show(id_: str, json_: bool, where: Where) -> None:
    """Show a match, round by round and move by move."""
    with open_control(where) as control:
        found = control.get_match_record(pb.MatchId(id=id_))
    record = json.loads(found.json)
    if json_:
        say(json.dumps(record))
    else:
        for line in match_text.lines(record, found.luck):
            say(line)
        if found.luck:
            note(f"Luck is in wins against the match's mean opponent (model {found.luck_model}).")


@match.command()
@tournament_option
@click.option(
    "--out", type=click.File("w", lazy=True), default="-", help="Output file.  [default: stdout]"
)
@arena_options
def export(tournament: int | None, out: IO[str], where: Where) -> None:
    """Write match records as JSON lines.

    Without --tournament, all matches are exported.

    \b
    Example:
      arena match export --tournament 3 --out t3.jsonl
    """
    with open_control(where) as control:
        for record in records(control, all_ids(control, tournament)):
            out.write(record + "\n")


@match.command("verify")
@click.argument("id_", metavar="[ID]", required=False)
@tournament_option
@click.option("--file", "file", type=click.File(), help="Match records as JSON lines; - is stdin.")
@arena_options
def verify_(id_: str | None, tournament: int | None, file: IO[str] | None, where: Where) -> None:
    """Verify matches by replaying their seeds and moves.

    Verifies the match ID, a tournament, the records in a file, or by default all matches. Exit
    status 1 if a record does not follow from its seed and moves.

    \b
    Examples:
      arena match verify --tournament 3
      arena match verify --file t3.jsonl
    """
    if sum(choice is not None for choice in (id_, tournament, file)) > 1:
        raise InvalidRequest("Give one of ID, --tournament and --file.")
    if file is not None:
        right, wrong = _verify_all(file)
    else:
        with open_control(where) as control:
            right, wrong = _verify_all(
                records(control, [id_] if id_ else all_ids(control, tournament))
            )
    say(f"{right} {'match' if right == 1 else 'matches'} verified, {wrong} wrong")
    if wrong:
        raise SystemExit(1)


def _verify_all(texts: Iterable[str]) -> tuple[int, int]:
    """Verify JSON records and print the errors. Returns the numbers of right and wrong ones."""
    right = wrong = 0
    for number, text in enumerate(filter(str.strip, texts), 1):
        try:
            verify(parse(text))
        except RecordError as error:
            wrong += 1
            note(f"{name_of(text, number)}: {error}")
        else:
            right += 1
    return right, wrong
