"""Fetch matches, review them and print the results, for `arena analyse`. Needs NumPy."""

from __future__ import annotations

import argparse
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

from arena.base.errors import ArenaError, InvalidRequest, NotFound, Unavailable
from arena.games.match import Match
from arena.kit import analyse_text
from arena.kit.analyse_leaks import print_leaks
from arena.kit.records import records_in
from arena.sdk.recorded import replayed
from arena.value.review import Judged, Review, review_match
from arena.value.review.agreement import agreement, marks_of
from arena.value.review.calibration import (
    calibration,
    calibration_by_points,
    expectations,
)
from arena.value.review.payload import judged_payload, payload
from arena.value.review.summary import summary
from arena.value.review.verdicts import Verdict

TIMEOUT_S = 30


def analyse(args: argparse.Namespace, listed: int) -> int:
    """Review the matches; of a bot, the latest `listed` by default. Returns the exit status.

    Raises ArenaError."""
    reviewed: list[tuple[Match, Review]] = []
    marks: list[Sequence[Verdict]] = []
    overall = args.agreement or args.calibration or args.leaks or args.worst
    for match, review in _reviewed(args, listed):
        reviewed.append((match, review))
        if args.agreement:
            others = [review_match(match, again=other) for other in range(1, args.agreement)]
            marks += marks_of([review, *others])
        if not overall:
            _print(match, review, args.bot, args.json)
    if not reviewed:
        raise NotFound("There is no such match.")
    if args.agreement:
        _agreement(marks, args.agreement, args.json)
    elif args.calibration:
        _calibration(reviewed, args.json)
    elif args.leaks:
        print_leaks(reviewed, args.bot, args.json)
    elif args.worst:
        _worst(reviewed, args.bot, args.worst, args.json)
    return 0


def _reviewed(args: argparse.Namespace, listed: int) -> Iterator[tuple[Match, Review]]:
    for match in map(replayed, _records(args, listed)):
        try:
            yield match, review_match(match)
        except InvalidRequest as error:
            if args.match or args.of_file:
                raise
            print(f"{match.setup.id} is skipped: {error}", file=sys.stderr)


# Sources of matches


def _records(args: argparse.Namespace, listed: int) -> Iterator[Any]:
    """Yield the records to review."""
    if args.match:
        yield _fetch(
            args.dashboard,
            f"/api/matches/{urllib.parse.quote(args.match, safe='')}",
        )
        return
    most, given = args.matches or listed, 0
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


# Output


def _print(match: Match, review: Review, bot: str | None, as_json: bool) -> None:
    if as_json:
        told = payload(review) | {"summary": summary(review, match)}
        print(json.dumps(told), flush=True)
        return
    for line in analyse_text.lines(review, match, bot):
        print(line, flush=True)


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
    at_fault = [
        (match, each)
        for match, review in reviewed
        for each in review.faults
        if bot in (None, match.setup.seats[each.seat].bot)
    ]
    for line in analyse_text.worst_lines(worst, at_fault, len(reviewed), count):
        print(line)


def _calibration(reviewed: Sequence[tuple[Match, Review]], as_json: bool) -> None:
    found = [each for match, review in reviewed for each in expectations(review, match)]
    by_score, by_points = calibration(found), calibration_by_points(found)
    if as_json:
        bins = {"by_score": by_score, "by_points": by_points}
        print(json.dumps({by: [each._asdict() for each in of] for by, of in bins.items()}))
        return
    for line in analyse_text.calibration_lines(by_score, by_points, len(reviewed)):
        print(line)


def _agreement(marks: Sequence[Sequence[Verdict]], reviews: int, as_json: bool) -> None:
    found = agreement(marks)
    if as_json:
        print(json.dumps([each._asdict() for each in found]))
        return
    for line in analyse_text.agreement_lines(found, len(marks), reviews):
        print(line)
