"""Rating tables and pairs as text."""

from __future__ import annotations

from arena.cli.screen import note, print_table
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import TWO_NUMBERS, UNRATED, included_lines

COLUMNS = (
    "rank",
    "bot",
    "rating",
    "range",
    "Elo",
    "matches",
    "wins",
    "shared wins",
    "mean points",
    "faults",
)
PAIR_COLUMNS = ("bot", "other", "deals", "score", "expected", "off by", "difference", "stronger")
PROVISIONAL, DISCONNECTED, SURELY, NONE = "?", "!", "*", "\N{EN DASH}"


def print_ratings(table: pb.RatingTable) -> None:
    """The table for people."""
    print_table(COLUMNS, map(_line, table.ratings), left=("bot",), tight=True)
    note(TWO_NUMBERS)
    for sentence in included_lines(table):
        note(sentence)
    if table.anchor:
        note(f"{table.anchor} is the anchor: its rating and its Elo are 1500 by definition.")
    if not all(line.HasField("rating") for line in table.ratings):
        note(f"{NONE} {UNRATED}.")
    if any(line.provisional for line in table.ratings):
        note(
            f"{PROVISIONAL} provisional: fewer than 50 deals, or so far from the others that fewer "
            "than 10 upsets are to be expected, or mostly from ladders; its ± is rough."
        )
    if any(line.disconnected for line in table.ratings):
        note(
            f"{DISCONNECTED} disconnected: wins do not link it with most others both ways "
            "(it always won or lost, or met only a few); its distance to them is a guess."
        )


def none_rated(active_days: float | None) -> str:
    """What an empty table says."""
    if active_days:
        return f"Nobody has played within {active_days:g} days."
    return "Nobody is rated yet: arena tournament new BOT..."


def _line(line: pb.Rating) -> tuple[object, ...]:
    return (
        line.rank,
        _label(line.bot, line.version),
        _rating(line),
        f"{line.rank_low}-{line.rank_high}",
        f"{line.elo:.0f}",
        line.matches,
        line.wins,
        line.shared_wins,
        f"{line.mean_points:.2f}",
        line.faults,
    )


def _label(bot: str, version: str) -> str:
    """A bot with its version, unless that is the first."""
    return bot if version == "1" else f"{bot} ({version})"


def _rating(line: pb.Rating) -> str:
    if not line.HasField("rating"):
        return f"{NONE}  "
    return estimate(line.rating, line.plus_minus, line.provisional, line.disconnected)


def estimate(rating: float, plus_minus: float, provisional: bool, disconnected: bool) -> str:
    """A rating with its error and its marks."""
    marks = PROVISIONAL * provisional + DISCONNECTED * disconnected
    # Marked or not, the numbers stand below each other.
    return f"{rating:.0f} ± {plus_minus:3.0f}{marks:2}"


def pair_row(pair: pb.Pair) -> tuple[object, ...]:
    return (
        _label(pair.bot, pair.version),
        _label(pair.other, pair.other_version),
        pair.deals,
        _score(pair),
        f"{pair.expected:.3f}",
        f"{pair.residual:+.1f}" if pair.HasField("residual") else NONE,
        f"{pair.difference:+.0f} ± {pair.plus_minus:.0f}",
        f"{chance(pair.stronger)}{SURELY * pair.surely:1}",
    )


def _score(pair: pb.Pair) -> str:
    if not pair.HasField("score_plus_minus"):
        return f"{pair.observed:.3f}        "  # the numbers stand below each other
    return f"{pair.observed:.3f} ± {pair.score_plus_minus:.3f}"


def chance(probability: float) -> str:
    """In percent; never 0 or 100, which nothing that follows from luck can be."""
    if not 0.001 <= probability <= 0.999:
        return ">99.9%" if probability > 0.5 else "<0.1%"
    return f"{probability:.1%}"
