"""A bot's reviewed matches: accuracy over time, losses by phase, worst decisions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import Blueprint, render_template, request
from markupsafe import Markup

from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.reviews import reading
from arena.store.reviews.reading import BotMatch
from arena.value.review import PhaseTotals, peers
from arena.value.review.leaks import Answers, Spot, leak_payload
from arena.value.review.model import accuracy
from arena.value.review.payload import judged_payload, phases_payload, rounded
from arena.value.review.values import reviewer
from dashboard.api.answer import answers
from dashboard.api.parameters import choice
from dashboard.api.shape import Many, Shape
from dashboard.matches.replay.review.view import DECISION, PHASE
from dashboard.sources import sources

MOST_LINKED = 8  # matches with faults
TOGETHER = 10  # matches in the mean of the chart

page = Blueprint("bot_reviews", __name__)

GAME = choice("game", "The game. Default: the one with the most reviewed matches.", GAMES)
REVIEWED = Shape(
    "ReviewedMatch",
    BotMatch,
    about="The review of a bot's decisions in a match. `accuracy` is the share of the score at"
    " stake that it kept in its own decisions.",
    hidden=("phases", "worst", "leaks"),
    more={"accuracy": float | None},
)
WORST = Shape(
    "WorstDecision",
    about="A decision of a bot with its match.",
    more={"match": str, **DECISION.fields},
)
LEAK_ANSWERS = Shape(
    "LeakAnswers",
    Answers,
    about="Another player's answers in the same decisions: of `asked` decisions, the number in "
    "which it chooses the `same` action, and the `better` one.",
)
LEAK = Shape(
    "Leak",
    Spot,
    about="Decisions of one kind in which a bot lost score.\n\n"
    "The kind is the `phase`, the action `chosen` and the `best` one, `points` and `cards` in "
    "hand, and the `seats` at the table. `lost` is the sum over `times` decisions in `matches` "
    "matches, `each` the mean with its standard `error`. Decision `number` of `match` is an "
    "example. `others` has the answers of house bots by name.",
    more={
        "times": int,
        "matches": int,
        "lost": float,
        "each": float,
        "error": float,
        "match": str,
        "number": int,
        "others": dict[str, LEAK_ANSWERS.type],  # type: ignore[name-defined]
    },
)
REVIEWS = Shape(
    "BotReviews",
    about=f"The reviews of a bot's latest {reading.LATEST} reviewed matches of a game, newest"
    " first, with their totals. `faults` are default moves played for it, which are not judged."
    " `leaks` are the situations in which it lost most. `games` has the number of reviewed matches"
    " by game, and `game` is null if there are none.",
    more={
        "bot": str,
        "games": dict[str, int],
        "game": str | None,
        "decisions": int,
        "lost": float,
        "accuracy": float | None,
        "faults": int,
        "forfeits": int,
        "phases": dict[str, PHASE.type],  # type: ignore[name-defined]
        "worst": Many(WORST),
        "leaks": Many(LEAK),
        "matches": Many(REVIEWED),
    },
)


class Reviewed(NamedTuple):
    """A bot's reviewed matches of one game, and their number by game."""

    bot: RegisteredBot
    games: dict[str, int]
    game: str  # empty if there are none
    found: Sequence[BotMatch]
    totals: Totals


@page.get("/bots/<bot:name>/reviews")
def show(name: str) -> str:
    reviewed = _reviewed(name, request.args.get("game", ""))
    worst = reading.worst_of(reviewed.found)
    return render_template(
        "bots/reviews/page.html",
        **reviewed._asdict(),
        worst=worst,
        leaks=reading.leaks_of(reviewed.found),
        most_linked=MOST_LINKED,
        asked=peers.FAST,
    )


