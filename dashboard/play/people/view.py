"""The rating table of people, and each person's choice to be in it."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.store.registry import accounts
from arena.store.reports import people
from dashboard.account.guard import limited
from dashboard.account.rights import signed_in, the_account
from dashboard.account.session import current_account
from dashboard.play.starting import asked_game
from dashboard.sources import sources

page = Blueprint("people", __name__)


@page.get("/play/people")
def show() -> str:
    game, account = asked_game(request.args), current_account()
    with sources().read() as conn:
        return render_template(
            "play/people/page.html",
            game=game,
            lines=people.table(conn, game),
            played=people.games(conn, account.id, game) if account else 0,
            fewest=people.FEWEST,
            latest=people.LATEST,
            most=people.MOST,
        )


@page.post("/play/people")
@signed_in
@limited("30 per hour")
def choose() -> ResponseReturnValue:
    with sources().store.write() as conn:
        accounts.set_listed(conn, the_account(), request.form.get("listed") == "yes")
    return redirect(url_for("people.show", _anchor="your-name"), 303)
