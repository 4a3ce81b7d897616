"""`arena tournament`: create, watch, cancel and resume tournaments."""

import functools
from collections.abc import Callable

import click

from arena.base import instant
from arena.cli.audit import verify
from arena.cli.export import export
from arena.cli.new_tournament import new
from arena.cli.progress import watch_to_the_end
from arena.cli.screen import json_option, note, print_json, print_table, say, when
from arena.cli.tournament_text import print_series, print_tournament, state_word
from arena.cli.where import Where, arena_options, open_control
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control, every_tournament
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.priority import WEIGHTS

id_argument = click.argument("id_", metavar="ID", type=click.IntRange(1, 2**32 - 1))


@click.group()
def tournament() -> None:
    """Create, watch, cancel and export tournaments."""


tournament.add_command(new)
tournament.add_command(export)
tournament.add_command(verify)


@tournament.command()
def formats() -> None:
    """List the formats and their options.

    The rules of each format are on the dashboard, under /docs/formats.
    """
    for name, format_ in FORMATS.items():
        summary = (type(format_).__doc__ or "").splitlines()[0]
        say(f"{name}: {summary}")
        for option, about in format_.options.items():
            say(f"    {option}={about.default}  {about.about}")


@tournament.command("list")
@json_option
@arena_options
def list_(json_: bool, where: Where) -> None:
    """List all tournaments, newest first."""
    with open_control(where) as control:
        answer = every_tournament(control)
    if json_:
        print_json(answer)
    elif not answer.tournaments:
        note("There is no tournament yet. Create one with `arena tournament new BOT...`.")
    else:
        columns = ("id", "name", "state", "played", "planned", "created")
        print_table(columns, map(_line, answer.tournaments), left=("name", "state"))


def _line(item: pb.Tournament) -> tuple[object, ...]:
    name = f"{item.spec.name} (repeatable)" if item.repeatable else item.spec.name
    return (
        item.id,
        name,
        state_word(item, instant.now()),
        item.played,
        item.planned,
        when(item.created),
    )


def _then_shown(command: Callable[..., None]) -> click.Command:
    """Add a command that does this with a tournament, then shows the tournament."""

    @tournament.command()
    @id_argument
    @json_option
    @arena_options
    @functools.wraps(command)
    def shown(id_: int, json_: bool, where: Where, **given: str) -> None:
        with open_control(where) as control:
            command(control, id_, **given)
            _show(control, id_, json_)

    return shown


def _show(control: Control, number: int, json_: bool) -> None:
    shown = control.get_tournament(pb.TournamentId(id=number, ratings=True))
    print_tournament(shown, json_)


@_then_shown
def show(control: Control, id_: int) -> None:
    """Show a tournament and its standings."""


@tournament.command()
@id_argument
@click.option("--json", "json_", is_flag=True, help="JSON output at the end.")
@arena_options
def watch(id_: int, json_: bool, where: Where) -> None:
    """Watch a tournament to its end, then show its standings.

    Ctrl-C stops watching. The tournament continues.
    """
    with open_control(where) as control:
        watch_to_the_end(control, id_, quiet=json_)
        _show(control, id_, json_)


@_then_shown
def cancel(control: Control, id_: int) -> None:
    """Cancel a tournament.

    Finished matches are kept, and you can resume the tournament.
    """
    control.cancel_tournament(pb.TournamentId(id=id_))


@_then_shown
def resume(control: Control, id_: int) -> None:
    """Resume a cancelled tournament, or start a scheduled one now."""
    control.resume_tournament(pb.TournamentId(id=id_))


@_then_shown
@click.argument("bot", metavar="BOT")
def enter(control: Control, id_: int, bot: str) -> None:
    """Enter a bot into an open tournament or a ladder.

    In a ladder, a new version replaces the old one.
    """
    control.enter_tournament(pb.EnterRequest(tournament=id_, bot=bot))


@_then_shown
@click.argument("bot", metavar="BOT")
def withdraw(control: Control, id_: int, bot: str) -> None:
    """Withdraw a bot from a tournament open for sign-up."""
    control.withdraw_from_tournament(pb.EnterRequest(tournament=id_, bot=bot))


@_then_shown
@click.argument("share", metavar="PRIORITY", type=click.Choice(list(WEIGHTS)))
def priority(control: Control, id_: int, share: str) -> None:
    """Set a tournament's share of the workers.

    Tournaments with low, normal and high priority share the workers 1 to 4 to 16. One that runs
    alone uses all of them. The change applies to the next work units.
    """
    control.set_priority(pb.PriorityRequest(tournament=id_, priority=share))


@tournament.command()
@id_argument
@click.option("--end", is_flag=True, help="End the series: no further tournament opens.")
@json_option
@arena_options
def series(id_: int, end: bool, json_: bool, where: Where) -> None:
    """Show a series of tournaments and its season, or end it.

    `arena tournament show` prints the number of a tournament's series.
    """
    with open_control(where) as control:
        asked = pb.SeriesId(id=id_)
        print_series(control.end_series(asked) if end else control.get_series(asked), json_)
