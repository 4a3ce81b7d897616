"""The chart of Elo and scores over a tournament, on its page and as JSON."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from flask import Blueprint
from sqlalchemy import Connection

from arena.store.reports import standings
from arena.store.reports.standings import Standing
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.sources import sources
from dashboard.tournaments.race.course import MOST_BOTS, RacePoint, names, race
from dashboard.tournaments.race.scores import MOST, ScorePoint, has_score_race, score_race

page = Blueprint("race", __name__)

Steps: TypeAlias = Sequence[RacePoint] | Sequence[ScorePoint]

RACE = Shape(
    "Race",
    about=f"The Elo of a tournament's first {MOST_BOTS} bots over its matches, in at most about "
    "150 steps. A step has only bots that have played before it.",
    more={"tournament": int, "points": list[RacePoint]},
)
SCORE_RACE = Shape(
    "ScoreRace",
    about=f"The mean score of a tournament's first {MOST_BOTS} bots over its matches, unadjusted "
    f"and luck-adjusted. Empty while no luck is known, and for more than {MOST:,} matches.",
    more={"tournament": int, "points": list[ScorePoint]},
)


@page.get("/api/tournaments/<number:number>/race")
@answers(RACE)
def as_json(number: int) -> dict[str, Any]:
    """The Elo of a tournament's bots over its matches."""
    return RACE.tell(tournament=number, points=_steps(number, race))


@page.get("/api/tournaments/<number:number>/race/scores")
@answers(SCORE_RACE)
def scores_as_json(number: int) -> dict[str, Any]:
    """The scores of a tournament's bots over its matches, unadjusted and luck-adjusted."""
    return SCORE_RACE.tell(tournament=number, points=_steps(number, score_race))


def _steps(number: int, of: Callable[[Connection, Tournament, dict[int, str]], Steps]) -> Steps:
    with sources().read() as conn:
        racing = names(standings.standings(conn, number))
        return of(conn, tournaments.get(conn, number), racing)


@dataclass(frozen=True)
class RaceChart:
    """The chart of a tournament: its bots, best first, and its steps. `by` is the value shown, one
    of BY. `choices` are the available ones."""

    racing: list[str]
    steps: Steps
    by: str
    choices: Sequence[str]


BY = {"elo": "Live Elo", "score": "Score", "less_luck": "Luck-adjusted score"}


def course(
    conn: Connection, tournament: Tournament, lines: Sequence[Standing], by: str
) -> RaceChart:
    """Return the chart by the requested value, or by Elo if that is not available."""
    racing = names(lines)
    choices = list(BY) if has_score_race(conn, tournament) else ["elo"]
    by = by if by in choices else "elo"
    raced: Callable[..., Steps] = race if by == "elo" else score_race
    return RaceChart(list(racing.values()), raced(conn, tournament, racing), by, choices)