@page.get("/api/bots/<bot:name>/reviews.csv")
@page.get("/api/bots/<bot:name>/reviews")
@answers(REVIEWS, query=(GAME,), rows="matches")
def as_json(name: str, game: str | None) -> dict[str, Any]:
    """The reviews of a bot's matches: accuracy, losses by phase, leaks, worst decisions."""
    bot, games, game, found, summed = _reviewed(name, game or "")
    return REVIEWS.tell(
        bot=bot.name,
        games=games,
        game=game if found else None,
        decisions=summed.decisions,
        lost=rounded(summed.lost),
        accuracy=rounded(summed.accuracy),
        faults=summed.faults,
        forfeits=summed.forfeits,
        phases=phases_payload(dict(summed.phases)),
        worst=[
            WORST.tell(match=match.match, **judged_payload(each))
            for match, each in reading.worst_of(found)
        ],
        leaks=[LEAK.tell(**leak_payload(each)) for each in reading.leaks_of(found)],
        matches=[
            REVIEWED.tell(
                match,
                lost=rounded(match.lost),
                stake=rounded(match.stake),
                accuracy=rounded(accuracy(match.lost, match.stake)),
            )
            for match in found
        ],
    )


def _reviewed(name: str, wanted: str) -> Reviewed:
    """Return the reviews of a game, by default the one with the most. Raises InvalidRequest,
    NotFound."""
    with sources().read() as conn:
        bot = bots.public(conn, name)
        games = reading.games_of_bot(conn, bot.id, reviewer().name)
        game = wanted or max(games, key=lambda each: games[each], default="")
        if games and game not in games:
            raise InvalidRequest(f"No match of {bot.name} at {game[:40]} has been reviewed.")
        found = reading.of_bot(conn, bot.id, game, reviewer().name)
    return Reviewed(bot, games, game, found, _totals(found))


class Totals(NamedTuple):
    """Totals over matches; `phases` with the score lost in each, largest loss first."""

    decisions: int
    lost: float
    accuracy: float | None
    phases: list[tuple[str, PhaseTotals]]
    faults: int
    forfeits: int


def _totals(matches: Sequence[BotMatch]) -> Totals:
    """Return the totals, in which matches are weighted by the score at stake."""
    by_phase: dict[str, list[PhaseTotals]] = defaultdict(list)
    for match in matches:
        for phase, each in match.phases.items():
            by_phase[phase].append(each)
    phases = [
        (phase, PhaseTotals(*map(sum, zip(*each, strict=True)))) for phase, each in by_phase.items()
    ]
    lost = sum(match.lost for match in matches)
    return Totals(
        sum(match.decisions for match in matches),
        lost,
        accuracy(lost, sum(match.stake for match in matches)),
        sorted(phases, key=lambda each: -each[1].lost),
        sum(match.faults for match in matches),
        sum(match.forfeited for match in matches),
    )


@page.app_template_global()
def accuracy_chart(newest_first: Sequence[BotMatch]) -> Markup:
    """Return the chart of matches with at least one choice, oldest first."""
    matches = [match for match in reversed(newest_first) if match.stake > 0]
    dots = [
        Markup('<circle r="3" cx="{:.2f}%" cy="{:.2f}%"/>').format(
            _across(at, len(matches)), _up(accuracy(match.lost, match.stake) or 0.0)
        )
        for at, match in enumerate(matches)
    ]
    latest = [matches[max(0, at + 1 - TOGETHER) : at + 1] for at in range(len(matches))]
    line = " ".join(
        f"{_across(at, len(matches)):.2f},{_up(_mean(each)):.2f}" for at, each in enumerate(latest)
    )
    return Markup(
        '<svg class="review-chart accuracy" role="img"'
        ' aria-label="Accuracy in each reviewed match, the oldest first">{}{}'
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none"><polyline class="line" points="{}"/>'
        "</svg></svg>"
    ).format(_grid(), Markup("").join(dots), line)


def _mean(matches: Sequence[BotMatch]) -> float:
    return accuracy(sum(m.lost for m in matches), sum(m.stake for m in matches)) or 0.0


# Coordinates are in percent, because the chart's width depends on the page.
def _across(at: int, count: int) -> float:
    return 100 * (at + 0.5) / max(count, 1)


def _up(share: float) -> float:
    return 100 * (1 - share)


def _grid() -> Markup:
    return Markup("").join(
        Markup(
            '<line class="grid" x1="0" x2="100%" y1="{y:.0f}%" y2="{y:.0f}%"/>'
            '<text x="-8" y="{y:.0f}%" dy=".35em">{}%</text>'
        ).format(percent, y=_up(percent / 100))
        for percent in (0, 25, 50, 75, 100)
    )
