"""Anonymous numbers of the authors of a tournament's bots; see `formats.siblings`.

They are fixed when a bot enters. Changing its owner later has no effect.
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
