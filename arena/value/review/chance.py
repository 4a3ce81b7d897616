"""The luck of each card, deal and roll of a reviewed match."""

from typing import NamedTuple

from arena.games.match import Match
from arena.games.packed_log import pack
from arena.value.luck import FinishedMatch, luck_of
from arena.value.luck.model import Kind, by_seat


class Chance(NamedTuple):
    """A chance event and its effect on each seat.

    `luck` is, by seat, the expected score after the actual outcome less its mean over all possible
    outcomes. Each is a mean over the opponents, so the seats add up to 0.
    """

    number: int  # of the decision that caused it, from 1; for a deal, of the first one after it
    round: int  # from 1
    kind: Kind
    seat: int | None  # that drew or rolled, or was made to draw; None for a deal
    luck: tuple[float, ...]


def chances(match: Match) -> tuple[Chance, ...]:
    """Return the chance events of a finished match, in order. There are none without a luck model
    for its game, seats and options."""
    setup, game = match.setup, match.game
    finished = FinishedMatch(setup.id, setup.seed, pack(match))
    found = luck_of(game.name, game.seats, [finished], setup.options, game.ruleset)[0]
    events = found.events if found else ()
    return tuple(
        [Chance(one.decision, one.round, one.kind, one.seat, by_seat(one.pairs)) for one in events]
    )
