"""`arena tournament`: create, watch, cancel and resume tournaments."""

from __future__ import annotations

from collections.abc import Sequence

import click

from arena.cli.audit import verify
from arena.cli.export import export
from arena.cli.progress import watch_to_the_end
from arena.cli.screen import note, print_json, print_table, say, when
from arena.cli.tournament_text import print_forecast, print_tournament
from arena.cli.where import Where, arena_options, open_control
from arena.control.deals_text import rounded_up
from arena.control.pages import every_bot, every_tournament
from arena.control.port import Control
from arena.errors import InvalidRequest
from arena.pairing import FORMATS
from arena.pairing.priority import WEIGHTS
from arena.protocol.v1 import control_pb2 as pb


@click.group()
def tournament() -> None:
    """Create, watch, cancel, resume, export and verify tournaments."""


tournament.add_command(export)
tournament.add_command(verify)


@tournament.command()
@click.argument("bots", nargs=-1, metavar="BOT...")
@click.option("--all", "all_", is_flag=True, help="All registered bots take part.")
@click.option("--name", default="", help="A title.  [default: made from the rest]")
@click.option("--game", default="lama", show_default=True)
@click.option("--format", "format_", default="round-robin", show_default=True)
@click.option("--seats", default=4, show_default=True, help="Seats at a table, 2 to 6.")
@click.option(
    "--matches",
    type=click.IntRange(1),
    help="Matches for each table of bots, each with a deal of its own; in versus matches in a "
    "block. Rounded up, so that all have every seat equally often.  [default: ten in each seat]",
)
@click.option(
    "--deals",
    type=click.IntRange(1),
    help="With --format-option deals=duplicate, in place of --matches: deals for each table, each "
    "played once for every rotation of the seats; in versus twice.",
)
@click.option(
    "--trusted",
    is_flag=True,
    help="I trust every entrant. Shared deals take that: a bot with a memory recognises the cards.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="A number, for a run that can be repeated: all cards follow from it, so whoever guesses "
    "it knows them. Takes --trusted, unless all are bots of the house.  [default: a secret is "
    "drawn]",
)
@click.option(
    "--move-ms", type=click.IntRange(1), default=2000, show_default=True, help="Time for a move."
)
@click.option(
    "--start-grace",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Seconds to wait for bots that are not connected; then they forfeit.",
)
@click.option(
    "--fault-limit",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Faults in a match at which a bot forfeits it.",
)
@click.option(
    "--priority",
    "share",
    type=click.Choice(list(WEIGHTS)),
    default="normal",
    show_default=True,
    help="Its share of the workers while others run: 1 to 4 to 16.",
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Of the game.")
@click.option(
    "--format-option",
    "format_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Of the format; arena tournament formats lists them.",
)
@click.option("--watch", "watch_", is_flag=True, help="Watch it to its end.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only say how many matches it would have and how long they would take.",
)
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def new(
    bots: tuple[str, ...],
    all_: bool,
    name: str,
    game: str,
    format_: str,
    seats: int,
    matches: int | None,
    deals: int | None,
    trusted: bool,
    seed: int | None,
    move_ms: int,
    start_grace: int,
    fault_limit: int,
    share: str,
    options: tuple[str, ...],
    format_options: tuple[str, ...],
    watch_: bool,
    dry_run: bool,
    json_: bool,
    where: Where,
) -> None:
    """Create a tournament of these bots; it begins as soon as they are connected.

    In the round-robin every table of SEATS bots that can be formed plays MATCHES matches. The other
    formats: arena tournament formats.

    \b
    Examples:
      arena tournament new ann bob cho dee --matches 200 --watch
      arena tournament new --all --seats 3 --option max_rounds=20
      arena tournament new --all --format knockout --format-option advance=1
      arena tournament new new-ann ann bob cho --format versus --format-option elo1=30
    """
    spec = pb.TournamentSpec(
        name=name,
        game=game,
        options=dict(_split_option("--option max_rounds=20", text) for text in options),
        format_options=dict(
            _split_option("--format-option rounds=5", text) for text in format_options
        ),
        format=format_,
        seats=seats,
        matches=matches,
        deals=deals,
        trusted=trusted,
        seed=seed,
        move_ms=move_ms,
        start_grace_s=start_grace,
        fault_limit=fault_limit,
    )
    with open_control(where) as control:
        spec.bots.extend(_entrants(control, bots, all_))
        if dry_run:
            print_forecast(control.forecast_tournament(spec), json_)
            return
        created = _create(control, spec, share)
        if watch_ and not json_:
            for sentence in created.forecast.sentences:
                note(sentence)
        if watch_:
            watch_to_the_end(control, created.id, quiet=json_)
        print_tournament(_with_ratings(control, created.id), json_)


def _create(control: Control, spec: pb.TournamentSpec, share: str) -> pb.Tournament:
    """Creates it and notes what the organiser may not expect; it comes as it is a moment later."""
    created = control.create_tournament(spec)
    if share != created.priority:
        control.set_priority(pb.PriorityRequest(tournament=created.id, priority=share))
    if spec.matches and created.spec.matches > spec.matches:
        note(f"{rounded_up(spec.matches, created.spec.matches)}.")
    if created.repeatable:
        note(f"Repeatable: anyone who guesses {spec.seed} knows all cards.")
    return control.get_tournament(pb.TournamentId(id=created.id))


def _split_option(example: str, text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        name = example.split()[0]
        raise InvalidRequest(f"{name} {text} has no value; it looks like {example}.")
    return key, value


def _entrants(control: Control, bots: tuple[str, ...], all_: bool) -> Sequence[str]:
    if all_ and bots:
        raise InvalidRequest("Name the bots or say --all, not both.")
    if all_:
        return [bot.name for bot in every_bot(control).bots]
    if not bots:
        raise InvalidRequest("Name the bots that take part, or say --all. See arena bot list.")
    return bots


@tournament.command()
def formats() -> None:
    """List the formats and their options. How each is played: docs/tournaments.md."""
    for name, format_ in FORMATS.items():
        summary = (type(format_).__doc__ or "").splitlines()[0]
        say(f"{name}: {summary}")
        for option, about in format_.options.items():
            say(f"    {option}={about.default}  {about.about}")


@tournament.command("list")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def list_(json_: bool, where: Where) -> None:
    """List all tournaments, newest first."""
    with open_control(where) as control:
        answer = every_tournament(control)
    if json_:
        print_json(answer)
    elif not answer.tournaments:
        note("There is no tournament yet: arena tournament new BOT...")
    else:
        columns = ("id", "name", "state", "played", "planned", "created")
        print_table(columns, map(_line, answer.tournaments), left=("name", "state"))


def _line(item: pb.Tournament) -> tuple[object, ...]:
    name = f"{item.spec.name} (repeatable)" if item.repeatable else item.spec.name
    return item.id, name, item.state, item.played, item.planned, when(item.created)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def show(id_: int, json_: bool, where: Where) -> None:
    """Show a tournament and its standings."""
    with open_control(where) as control:
        print_tournament(_with_ratings(control, id_), json_)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.option("--json", "json_", is_flag=True, help="Print JSON at the end.")
@arena_options
def watch(id_: int, json_: bool, where: Where) -> None:
    """Watch a tournament to its end, then show its standings. Ctrl-C stops watching only."""
    with open_control(where) as control:
        watch_to_the_end(control, id_, quiet=json_)
        print_tournament(_with_ratings(control, id_), json_)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def cancel(id_: int, json_: bool, where: Where) -> None:
    """Stop a tournament; what was played stays, and it can be resumed."""
    with open_control(where) as control:
        control.cancel_tournament(pb.TournamentId(id=id_))
        print_tournament(_with_ratings(control, id_), json_)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def resume(id_: int, json_: bool, where: Where) -> None:
    """Carry a cancelled tournament on where it stopped."""
    with open_control(where) as control:
        control.resume_tournament(pb.TournamentId(id=id_))
        print_tournament(_with_ratings(control, id_), json_)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.argument("bot", metavar="BOT")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def enter(id_: int, bot: str, json_: bool, where: Where) -> None:
    """Let a bot join a ladder; a new version takes the place of the old one."""
    with open_control(where) as control:
        control.enter_tournament(pb.EnterRequest(tournament=id_, bot=bot))
        print_tournament(_with_ratings(control, id_), json_)


@tournament.command()
@click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))
@click.argument("share", metavar="PRIORITY", type=click.Choice(list(WEIGHTS)))
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def priority(id_: int, share: str, json_: bool, where: Where) -> None:
    """Change a tournament's share of the workers: low, normal or high.

    While several run, their shares are as 1 to 4 to 16; a tournament that runs alone has all of
    them anyway. It counts from the next batches on.
    """
    with open_control(where) as control:
        control.set_priority(pb.PriorityRequest(tournament=id_, priority=share))
        print_tournament(_with_ratings(control, id_), json_)


def _with_ratings(control: Control, number: int) -> pb.Tournament:
    return control.get_tournament(pb.TournamentId(id=number, ratings=True))
