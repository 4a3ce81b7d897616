"""The command line of `arena selfplay`."""

import argparse
import importlib
from pathlib import Path

from arena.base import website
from arena.base.errors import InvalidRequest
from arena.base.extras import require
from arena.games.rules import game_class
from arena.kit.play.job import Job
from arena.kit.play.options import GAME_HELP, add_repeatable, at_least, option
from arena.kit.play.plan import seed_of
from arena.kit.play.pool import cores
from arena.kit.players import players_of
from arena.tournaments.formats import FromSecret
from arena.tournaments.formats.secret import repeatable

SEATS = 4
MATCHES = 1000
NEEDED = ("numpy", "pyarrow")
EPILOG = """\
examples:
  arena selfplay sharp --matches 10000 --out sharp.parquet
  arena selfplay mybot.py sharp five --seats 3 --game dice --seed 7 --out dice.parquet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play matches and write every decision to a Parquet file.\n\n"
        "Each row has the view of the seat, the legal actions, the chosen one and the result of\n"
        f"the match. For the columns, see\n{website.docs('learning#self-play-to-parquet')}"
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "players", nargs="+", metavar="PLAYER",
        help="a house bot (random, timid, stubborn, five, careful, sharp), FILE.py, FILE.py:CLASS "
        "or module:CLASS; with fewer players than seats, players repeat in order",
    )  # fmt: skip
    parser.add_argument("--game", default="lama", help=GAME_HELP)
    parser.add_argument(
        "--seats", type=at_least(2), metavar="N",
        help=f"seats at the table [number of players, {SEATS} for a single one]",
    )  # fmt: skip
    parser.add_argument(
        "--matches", type=at_least(1), default=MATCHES, metavar="N",
        help=f"number of matches; players change seats after each [{MATCHES}]",
    )  # fmt: skip
    add_repeatable(parser, "decisions")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE.parquet", help="output file"
    )


def run(args: argparse.Namespace) -> int:
    """Play and write. Raises ArenaError."""
    require("`arena selfplay`", *NEEDED)
    seed = seed_of(args.seed)
    job = _job(args, seed)
    # Imported late, because it needs NumPy and pyarrow.
    module = importlib.import_module("arena.kit.selfplay.playing")
    status: int = module.run(job, args.matches, args.jobs or cores(), args.out, seed)
    return status


def _job(args: argparse.Namespace, seed: int) -> Job:
    players, kind = players_of(args.players), game_class(args.game)
    seats = kind.check_seats(args.seats or (len(players) if len(players) > 1 else SEATS))
    if len(players) > seats:
        raise InvalidRequest(
            f"{len(players)} players do not fit at {seats} seats. Name fewer, or pass --seats."
        )
    if programs := [player.source for player in players if player.program]:
        raise InvalidRequest(
            f"{programs[0]} is a command. `arena selfplay` plays only house bots and Python bots."
        )
    options = kind.check_options(dict(map(option, args.option)))
    source = FromSecret(repeatable(seed), 0)
    return Job(players, args.game, seats, options, source, "faulty")
