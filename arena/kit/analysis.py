"""Review matches and print the results, for `arena analyse`. Needs NumPy."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from arena.base.errors import InvalidRequest, NotFound
from arena.games.match import Match
from arena.kit.analyse_leaks import print_leaks
from arena.sdk.recorded import Record, replayed
from arena.value.review import FaultMove, Judged, Review, review_match
from arena.value.review.calibration import (
    Agreement,
    Bin,
    agreement,
    calibration,
    calibration_by_points,
    expectations,
    marks_of,
)
from arena.value.review.faults import not_judged
from arena.value.review.model import Verdict
from arena.value.review.payload import judged_payload, payload
from arena.value.review.situation import PHASES, Situation
from arena.value.review.summary import summary

GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??", "": ""}
WIDE = 1.96  # standard errors in ± 95%


def analyse(args: argparse.Namespace, records: Iterable[Record]) -> int:
    """Review the matches and print the results. Returns the exit status. Raises ArenaError."""
    reviewed: list[tuple[Match, Review]] = []
    marks: list[Sequence[Verdict]] = []
    overall = args.agreement or args.calibration or args.leaks or args.worst
    for match, review in _reviewed(args, records):
        reviewed.append((match, review))
        if args.agreement:
            others = [review_match(match, again=other) for other in range(1, args.agreement)]
            marks += marks_of([review, *others])
        if not overall:
            _print(
                args.json,
                lambda: payload(review) | {"summary": summary(review, match)},  # noqa: B023
                lines(review, match, args.bot),
            )
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


def _reviewed(
    args: argparse.Namespace, records: Iterable[Record]
) -> Iterator[tuple[Match, Review]]:
    for match in map(replayed, records):
        try:
            yield match, review_match(match)
        except InvalidRequest as error:
            if args.match or args.of_file:
                raise
            print(f"{match.setup.id} is skipped: {error}", file=sys.stderr)


# Output


def _print(as_json: bool, told: Callable[[], object], lines: Iterable[str]) -> None:
    for line in [json.dumps(told())] if as_json else lines:
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
    at_fault = [
        (match, each)
        for match, review in reviewed
        for each in review.faults
        if bot in (None, match.setup.seats[each.seat].bot)
    ]
    _print(
        as_json,
        lambda: [{"match": match.setup.id, **judged_payload(each)} for match, each in worst],
        worst_lines(worst, at_fault, len(reviewed), count),
    )


def _calibration(reviewed: Sequence[tuple[Match, Review]], as_json: bool) -> None:
    found = [each for match, review in reviewed for each in expectations(review, match)]
    by_score, by_points = calibration(found), calibration_by_points(found)
    bins = {"by_score": by_score, "by_points": by_points}
    _print(
        as_json,
        lambda: {by: [each._asdict() for each in of] for by, of in bins.items()},
        calibration_lines(by_score, by_points, len(reviewed)),
    )


def _agreement(marks: Sequence[Sequence[Verdict]], reviews: int, as_json: bool) -> None:
    found = agreement(marks)
    _print(
        as_json,
        lambda: [each._asdict() for each in found],
        agreement_lines(found, len(marks), reviews),
    )


# Text


def lines(review: Review, match: Match, bot: str | None = None) -> Iterator[str]:
    """Yield a match: its key moments, faults, the accuracy of each seat, then every decision."""
    names = [seat.bot for seat in match.setup.seats]
    yield f"{review.match}, {review.game}, by {review.reviewer}"
    yield summary(review, match)
    yield ""
    at_fault = [each for each in review.faults if bot in (None, names[each.seat])]
    yield from fault_lines([(str(each.number), names[each.seat], each) for each in at_fault])
    yield OWN
    yield ""
    yield f"{'seat':<16}{'accuracy':>9}{'?!':>5}{'?':>5}{'??':>5}{'lost':>9}{'±':>8}"
    for name, seat in zip(names, review.seats, strict=True):
        if bot in (None, name):
            share = "" if seat.accuracy is None else f"{seat.accuracy:.0%}"
            counts = "".join(
                f"{seat.verdicts[kind]:>5}" for kind in ("inaccuracy", "mistake", "blunder")
            )
            lost, error = f"{max(seat.lost, 0):.1%}", f"{WIDE * seat.error:.1%}"
            yield f"{name:<16}{share:>9}{counts}{lost:>9}{error:>8}"
    yield ""
    yield HEAD
    for each in review.decisions:
        if bot in (None, names[each.seat]):
            yield _line(str(each.number), names[each.seat], each)
    yield from _luck_lines(review, names, bot)


OWN = "Accuracy only counts decisions that a bot made itself."
SEEN = f"{'points':<16}{'others hold':<14}{'top':<8}hand"
FAULT_HEAD = f"{'who':<14}{'fault':<12}{'played':<16}{'better':<16}{'cost':>8}{'±':>7}  {SEEN}"
Found = tuple[str, str, FaultMove]  # match or move number, bot, move


def fault_lines(found: Sequence[Found], most: int | None = None) -> Iterator[str]:
    """Yield the first `most` moves that the arena played after faults."""
    if not found:
        return
    count = not_judged(each for _, _, each in found)
    yield f"{count} {'move' if count == 1 else 'moves'} not judged: faults"
    yield "The bot gave no legal answer, so the arena played the default. Cost is expected score."
    yield ""
    wide = max([5, *(len(where) for where, _, _ in found)])
    yield f"{'move':>{wide}}  {FAULT_HEAD}"
    for where, who, each in found[:most]:
        yield f"{where:>{wide}}  {_fault_line(who, each)}"
    yield ""


def _fault_line(who: str, each: FaultMove) -> str:
    cost = error = "?"
    if each.cost is not None and each.error is not None:
        cost, error = f"{max(each.cost, 0):.1%}", f"{WIDE * each.error:.1%}"
    played = f"{each.chosen:<16}{each.best or '?':<16}"
    line = f"{who:<14}{each.fault:<12}{played}{cost:>8}{error:>7}"
    line = f"{line}  {_seen(each.situation, each.seat)}"
    if not each.forfeits:
        return line
    more = f", then {each.further} more by default" if each.further else ""
    return f"{line}  forfeit{more}"


def _seen(situation: Situation, seat: int) -> str:
    """Return the seat's view: points (its own first), the others' cards, the top card, its hand."""
    return (
        f"{situation.points_in_words(seat):<15} {situation.sizes_in_words(seat):<13} "
        f"{situation.open_card:<7} {' '.join(situation.hand)}"
    )


def _luck_lines(review: Review, names: Sequence[str], bot: str | None) -> Iterator[str]:
    """Yield the luck by event; nothing without a luck model."""
    if not review.chances:
        return
    seats = [seat for seat, name in enumerate(names) if bot in (None, name)]
    yield ""
    yield f"{'move':>5}  {'luck by':<9}" + "".join(f"{names[seat]:>17}" for seat in seats)
    rows = [(str(each.number), each.kind, each.luck) for each in review.chances]
    total = tuple([sum(luck) for luck in zip(*(luck for _, _, luck in rows), strict=True)])
    for number, kind, luck in [*rows, ("all", "", total)]:
        yield f"{number:>5}  {kind:<9}" + "".join(f"{luck[seat]:>+17.1%}" for seat in seats)


HEAD = (
    f"{'move':>5}  {'who':<14}{'played':<16}{'best':<16}{'expected':>9}{'lost':>8}{'±':>7}    "
    f"{'about':<22}{SEEN}"
)


def _line(number: str, who: str, each: Judged) -> str:
    lost, error = f"{max(each.loss, 0):.1%}", f"{WIDE * each.error:.1%}"
    text = (
        f"{number:>5}  {who:<14}{each.chosen:<16}{each.best:<16}{each.score:>9.1%}{lost:>8}"
        f"{error:>7} {GLYPHS[each.verdict]:<2} {PHASES[each.phase]:<21} "
        f"{_seen(each.situation, each.seat)}"
    )
    return text.rstrip()


def worst_lines(
    worst: Sequence[tuple[Match, Judged]],
    at_fault: Sequence[tuple[Match, FaultMove]],
    matches: int,
    most: int,
) -> Iterator[str]:
    """Yield the costliest faults and decisions, with their matches."""
    costly = sorted(at_fault, key=lambda found: -(found[1].cost or 0))
    rows = [
        (f"{match.setup.id} {each.number:>5}", match.setup.seats[each.seat].bot, each)
        for match, each in costly
    ]
    yield from fault_lines(rows, most)
    if not worst:
        yield f"No mistakes found in {matches} matches."
        return
    yield f"The {len(worst)} worst decisions in {matches} matches"
    yield ""
    yield f"{'match':<18}{HEAD}"
    for match, each in worst:
        who = match.setup.seats[each.seat].bot
        yield f"{match.setup.id:<18}{_line(str(each.number), who, each)}"


def calibration_lines(
    by_score: Sequence[Bin], by_points: Sequence[Bin], matches: int
) -> Iterator[str]:
    """Yield expected and actual scores."""
    choices = sum(each.choices for each in by_score)
    yield f"{choices:,} choices in {matches} matches"
    starts = [f"{each.least:.0%}" for each in by_score], [f"{each.least:g}" for each in by_points]
    for head, begins, bins in zip(("score", "points"), starts, (by_score, by_points), strict=True):
        yield ""
        yield f"{head:<8}{'choices':>8}{'matches':>9}{'expected':>10}{'actual':>8}{'±':>8}"
        for least, each in zip(begins, bins, strict=True):
            yield (
                f"{f'from {least}':<8}{each.choices:>8,}{each.matches:>9,}{each.expected:>10.1%}"
                f"{each.came:>8.1%}{WIDE * each.error:>8.1%}"
            )


def agreement_lines(found: Sequence[Agreement], decisions: int, reviews: int) -> Iterator[str]:
    """Yield, by mark, how many are the same in all reviews and in any other one."""
    yield f"{decisions:,} decisions, each reviewed {reviews} times with different samples"
    yield ""
    yield f"{'mark':<6}{'in any':>8}{'same in all':>13}{'':>7}{'same in another':>17}"
    for each in found:
        share = f"{each.same / each.marked:.0%}" if each.marked else ""
        again = "" if each.again is None else f"{each.again:.0%}"
        mark = GLYPHS[each.verdict] or "all"
        yield f"{mark:<6}{each.marked:>8,}{each.same:>13,}{share:>7}{again:>17}"
