"""Who plays in a versus, and where its test stands, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.formats.siblings import keeps_apart, listed, there_are
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.versus_evidence import BASELINE, CANDIDATE, Known
from arena.tournaments.ratings.sprt import Hypotheses, Verdict

MIRRORED, ROTATED = "mirrored", "rotated"


def field_of(spec: TournamentSpec) -> Sequence[int]:
    """Who takes turns beside candidate and baseline: where there are enough others, none of their
    siblings."""
    everybody = range(2, len(spec.bots))
    others = [bot for bot in everybody if not is_sibling(spec, bot)]
    if keeps_apart(spec) and len({spec.authors[bot] for bot in others}) >= spec.seats - 2:
        return others
    return everybody


def is_sibling(spec: TournamentSpec, bot: int) -> bool:
    """Whether a bot is of the author of the candidate or of the baseline."""
    return bool(spec.authors) and spec.authors[bot] in spec.authors[:2]


def siblings_met(spec: TournamentSpec) -> Iterator[str]:
    """Which siblings meet although they are to be kept apart, and who is left out for it."""
    if spec.authors[CANDIDATE] == spec.authors[BASELINE]:
        yield f"{spec.bots[CANDIDATE]} and {spec.bots[BASELINE]} are by one author, and meet"
    field = field_of(spec)
    left_out = [spec.bots[bot] for bot in range(2, len(spec.bots)) if bot not in field]
    if left_out:
        yield (
            f"{listed(left_out)} left out, being of the author of {spec.bots[CANDIDATE]} or "
            f"{spec.bots[BASELINE]}"
        )
    own = [spec.bots[bot] for bot in field if is_sibling(spec, bot)]
    if own:
        yield (
            f"{spec.bots[CANDIDATE]} or {spec.bots[BASELINE]} meets bots of its own author "
            f"({listed(own)}), as too few others are named"
        )
    authors = [spec.authors[bot] for bot in field]
    if there_are(authors) and len(set(authors)) < spec.seats - 2:
        yield "bots of one author meet in the field, as too few others are named"


def hypotheses(spec: TournamentSpec) -> Hypotheses:
    """What is tested. Raises InvalidRequest where elo0 is not below elo1."""
    names = ("elo0", "elo1", "alpha", "beta")
    return Hypotheses(*(float(spec.format_options[name]) for name in names))


def unit(spec: TournamentSpec) -> str:
    """What the test looks at one by one, for a sentence."""
    return "deal" if shares_deals(spec) else "match"


def units(spec: TournamentSpec) -> str:
    """The same of several."""
    return "deals" if shares_deals(spec) else "matches"


def is_mirrored(spec: TournamentSpec) -> bool:
    """Whether candidate and baseline change over and the others stay."""
    return spec.format_options["seatings"] == MIRRORED


def forfeited(spec: TournamentSpec, known: Known) -> str:
    """Who forfeited, and in how many deals."""
    who = [
        f"{bot} forfeited in {count:,}"
        for bot, count in zip(spec.bots, known.forfeits, strict=False)
        if count
    ]
    return f"{' and '.join(who)} of {known.tested + known.spoiled:,} deals"


def meaning(spec: TournamentSpec, verdict: Verdict, known: Known, over: bool) -> str:
    """What the test says of the two, in a sentence."""
    candidate, baseline = spec.bots[:2]
    test = hypotheses(spec)
    fits = f"{test.elo1:g} Elo fits better than {test.elo0:g}"
    if verdict.state == "accepted":
        return f"Accepted, {candidate} is better than {baseline}: {fits}."
    fits = f"{test.elo0:g} Elo fits better than {test.elo1:g}"
    if verdict.state == "rejected":
        return f"Rejected, {candidate} is not better than {baseline}: {fits}."
    if verdict.state == "indistinguishable":
        return (
            f"{candidate} and {baseline} are indistinguishable: every {unit(spec)} came out even."
        )
    if verdict.state == "undecided":
        return (
            f"Undecided: {forfeited(spec, known)}, and who is not there shows no strength. "
            "Find out why, and start the test again."
        )
    if over:
        return f"Undecided: the {units(spec)} are used up."
    return "Not decided yet."
