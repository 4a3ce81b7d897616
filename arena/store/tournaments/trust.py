"""Tournaments in which a bot could know other players' cards: for trusted bots only."""

from __future__ import annotations

from collections.abc import Collection

from arena.base.errors import InvalidRequest
from arena.store.registry.bots import RegisteredBot
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.spec import BY_MATCH

FLAG = " (--trusted)"  # the dashboard's form has a checkbox instead
SHARED = (
    "Shared deals let a bot with a memory recognise the cards of others. Confirm that you trust "
    f"every entrant{FLAG}, or enter only hosted Python bots with the isolation match, which have "
    "no memory, or give each match its own deal."
)

REPEATABLE = (
    "The seed and salt of a repeatable tournament reveal all its cards. Confirm that you trust "
    f"every entrant{FLAG}, or remove the seed."
)


def takes_trust(spec: TournamentSpec) -> str:
    """The reason why all entrants must be trusted, or ""."""
    if format_of(spec.format).matches_per_deal(spec) > 1:
        return SHARED
    return _repeatable(spec)


def _repeatable(spec: TournamentSpec) -> str:
    return REPEATABLE if spec.repeats is not None else ""


def check(spec: TournamentSpec, entered: Collection[RegisteredBot], owner: int | None) -> None:
    """Raises InvalidRequest if entrants must be trusted and the spec is not `trusted`. `entered`
    are all entrants, including earlier ones.

    The bots of the account `owner` (the organiser) and house bots are always trusted. Shared deals
    are also fine if no bot can remember them.
    """
    why = "" if spec.trusted else takes_trust(spec)
    if why == SHARED and all(_forgets(spec, bot) for bot in entered):
        why = _repeatable(spec)
    untrusted = [bot.name for bot in entered if not _is_known(bot, owner)]
    if why and untrusted:
        others = f" and {len(untrusted) - 3} more" if len(untrusted) > 3 else ""
        raise InvalidRequest(
            f"{why} Neither your bots nor house bots: {', '.join(untrusted[:3])}{others}."
        )


def owner_may_enter(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether the owner, who is not an organiser, may enter this bot: not if all entrants must be
    vouched for."""
    return not takes_trust(spec) or (not spec.trusted and _forgets(spec, bot))


def _forgets(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether a bot cannot remember other matches. Matches of hosted programs in languages other
    than Python can exchange data (docs/sandbox.md)."""
    separate = bot.hosted and not bot.program and spec.isolation == BY_MATCH
    return bot.kind == "house" or separate


def _is_known(bot: RegisteredBot, owner: int | None) -> bool:
    return bot.kind == "house" or (owner is not None and bot.owner == owner)
