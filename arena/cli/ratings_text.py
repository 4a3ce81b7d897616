"""Leaderboards and pairs as text."""

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
PAIR_COLUMNS = ("bot", "other", "deals", "score", "expected", "residual", "difference", "stronger")
PROVISIONAL, DISCONNECTED, SURELY, NONE = "?", "!", "*", "\N{EN DASH}"


def print_ratings(table: pb.RatingTable) -> None:
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
            f"{PROVISIONAL} provisional: fewer than 50 deals, fewer than 10 expected upsets, or "
            "mostly ladder matches. The ± is rough."
        )
    if any(line.disconnected for line in table.ratings):
        note(
            f"{DISCONNECTED} disconnected: not linked with most bots by both wins and losses (it "
            "always won or lost, or met only a few). The distance to them is a guess."
        )


def none_rated(active_days: float) -> str:
    if active_days:
        return f"No bot has played in the last {active_days:g} days."
    return "No bot is rated yet. Create a tournament with `arena tournament new BOT...`."


def _line(line: pb.Rating) -> tuple[object, ...]:
    return (
        line.rank,
        _label(line.bot, line.version),
        estimate(line, line.plus_minus, line.provisional, line.disconnected),
        f"{line.rank_low}-{line.rank_high}",
        f"{line.elo:.0f}",
        line.matches,
        line.wins,
        line.shared_wins,
        f"{line.mean_points:.2f}",
        line.faults,
    )


def _label(bot: str, version: str) -> str:
    """Return the bot with its version, unless it is the first."""
    return bot if version == "1" else f"{bot} ({version})"


def estimate(
    line: pb.Rating | pb.Standing, plus_minus: float, provisional: bool, disconnected: bool
) -> str:
    """Return the rating of a line with its error and its marks, padded so that numbers align."""
    if not line.HasField("rating"):
        return f"{NONE}  "
    marks = PROVISIONAL * provisional + DISCONNECTED * disconnected
    return f"{line.rating:.0f} ± {plus_minus:3.0f}{marks:2}"


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
        return f"{pair.observed:.3f}        "  # aligned with those that have a ±
    return f"{pair.observed:.3f} ± {pair.score_plus_minus:.3f}"


def chance(probability: float) -> str:
    """Return a percentage; never 0 or 100, because luck leaves no certainty."""
    if not 0.001 <= probability <= 0.999:
        return ">99.9%" if probability > 0.5 else "<0.1%"
    return f"{probability:.1%}"
