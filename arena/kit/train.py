"""`arena train`: makes nets from matches between the house's bots."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.base.extras import require
from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.kit.play.options import at_least
from arena.kit.play.pool import cores

SEATS = range(FEWEST_SEATS, MOST_SEATS + 1)
AGAIN = "again"
WHAT = ("outcome", "styled", "rounds", "luck", "policy", "measure", AGAIN)
EPILOG = """\
examples:
  arena train outcome
  arena train outcome --game lama --game dice --seats 4 --size 0.1 --to nets
  arena train again --to nets
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which nets, from how much, and where they go."""
    parser.description = (
        "Make the nets of arena.value anew, from matches between the house's bots\n"
        "and, for policies, of nets with themselves. The same seed\n"
        "gives the same nets on the same machine. Each net is a file with a card beside it.\n"
        "`measure` makes none: it says how many matches the correction for luck saves.\n"
        "`again` makes all nets of the package, each as its card says, and says which come\n"
        "out the same."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "what", choices=WHAT, metavar="WHAT",
        help=f"which nets, in the order in which they need each other: {', '.join(WHAT)}",
    )  # fmt: skip
    parser.add_argument(
        "--game", action="append", choices=GAMES, metavar="GAME", help="only of this game [all]"
    )
    parser.add_argument(
        "--seats", action="append", type=int, choices=SEATS, metavar="N",
        help="only for so many seats [2 to 6]",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=float, default=1.0, metavar="X", help="how much data, of the usual [1]"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of all that is random [1]"
    )
    parser.add_argument(
        "--to", type=Path, metavar="FOLDER", help="where the files go [where the arena finds them]"
    )
    parser.add_argument(
        "--jobs", type=at_least(1), metavar="N",
        help="nets made at a time, each by a process [1; for `again` one for each core]",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Makes the nets. Raises ArenaError."""
    if not 0 < args.size <= 100:
        raise InvalidRequest("--size takes a number above 0, 100 at most.")
    if args.seed < 0:
        raise InvalidRequest("--seed takes a whole number from 0 on.")
    if args.what == "policy" and args.seats:
        raise InvalidRequest("One policy net plays at all numbers of seats: leave --seats out.")
    if args.what == "measure" and args.jobs:
        raise InvalidRequest("`measure` makes no nets: leave --jobs out.")
    if args.what == AGAIN and (args.seats or args.size != 1 or args.seed != 1):
        raise InvalidRequest("The cards say how each net is made: leave out what they say.")
    if args.what == AGAIN and args.to is None:
        raise InvalidRequest("Name a folder for the nets with --to, such as --to nets.")
    require("`arena train`", "numpy")
    import arena.base.blas_threads  # noqa: F401 - before NumPy: more threads cost more than they give

    for line in _lines(args):
        print(line, flush=True)
    return 0


def _lines(args: argparse.Namespace) -> Iterator[str]:
    # Only now: the module needs NumPy.
    module = importlib.import_module("arena.value.training.command")
    games, jobs = args.game or list(GAMES), args.jobs
    if args.what == AGAIN:
        yield from module.made_again(games, args.to, jobs or cores())
    else:
        seats = args.seats or list(SEATS)
        yield from module.made(args.what, games, seats, args.size, args.seed, args.to, jobs or 1)
