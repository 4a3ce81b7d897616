"""`arena analyse`: reviews of matches, on the author's machine."""

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
        "Review matches: what each decision was worth, given what its seat knew, and what the\n"
        "choice lost. Computed here; takes a second or two for each match, and NumPy.\n"
        "Matches come from a file of records or from the dashboard of an arena (ARENA_DASHBOARD)."
    )
    parser.epilog = EPILOG
    parser.add_argument("match", nargs="?", metavar="MATCH", help="the id of a match of the arena")
    parser.add_argument("--file", type=Path, metavar="FILE", help="records, as exports have them")
    parser.add_argument(
        "--match", dest="of_file", metavar="N", help="of FILE: its number or its id"
    )
    parser.add_argument("--bot", metavar="NAME", help="only this bot's decisions")
    parser.add_argument("--worst", type=_count, metavar="N", help="the N decisions that lost most")
    parser.add_argument(
        "--leaks", action="store_true", help="losses of --bot by situation, next to house bots"
    )
    parser.add_argument(
        "--matches", type=_count, metavar="N", help=f"how many of them, the latest [{LISTED}]"
    )
    parser.add_argument(
        "--calibration", action="store_true", help="expected scores beside those that came"
    )
    parser.add_argument(
        "--agreement", type=_several, metavar="N",
        help="marks that are the same in N reviews with other samples",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--dashboard", metavar="URL",
        help="the arena's website [ARENA_DASHBOARD, else the arena of this folder or package]",
    )  # fmt: skip


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 1000")
    return int(text)


def _several(text: str) -> int:
    if not text.isdigit() or not 2 <= int(text) <= 20:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 2 to 20")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Reviews what was asked for. Raises ArenaError."""
    _check(args)
    require("`arena analyse`", "numpy")
    from arena.kit.analysing import analyse

    args.dashboard = args.dashboard or website.address()
    return analyse(args, LISTED)


def _check(args: argparse.Namespace) -> None:
    if bool(args.match) + bool(args.file) > 1:
        raise InvalidRequest("Give the id of a match, or a file: not both.")
    if not (args.match or args.file or args.bot):
        raise InvalidRequest("Say what to review: a match's id, --file, or --bot.")
    if args.of_file and not args.file:
        raise InvalidRequest("--match says which match of --file; give both.")
    if args.leaks and not args.bot:
        raise InvalidRequest("--leaks adds up the losses of one bot; name it with --bot.")
