"""The luck of each card, deal and roll of a match that is reviewed."""

from __future__ import annotations

from typing import NamedTuple

from arena.games.match import Match
from arena.games.record import pack
from arena.value.luck import FinishedMatch, luck_of
from arena.value.luck.model import Kind, by_seat


class Chance(NamedTuple):
    """Something that chance decided, and what it gave each seat.

    `luck` is, by seat, the expected score with what came less its mean over all that could have
    come: the mean over the opponents, so that the seats of a table add up to 0.
    """

    number: int  # of the decision that led to it, from 1; of a deal, of the first one after it
    round: int  # from 1
    kind: Kind
    seat: int | None  # who drew or rolled, or was made to draw; None for a deal
    luck: tuple[float, ...]


def chances(match: Match) -> tuple[Chance, ...]:
    """All that chance decided in a finished match, in order; none where there is no net for its
    game, seats and options. A few milliseconds of CPU."""
    setup, game = match.setup, match.game
    finished = FinishedMatch(setup.id, setup.seed, pack(match))
    found = luck_of(game.name, game.seats, [finished], setup.options, game.ruleset)[0]
    events = found.events if found else ()
    return tuple(
        [Chance(one.decision, one.round, one.kind, one.seat, by_seat(one.pairs)) for one in events]
    )
