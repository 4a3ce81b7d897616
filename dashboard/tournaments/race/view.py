"""The race of a tournament, as a part of its page and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from dashboard.tournaments.race.scores import MOST, ScorePoint, score_race

page = Blueprint("race", __name__)

RACE = Shape(
    "Race",
    about=f"The Elo of a tournament's first {MOST_BOTS} bots over its progress, in at most some "
    "hundred steps; a bot is in a step if it has sat before.",
    more={"tournament": int, "points": list[RacePoint]},
)
SCORE_RACE = Shape(
    "ScoreRace",
    about=f"The mean score of a tournament's first {MOST_BOTS} bots over its progress, as played "
    f"and less luck; no points while no luck is known, nor beyond {MOST:,} matches.",
    more={"tournament": int, "points": list[ScorePoint]},
)


@page.get("/api/tournaments/<number:number>/race")
@answers(RACE)
def as_json(number: int) -> dict[str, Any]:
    """How the Elo of a tournament's bots went, in steps of its matches."""
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        steps = race(conn, tournament, names(standings.standings(conn, number)))
    return RACE.tell(tournament=number, points=steps)


@page.get("/api/tournaments/<number:number>/race/scores")
@answers(SCORE_RACE)
def scores_as_json(number: int) -> dict[str, Any]:
    """How the scores of a tournament's bots went, as played and less luck."""
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        steps = score_race(conn, tournament, names(standings.standings(conn, number)))
    return SCORE_RACE.tell(tournament=number, points=steps)


@dataclass(frozen=True)
class Course:
    """What the chart of a tournament shows: bots, best first, and a step for each row; `by` is one
    of BY, and `choices` are those that there are."""

    racing: list[str]
    steps: Sequence[RacePoint | ScorePoint]
    by: str
    choices: Sequence[str]


BY = {"elo": "Live Elo", "score": "Score", "less_luck": "Score less luck"}


def course(conn: Connection, tournament: Tournament, by: str) -> Course:
    """The race as somebody wants to see it; as Elo where there is no other."""
    racing = names(standings.standings(conn, tournament.id))
    scores = score_race(conn, tournament, racing)
    choices = list(BY) if scores else ["elo"]
    by = by if by in choices else "elo"
    steps = race(conn, tournament, racing) if by == "elo" else scores
    return Course(list(racing.values()), steps, by, choices)
