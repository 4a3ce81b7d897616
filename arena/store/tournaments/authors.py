"""Whose a tournament's bots are, as numbers that tell nothing else: see
`arena.tournaments.formats.siblings`.

They are frozen when a bot enters: who gives a bot away afterwards changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from arena.store.registry.bots import RegisteredBot
from arena.store.tables import bots, players
from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.siblings import numbered


def of(format_name: str, entered: Iterable[RegisteredBot]) -> tuple[int, ...]:
    """The numbers of these bots' authors; none in a format that keeps nobody apart, which is that
    of a person's table."""
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
    """A tournament of these players and one bot more, which is called so there.

    A new version is of the author of the old one, another bot of the author of whichever bot is
    of the same account now.
    """
    spec = replace(spec, bots=(*spec.bots, called))
    query = select(players.c.id, bots.c.id, bots.c.owner, bots.c.kind).join_from(players, bots)
    rows = conn.execute(query.where(players.c.id.in_(entered)))
    known = {player: (key, _account(owner, kind)) for player, key, owner, kind in rows}
    own = bot.id, _account(bot.owner, bot.kind)
    # A place in the key each, so that the number of a bot is never taken for that of an account.
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
    """Who has siblings; a bot of no account has them in its other versions."""
    if bot.kind == "house":
        return None
    return ("bot", bot.id) if bot.owner is None else ("account", bot.owner)


def _account(owner: int | None, kind: str) -> int | None:
    """Whose siblings a bot has: nobody's are the house's, and those of no account."""
    return None if kind == "house" else owner
