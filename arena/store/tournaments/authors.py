"""The authors of a tournament's bots: their anonymous numbers, and whether they must be trusted.

The numbers are fixed when a bot enters; see `formats.siblings`. Changing its owner later has no
effect.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from arena.base.errors import InvalidRequest
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import bots, players
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.siblings import numbered
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


def of(format_name: str, entered: Iterable[RegisteredBot]) -> tuple[int, ...]:
    """The author number of each bot; empty if the format does not keep bots of the same owner
    apart, as in casual games."""
    if "siblings" not in format_of(format_name).options:
        return ()
    return numbered(_author(bot) for bot in entered)


def with_another(
    conn: Connection,
    spec: TournamentSpec,
    entered: Sequence[int],
    bot: RegisteredBot,
    called: str,
) -> TournamentSpec:
    """The spec with one more bot, which has the name `called` there.

    A new version gets the author number of the old one. Another bot gets the number of an entered
    bot that now has the same owner.
    """
    spec = replace(spec, bots=(*spec.bots, called))
    query = select(players.c.id, bots.c.id, bots.c.owner, bots.c.kind).join_from(players, bots)
    rows = conn.execute(query.where(players.c.id.in_(entered)))
    known = {player: (key, _account(owner, kind)) for player, key, owner, kind in rows}
    own = bot.id, _account(bot.owner, bot.kind)
    # With the position in the key, so that a bot's number is not taken for an account's.
    numbers = {
        (place, key): author
        for player, author in zip(entered, spec.authors, strict=True)
        for place, key in enumerate(known[player])
        if key is not None
    }
    given = [numbers[place] for place in enumerate(own) if place in numbers]
    author = given[0] if given else max(spec.authors) + 1
    return replace(spec, authors=(*spec.authors, author))


def _author(bot: RegisteredBot) -> tuple[str, int] | None:
    """The identity of a bot's author, None for house bots. A bot without an owner is its own."""
    if bot.kind == "house":
        return None
    return ("bot", bot.id) if bot.owner is None else ("account", bot.owner)


def _account(owner: int | None, kind: str) -> int | None:
    """The account whose bots must not meet; None for house bots and bots without an owner."""
    return None if kind == "house" else owner


# Tournaments in which a bot could know other players' cards: for trusted bots only


def takes_trust(spec: TournamentSpec) -> str:
    """The reason why all entrants must be trusted, or ""."""
    if format_of(spec.format).matches_per_deal(spec) > 1:
        return SHARED
    return _repeatable(spec)


def _repeatable(spec: TournamentSpec) -> str:
    return REPEATABLE if spec.repeats is not None else ""


def check_trusted(
    spec: TournamentSpec, entered: Collection[RegisteredBot], owner: int | None
) -> None:
    """Raises InvalidRequest if entrants must be trusted and the spec is not `trusted`. `entered`
    are all entrants, including earlier ones.

    The bots of the account `owner` (the organiser) and house bots are always trusted. Shared deals
    are also fine if no bot can remember them.
    """
    why = "" if spec.trusted else takes_trust(spec)
    if why == SHARED and all(_forgets(spec, bot) for bot in entered):
        why = _repeatable(spec)
    untrusted = [
        bot.name for bot in entered if bot.kind != "house" and (owner is None or bot.owner != owner)
    ]
    if why and untrusted:
        others = f" and {len(untrusted) - 3} more" if len(untrusted) > 3 else ""
        raise InvalidRequest(
            f"{why} Neither your bots nor house bots: {', '.join(untrusted[:3])}{others}."
        )


def owner_may_enter(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether the owner, who is not an organiser, may enter this bot: not if the organiser has
    to trust all entrants."""
    return not takes_trust(spec) or (not spec.trusted and _forgets(spec, bot))


def _forgets(spec: TournamentSpec, bot: RegisteredBot) -> bool:
    """Whether a bot cannot remember other matches. Matches of hosted programs in languages other
    than Python can exchange data (docs/sandbox.md)."""
    separate = bot.hosted and not bot.program and spec.isolation == BY_MATCH
    return bot.kind == "house" or separate
