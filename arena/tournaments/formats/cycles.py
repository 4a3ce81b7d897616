"""Rotation cycles, and how many deals a cycle takes.

A *cycle* is a run of matches of one table in which its bots take turns in the seats: k matches,
one for each rotation (in `versus` two, in which candidate and baseline change over). Schedules
are made of whole cycles, so that seats and neighbours are balanced exactly.

By default each match of a cycle has a deal of its own. If the cards came again, a bot with a
memory would recognise them and know what the others hold. With `deals=duplicate` all matches of
a cycle have the same deal, for entrants that nobody has to distrust. A person's table has no option
`deals` and counts its one match as a deal.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.games.rules.options import Option
from arena.tournaments.formats.choices import one_of
from arena.tournaments.formats.spec import TournamentSpec

OWN, DUPLICATE = "own", "duplicate"
CYCLES = 10  # of each table (in versus of a block) where nothing else is asked for

# An option of every tournament format.
DEALS: Mapping[str, Option] = {
    "deals": Option(
        OWN,
        "own: each match has its own deal; duplicate: a table plays each deal from every seat. "
        "A bot that remembers a deal knows the others' hands, so choose it for trusted bots only",
        one_of(OWN, DUPLICATE),
    )
}


def shares_deals(spec: TournamentSpec) -> bool:
    """Whether all matches of a cycle have the same cards."""
    return spec.format_options.get("deals", DUPLICATE) == DUPLICATE


def cycles(spec: TournamentSpec, length: int | None = None) -> int:
    """The cycles of each table, in versus those of a block. A cycle has `length` matches: as many
    as there are seats where nothing is said."""
    if shares_deals(spec):
        return spec.deals
    return -(-spec.matches // (length or spec.seats))


def deal_of(spec: TournamentSpec, cycle: int, turn: int, length: int) -> int:
    """The number of the deal in one of the `length` matches of a cycle, both counted from 0."""
    return cycle if shares_deals(spec) else cycle * length + turn


def cycle_of(spec: TournamentSpec, deal: int, length: int) -> int:
    """The cycle that a deal belongs to."""
    return deal if shares_deals(spec) else deal // length
