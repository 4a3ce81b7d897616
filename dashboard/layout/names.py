"""Bots by their names: the link to one, and who played whom.

Lists have hundreds of these, of a few bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from flask import request
from markupsafe import Markup

from arena.base.text import plural
from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow
from dashboard.layout.face import face


def bot_link(name: str) -> Markup:
    """A link to the page of a bot, which may be named with its version (NAME@VERSION)."""
    return _linked(name, request.script_root)


def faced_link(name: str) -> Markup:
    """The same with the face of the bot before it."""
    return _faced(name, request.script_root)


def contest(ranked: Sequence[SeatRow]) -> str:
    """The bots of a match, the best of them first: "ada against bo, cy"."""
    first, *others = [seat.bot for seat in ranked]
    return f"{first} against {', '.join(others)}"


def outcome(match: MatchRow) -> str:
    """Who won a match and by how much: "ada won by 9 points"."""
    winners = [seat.bot for seat in match.ranked if seat.rank == 1 and not seat.forfeited]
    if not winners:
        return "No player won"
    if len(winners) > 1:
        return f"{', '.join(winners[:-1])} and {winners[-1]} share the victory"
    if match.margin is None:
        return f"{winners[0]} won: all others forfeited"
    return f"{winners[0]} won by {plural(match.margin, 'point')}"


@lru_cache(maxsize=4096)
def _faced(name: str, root: str) -> Markup:
    return face(name) + _linked(name, root)


@lru_cache(maxsize=4096)
def _linked(name: str, root: str) -> Markup:
    # `url_for` would take as long as all the rest.
    return Markup('<a class="bot" href="{}/bots/{}">{}</a>').format(
        root, name.partition("@")[0], name
    )
