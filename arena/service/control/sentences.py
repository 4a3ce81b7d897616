"""Sentences on ratings, deals, luck and withdrawn bots, shared by the dashboard and the CLI."""

from collections.abc import Iterator, Mapping, Sequence

from arena.protocol.v1 import control_pb2 as pb
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.ratings.luck_units import may_help

# A test compares this with docs/ratings.md, `arena ratings --help` and the dashboard's legends.
TWO_NUMBERS = (
    "Compare bots by rating ± 95%. It weighs all matches at once, in any order. Elo starts from "
    "the same 1500, but changes after each match and depends on luck."
)
UNRATED = "no complete deal yet"


def dealt(spec: TournamentSpec) -> str:
    """The number of matches or deals per table, and whether deals are shared."""
    per = format_of(spec.format).matches_scope
    if not shares_deals(spec):
        return f"{spec.matches:,} matches {per}, each with its own deal"
    each = format_of(spec.format).matches_per_deal(spec)
    return f"{spec.deals:,} shared deals {per}, each played {each} times"


def rounded_up(requested: int, planned: int) -> str:
    """Why there are more matches than requested."""
    return f"{planned:,} matches instead of {requested:,}, to play every seat equally often"


def secret_lines(item: pb.Tournament) -> Iterator[str]:
    """The commitment to the secret that determines all cards, and the secret once published."""
    yield f"Commitment: {item.commitment}"
    if item.secret:
        yield f"Secret: {item.secret}"
    if item.repeatable:
        if item.spec.HasField("seed"):
            yield f"Repeatable: --seed {item.spec.seed} --salt {item.spec.salt}"
        else:
            yield "Repeatable: the seed and salt are published when the tournament is finished."


def luck_lines(luck: pb.Luck) -> Iterator[str]:
    """A sentence on the effect of duplicate deals, if deals are shared, and one on the seats; none
    before the first match."""
    if not luck.matches:
        return
    if luck.shared:
        yield _saved(luck)
    points = ", ".join(f"{mean:.2f}" for mean in luck.mean_points)
    yield f"Mean points by seat, first to last, over {luck.matches:,} matches: {points}."


def included_lines(table: pb.RatingTable) -> Iterator[str]:
    """Sentences on the matches that a leaderboard includes, and on pending calculations; none
    before the first deal is complete."""
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


def match_luck_lines(luck: pb.TournamentLuck, played: int = 0) -> Iterator[str]:
    """Sentences on the luck adjustment in a tournament with `played` matches; none while no luck
    is known."""
    if not luck.matches:
        return
    pending = max(played - luck.looked_at, 0)
    known = f"{luck.matches:,} of {played:,}" if pending else f"{luck.matches:,}"
    use = "use" if luck.corrected else "do not use"
    yield f"The luck of {known} matches is known. Ratings {use} luck-adjusted scores."
    if pending:
        yield f"The luck of {_matches(pending)} is still being calculated."
    if luck.HasField("factor") and not may_help(luck.matches, luck.factor_low):
        yield (
            "The adjustment does not make these scores more precise, so the luck of further "
            "matches is not calculated."
        )
    if luck.HasField("factor"):
        yield (
            f"100 luck-adjusted matches are worth {100 * luck.factor:.0f} unadjusted ones "
            f"(95% interval: {100 * luck.factor_low:.0f} to {100 * luck.factor_high:.0f}). "
            f"The fitted coefficient is {luck.coefficient:.2f}."
        )


def _saved(luck: pb.Luck) -> str:
    if luck.HasField("saved"):
        plus_minus = f"± {luck.plus_minus:.0%}, " if luck.HasField("plus_minus") else ""
        return f"{_worth(luck.saved)} ({plus_minus}measured on {luck.deals:,} deals)."
    if luck.deals:
        return "Duplicate deals: each table had the same results on all its deals."
    return "Duplicate deals: their effect is known when a table has played two deals."


def _worth(saved: float) -> str:
    if saved < 0:
        return (
            "Duplicate deals: the matches of a deal are similar, with "
            f"{-saved:.0%} more variance than independent ones"
        )
    return (
        f"Duplicate deals reduce the variance of a match by {saved:.0%}: {100 * (1 - saved):.0f} "
        "matches are worth 100 independent ones"
    )


def left_out_text(reasons: Mapping[str, str]) -> str:
    """A sentence on the bots that entered and did not play, with reasons; "" for none."""
    if not reasons:
        return ""
    # Sorted, because the order of a map received by gRPC differs between processes.
    listed = ", ".join(f"{name} ({why})" for name, why in sorted(reasons.items()))
    return f"Excluded at the start: {listed}."


def withdrawn_text(names: Sequence[str]) -> str:
    """Sentences on withdrawn bots; "" for none."""
    if not names:
        return ""
    were, they = ("was", "it was") if len(names) == 1 else ("were", "they were")
    return (
        f"{', '.join(names)} {were} withdrawn: {they} not connected and forfeited too many matches "
        "in a row. Matches that had not started are cancelled. A withdrawn bot may enter the next "
        "tournament, unless it is benched. Then its page explains how to clear the bench."
    )
