"""Matches in ladders, whose tables were chosen by earlier results.

A ladder stops comparing a pair when its order seems clear, so luck that made it seem clear remains.
95% intervals then cover less than they claim, even for equal bots, especially at few seats and for
any number of matches (docs/ratings.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import Connection, func, or_, select

from arena.store.projections.elo_tables import OVERALL
from arena.store.tables import entrants, tournaments
from arena.tournaments.formats import FORMATS

LADDERS = [name for name, format_ in FORMATS.items() if format_.stops_at_clear_pairs]


def chosen(conn: Connection, game: str, seats: int = OVERALL) -> Mapping[int, int]:
    """By player, its matches in ladders of a game at tables of `seats` seats, or (0) of all."""
    row = tournaments.c
    named = [row.spec.contains(f'"{name}"') for name in LADDERS]
    query = select(row.id, row.spec).where(row.kind == "tournament", or_(*named))
    ladders = [number for number, text in conn.execute(query) if _is_one(text, game, seats)]
    rows = conn.execute(
        select(entrants.c.player, func.sum(entrants.c.matches))
        .where(entrants.c.tournament.in_(ladders))
        .group_by(entrants.c.player)
    )
    return {player: int(matches) for player, matches in rows}


def _is_one(text: str, game: str, seats: int) -> bool:
    spec = json.loads(text)
    at_them = seats in (OVERALL, spec["seats"])
    return spec["format"] in LADDERS and spec["game"] == game and at_them
