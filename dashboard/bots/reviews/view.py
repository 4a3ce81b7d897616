"""A bot's reviewed matches: accuracy over time, where it lost, its worst decisions."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from arena.errors import InvalidRequest
from arena.store.registry import bots
from arena.store.reviews import reading
from arena.value.review.values import reviewer
from dashboard.bots.reviews.chart import accuracy_chart
from dashboard.bots.reviews.totals import Totals, totals
from dashboard.sources import sources

page = Blueprint("bot_reviews", __name__)
page.add_app_template_global(accuracy_chart, "accuracy_chart")


@page.get("/bots/<name>/reviews")
def show(name: str) -> str:
    """The page, for one game."""
    with sources().read() as conn:
        bot = bots.get(conn, name)
        games = reading.games_of_bot(conn, bot.id, reviewer().name)
        game = request.args.get("game") or max(games, key=lambda each: games[each], default="")
        if games and game not in games:
            raise InvalidRequest(f"No match of {bot.name} at {game[:40]} has been reviewed.")
        found = reading.of_bot(conn, bot.id, game, reviewer().name)
    summed: Totals = totals(found)
    return render_template(
        "bots/reviews/page.html",
        bot=bot,
        games=games,
        game=game,
        found=found,
        totals=summed,
        worst=reading.worst_of(found),
    )
