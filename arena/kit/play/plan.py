"""The plan of `arena play`: a small tournament on duplicate deals.

All bots are trusted, so each deal is played in every rotation of the seats (in a sequential test,
in two mirror images), which reduces luck in comparisons.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from arena.base.errors import InvalidRequest
from arena.games.rules import game_class
from arena.kit.play.job import START_S, Job, Keep
from arena.kit.players import Player, players_of
from arena.tournaments.formats import (
    Format,
    FromSecret,
    PlannedMatch,
    TournamentSpec,
    check_spec,
    format_of,
)
from arena.tournaments.formats.cycles import DUPLICATE
from arena.tournaments.formats.secret import repeatable

FILLER = "sharp"  # for the free seats of a sequential test
BLOCK = 32  # deals of a sequential test that are planned together
LARGEST_SEED = 2**64 - 1
MOST_IN_CHUNK = 16  # deals; larger chunks would leave processes idle at the end
CHUNKS = 64


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """The options of the command, without players. None stands for a default."""

    game: str = "lama"
    seats: int | None = None
    seed: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    move_ms: int | None = None
    start_s: float = START_S
    keep: Keep = "faulty"
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The players, by entrant, and the schedule of `spec`."""

    players: tuple[Player, ...]
    spec: TournamentSpec
    seed: int
    job: Job

    @property
    def format(self) -> Format:
        return format_of(self.spec.format)

    @property
    def matches(self) -> int:
        """The maximum number of matches."""
        return self.format.count(self.spec)

    @property
    def matches_per_deal(self) -> int:
        return self.format.matches_per_deal(self.spec)

    @property
    def changed_options(self) -> dict[str, str]:
        """The game options that differ from the defaults."""
        usual = game_class(self.spec.game).check_options({})
        return {name: v for name, v in self.spec.options.items() if v != usual.get(name)}

    def chunks(self) -> Iterator[Sequence[PlannedMatch]]:
        """Yield the schedule in chunks for the processes.

        No chunk has a deal twice, and the rotations of a deal come close together. For a test, the
        schedule is as long as if it were never decided.
        """
        number, size = 0, self.matches // CHUNKS // self.matches_per_deal
        size = MOST_IN_CHUNK if self.job.together else max(1, min(MOST_IN_CHUNK, size))
        while block := self.format.block(self.spec, number, {"played": number * self.spec.deals}):
            yield from _chunks_of(block, size)
            number += 1


def _chunks_of(block: Sequence[PlannedMatch], size: int) -> Iterator[Sequence[PlannedMatch]]:
    """Yield the first matches of `size` deals, then their second ones, and so on."""
    by_deal: dict[int, list[PlannedMatch]] = {}
    for match in sorted(block, key=lambda match: match.position):
        by_deal.setdefault(match.deal, []).append(match)
    deals = iter(sorted(by_deal))
    while group := tuple(islice(deals, size)):
        yield from zip(*(by_deal[deal] for deal in group), strict=True)


def round_robin(sources: Sequence[str], deals: int, wanted: PlayRequest) -> Plan:
    """Plan a round-robin with `deals` deals per table. Raises InvalidRequest."""
    if len(sources) < 2:
        raise InvalidRequest(
            "Too few players. Name at least two: house bots, FILE.py, FILE.py:CLASS or "
            "module:CLASS."
        )
    seats = wanted.seats or len(sources)
    return _plan("round-robin", players_of(sources), seats, deals, {"tables": "all"}, wanted)


def versus(
    old: str, new: str, others: Sequence[str], test: Mapping[str, str], wanted: PlayRequest
) -> Plan:
    """Plan a sequential test whether `new` is better than `old`. House bots fill the free seats.
    Raises InvalidRequest."""
    seats = wanted.seats or 2 + len(others)
    fillers = [FILLER] * (seats - 2 - len(others))
    players = players_of([new, old, *others, *fillers])
    return _plan("versus", players, seats, BLOCK, test, wanted)


def _plan(
    format_: str,
    players: tuple[Player, ...],
    seats: int,
    deals: int,
    format_options: Mapping[str, str],
    wanted: PlayRequest,
) -> Plan:
    seed = seed_of(wanted.seed)
    source = FromSecret(repeatable(seed), 0)
    spec = check_spec(
        TournamentSpec(
            game=wanted.game,
            options=wanted.options,
            format=format_,
            seats=seats,
            bots=tuple(player.name for player in players),
            deals=deals,
            seed=source.schedule_seed,
            format_options={**format_options, "deals": DUPLICATE},
            trusted=True,
        )
    )
    played = (spec.game, spec.seats, spec.options)
    job = Job(players, *played, source, wanted.keep, wanted.move_ms, wanted.start_s, wanted.sandbox)
    return Plan(players, spec, seed, job)


def seed_of(wanted: int | None) -> int:
    """Return the given seed, or a random one. Raises InvalidRequest."""
    seed = secrets.randbits(32) if wanted is None else wanted
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidRequest(f"The seed is {seed}; it must be from 0 to {LARGEST_SEED}.")
    return seed
