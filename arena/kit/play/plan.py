"""What is to be played: a small tournament on shared deals, made from what was asked for.

Here bots are of one author, or trusted: so each deal is played in every rotation of the seats
(in a sequential test in two mirror images), which takes luck out of comparisons.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from arena.base.errors import InvalidRequest
from arena.games.rules import game_class
from arena.kit.play.job import Job, Keep
from arena.kit.play.patience import START_S
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

FILLER = "sharp"  # sits at the seats of a sequential test for which nobody is named
BLOCK = 32  # deals of a sequential test that are planned together
LARGEST_SEED = 2**64 - 1
MOST_IN_CHUNK = 16  # deals; in few large chunks the processes would not end together
CHUNKS = 64


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """What was asked for, apart from the players. Numbers that are None are chosen here."""

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
    """Players, by entrant, and the schedule that `format` makes of `spec`."""

    players: tuple[Player, ...]
    spec: TournamentSpec
    seed: int
    job: Job

    @property
    def format(self) -> Format:
        """The tournament's format."""
        return format_of(self.spec.format)

    @property
    def matches(self) -> int:
        """How many there are, at most."""
        return self.format.count(self.spec)

    @property
    def matches_per_deal(self) -> int:
        """How often a deal is played."""
        return self.format.matches_per_deal(self.spec)

    @property
    def changed_options(self) -> dict[str, str]:
        """The game's options that are not its defaults."""
        usual = game_class(self.spec.game).check_options({})
        return {name: v for name, v in self.spec.options.items() if v != usual.get(name)}

    def chunks(self) -> Iterator[Sequence[PlannedMatch]]:
        """The schedule in the portions in which processes get it: no deal comes twice in one, and
        soon all rotations of a deal are played. Of a test all that there is if it is never decided.
        """
        number, size = 0, self.matches // CHUNKS // self.matches_per_deal
        size = MOST_IN_CHUNK if self.job.together else max(1, min(MOST_IN_CHUNK, size))
        while block := self.format.block(self.spec, number, {"played": number * self.spec.deals}):
            yield from _chunks_of(block, size)
            number += 1


def _chunks_of(block: Sequence[PlannedMatch], size: int) -> Iterator[Sequence[PlannedMatch]]:
    """The first matches of so many deals, then their second ones, and so on."""
    by_deal: dict[int, list[PlannedMatch]] = {}
    for match in sorted(block, key=lambda match: match.position):
        by_deal.setdefault(match.deal, []).append(match)
    deals = iter(sorted(by_deal))
    while group := tuple(islice(deals, size)):
        yield from zip(*(by_deal[deal] for deal in group), strict=True)


def everybody(sources: Sequence[str], deals: int, wanted: PlayRequest) -> Plan:
    """Everybody against everybody, so many deals at each table. Raises InvalidRequest."""
    if len(sources) < 2:
        raise InvalidRequest(
            "Name two players or more: house bots, FILE.py, FILE.py:CLASS or module:CLASS."
        )
    seats = wanted.seats or len(sources)
    return _plan("round-robin", players_of(sources), seats, deals, {"tables": "all"}, wanted)


def versus(
    old: str, new: str, others: Sequence[str], test: Mapping[str, str], wanted: PlayRequest
) -> Plan:
    """The sequential test whether `new` is better than `old`, beside others; house bots fill the
    seats for which nobody is named. Raises InvalidRequest."""
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
    """The seed that was asked for, or a new one. Raises InvalidRequest."""
    seed = secrets.randbits(32) if wanted is None else wanted
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidRequest(f"The seed is {seed}; it must be from 0 to {LARGEST_SEED}.")
    return seed
