"""Rotation cycles, and the deals that a cycle uses.

A *cycle* is a series of matches at one table in which its bots change seats. It has k matches,
one for each rotation. In `versus` it has two, in which candidate and baseline swap seats.
Schedules consist of whole cycles, so seats and neighbours are balanced exactly.

By default each match of a cycle has its own deal. If the cards were repeated, a bot with a memory
could recognise them and infer the other hands. With `deals=duplicate` all matches of a cycle
share one deal, which requires trusted entrants. A game against people does not have the option
`deals`; its single match counts as one deal.
"""

from collections.abc import Mapping

from arena.games.rules.options import Option
from arena.tournaments.formats.choices import OneOf
from arena.tournaments.formats.spec import TournamentSpec

OWN, DUPLICATE = "own", "duplicate"
CYCLES = 10  # default number of cycles of each table (in versus: of a block)

# An option of every tournament format.
DEALS: Mapping[str, Option] = {
    "deals": Option(
        OWN,
        "own: each match has its own deal; duplicate: a table plays each deal from every seat. "
        "A bot that remembers a deal knows the others' hands, so choose it for trusted bots only",
        OneOf((OWN, DUPLICATE)),
    )
}


def shares_deals(spec: TournamentSpec) -> bool:
    """Whether all matches of a cycle have the same cards."""
    return spec.format_options.get("deals", DUPLICATE) == DUPLICATE


def cycles(spec: TournamentSpec, length: int | None = None) -> int:
    """Returns the number of cycles of each table (in versus: of a block). A cycle has `length`
    matches, by default one for each seat."""
    if shares_deals(spec):
        return spec.deals
    return -(-spec.matches // (length or spec.seats))


def deal_of(spec: TournamentSpec, cycle: int, turn: int, length: int) -> int:
    """Returns the deal number of match `turn` in a cycle of `length` matches. All count from 0."""
    return cycle if shares_deals(spec) else cycle * length + turn


def cycle_of(spec: TournamentSpec, deal: int, length: int) -> int:
    """Returns the cycle that a deal belongs to."""
    return deal if shares_deals(spec) else deal // length
