"""The list of one's bots."""

from __future__ import annotations

from flask import Blueprint, render_template

from arena.store import bots
from dashboard.account.rights import signed_in, the_account
from dashboard.bots.connection import connection
from dashboard.sources import sources

page = Blueprint("mine", __name__)


@page.get("/my/bots")
@signed_in
def show() -> str:
    """The page."""
    with sources().read() as conn:
        mine, counts = bots.owned_by(conn, the_account().id), bots.match_counts(conn)
    live = sources().live(bot.player for bot in mine)
    lines = [(bot, connection(live, bot.player), counts.get(bot.id, 0)) for bot in mine]
    return render_template("mine/page.html", lines=lines, live=live)
