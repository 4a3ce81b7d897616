"""`arena analyse`: review matches on the author's machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.base import website
from arena.base.errors import InvalidRequest
from arena.base.extras import require

LISTED = 50  # matches of a bot by default, the latest
EPILOG = """\
examples:
  arena play mybot.py sharp five --out played.jsonl
  arena analyse --file played.jsonl --match 1
  arena analyse --file played.jsonl --bot mybot --worst 10
  arena analyse 0s5rk8qw31zfa7c2 --json
  arena analyse --bot mybot --worst 10 --matches 100
  arena analyse --bot mybot --leaks
  arena analyse --file played.jsonl --calibration
  arena analyse --file played.jsonl --agreement 5
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Review matches, decision by decision.\n\n"
        "Prints the value of each option, given the seat's knowledge, and the loss of the chosen\n"
        "one. Matches come from a file of records or from an arena's dashboard (ARENA_DASHBOARD).\n"
        "The review runs on this machine with NumPy and takes a second or two per match."
    )
    parser.epilog = EPILOG
    parser.add_argument("match", nargs="?", metavar="MATCH", help="id of a match of the arena")
    parser.add_argument("--file", type=Path, metavar="FILE", help="match records, from an export")
    parser.add_argument(
        "--match", dest="of_file", metavar="N", help="match of FILE, by number or id"
    )
    parser.add_argument("--bot", metavar="NAME", help="bot whose decisions are reviewed [all]")
    parser.add_argument(
        "--worst", type=_count, metavar="N", help="number of costliest decisions to list"
    )
    parser.add_argument(
        "--leaks",
        action="store_true",
        help="losses of --bot by situation, compared with house bots",
    )
    parser.add_argument(
        "--matches", type=_count, metavar="N", help=f"number of latest matches to review [{LISTED}]"
    )
    parser.add_argument(
        "--calibration", action="store_true", help="expected scores compared with actual ones"
    )
    parser.add_argument(
        "--agreement", type=_several, metavar="N",
        help="share of marks that agree in N reviews with different samples",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="JSON output")
    parser.add_argument(
        "--dashboard", metavar="URL",
        help="website of the arena [ARENA_DASHBOARD, else the arena of this folder or package]",
    )  # fmt: skip


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 1000")
    return int(text)


def _several(text: str) -> int:
    if not text.isdigit() or not 2 <= int(text) <= 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 2 to 20")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Review the matches. Raises ArenaError."""
    _check(args)
    require("`arena analyse`", "numpy")
    from arena.kit.analysing import analyse

    args.dashboard = args.dashboard or website.address()
    return analyse(args, LISTED)


def _check(args: argparse.Namespace) -> None:
    if bool(args.match) + bool(args.file) > 1:
        raise InvalidRequest("Give either the id of a match or --file, not both.")
    if not (args.match or args.file or args.bot):
        raise InvalidRequest("Nothing to review. Give the id of a match, --file or --bot.")
    if args.of_file and not args.file:
        raise InvalidRequest("--match selects a match of --file. Give both.")
    if args.leaks and not args.bot:
        raise InvalidRequest("--leaks adds up the losses of one bot. Name it with --bot.")
