"""`arena ratings`: show leaderboards and pairs, set the anchor, recompute ratings."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.ratings_text import PAIR_COLUMNS, SURELY, none_rated, pair_row, print_ratings
from arena.cli.screen import F, json_option, note, print_json, print_table, say
from arena.cli.where import Where, arena_options, data_option, open_control, open_local_store
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import operator

if TYPE_CHECKING:
    from arena.store.rebuild import Recount


game_option = click.option("--game", default="lama", show_default=True, help="Game.")


def pool_options(command: F) -> F:
    """Add the options that select a leaderboard and its bots: the fields of a RatingsRequest."""
    for option in (
        click.option(
            "--active-days", type=click.FloatRange(0, min_open=True), metavar="N",
            help="Only bots that played in the last N days.",
        ),
        click.option("--all-versions", is_flag=True, help="Include older versions of the bots."),
        click.option(
            "--seats", default=0, type=click.IntRange(0, 6),
            help="Number of seats; 0 for all together.",
        ),
        game_option,
    ):  # fmt: skip
        command = option(command)
    return command


@click.group(invoke_without_command=True)
@pool_options
@json_option
@arena_options
@click.pass_context
def ratings(ctx: click.Context, /, json_: bool, where: Where, **fields: Any) -> None:
    """Show a leaderboard.

    Compare bots by RATING (± 95%). It weighs all matches at once, in any order. ELO starts from
    the same 1500, but changes after each match and depends on luck.

    The ± is computed over matches, or over deals if deals are shared. RANGE is the range of
    possible ranks, with each pair compared at 95% confidence. One bot's range is right in more than
    95 of 100 leaderboards. With 40 bots, all ranges are right in about 70. Versions after the first
    are shown after the name. SHARED WINS are wins shared with other bots. Points are penalty
    points: fewer are better.
    """
    if ctx.invoked_subcommand is not None:
        return
    pool = pb.RatingsRequest(**fields)
    with open_control(where) as control:
        table = control.get_ratings(pool)
    if json_:
        print_json(table)
    elif not table.ratings:
        note(none_rated(pool.active_days))
    else:
        print_ratings(table)


@ratings.command()
@click.option("--bot", default="", help="Only pairs with this bot.")
@pool_options
@json_option
@arena_options
def pairs(bot: str, json_: bool, where: Where, **fields: Any) -> None:
    """Compare the bots pair by pair.

    SCORE is the first bot's mean score against the other ± 95% (a tie counts ½). EXPECTED is the
    score predicted by the ratings. RESIDUAL is the difference of the two in standard errors; beyond
    ±3, the ratings do not fit this pair. DIFFERENCE is the difference of the ratings, in Elo.
    STRONGER is the probability that the first bot is the stronger one. With 95% confidence, all
    pairs marked * are right at once.

    \b
    Example:
      arena ratings pairs --bot mybot
    """
    pool = pb.RatingsRequest(bot=bot, **fields)
    with open_control(where) as control:
        table = control.get_pairs(pool)
    if json_:
        print_json(table)
    elif not table.pairs:
        note(f"{bot} has no matches here." if bot else none_rated(pool.active_days))
    else:
        print_table(PAIR_COLUMNS, map(pair_row, table.pairs), left=("bot", "other"))
        if any(pair.surely for pair in table.pairs):
            note(f"{SURELY} certain: in 95 of 100 leaderboards, all pairs marked so are right.")


@ratings.command()
@click.argument("bot", default="")
@click.option(
    "--mean", is_flag=True, help="Use the mean of all ratings as the anchor, instead of a bot."
)
@game_option
@json_option
@arena_options
def anchor(bot: str, mean: bool, game: str, json_: bool, where: Where) -> None:
    """Set the bot whose rating is 1500. Without BOT, show it.

    Choose a bot that no longer changes. Its first version has a rating and an Elo of 1500. In
    leaderboards without it, the mean of all is 1500. Elo is recomputed from all matches, which
    takes a few seconds per 50,000. New results wait meanwhile.
    """
    if bot and mean:
        raise click.UsageError("Give either a bot or --mean.")
    with open_control(where) as control:
        if bot or mean:
            begun = time.monotonic()
            answer = control.set_anchor(pb.Anchor(game=game, bot=bot))
            took = time.monotonic() - begun
        else:
            answer = pb.Anchor(
                game=game, bot=control.get_ratings(pb.RatingsRequest(game=game)).anchor
            )
    if json_:
        print_json(answer)
    else:
        say(f"{answer.bot or 'The mean of all'} is 1500 in {game}.")
        if answer.rated_again:
            note(f"Recomputed the Elo of {answer.rated_again:,} matches in {took:.1f} s.")


@ratings.command()
@click.option("--check", is_flag=True, help="Only compare all values, bit by bit.")
@click.option("--game", help="Game.  [default: all]")
@json_option
@data_option
@click.pass_context
def rebuild(
    ctx: click.Context, check: bool, game: str | None, json_: bool, data: Path | None
) -> None:
    """Recompute all ratings from the stored matches.

    Elo and the sums behind the ratings are reproduced bit by bit. With --check, the exit status is
    1 if a value differs. Needs access to the database; the arena can keep running. Without --check,
    new results wait meanwhile.
    """
    from arena.base import gc_tuning
    from arena.store import rebuild
    from arena.store.engine import PATIENT
    from arena.store.registry import audit_log

    gc_tuning.tune()
    with open_local_store(data) as store:
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
    done = "recomputed"
    if check:
        done += ", different from the stored values" if one.differences else ", bit-identical"
    say(f"{one.game}: {one.matches:,} matches, {one.deals:,} deals {done}")
    for difference in one.differences:
        say(f"  {difference}")
