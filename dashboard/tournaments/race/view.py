"""The race of a tournament, as a part of its page and as JSON."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from sqlalchemy import Connection

from arena.store.reports import standings
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.sources import sources
from dashboard.tournaments.race.course import MOST_BOTS, RacePoint, names, race

page = Blueprint("race", __name__)

RACE = Shape(
    "Race",
    about=f"The Elo of a tournament's first {MOST_BOTS} bots over its progress, in at most some "
    "hundred steps; a bot is in a step if it has sat before.",
    more={"tournament": int, "points": list[RacePoint]},
)


@page.get("/api/tournaments/<number:number>/race")
@answers(RACE)
def as_json(number: int) -> dict[str, Any]:
    """How the Elo of a tournament's bots went, in steps of its matches."""
    with sources().read() as conn:
        _, steps = raced(conn, tournaments.get(conn, number))
    return RACE.tell(tournament=number, points=steps)


def raced(conn: Connection, tournament: Tournament) -> tuple[list[str], list[RacePoint]]:
    """The names of those who race, best first, and the race."""
    racing = names(standings.standings(conn, tournament.id))
    return list(racing.values()), race(conn, tournament, racing)
