"""Reviews as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.match import Match
from arena.value.review import Judged, Review
from arena.value.review.calibration import Bin
from arena.value.review.phases import PHASES

GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??", "": ""}
WIDE = 1.96  # standard errors in ± 95%


def lines(review: Review, names: Sequence[str], bot: str | None = None) -> Iterator[str]:
    """A match: how well each seat chose, then every decision."""
    yield f"{review.match}, {review.game}, by {review.reviewer}"
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


def _luck_lines(review: Review, names: Sequence[str], bot: str | None) -> Iterator[str]:
    """What cards and dice gave and took, by event; nothing without a net."""
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
    f"{'move':>5}  {'who':<14}{'played':<16}{'best':<16}{'expected':>9}{'lost':>8}{'±':>7}    about"
)


def _line(number: str, who: str, each: Judged) -> str:
    lost, error = f"{max(each.loss, 0):.1%}", f"{WIDE * each.error:.1%}"
    text = (
        f"{number:>5}  {who:<14}{each.chosen:<16}{each.best:<16}{each.score:>9.1%}{lost:>8}"
        f"{error:>7} {GLYPHS[each.verdict]:<2} {PHASES[each.phase]}"
    )
    return text.rstrip()


def worst_lines(worst: Sequence[tuple[Match, Judged]], matches: int) -> Iterator[str]:
    """The decisions that lost most, with their matches."""
    if not worst:
        yield f"No mistakes found in {matches} matches."
        return
    yield f"The {len(worst)} worst decisions in {matches} matches"
    yield ""
    yield f"{'match':<18}{HEAD}"
    for match, each in worst:
        who = match.setup.seats[each.seat].bot
        yield f"{match.setup.id:<18}{_line(str(each.number), who, each)}"


def calibration_lines(bins: Sequence[Bin], matches: int) -> Iterator[str]:
    """Expected scores, and those that came."""
    choices = sum(each.choices for each in bins)
    yield f"{choices:,} choices in {matches} matches"
    yield ""
    yield f"{'choices':>8}{'matches':>9}{'expected':>10}{'came':>8}{'±':>8}"
    for each in bins:
        yield (
            f"{each.choices:>8,}{each.matches:>9,}{each.expected:>10.1%}{each.came:>8.1%}"
            f"{WIDE * each.error:>8.1%}"
        )
