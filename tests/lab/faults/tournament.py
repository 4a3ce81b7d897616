"""A tournament in a simulation."""

from collections.abc import Iterable, Sequence
from random import Random

from arena.games.match import Seat
from arena.tournaments.formats import FromSecret, PlannedMatch, TournamentSpec, format_of
from tests.lab.faults.bots import SimBot
from workers.schedule import MatchFactory


class SimTournament:
    """A running tournament."""

    def __init__(
        self, number: int, spec: TournamentSpec, bots: Iterable[SimBot], batch: int, rng: Random
    ) -> None:
        """Plan the tournament in batches of `batch` matches."""
        entered = {bot.name: bot for bot in bots}
        self.number = number
        self.bots = [entered[name] for name in spec.bots]
        self.factory = MatchFactory(
            spec,
            tuple(bot.player for bot in self.bots),
            {bot.player: Seat(bot.name) for bot in self.bots},
            FromSecret(rng.randbytes(32), number),
            frozenset([bot.player for bot in self.bots if bot.hosted]),
        )
        self.batches = dict(enumerate(_cut(_planned(spec), batch)))

    @property
    def spec(self) -> TournamentSpec:
        """The settings of the tournament."""
        return self.factory.spec

    @property
    def planned(self) -> dict[int, PlannedMatch]:
        """All matches, by position."""
        return {match.position: match for batch in self.batches.values() for match in batch}


def _planned(spec: TournamentSpec) -> list[PlannedMatch]:
    format_, matches, block = format_of(spec.format), list[PlannedMatch](), 0
    while planned := format_.block(spec, block):
        matches += planned
        block += 1
    return matches


def _cut(matches: Sequence[PlannedMatch], size: int) -> list[Sequence[PlannedMatch]]:
    return [matches[first : first + size] for first in range(0, len(matches), size)]
