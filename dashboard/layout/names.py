"""Links to bots, and results of matches as text. Cached, because lists have hundreds of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flask import request
from markupsafe import Markup

from arena.base.text import plural
from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow
from arena.store.registry.names import GUEST
from dashboard.layout.avatar import avatar


def bot_link(name: str) -> Markup:
    """Return a link to the page of a bot, given as NAME or NAME@VERSION. People have no link."""
    return _linked(name, request.script_root)


def avatar_link(name: str) -> Markup:
    """Return a link to a bot with its avatar."""
    return _with_avatar(name, request.script_root)


def contest(ranked: Sequence[SeatRow]) -> str:
    """Return the bots of a match, best first: "ada against bo, cy"."""
    first, *others = [seat.bot for seat in ranked]
    return f"{first} against {', '.join(others)}"


def outcome(match: MatchRow) -> str:
    """Return the result of a match: "ada won by 9 points"."""
    winners = [seat.bot for seat in match.ranked if seat.rank == 1 and not seat.forfeited]
    if not winners:
        return "No player won"
    if len(winners) > 1:
        return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory"
    if match.margin is None:
        return f"{winners[0]} won: all others forfeited"
    return f"{winners[0]} won by {plural(match.margin, 'point')}"


@lru_cache(maxsize=4096)
def _with_avatar(name: str, root: str) -> Markup:
    return avatar(name) + _linked(name, root)


@lru_cache(maxsize=4096)
def _linked(name: str, root: str) -> Markup:
    # A person in a casual game, see `guests.table_name`, or the name of one in its records.
    if " " in name or name.startswith(GUEST):
        return Markup('<span class="bot">{}</span>').format(name)
    # Not with `url_for`, which is slow.
    return Markup('<a class="bot" href="{}/bots/{}">{}</a>').format(
        root, name.partition("@")[0], name
    )
