"""`arena ratings`, and the rating table wherever else it is shown."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from arena.cli.ratings_text import PAIR_COLUMNS, SURELY, none_rated, pair_row, print_ratings
from arena.cli.screen import note, print_json, print_table, say
from arena.cli.where import Where, arena_options, open_control, open_local_store
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import operator

if TYPE_CHECKING:
    from arena.store.rebuild import Recount


def pool_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which table and which bots of it."""
    for option in (
        click.option("--json", "json_", is_flag=True, help="Print JSON."),
        click.option(
            "--active-days", type=click.FloatRange(0, min_open=True), metavar="N",
            help="Only bots that have played within N days.",
        ),
        click.option("--all-versions", is_flag=True, help="Older versions of the bots too."),
        click.option(
            "--seats", default=0, type=click.IntRange(0, 6),
            help="Only tables of so many; 0: all together.",
        ),
        click.option("--game", default="lama", show_default=True, help="Which game's."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group(invoke_without_command=True)
@pool_options
@arena_options
@click.pass_context
def ratings(
    ctx: click.Context,
    game: str,
    seats: int,
    all_versions: bool,
    active_days: float | None,
    json_: bool,
    where: Where,
) -> None:
    """Show a rating table.

    Rating ± 95% weighs all matches at once, whatever their order, and is what to compare bots by;
    Elo, counted from the same 1500, moves with every match and swings by luck.

    The ± is computed over matches, or over deals where they are shared. RANGE is where a bot may
    stand, each pair compared with 95% confidence by itself: a bot's own range is right in more
    than 95 of 100 tables, all ranges of a table of 40 in about 70. A version other than the first
    stands behind the name. Shared wins are those of the wins that were shared with others. Points
    are penalty points: fewer are better.
    """
    if ctx.invoked_subcommand is not None:
        return
    with open_control(where) as control:
        table = control.get_ratings(_request(game, seats, all_versions, active_days))
    if json_:
        print_json(table)
    elif not table.ratings:
        note(none_rated(active_days))
    else:
        print_ratings(table)


@ratings.command()
@click.option("--bot", default="", help="Only this bot against each other one.")
@pool_options
@arena_options
def pairs(
    bot: str,
    game: str,
    seats: int,
    all_versions: bool,
    active_days: float | None,
    json_: bool,
    where: Where,
) -> None:
    """Show how the bots stand to each other, pair by pair.

    SCORE is the first bot's mean score against the other ± 95% (a tie is a half), EXPECTED what
    their ratings lead to expect; OFF BY is their difference in standard errors: beyond 3 either way
    the pair does not fit its ratings. DIFFERENCE is that of the ratings, in Elo. STRONGER is the
    probability that the first is the stronger of the two, and * says that it holds for all pairs
    marked with it at once.

    \b
    Example:
      arena ratings pairs --bot mybot
    """
    with open_control(where) as control:
        table = control.get_pairs(_request(game, seats, all_versions, active_days, bot))
    if json_:
        print_json(table)
    elif not table.pairs:
        note(f"{bot} has met nobody of this table." if bot else none_rated(active_days))
    else:
        print_table(PAIR_COLUMNS, map(pair_row, table.pairs), left=("bot", "other"))
        if any(pair.surely for pair in table.pairs):
            note(f"{SURELY} surely stronger: in 95 of 100 tables all pairs marked so are right.")


@ratings.command()
@click.argument("bot", default="")
@click.option("--mean", is_flag=True, help="No bot: the mean of all ratings is 1500.")
@click.option("--game", default="lama", show_default=True, help="Which game's.")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def anchor(bot: str, mean: bool, game: str, json_: bool, where: Where) -> None:
    """Choose the bot whose rating and Elo are 1500; without BOT, show it.

    Take one that does not change any more. It counts in its first version; where it has not
    played, the mean of all is 1500. Elo is counted again from all matches, some seconds for
    50,000; what is played meanwhile has to wait, and is then rated with the new anchor.
    """
    if bot and mean:
        raise click.UsageError("Give either a bot or --mean.")
    with open_control(where) as control:
        if bot or mean:
            begun = time.monotonic()
            answer = control.set_anchor(pb.Anchor(game=game, bot=bot))
            took = time.monotonic() - begun
        else:
            answer = pb.Anchor(game=game, bot=control.get_ratings(_request(game)).anchor)
    if json_:
        print_json(answer)
    else:
        say(f"{answer.bot or 'The mean of all'} is 1500 in {game}.")
        if answer.rated_again:
            again = f"The Elo of {answer.rated_again:,} matches was counted again"
            note(f"{again}, in {took:.1f} s; results waited meanwhile.")


@ratings.command()
@click.option("--check", is_flag=True, help="Change nothing: compare, to the bit.")
@click.option("--game", help="Only that game's.  [default: all]")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
@click.pass_context
def rebuild(ctx: click.Context, check: bool, game: str | None, json_: bool, where: Where) -> None:
    """Compute all ratings again from the stored matches.

    Elo and the sums that ratings follow from come out the same to the bit; --check compares,
    and exits with status 1 where something differs. Works on the database of this machine, also
    while the arena runs; without --check results have to wait meanwhile.
    """
    from arena.base import gc_tuning
    from arena.store import rebuild
    from arena.store.engine import PATIENT
    from arena.store.registry import audit_log

    gc_tuning.tune()  # a quarter of the time would go into looking for cycles
    with open_local_store(where) as store:
        opened = store.snapshot() if check else store.write(PATIENT)
        with opened as conn:
            games = rebuild.games(conn) if game is None else [game]
            count = rebuild.compare if check else rebuild.rebuild
            counts = [count(conn, name) for name in games]
            if not check:
                audit_log.note(conn, operator(), "rebuilt", "ratings", ", ".join(games))
    if json_:
        print(json.dumps([asdict(one) for one in counts], indent=2))
    elif not counts:
        note("There are no matches yet.")
    else:
        for one in counts:
            _tell(one, check)
    if any(one.differences for one in counts):
        ctx.exit(1)


def _tell(one: Recount, check: bool) -> None:
    done = "counted again"
    if check:
        done += ": not what is stored" if one.differences else ": the same to the bit"
    say(f"{one.game}: {one.matches:,} matches, {one.deals:,} deals {done}")
    for difference in one.differences:
        say(f"  {difference}")


def _request(
    game: str,
    seats: int = 0,
    all_versions: bool = False,
    active_days: float | None = None,
    bot: str = "",
) -> pb.RatingsRequest:
    return pb.RatingsRequest(
        game=game, seats=seats, all_versions=all_versions, active_days=active_days or 0, bot=bot
    )
