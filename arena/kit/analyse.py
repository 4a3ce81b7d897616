"""`arena analyse`: reviews of matches, on the author's machine."""

from __future__ import annotations

import argparse
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, InvalidRequest, NotFound, Unavailable
from arena.kit import analyse_text
from arena.kit.records import records_in
from arena.match import Match
from arena.sdk.recorded import replayed
from arena.value.review import Judged, Review, review_match
from arena.value.review.calibration import calibration, expectations
from arena.value.review.payload import judged_payload, payload

DASHBOARD = "http://127.0.0.1:7421"
LISTED = 50  # latest matches of a bot, unless it is said how many
TIMEOUT_S = 30

EPILOG = """\
examples:
  arena play mybot.py sharp five --out played.jsonl
  arena analyse --file played.jsonl --match 1
  arena analyse --file played.jsonl --bot mybot --worst 10
  arena analyse 0s5rk8qw31zfa7c2 --json
  arena analyse --bot mybot --worst 10 --matches 100
  arena analyse --file played.jsonl --calibration
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describes the command to its parser."""
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
        "--matches", type=_count, metavar="N", help=f"how many of them, the latest [{LISTED}]"
    )
    parser.add_argument(
        "--calibration", action="store_true", help="expected scores beside those that came"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--dashboard", metavar="URL", default=os.environ.get("ARENA_DASHBOARD", DASHBOARD),
        help=f"[ARENA_DASHBOARD or {DASHBOARD}]",
    )  # fmt: skip


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 1000")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Reviews what was asked for. Raises ArenaError."""
    _check(args)
    reviewed: list[tuple[Match, Review]] = []
    for match in map(replayed, _records(args)):
        try:
            reviewed.append((match, review_match(match)))
        except InvalidRequest as error:
            if args.match or args.of_file:
                raise
            print(f"{match.setup.id} is left out: {error}")
    if not reviewed:
        raise NotFound("There is no such match.")
    if args.calibration:
        _calibration(reviewed, args.json)
    elif args.worst:
        _worst(reviewed, args.bot, args.worst, args.json)
    else:
        for match, review in reviewed:
            _print(match, review, args.bot, args.json)
    return 0


def _check(args: argparse.Namespace) -> None:
    if bool(args.match) + bool(args.file) > 1:
        raise InvalidRequest("Give the id of a match, or a file: not both.")
    if not (args.match or args.file or args.bot):
        raise InvalidRequest("Say what to review: a match's id, --file, or --bot.")
    if args.of_file and not args.file:
        raise InvalidRequest("--match says which match of --file; give both.")


# Where matches come from


def _records(args: argparse.Namespace) -> Iterator[Any]:
    """The records to be reviewed, one after the other."""
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
    """The latest matches of a bot that may be seen."""
    query = urllib.parse.urlencode({"bot": args.bot, "limit": min(200, 2 * most)})
    for row in _fetch(args.dashboard, f"/api/matches?{query}")["matches"]:
        if not row["locked"]:
            yield _fetch(args.dashboard, f"/api/matches/{row['id']}")


def _fetch(dashboard: str, path: str) -> Any:
    """What the dashboard answers. Raises Unavailable, NotFound, InvalidRequest."""
    if not dashboard.startswith(("http://", "https://")):
        raise InvalidRequest(f"{dashboard!r} is no address of a dashboard: http://HOST:PORT.")
    try:
        with urllib.request.urlopen(dashboard.rstrip("/") + path, timeout=TIMEOUT_S) as answer:  # noqa: S310
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise _refused(error) from None
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"The dashboard at {dashboard} does not answer ({error}): name it with --dashboard, "
            "or review a file of records with --file."
        ) from None


def _refused(error: urllib.error.HTTPError) -> ArenaError:
    try:
        sentence = str(json.load(error)["error"])
    except (ValueError, KeyError, TypeError):
        sentence = f"The dashboard answers {error.code}."
    return NotFound(sentence) if error.code == 404 else InvalidRequest(sentence)


# What is printed


def _print(match: Match, review: Review, bot: str | None, as_json: bool) -> None:
    if as_json:
        print(json.dumps(payload(review)))
        return
    names = [seat.bot for seat in match.setup.seats]
    for line in analyse_text.lines(review, names, bot):
        print(line)


def _worst(
    reviewed: Sequence[tuple[Match, Review]], bot: str | None, count: int, as_json: bool
) -> None:
    every: list[tuple[Match, Judged]] = [
        (match, each)
        for match, review in reviewed
        for each in review.decisions
        if each.verdict and bot in (None, match.setup.seats[each.seat].bot)
    ]
    worst = sorted(every, key=lambda found: -found[1].loss)[:count]
    if as_json:
        print(json.dumps([{"match": m.setup.id, **judged_payload(each)} for m, each in worst]))
        return
    for line in analyse_text.worst_lines(worst, len(reviewed)):
        print(line)


def _calibration(reviewed: Sequence[tuple[Match, Review]], as_json: bool) -> None:
    found = [each for match, review in reviewed for each in expectations(review, match)]
    bins = calibration(found)
    if as_json:
        print(json.dumps([each._asdict() for each in bins]))
        return
    for line in analyse_text.calibration_lines(bins, len(reviewed)):
        print(line)
