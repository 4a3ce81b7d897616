"""The specification of a tournament."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# Lifetime of a hosted bot's process: one match, or the tournament.
BY_MATCH, BY_TOURNAMENT = "match", "tournament"

# Whether ratings and the test of a versus use luck-adjusted or raw scores.
CORRECTED, RAW = "corrected", "raw"


@dataclass(frozen=True)
class TournamentSpec:
    """The specification of a tournament, as the organiser asks for it.

    `bots` are names in entrant order. Either `matches` or `deals` is positive once checked, and
    counts for each table of bots (in versus for each block). `matches` applies if every match has
    its own deal. `deals` applies if deals are shared; each is played once for every rotation of
    the seats, unless the format differs (`Format.cycle_length`). `trusted` states that the
    organiser trusts every entrant, as shared deals require. `options` belong to the game,
    `format_options` to the format.

    `seed` determines the schedule; the tournament's secret sets it. `repeats` is the number from
    which the secret of a repeatable tournament is made, together with `salt` (32 hexadecimal
    digits, random unless a run is repeated). `authors` are by entrant and fixed at creation, see
    `arena.tournaments.formats.siblings`; empty if unknown. `arena.tournaments.formats.terms`
    describes the public fields.
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
