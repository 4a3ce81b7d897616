"""What is said of ratings, deals, luck and withdrawn bots, in sentences, wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.protocol.v1 import control_pb2 as pb
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.formats.luck import RAW
from arena.tournaments.ratings.luck_units import may_help

# docs/ratings.md, the help of `arena ratings` and the dashboard's legends say the same (a test
# compares them).
TWO_NUMBERS = (
    "Rating ± 95% weighs all matches at once, whatever their order, and is what to compare bots "
    "by; Elo, counted from the same 1500, moves with every match and swings by luck."
)
UNRATED = "no complete deal yet"


def dealt(spec: TournamentSpec) -> str:
    """How often a table plays, and with which cards."""
    per = format_of(spec.format).matches_scope
    if not shares_deals(spec):
        return f"{spec.matches:,} matches {per}, each with a deal of its own"
    each = format_of(spec.format).matches_per_deal(spec)
    return f"{spec.deals:,} shared deals {per}, each played {each} times"


def rounded_up(requested: int, planned: int) -> str:
    """Why there are more matches than were asked for."""
    return f"{planned:,} matches, not {requested:,}: so all have every seat equally often"


def secret_lines(item: pb.Tournament) -> Iterator[str]:
    """What is published of the secret, from which all cards follow."""
    yield f"Commitment: {item.commitment}"
    if item.secret:
        yield f"Secret: {item.secret}"
    if item.repeatable:
        yield from _repeats(item.spec)


def _repeats(spec: pb.TournamentSpec) -> Iterator[str]:
    if not spec.HasField("seed"):
        yield "Repeatable: its seed and salt are published when it is finished."
    else:
        yield f"Repeatable: --seed {spec.seed} --salt {spec.salt}"


def luck_lines(luck: pb.Luck) -> Iterator[str]:
    """One sentence on what duplicate deals save, where deals are shared, and one on the seats; none
    before the first deal."""
    if not luck.matches:
        return
    if luck.shared:
        yield _saved(luck)
    points = ", ".join(f"{mean:.2f}" for mean in luck.mean_points)
    yield f"Mean points by seat, first to last, over {luck.matches:,} matches: {points}."


def included_lines(table: pb.RatingTable) -> Iterator[str]:
    """How many matches a rating table includes, and what is still being calculated, in sentences;
    none before the first deal is complete."""
    if table.deals:
        yield _included(table)
    if table.luck_pending:
        yield (
            f"The luck of {_matches(table.luck_pending)} is still being calculated. "
            "Until then they count as played, so ratings will change."
        )
    if table.elo_pending:
        they = "It is" if table.elo_pending == 1 else "They are"
        yield (
            f"Live Elo does not include {_matches(table.elo_pending)} yet. {they} waiting for "
            "earlier matches of the schedule."
        )


def _included(table: pb.RatingTable) -> str:
    which = _matches(table.matches)
    if table.deals != table.matches:
        which += f" ({table.deals:,} complete deals)"
    if not table.corrected_matches:
        return f"Ratings include {which}."
    of = "all" if table.corrected_matches == table.matches else f"{table.corrected_matches:,}"
    return f"Ratings include {which}, luck-adjusted for {of} of them."


def _matches(count: int) -> str:
    return f"{count:,} {'match' if count == 1 else 'matches'}"


def terms_of_luck(luck: str) -> str:
    """What a tournament's ratings go by, a sentence."""
    if luck == RAW:
        return "Ratings go by scores as they were played, luck and all."
    return (
        "Ratings go by scores with the luck of each match taken out, where there is a luck model "
        "for game, seats and options; points, wins and Elo stay as they were played."
    )


def match_luck_lines(luck: pb.TournamentLuck, played: int = 0) -> Iterator[str]:
    """What taking luck out does in a tournament with so many matches played; nothing while no luck
    is known."""
    if not luck.matches:
        return
    pending = max(played - luck.looked_at, 0)
    known = f"{luck.matches:,} of {played:,}" if pending else f"{luck.matches:,}"
    where = "taken out of" if luck.corrected else "left in"
    yield f"The luck of {known} matches is known, and {where} the scores."
    if pending:
        yield f"The luck of {_matches(pending)} is still being calculated."
    if luck.HasField("factor") and not may_help(luck.matches, luck.factor_low):
        yield (
            "Taking it out does not make these scores more precise, so the luck of further "
            "matches is not calculated."
        )
    if luck.HasField("factor"):
        yield (
            f"With it taken out, 100 matches are worth {100 * luck.factor:.0f} as played "
            f"(95% interval: {100 * luck.factor_low:.0f} to {100 * luck.factor_high:.0f}). "
            f"The coefficient, fitted to them, is {luck.coefficient:.2f}."
        )


def _saved(luck: pb.Luck) -> str:
    if luck.HasField("saved"):
        plus_minus = f"± {luck.plus_minus:.0%}, " if luck.HasField("plus_minus") else ""
        return f"{_worth(luck.saved)} ({plus_minus}measured on {luck.deals:,} deals)."
    if luck.deals:
        return "Duplicate deals: every table had the same results on all its deals."
    return "Duplicate deals: what they save is known when a table has played two deals."


def _worth(saved: float) -> str:
    if saved < 0:
        return (
            "Duplicate deals: the matches of a deal resemble each other, "
            f"{-saved:.0%} more variance than independent ones"
        )
    return (
        f"Duplicate deals save {saved:.0%} of a match's variance: {100 * (1 - saved):.0f} matches "
        "are worth 100 independent ones"
    )


def left_out_text(reasons: Mapping[str, str]) -> str:
    """Who had entered and did not play, by name with the reasons, in a sentence; "" for none."""
    if not reasons:
        return ""
    # By name: the order of a map that came over gRPC is another one in each process.
    listed = ", ".join(f"{name} ({why})" for name, why in sorted(reasons.items()))
    return f"Left out at the start: {listed}."


def withdrawn_text(names: Sequence[str]) -> str:
    """What became of these bots, in sentences; "" for none."""
    if not names:
        return ""
    were, they = ("was", "it was") if len(names) == 1 else ("were", "they were")
    return (
        f"{', '.join(names)} {were} withdrawn: {they} not connected and forfeited too many matches "
        "in a row. Matches that had not begun are cancelled. A withdrawn bot may enter the next "
        "tournament; if it is benched, too, its page says how to bring it back."
    )
