"""The bots of a versus and the state of its test, in sentences."""

from collections.abc import Iterator, Sequence

from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.formats.siblings import keeps_apart, listed, there_are
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.versus_evidence import BASELINE, CANDIDATE, Known
from arena.tournaments.ratings.sprt import Hypotheses, Verdict

MIRRORED, ROTATED = "mirrored", "rotated"


def field_of(spec: TournamentSpec) -> Sequence[int]:
    """Returns the bots that complete the tables of candidate and baseline. Their siblings are left
    out if there are enough other bots."""
    everybody = range(2, len(spec.bots))
    others = [bot for bot in everybody if not is_sibling(spec, bot)]
    if keeps_apart(spec) and len({spec.authors[bot] for bot in others}) >= spec.seats - 2:
        return others
    return everybody


def is_sibling(spec: TournamentSpec, bot: int) -> bool:
    """Whether a bot has the same author as the candidate or the baseline."""
    return bool(spec.authors) and spec.authors[bot] in spec.authors[:2]


def siblings_met(spec: TournamentSpec) -> Iterator[str]:
    """Yields the reasons for which siblings meet, and the bots left out to avoid it."""
    if spec.authors[CANDIDATE] == spec.authors[BASELINE]:
        yield f"{spec.bots[CANDIDATE]} and {spec.bots[BASELINE]} have the same owner, and meet"
    field = field_of(spec)
    left_out = [spec.bots[bot] for bot in range(2, len(spec.bots)) if bot not in field]
    if left_out:
        yield (
            f"{listed(left_out)} left out, same owner as {spec.bots[CANDIDATE]} or "
            f"{spec.bots[BASELINE]}"
        )
    own = [spec.bots[bot] for bot in field if is_sibling(spec, bot)]
    if own:
        yield (
            f"{spec.bots[CANDIDATE]} or {spec.bots[BASELINE]} meets bots of its owner "
            f"({listed(own)}), because too few others are named"
        )
    authors = [spec.authors[bot] for bot in field]
    if there_are(authors) and len(set(authors)) < spec.seats - 2:
        yield "bots of the same owner meet in the field, because too few others are named"


def hypotheses(spec: TournamentSpec) -> Hypotheses:
    """Returns the hypotheses. Raises InvalidRequest unless elo0 is below elo1."""
    names = ("elo0", "elo1", "alpha", "beta")
    return Hypotheses(*(float(spec.format_options[name]) for name in names))


def unit(spec: TournamentSpec) -> str:
    """Returns the unit of the test, for a sentence."""
    return "deal" if shares_deals(spec) else "match"


def units(spec: TournamentSpec) -> str:
    """Returns the plural of `unit`."""
    return "deals" if shares_deals(spec) else "matches"


def is_mirrored(spec: TournamentSpec) -> bool:
    """Whether candidate and baseline swap seats while the others stay."""
    return spec.format_options["seatings"] == MIRRORED


def forfeited(spec: TournamentSpec, known: Known) -> str:
    """Returns how many deals each of the two forfeited."""
    who = [
        f"{bot} forfeited in {count:,}"
        for bot, count in zip(spec.bots, known.forfeits, strict=False)
        if count
    ]
    return f"{' and '.join(who)} of {known.tested + known.spoiled:,} deals"


def meaning(spec: TournamentSpec, verdict: Verdict, known: Known, over: bool) -> str:
    """Returns the result of the test in a sentence."""
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
            f"Undecided: {forfeited(spec, known)}. Forfeits say nothing about strength. Fix the "
            "cause, then start the test again."
        )
    if over:
        return f"Undecided: the {units(spec)} are used up."
    return "Not decided yet."
