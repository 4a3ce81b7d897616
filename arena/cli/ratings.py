"""`arena ratings`, and the rating table wherever else it is shown."""

from __future__ import annotations

import click

from arena.cli.screen import note, print_json, print_table
from arena.cli.where import Where, arena_options, open_control
from arena.protocol.v1 import control_pb2 as pb

COLUMNS = (
    "rank",
    "bot",
    "version",
    "Elo",
    "matches",
    "wins",
    "shared wins",
    "mean points",
    "faults",
)


@click.command()
@click.option("--game", default="lama", show_default=True, help="Which game's.")
@click.option(
    "--seats", default=0, type=click.IntRange(0, 6), help="Only tables of so many; 0: all together."
)
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def ratings(game: str, seats: int, json_: bool, where: Where) -> None:
    """Show a rating table.

    Shared wins are those of the wins that were shared with others. Points are penalty points:
    fewer are better.
    """
    with open_control(where) as control:
        table = control.get_ratings(pb.RatingsRequest(game=game, seats=seats))
    if json_:
        print_json(table)
    elif not table.ratings:
        note("Nobody is rated yet: arena tournament new BOT...")
    else:
        print_ratings(table)


def print_ratings(table: pb.RatingTable) -> None:
    """The table for people."""
    print_table(COLUMNS, map(_line, table.ratings), left=("bot",))


def _line(rating: pb.Rating) -> tuple[object, ...]:
    return (
        rating.rank,
        rating.bot,
        rating.version,
        f"{rating.elo:.1f}",
        rating.matches,
        rating.wins,
        rating.shared_wins,
        f"{rating.mean_points:.2f}",
        rating.faults,
    )
