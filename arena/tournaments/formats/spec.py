"""What an organiser asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.tournaments.formats.luck import CORRECTED

# What shares a process of a hosted bot: nothing, for it has one for each match, or the tournament.
ISOLATIONS = BY_MATCH, BY_TOURNAMENT = ("match", "tournament")


@dataclass(frozen=True)
class TournamentSpec:
    """A tournament as asked for.

    `bots` are names in entrant order. `matches` are for each table of bots (in versus for each
    block) where every match has a deal of its own; where deals are shared, `deals` are, each
    played once for every rotation of the seats unless the format has another way
    (`Format.cycle_length`). Once checked, the other one is 0. `trusted` says that the organiser
    trusts every entrant, which shared deals take. `options` are the game's, `format_options` the
    format's.

    `seed` is what the schedule follows from. A tournament's secret says what it is when it is made.
    `repeats` is the number from which the secret is made where a run shall be repeatable, together
    with `salt`, 32 hexadecimal digits: drawn unless a run is to be repeated. `authors` are by
    entrant and frozen when the tournament is made, see `arena.tournaments.formats.siblings`; empty
    where nobody knows them. `isolation` is one of ISOLATIONS, `luck` one of LUCKS.
    """

    name: str = ""
    game: str = "lama"
    options: Mapping[str, str] = field(default_factory=dict)
    format: str = "round-robin"
    seats: int = 4
    bots: tuple[str, ...] = ()
    deals: int = 0
    seed: int = 0
    move_ms: int = 2000
    start_grace_s: int = 30
    fault_limit: int = 3
    format_options: Mapping[str, str] = field(default_factory=dict)
    matches: int = 0
    trusted: bool = False
    repeats: int | None = field(default=None, repr=False)
    salt: str = field(default="", repr=False)
    authors: tuple[int, ...] = ()
    isolation: str = BY_MATCH
    luck: str = CORRECTED
