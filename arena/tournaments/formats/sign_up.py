"""Tournaments that are open for sign-up: authors enter their bots until the start."""

from dataclasses import dataclass, replace

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.checks import MAX_BOTS, check_spec
from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.formats.formats import FORMATS, format_of
from arena.tournaments.formats.spec import TournamentSpec

MOST_BOTS = 16  # default
BOTS_PER_AUTHOR = 3


@dataclass(frozen=True, slots=True)
class SignUp:
    """Limits of a sign-up: at most `max_bots` in all, including those that the organiser named,
    and at most `bots_per_author` of one account."""

    max_bots: int = MOST_BOTS
    bots_per_author: int = BOTS_PER_AUTHOR


def check_open(spec: TournamentSpec, sign_up: SignUp) -> TournamentSpec:
    """Checks a tournament that is open for sign-up as if all its places were taken. Returns it with
    the bots named so far, possibly none. Raises InvalidRequest."""
    if not format_of(spec.format).takes_sign_up:
        takes = ", ".join(name for name, format_ in FORMATS.items() if format_.takes_sign_up)
        raise InvalidRequest(
            f"A {spec.format} cannot be open for sign-up, because its first bots have roles. "
            f"Choose {takes}."
        )
    _check_places(spec, sign_up)
    free = tuple(f"place {number}" for number in range(len(spec.bots), sign_up.max_bots))
    name = f"{spec.game} {spec.format}, open, {spec.seats} seats"
    named = spec.name if spec.name.strip() else name
    full = check_spec(replace(spec, bots=spec.bots + free, name=named))
    if full.trusted or full.repeats is not None or shares_deals(full):
        raise InvalidRequest(
            "The bots of a sign-up are not known yet, so they cannot be trusted. Remove shared "
            "deals, trust and the seed, or name the bots instead of opening a sign-up."
        )
    return replace(full, bots=spec.bots)


def too_few(spec: TournamentSpec) -> str:
    """Returns why a tournament of these bots cannot start, or "" if there are enough bots."""
    entered = len(spec.bots)
    if entered >= spec.seats:
        return ""
    have = {0: "no bot has", 1: "only 1 bot has"}.get(entered, f"only {entered} bots have")
    return f"A table has {spec.seats} seats, and {have} entered."


def _check_places(spec: TournamentSpec, sign_up: SignUp) -> None:
    least = max(spec.seats, len(spec.bots))
    if not least <= sign_up.max_bots <= MAX_BOTS:
        raise InvalidRequest(
            f"The bot limit is {sign_up.max_bots:,}. Choose a number from {least:,} (the seats of "
            f"a table, or the bots already named) to {MAX_BOTS:,}."
        )
    if not 1 <= sign_up.bots_per_author <= MAX_BOTS:
        raise InvalidRequest(
            f"The limit for each author is {sign_up.bots_per_author:,} bots. Choose a number "
            f"from 1 to {MAX_BOTS:,}."
        )
