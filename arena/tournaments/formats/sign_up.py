"""Tournaments that are open for sign-up: authors enter their bots until the start."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.checks import MAX_BOTS, check_spec
from arena.tournaments.formats.cycles import shares_deals
from arena.tournaments.formats.formats import FORMATS, format_of
from arena.tournaments.formats.spec import TournamentSpec

MOST_BOTS = 16  # unless the organiser says otherwise
BOTS_PER_AUTHOR = 3


@dataclass(frozen=True, slots=True)
class SignUp:
    """Bots may enter: at most `max_bots` in all, those that the organiser named included, and at
    most `bots_per_author` of one account."""

    max_bots: int = MOST_BOTS
    bots_per_author: int = BOTS_PER_AUTHOR


def check_open(spec: TournamentSpec, sign_up: SignUp) -> TournamentSpec:
    """A tournament that is open for sign-up, checked as if all its places were taken. Its bots are
    those named so far, which may be none. Raises InvalidRequest."""
    if not format_of(spec.format).takes_sign_up:
        takes = ", ".join(name for name, format_ in FORMATS.items() if format_.takes_sign_up)
        raise InvalidRequest(
            f"A {spec.format} cannot be open for sign-up, since its first bots have parts of their "
            f"own; take one of {takes}."
        )
    _check_places(spec, sign_up)
    free = tuple(f"place {number}" for number in range(len(spec.bots), sign_up.max_bots))
    name = f"{spec.game} {spec.format}, open, {spec.seats} seats"
    named = spec.name if spec.name.strip() else name
    full = check_spec(replace(spec, bots=spec.bots + free, name=named))
    if full.trusted or full.repeats is not None or shares_deals(full):
        raise InvalidRequest(
            "Nobody can vouch for bots that are still to enter: leave out shared deals, trust and "
            "a seed, or do not open the tournament for sign-up."
        )
    return replace(full, bots=spec.bots)


def too_few(spec: TournamentSpec) -> str:
    """Why a tournament of these bots cannot begin, in a sentence; "" if there are enough."""
    entered = len(spec.bots)
    if entered >= spec.seats:
        return ""
    have = {0: "no bot has", 1: "only 1 bot has"}.get(entered, f"only {entered} bots have")
    return f"A table has {spec.seats} seats, and {have} entered."


def _check_places(spec: TournamentSpec, sign_up: SignUp) -> None:
    least = max(spec.seats, len(spec.bots))
    if not least <= sign_up.max_bots <= MAX_BOTS:
        raise InvalidRequest(
            f"At most {sign_up.max_bots:,} bots are to enter; take a number from {least:,} (a "
            f"table's seats, or the bots named already) to {MAX_BOTS:,}."
        )
    if not 1 <= sign_up.bots_per_author <= MAX_BOTS:
        raise InvalidRequest(
            f"{sign_up.bots_per_author:,} bots for each author; take a number from 1 to "
            f"{MAX_BOTS:,}."
        )
