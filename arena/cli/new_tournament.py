"""`arena tournament new`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from arena.base.errors import InvalidRequest
from arena.cli.progress import watch_to_the_end
from arena.cli.screen import note
from arena.cli.tournament_text import print_forecast, print_tournament
from arena.cli.where import Where, arena_options, open_control
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.pages import every_bot
from arena.service.control.port import Control
from arena.service.control.sentences import rounded_up
from arena.service.control.start_time import EXAMPLES, read_start
from arena.tournaments.formats.luck import CORRECTED, LUCKS
from arena.tournaments.formats.priority import WEIGHTS
from arena.tournaments.formats.sign_up import BOTS_PER_AUTHOR, MOST_BOTS
from arena.tournaments.formats.spec import BY_MATCH, ISOLATIONS

# Options that are fields of a TournamentSpec under the same name.
SAME = (
    "name",
    "game",
    "seats",
    "matches",
    "deals",
    "trusted",
    "seed",
    "salt",
    "move_ms",
    "fault_limit",
    "isolation",
    "luck",
)


@click.command()
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
    help="I trust every entrant. Shared deals take that, unless all are hosted: a bot with a "
    "memory recognises the cards.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="Make the tournament repeatable: its secret is made of this number and of random bits, "
    "the salt. Both are published at the end. Takes --trusted, unless all are bots of the house.  "
    "[default: a random secret]",
)
@click.option(
    "--salt",
    metavar="HEX",
    default="",
    help="With --seed, the salt of the tournament to repeat. Whoever knows both knows all cards.  "
    "[default: random]",
)
@click.option(
    "--move-ms", type=click.IntRange(1), default=2000, show_default=True, help="Time for a move."
)
@click.option(
    "--start-grace",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Seconds to wait for bots that are not connected, and again with their matches; then they "
    "forfeit.",
)
@click.option(
    "--fault-limit",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Faults in a match at which a bot forfeits it.",
)
@click.option(
    "--isolation",
    type=click.Choice(ISOLATIONS),
    default=BY_MATCH,
    show_default=True,
    help="What a hosted bot has a process for, beyond which it remembers nothing.",
)
@click.option(
    "--luck",
    type=click.Choice(LUCKS),
    default=CORRECTED,
    show_default=True,
    help="Ratings, pairs and versus go by scores with the luck of each match taken out, where "
    "there is a luck model for game, seats and options; or by raw scores. Points, wins and Elo "
    "are raw.",
)
@click.option(
    "--priority",
    type=click.Choice(list(WEIGHTS)),
    default="normal",
    show_default=True,
    help="Its share of the workers while others run: 1 to 4 to 16.",
)
@click.option(
    "--starts-at",
    metavar="TIME",
    help=f"When it begins: {EXAMPLES}. A time without a zone is in UTC.  "
    "[default: as soon as its bots are connected]",
)
@click.option(
    "--open",
    "open_",
    is_flag=True,
    help="Open for sign-up until the time of --starts-at: authors enter their bots on its page. "
    "BOT... are in from the beginning, if any.",
)
@click.option(
    "--max-bots",
    type=click.IntRange(1),
    help=f"With --open: the most bots in all.  [default: {MOST_BOTS}]",
)
@click.option(
    "--max-per-author",
    type=click.IntRange(1),
    help=f"With --open: the most bots of one author.  [default: {BOTS_PER_AUTHOR}]",
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
    priority: str,
    watch_: bool,
    dry_run: bool,
    json_: bool,
    where: Where,
    **fields: Any,
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
      arena tournament new --open --max-bots 24 --starts-at 2026-12-01T18:00Z
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
    """What the options say, but for the bots."""
    return pb.TournamentSpec(
        format=fields["format_"],
        start_grace_s=fields["start_grace"],
        starts_at=None if fields["starts_at"] is None else read_start(fields["starts_at"]),
        sign_up=_sign_up(fields),
        options=_pairs("--option max_rounds=20", fields["options"]),
        format_options=_pairs("--format-option rounds=5", fields["format_options"]),
        **{name: fields[name] for name in SAME},
    )


def _sign_up(fields: Mapping[str, Any]) -> pb.SignUp | None:
    """How many bots may enter; None where it is not open for sign-up."""
    max_bots, per_author = fields["max_bots"], fields["max_per_author"]
    if fields["open_"]:
        return pb.SignUp(max_bots=max_bots, bots_per_author=per_author)
    if max_bots or per_author:
        raise InvalidRequest("--max-bots and --max-per-author limit a sign-up: add --open.")
    return None


def _pairs(example: str, texts: Sequence[str]) -> dict[str, str]:
    return dict(_split_option(example, text) for text in texts)


def _create(control: Control, spec: pb.TournamentSpec, priority: str) -> pb.Tournament:
    """Creates it and notes what the organiser may not expect; it comes as it is a moment later."""
    created = control.create_tournament(spec)
    if priority != created.priority:
        control.set_priority(pb.PriorityRequest(tournament=created.id, priority=priority))
    if spec.matches and created.spec.matches > spec.matches:
        note(f"{rounded_up(spec.matches, created.spec.matches)}.")
    if created.repeatable:
        note("Repeatable: its seed and salt are published when it is finished.")
    return control.get_tournament(pb.TournamentId(id=created.id))


def _split_option(example: str, text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        name = example.split()[0]
        raise InvalidRequest(f"{name} {text} has no value; it looks like {example}.")
    return key, value


def _entrants(
    control: Control, bots: tuple[str, ...], all_: bool, *, optional: bool
) -> Sequence[str]:
    if all_ and bots:
        raise InvalidRequest("Name the bots or say --all, not both.")
    if all_:
        return [bot.name for bot in every_bot(control).bots]
    if not bots and not optional:
        raise InvalidRequest("Name the bots that take part, or say --all. See arena bot list.")
    return bots
