"""Tournaments in which a bot could know the cards of others: only among trusted ones."""

from __future__ import annotations

from collections.abc import Iterable

from arena.errors import InvalidRequest
from arena.pairing import TournamentSpec, format_of
from arena.store.registry.bots import RegisteredBot

FLAG = " (--trusted)"  # which a form has a box for
SHARED = (
    "Shared deals come again, and a bot with a memory then knows what the others hold: say that "
    f"you trust every entrant{FLAG}, or give every match a deal of its own."
)


REPEATABLE = (
    "Whoever guesses the seed of a repeatable tournament knows all its cards: say that you trust "
    f"every entrant{FLAG}, or leave the seed out."
)


def takes_trust(spec: TournamentSpec) -> str:
    """Why all entrants have to be trusted; "" where they need not be."""
    if format_of(spec.format).matches_per_deal(spec) > 1:
        return SHARED
    return REPEATABLE if spec.repeats is not None else ""


def check(spec: TournamentSpec, entered: Iterable[RegisteredBot], owner: int | None) -> None:
    """Raises InvalidRequest where entrants have to be trusted and nobody says that they are.

    The organiser's own bots (of the account `owner`) and the house's are trusted anyway.
    """
    why = "" if spec.trusted else takes_trust(spec)
    strangers = [bot.name for bot in entered if not _is_known(bot, owner)]
    if why and strangers:
        others = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise InvalidRequest(
            f"{why} Neither yours nor the house's: {', '.join(strangers[:3])}{others}."
        )


def _is_known(bot: RegisteredBot, owner: int | None) -> bool:
    return bot.kind == "house" or (owner is not None and bot.owner == owner)
