"""Plays formats to their end without an arena; results come from strengths and a seed."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from arena.tournaments.formats import (
    NOTHING,
    PlannedMatch,
    Played,
    SoFar,
    TournamentSpec,
    check_spec,
    format_of,
)

Play = Callable[[PlannedMatch], Played]


def spec_of(
    format_name: str, bots: int, seats: int, cycles: int = 1, **rest: object
) -> TournamentSpec:
    """A checked spec with this many cycles for each table, in versus for each block. Unknown names
    in `rest` are options of the format; `deals` selects duplicate deals."""
    fields = {name: rest.pop(name) for name in ("seed",) if name in rest}
    mirrored = format_name == "versus" and rest.get("seatings", "mirrored") == "mirrored"
    return check_spec(
        TournamentSpec(
            format=format_name,
            seats=seats,
            matches=cycles * (2 if mirrored else seats),
            bots=tuple(f"bot-{number}" for number in range(bots)),
            format_options={name: str(value) for name, value in rest.items()},
            **fields,  # type: ignore[arg-type]
        )
    )


def by_authors(spec: TournamentSpec, authors: Sequence[int]) -> TournamentSpec:
    """The same tournament with bots of these authors."""
    return check_spec(replace(spec, authors=tuple(authors)))


def with_points(match: PlannedMatch, points: Sequence[int], *forfeited: int) -> Played:
    """A result with these points by seat; `forfeited` are seats."""
    out = tuple(seat in forfeited for seat in range(len(points)))
    places = list(zip(out, points, strict=True))
    ranks = tuple(1 + sum(other < place for other in places) for place in places)
    return Played(match, tuple(points), ranks, out)


def by_number(match: PlannedMatch) -> Played:
    """Entrants with lower numbers always do better."""
    return with_points(match, match.seats)


def all_even(match: PlannedMatch) -> Played:
    """All entrants always get the same points."""
    return with_points(match, [7] * len(match.seats))


def all_forfeit(match: PlannedMatch) -> Played:
    """All entrants forfeit."""
    return with_points(match, [40] * len(match.seats), *range(len(match.seats)))


def without(absent: int, there: Callable[[PlannedMatch], bool] = lambda match: False) -> Play:
    """This entrant forfeits, except where `there` holds. Otherwise lower numbers win."""

    def play(match: PlannedMatch) -> Played:
        away = absent in match.seats and not there(match)
        return with_points(match, match.seats, *([match.seats.index(absent)] if away else []))

    return play


def by_strength(strengths: Sequence[float], luck: float = 1.0, seed: int = 1) -> Play:
    """Stronger entrants get fewer points, with normally distributed luck. Ties occur."""
    chance = random.Random(seed)

    def play(match: PlannedMatch) -> Played:
        values = [strengths[entrant] + chance.gauss(0, luck) for entrant in match.seats]
        return with_points(match, [round(20 - 4 * value) for value in values])

    return play


@dataclass
class PlayedOut:
    """All blocks of a tournament, and the folded state."""

    spec: TournamentSpec
    blocks: list[list[Played]] = field(default_factory=list)
    so_far: SoFar = field(default_factory=lambda: NOTHING)

    @property
    def matches(self) -> list[Played]:
        return [one for block in self.blocks for one in block]


def play_out(spec: TournamentSpec, play: Play, most_blocks: int = 10_000) -> PlayedOut:
    """Plays a tournament to its end, or at most `most_blocks` blocks."""
    out, format_ = PlayedOut(spec), format_of(spec.format)
    while len(out.blocks) < most_blocks:
        block = format_.block(spec, len(out.blocks), out.so_far)
        if not block:
            break
        out.blocks.append([play(match) for match in block])
        out.so_far = format_.fold(spec, out.so_far, out.blocks[-1])
    return out
