"""Versus: is the first bot entered, the candidate, better than the second, the baseline?

A sequential test (see `arena.tournaments.ratings.sprt`) that stops by itself. With two seats the
two play head to head. With k > 2 seats, k - 2 of the further bots entered, the field, fill each
table; which of them changes from cycle to cycle, so that all sit equally often. (A program enters
a tournament once, so candidate and baseline have one seat each.)

A cycle is two matches: one in a seating drawn for it, and its mirror image, in which candidate
and baseline have changed over and everybody else has kept the seat. By default each has a deal of
its own, and the unit of the test is the match: its score y is the candidate's pair score against
the baseline, 1 for a better, 1/2 for an equal, 0 for a worse place. Units are looked at cycle by
cycle, so that the two have changed over between one and the next.

Where deals are shared, both matches have the same cards, the unit is the deal, and y the mean
over both. If the two are the same deterministic program, and the field does not throw dice
either, what one does in the first match the other does in the second; so y is 1/2 exactly, for
any number of seats, and the test ends as "indistinguishable".

Why shared deals are played in mirror images: what a test costs is the variance of y times the
matches of a deal. Measured on 1,500 deals of LAMA with four seats, in units of a match on a deal
of its own, for two programs that differ in a single number (and for two that are 26 Elo apart):

    this pair of matches                                           .23  (.52)
    the pair in every rotation of the seats, 2k matches            .27  (.62)
    every rotation once, without mirror images, k matches          .55  (.64)

A mirror image takes away all that seats and cards do by themselves. To go on with the same
cards after that costs matches and tells less than new ones, the more so the larger the table.
Comparing the two from different tables, each among k - 1 of the field, needs about twice the
matches (simulated with 20 Elo between them): neither then meets the other.

With a luck model for game, seats and options, y is the score with the luck of the match taken out,
unless the tournament is raw or shares deals: then fewer matches tell as much. Luck is calculated
before a block is folded; a match whose luck cannot be, counts with its plain score.

A block is some cycles; after it the test is looked at deal by deal in the order of their numbers
(`versus_evidence`), and the first decision stands. What is left of the block counts in standings
and ratings only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil
from typing import ClassVar

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.choices import number, one_of
from arena.tournaments.formats.cycles import DEALS, cycles, shares_deals
from arena.tournaments.formats.luck import CORRECTED
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, Played, SoFar, seat_shares
from arena.tournaments.formats.rotations import Seatings, block_of, mirrored, rotations
from arena.tournaments.formats.siblings import (
    SIBLINGS,
    apart,
    keeps_apart,
    sentence,
)
from arena.tournaments.formats.spec import TournamentSpec
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

FEWEST = 100  # deals before it is guessed when a test ends
ELO = number(-MOST_ELO, MOST_ELO)
ERROR = number(1e-6, 0.4999)


class Versus(Format):
    """Two bots until it is clear which hypothesis holds, or the deals are used up."""

    title = "Versus"
    about = "Is the candidate better than the baseline? It stops by itself when that is clear."
    roles = ("Candidate", "Baseline")
    matches_scope = "in a block"
    needs_results = True
    ends_early = True
    options: ClassVar = {
        "elo0": Option(
            "0",
            "reject a candidate that leads by this much or less",
            ELO,
            "Lower bound, Elo",
        ),
        "elo1": Option(
            "20",
            "accept a candidate that leads by this much or more",
            ELO,
            "Upper bound, Elo",
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
            "mirrored: candidate and baseline swap seats and the others stay; rotated: everybody "
            "takes each seat in turn, which takes more matches",
            one_of(MIRRORED, ROTATED),
        ),
        **SIBLINGS,
        **DEALS,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest for hypotheses that cannot be, or bots that would never sit."""
        hypotheses(spec)
        if spec.seats == 2 and len(spec.bots) > 2:
            raise InvalidRequest(
                "Versus at 2 seats takes two bots, the candidate and the baseline; "
                "further bots fill tables of more seats."
            )

    def count(self, spec: TournamentSpec) -> int:
        """At most max_deals, in whole cycles; where they are shared times 2, or k if rotated."""
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
        """The next cycles; none when there is a decision."""
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
        """After how many matches the test is looked at."""
        block = plural(self.matches_each(spec), "match", "matches")
        return (
            f"{spec.bots[0]} against {spec.bots[1]}, looked at after every {block}; "
            "it ends as soon as it is decided."
        )

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """Candidate and baseline sit at every table."""
        return seat_shares(spec, always={CANDIDATE, BASELINE})

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Looks at the test after each deal; sums are kept in half-points, which are exact."""
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
        """Where the test stands."""
        known = self._known(spec, so_far)
        verdict = judge(known.evidence, hypotheses(spec), known.matches_per_deal)
        return replace(verdict, state=known.state)

    def likely_end(self, spec: TournamentSpec, so_far: SoFar) -> int | None:
        """At the end of the block in which the test decides, if deals come out as those so far."""
        known = self._known(spec, so_far)
        left = deals_left(known.evidence, hypotheses(spec))
        if known.state != "running" or known.tested < FEWEST or left is None:
            return None
        block = cycles(spec, self.cycle_length(spec)) * self._deals_per_cycle(spec)
        played: int = so_far.get("played", 0)
        # Deals that a forfeit decided only delay it.
        deals = played + block * ceil(max(left, 1.0) / block)
        return min(deals * self.matches_per_deal(spec), self.count(spec))

    def takes_luck_out(self, spec: TournamentSpec) -> bool:
        """Where each match has a deal of its own: mirror images take the luck of a shared one away
        by themselves, and leave exact ties where both play alike."""
        return spec.luck == CORRECTED and not shares_deals(spec)

    def siblings_meet(self, spec: TournamentSpec) -> str:
        """Candidate and baseline meet whoever made them; of the field, who cannot be kept apart."""
        if not keeps_apart(spec):
            return super().siblings_meet(spec)
        return sentence(siblings_met(spec))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """The test in numbers, and what it means."""
        verdict, known = self.verdict(spec, so_far), self._known(spec, so_far)
        numbers = (
            f"After {verdict.deals:,} {units(spec)}: LLR {verdict.llr:.2f} (bounds "
            f"{verdict.lower:.2f} and {verdict.upper:.2f}), mean score {verdict.mean:.3f}, "
            f"normalized Elo {verdict.normalized_elo:+.1f} ± {verdict.plus_minus:.1f}."
        )
        if known.lucky:
            numbers += f" Luck is taken out of the scores of {known.lucky:,} of them."
        if known.spoiled:
            numbers += f" {forfeited(spec, known)}; these deals count against either verdict."
        over = so_far.get("played", 0) >= int(spec.format_options["max_deals"])
        return numbers, meaning(spec, verdict, known, over)

    def _deals_per_cycle(self, spec: TournamentSpec) -> int:
        return self.cycle_length(spec) // self.matches_per_deal(spec)

    def _most_cycles(self, spec: TournamentSpec) -> int:
        return -(-int(spec.format_options["max_deals"]) // self._deals_per_cycle(spec))

    def _known(self, spec: TournamentSpec, so_far: SoFar) -> Known:
        """What the test knows of the deals before."""
        return Known.read(so_far, self.matches_per_deal(spec))
