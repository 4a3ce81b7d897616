"""Versus: is the first bot entered, the candidate, better than the second, the baseline?

A sequential test (see `arena.tournaments.ratings.sprt`) that stops by itself. With two seats the
two play head to head. With k > 2 seats, k - 2 of the other bots entered, the field, complete each
table. They change from cycle to cycle, so that all sit equally often. Candidate and baseline have
one seat each, because a bot can enter a tournament only once.

A cycle is two matches: a randomly drawn seating, and its mirror image, in which candidate and
baseline swap seats. By default each has its own deal, and the unit of the test is the match. Its
score y is the candidate's against the baseline: 1 for a better, 1/2 for an equal, 0 for a worse
place. Units are evaluated cycle by cycle.

With shared deals, both matches of a cycle have the same cards, the unit is the deal, and y is the
mean of both. If candidate and baseline are the same deterministic program, and the field is
deterministic, y is exactly 1/2 and the test ends as "indistinguishable".

Shared deals use mirror images because they minimise the cost of a test, the variance of y times the
matches of a deal. They cancel all effects of seats and cards. Replaying the same cards in further
seatings is less informative than new cards. Letting the two play at separate tables would need
about twice the matches, because they would never meet.

If a luck model exists for game, seats and options, y is the luck-adjusted score, unless the
tournament is raw or shares deals. The adjustment needs fewer matches for the same evidence. Luck is
calculated before a block is folded. A match whose luck cannot be calculated counts unadjusted.

After each block of cycles, the test evaluates its deals in the order of their numbers
(`versus_evidence`), and the first decision is final. The rest of the block counts for standings
and ratings only.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil
from typing import ClassVar

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.choices import OneOf, number
from arena.tournaments.formats.cycles import DEALS, cycles, shares_deals
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, Played, SoFar, seat_shares
from arena.tournaments.formats.rotations import Seatings, block_of, mirrored, rotations
from arena.tournaments.formats.siblings import SIBLINGS, apart, keeps_apart, sentence
from arena.tournaments.formats.spec import CORRECTED, TournamentSpec
from arena.tournaments.formats.tables import Tables
from arena.tournaments.formats.versus_evidence import BASELINE, CANDIDATE, Known
from arena.tournaments.formats.versus_sentences import (
    MIRRORED,
    ROTATED,
    field_of,
    forfeited,
    hypotheses,
    is_mirrored,
    meaning,
    siblings_met,
    units,
)
from arena.tournaments.ratings.sprt import MOST_ELO, Verdict, deals_left, judge

FEWEST = 100  # deals before the end of a test is estimated
ELO = number(-MOST_ELO, MOST_ELO)
ERROR = number(1e-6, 0.4999)


class Versus(Format):
    """Two bots, until a hypothesis is accepted or the deals are used up."""

    title = "Versus"
    about = "Is the candidate better than the baseline? It stops by itself when that is clear."
    roles = ("Candidate", "Baseline")
    matches_scope = "in a block"
    needs_results = True
    ends_early = True
    options: ClassVar = {
        "elo0": Option(
            "0", "reject a candidate that leads by this much or less", ELO, "Lower bound, Elo"
        ),
        "elo1": Option(
            "20", "accept a candidate that leads by this much or more", ELO, "Upper bound, Elo"
        ),
        "alpha": Option(
            "0.05",
            "how often a candidate at the lower bound may be accepted by mistake",
            ERROR,
            "False positive rate (alpha)",
        ),
        "beta": Option(
            "0.05",
            "how often a candidate at the upper bound may be rejected by mistake",
            ERROR,
            "False negative rate (beta)",
        ),
        "max_deals": Option(
            "10000",
            "stop undecided after this many deals, or matches where each has its own deal",
            whole_number(1, 10_000_000),
            "Deal limit",
        ),
        "seatings": Option(
            MIRRORED,
            "mirrored: candidate and baseline swap seats and the others stay; rotated: all bots "
            "play every seat, which takes more matches",
            OneOf((MIRRORED, ROTATED)),
        ),
        **SIBLINGS,
        **DEALS,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest for contradictory hypotheses, or for bots that would never sit."""
        hypotheses(spec)
        if spec.seats == 2 and len(spec.bots) > 2:
            raise InvalidRequest(
                "Versus at 2 seats takes two bots, the candidate and the baseline. Remove the "
                "others, or choose more seats."
            )

    def count(self, spec: TournamentSpec) -> int:
        """At most max_deals, in whole cycles; if shared, times 2, or k if rotated."""
        return self._most_cycles(spec) * self.cycle_length(spec)

    def cycle_length(self, spec: TournamentSpec) -> int:
        """Two, or k if rotated."""
        return 2 if is_mirrored(spec) else spec.seats

    def fixed(self, spec: TournamentSpec) -> Collection[int]:
        """The field, unless rotated."""
        return range(2, len(spec.bots)) if is_mirrored(spec) else ()

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns the next cycles; none after a decision."""
        first = so_far.get("played", 0) // self._deals_per_cycle(spec)
        if so_far.get("state", "running") != "running":
            return ()
        until = min(first + cycles(spec, self.cycle_length(spec)), self._most_cycles(spec))
        field, others = field_of(spec), spec.seats - 2
        authors = apart(spec, field, others)
        beside = Tables(len(field), others, 1, spec.seed, spec.seats, authors=authors)
        tables = [
            [CANDIDATE, BASELINE, *(field[other] for other in beside.table(cycle))]
            for cycle in range(first, until)
        ]
        seatings: Seatings = mirrored if is_mirrored(spec) else rotations
        return block_of(spec, number, first, tables, seatings)

    def preview(self, spec: TournamentSpec) -> str:
        """Describes how often the test is evaluated."""
        block = plural(self.matches_each(spec), "match", "matches")
        return (
            f"{spec.bots[0]} against {spec.bots[1]}, evaluated after every {block}; "
            "it ends as soon as it is decided."
        )

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """Candidate and baseline sit at every table."""
        return seat_shares(spec, always={CANDIDATE, BASELINE})

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Evaluates the test after each deal. Sums are in half-points and therefore exact."""
        by_deal: dict[int, list[Played]] = defaultdict(list)
        for one in played:
            by_deal[one.match.deal].append(one)
        known, test = self._known(spec, so_far), hypotheses(spec)
        for deal in sorted(by_deal):
            if known.state != "running":
                break
            known = known.with_deal(by_deal[deal], test)
        return {"played": so_far.get("played", 0) + len(by_deal), **known.stored()}

    def verdict(self, spec: TournamentSpec, so_far: SoFar) -> Verdict:
        known = self._known(spec, so_far)
        verdict = judge(known.evidence, hypotheses(spec), known.matches_per_deal)
        return replace(verdict, state=known.state)

    def likely_end(self, spec: TournamentSpec, so_far: SoFar) -> int | None:
        """Extrapolates the results so far to the end of the block with the decision."""
        known = self._known(spec, so_far)
        left = deals_left(known.evidence, hypotheses(spec))
        if known.state != "running" or known.tested < FEWEST or left is None:
            return None
        block = cycles(spec, self.cycle_length(spec)) * self._deals_per_cycle(spec)
        played: int = so_far.get("played", 0)
        # Deals decided by a forfeit only delay it.
        deals = played + block * ceil(max(left, 1.0) / block)
        return min(deals * self.matches_per_deal(spec), self.count(spec))

    def takes_luck_out(self, spec: TournamentSpec) -> bool:
        """Only if each match has its own deal. Mirror images of a shared deal already cancel its
        luck, and they leave exact ties if both bots play the same."""
        return spec.luck == CORRECTED and not shares_deals(spec)

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """Candidate and baseline always meet. Siblings meet if the field has too few owners."""
        if not keeps_apart(spec):
            return super().siblings_meet(spec, so_far)
        return sentence(siblings_met(spec))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Returns the test in numbers, and its meaning."""
        verdict, known = self.verdict(spec, so_far), self._known(spec, so_far)
        numbers = (
            f"After {verdict.deals:,} {units(spec)}: LLR {verdict.llr:.2f} (bounds "
            f"{verdict.lower:.2f} and {verdict.upper:.2f}), mean score {verdict.mean:.3f}, "
            f"normalized Elo {verdict.normalized_elo:+.1f} ± {verdict.plus_minus:.1f}."
        )
        if known.lucky:
            numbers += f" {known.lucky:,} of the scores are luck-adjusted."
        if known.spoiled:
            numbers += f" {forfeited(spec, known)}; these deals count against either verdict."
        over = so_far.get("played", 0) >= int(spec.format_options["max_deals"])
        return numbers, meaning(spec, verdict, known, over)

    def _deals_per_cycle(self, spec: TournamentSpec) -> int:
        return self.cycle_length(spec) // self.matches_per_deal(spec)

    def _most_cycles(self, spec: TournamentSpec) -> int:
        return -(-int(spec.format_options["max_deals"]) // self._deals_per_cycle(spec))

    def _known(self, spec: TournamentSpec, so_far: SoFar) -> Known:
        """Returns the evidence so far."""
        return Known.read(so_far, self.matches_per_deal(spec))
