"""`arena tournament new`."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from arena.base.errors import InvalidRequest
from arena.cli.progress import watch_to_the_end
from arena.cli.screen import F, json_option, note
from arena.cli.tournament_text import print_forecast, print_tournament
from arena.cli.where import Where, arena_options, open_control
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control, every_bot
from arena.service.control.sentences import rounded_up
from arena.service.control.start_time import EXAMPLES, read_start, zone_of
from arena.tournaments.formats.priority import WEIGHTS
from arena.tournaments.formats.series import EVERY
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS
from arena.tournaments.formats.terms import TERMS, Term


def term_options(command: F) -> F:
    """Add an option for each term of a tournament that has a help text."""
    for term in reversed(TERMS):
        command = _option(term)(command) if term.help else command
    return command


def _option(term: Term) -> Callable[[F], F]:
    kind: click.ParamType[Any] | None = click.Choice(list(term.words)) if term.words else None
    if term.limits:
        least: int = term.limits[0]
        most: int | None = term.limits[1]
        if term.default is not None:  # the server checks the maximum; 0 may mean "not set"
            least, most = max(least, int(not term.default)), None
        kind = click.IntRange(least, most)
    return click.option(
        term.name,
        term.option or f"--{term.name.replace('_', '-')}",
        type=kind,
        default=term.default or None,
        show_default=bool(term.default),
        is_flag=term.default is False,
        metavar=term.metavar,
        help=term.help,
    )


@click.command()
@click.argument("bots", nargs=-1, metavar="BOT...")
@click.option("--all", "all_", is_flag=True, help="Enter all registered bots.")
@term_options
@click.option(
    "--priority",
    type=click.Choice(list(WEIGHTS)),
    default="normal",
    show_default=True,
    help="Share of the workers while other tournaments run: 1 to 4 to 16.",
)
@click.option(
    "--starts-at",
    metavar="TIME",
    help=f"Start time: {EXAMPLES}. UTC if no zone is given.  "
    "[default: as soon as its bots are connected]",
)
@click.option(
    "--open",
    "open_",
    is_flag=True,
    help="Let authors enter bots until --starts-at, in addition to BOT...",
)
@click.option(
    "--max-bots",
    type=click.IntRange(1),
    help=f"Maximum number of bots, with --open.  [default: {MOST_BOTS}]",
)
@click.option(
    "--max-per-author",
    type=click.IntRange(1),
    help=f"Maximum number of bots per author, with --open.  [default: {BOTS_PER_AUTHOR}]",
)
@click.option(
    "--every",
    type=click.Choice(list(EVERY)),
    help="Interval of a series, with --open: the tournament repeats at the same local time, and "
    "bots enter once. The time zone is the one that --starts-at names.",
)
@click.option("--until", metavar="DATE", help="Last day of the series, such as 2027-06-30.")
@click.option(
    "--counted",
    type=click.IntRange(1),
    help="Number of a bot's best results that count in the season, with --every.  [default: all]",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Game option; see `arena rules GAME`.",
)
@click.option(
    "--format-option",
    "format_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Format option; see `arena tournament formats`.",
)
@click.option("--watch", "watch_", is_flag=True, help="Show live progress until the end.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print the number of matches and their duration, and create nothing.",
)
@json_option
@arena_options
def new(
    bots: tuple[str, ...],
    all_: bool,
    priority: str,
    watch_: bool,
    dry_run: bool,
    json_: bool,
    where: Where,
    **fields: Any,
) -> None:
    """Create a tournament.

    It starts as soon as all bots are connected. In a round-robin, every possible table of SEATS
    bots plays MATCHES matches. For other formats, see `arena tournament formats`.

    \b
    Examples:
      arena tournament new ann bob cho dee --matches 200 --watch
      arena tournament new --all --seats 3 --option max_rounds=20
      arena tournament new --all --format knockout --format-option advance=1
      arena tournament new new-ann ann bob cho --format versus --format-option elo1=30
      arena tournament new --open --max-bots 24 --starts-at 2026-12-01T18:00Z
      arena tournament new --open --starts-at "2026-12-04T18:00 Europe/Berlin" \\
          --every week --until 2027-03-26 --counted 10
    """
    spec = _spec(fields)
    with open_control(where) as control:
        spec.bots.extend(_entrants(control, bots, all_, optional=fields["open_"]))
        if dry_run:
            print_forecast(control.forecast_tournament(spec), json_)
            return
        created = _create(control, spec, priority)
        if watch_ and not json_:
            for sentence in created.forecast.sentences:
                note(sentence)
        if watch_:
            watch_to_the_end(control, created.id, quiet=json_)
        shown = control.get_tournament(pb.TournamentId(id=created.id, ratings=True))
        print_tournament(shown, json_)


def _spec(fields: Mapping[str, Any]) -> pb.TournamentSpec:
    return pb.TournamentSpec(
        starts_at=None if fields["starts_at"] is None else read_start(fields["starts_at"]),
        sign_up=_sign_up(fields),
        recurrence=_recurrence(fields),
        options=_pairs("--option max_rounds=20", fields["options"]),
        format_options=_pairs("--format-option rounds=5", fields["format_options"]),
        **{term.name: fields[term.name] for term in TERMS if term.help},
    )


def _sign_up(fields: Mapping[str, Any]) -> pb.SignUp | None:
    """Return the limits of the sign-up; None without --open."""
    max_bots, per_author = fields["max_bots"], fields["max_per_author"]
    if fields["open_"]:
        return pb.SignUp(max_bots=max_bots, bots_per_author=per_author)
    if max_bots or per_author:
        raise InvalidRequest("--max-bots and --max-per-author need --open.")
    return None


def _recurrence(fields: Mapping[str, Any]) -> pb.Recurrence | None:
    """Return when the tournament repeats; None without --every."""
    with_every = {name: fields[name] for name in ("until", "counted") if fields[name]}
    if fields["every"]:
        start = (fields["starts_at"] or "").strip()
        zone = zone_of(start)
        if start and not zone and datetime.fromisoformat(start).utcoffset():
            raise InvalidRequest(
                "The start time of a series needs the name of its time zone, not only an offset. "
                'Write it like "2026-12-04T18:00 Europe/Berlin".'
            )
        return pb.Recurrence(days=EVERY[fields["every"]], zone=zone, **with_every)
    if with_every:
        raise InvalidRequest(f"--{' and --'.join(with_every)} cannot be used. Pass --every.")
    return None


def _pairs(example: str, texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator:
            name = example.split()[0]
            raise InvalidRequest(f"{name} {text} has no value. Write, for example, {example}.")
        pairs[key] = value
    return pairs


def _create(control: Control, spec: pb.TournamentSpec, priority: str) -> pb.Tournament:
    """Create the tournament, print notes for the organiser and return its current state."""
    created = control.create_tournament(spec)
    if priority != created.priority:
        control.set_priority(pb.PriorityRequest(tournament=created.id, priority=priority))
    if spec.matches and created.spec.matches > spec.matches:
        note(f"{rounded_up(spec.matches, created.spec.matches)}.")
    if created.repeatable:
        note("Repeatable: the seed and salt are published at the end.")
    return control.get_tournament(pb.TournamentId(id=created.id))


def _entrants(
    control: Control, bots: tuple[str, ...], all_: bool, *, optional: bool
) -> Sequence[str]:
    if all_ and bots:
        raise InvalidRequest("Name the bots or pass --all, not both.")
    if all_:
        return [bot.name for bot in every_bot(control).bots]
    if not bots and not optional:
        raise InvalidRequest("No bots. Name them or pass --all. `arena bot list` lists all bots.")
    return bots
