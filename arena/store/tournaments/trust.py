"""Tournaments in which a bot could know the cards of others: only among trusted ones."""

from __future__ import annotations

from collections.abc import Collection

from arena.base.errors import InvalidRequest
from arena.store.registry.bots import RegisteredBot
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.spec import BY_MATCH

FLAG = " (--trusted)"  # which a form has a box for
SHARED = (
    "Shared deals come again, and a bot with a memory then knows what the others hold. Say that "
    f"you trust every entrant{FLAG}, or enter only Python bots that are hosted with the isolation "
    "match, which have no memory, or give every match a deal of its own."
)

REPEATABLE = (
    "Whoever knows seed and salt of a repeatable tournament knows all its cards: say that you "
    f"trust every entrant{FLAG}, or leave the seed out."
)


def takes_trust(spec: TournamentSpec) -> str:
    """Why all entrants have to be trusted; "" where they need not be."""
    if format_of(spec.format).matches_per_deal(spec) > 1:
        return SHARED
    return _repeatable(spec)


def _repeatable(spec: TournamentSpec) -> str:
    return REPEATABLE if spec.repeats is not None else ""


def check(spec: TournamentSpec, entered: Collection[RegisteredBot], owner: int | None) -> None:
    """Raises InvalidRequest where entrants have to be trusted and nobody says that they are; they
    are all that play, also those who entered before.

    The organiser's own bots (of the account `owner`) and the house's are trusted anyway. And cards
    that come again help nobody where no bot remembers any.
    """
    why = "" if spec.trusted else takes_trust(spec)
    if why == SHARED and all(_forgets(spec, bot) for bot in entered):
        why = _repeatable(spec)
    strangers = [bot.name for bot in entered if not _is_known(bot, owner)]
    if why and strangers:
        others = f" and {len(strangers) - 3} more" if len(strangers) > 3 else ""
        raise InvalidRequest(
            f"{why} Neither yours nor the house's: {', '.join(strangers[:3])}{others}."
        )


def owner_may_enter(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether a bot may be entered by its owner, who is no organiser: not where others vouch for
    all entrants."""
    return not takes_trust(spec) or (not spec.trusted and _forgets(spec, bot))


def _forgets(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether a bot has no memory of other matches, whatever its author wants. The matches of a
    hosted program in another language than Python can exchange data (docs/sandbox.md)."""
    separate = bot.hosted and not bot.program and spec.isolation == BY_MATCH
    return bot.kind == "house" or separate


def _is_known(bot: RegisteredBot, owner: int | None) -> bool:
    return bot.kind == "house" or (owner is not None and bot.owner == owner)
