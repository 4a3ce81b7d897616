"""`arena analyse`: review matches on the author's machine."""

import argparse
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from arena.base import website
from arena.base.errors import ArenaError, InvalidRequest, NotFound, Unavailable
from arena.base.extras import require
from arena.kit.records import records_in

LISTED = 50  # matches of a bot by default, the latest
TIMEOUT_S = 30
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
        "--worst", type=_from(1, 1000), metavar="N", help="number of costliest decisions to list"
    )
    parser.add_argument(
        "--leaks",
        action="store_true",
        help="add up the losses of --bot by situation, next to house bots",
    )
    parser.add_argument(
        "--matches", type=_from(1, 1000), metavar="N",
        help=f"number of latest matches to review [{LISTED}]",
    )  # fmt: skip
    parser.add_argument(
        "--calibration", action="store_true", help="compare expected scores with actual ones"
    )
    parser.add_argument(
        "--agreement", type=_from(2, 20), metavar="N",
        help="share of marks that agree in N reviews with different samples",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="JSON output")
    parser.add_argument(
        "--dashboard", metavar="URL",
        help="website of the arena [ARENA_DASHBOARD, else the arena of this folder or package]",
    )  # fmt: skip


def _from(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return int(text)

    return number


def run(args: argparse.Namespace) -> int:
    """Review the matches. Raises ArenaError."""
    _check(args)
    require("`arena analyse`", "numpy")
    from arena.kit.analysis import analyse

    args.dashboard = args.dashboard or website.address()
    return analyse(args, _records(args))


def _check(args: argparse.Namespace) -> None:
    if bool(args.match) + bool(args.file) > 1:
        raise InvalidRequest("Give either the id of a match or --file, not both.")
    if not (args.match or args.file or args.bot):
        raise InvalidRequest("Nothing to review. Give the id of a match, --file or --bot.")
    if args.of_file and not args.file:
        raise InvalidRequest("--match selects a match of --file. Give both.")
    if args.leaks and not args.bot:
        raise InvalidRequest("--leaks adds up the losses of one bot. Name it with --bot.")


# Sources of matches


def _records(args: argparse.Namespace) -> Iterator[Any]:
    if args.match:
        yield _fetch(args.dashboard, f"/api/matches/{urllib.parse.quote(args.match, safe='')}")
        return
    most, given = args.matches or LISTED, 0
    for record in _of_file(args) if args.file else _of_bot(args, most):
        if args.bot and args.bot not in [seat["bot"] for seat in record["seats"]]:
            continue
        yield record
        given += 1
        if given >= most and (args.matches or not args.file):
            return


def _of_file(args: argparse.Namespace) -> Iterator[Any]:
    for number, record in enumerate(records_in(args.file), 1):
        if args.of_file in (None, str(number), record.get("id")):
            yield record


def _of_bot(args: argparse.Namespace, most: int) -> Iterator[Any]:
    """Yield the latest public matches of a bot."""
    query = urllib.parse.urlencode({"bot": args.bot, "limit": min(200, 2 * most)})
    for row in _fetch(args.dashboard, f"/api/matches?{query}")["matches"]:
        if not row["locked"]:
            yield _fetch(args.dashboard, f"/api/matches/{row['id']}")


def _fetch(dashboard: str, path: str) -> Any:
    """Return the dashboard's answer. Raises Unavailable, NotFound, InvalidRequest."""
    if not dashboard.startswith(("http://", "https://")):
        raise InvalidRequest(f"{dashboard!r} is not a dashboard URL. Write http://HOST:PORT.")
    try:
        with urllib.request.urlopen(dashboard.rstrip("/") + path, timeout=TIMEOUT_S) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise _refused(error) from None
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"The dashboard at {dashboard} does not answer ({error}). Choose another with "
            "--dashboard, or review a file of records with --file."
        ) from None


def _refused(error: urllib.error.HTTPError) -> ArenaError:
    try:
        sentence = str(json.load(error)["error"])
    except (ValueError, KeyError, TypeError):
        sentence = f"The dashboard answers {error.code}."
    return NotFound(sentence) if error.code == 404 else InvalidRequest(sentence)
