"""One of one's own bots."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.errors import AlreadyExists, InvalidRequest
from arena.rules import GAMES
from arena.store import bots
from arena.store.bots import Bot
from dashboard.account.guard import limited
from dashboard.account.rights import signed_in, the_account
from dashboard.bots.connection import connection
from dashboard.events.part import live_part
from dashboard.mine.own import my_bot
from dashboard.mybot.place import gateway_url
from dashboard.sources import sources
from dashboard.trial.queries import latest

page = Blueprint("mybot", __name__)

TRIALS = 5  # test matches listed


@page.get("/my/bots/<bot:name>")
@signed_in
def show(name: str) -> str:
    """The page."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return shown(bot)


@page.get("/my/bots/<bot:name>/live")
@signed_in
def live(name: str) -> str:
    """The part of the page that turns green."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return render_template("mybot/live.html", **_connected(bot))


@page.post("/my/bots/<bot:name>/token")
@signed_in
@limited("30 per hour")
def rotate(name: str) -> ResponseReturnValue:
    """A new token, shown this once; the old one is void."""
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        token = bots.rotate_token(conn, bot.name)
    return with_token(bot, token)


@page.post("/my/bots/<bot:name>/version")
@signed_in
@limited("60 per hour")
def new_version(name: str) -> ResponseReturnValue:
    """A new version, which the bot plays as from its next connection on."""
    wanted = request.form.get("version", "").strip()
    try:
        with sources().store.write() as conn:
            bot = my_bot(conn, name)
            made = bots.new_version(conn, bot.name, wanted)
    except (InvalidRequest, AlreadyExists) as error:
        return shown(bot, wrong_version=(wanted, str(error))), 400
    return _back(made, "version")


@page.post("/my/bots/<bot:name>/retire")
@signed_in
def retire(name: str) -> ResponseReturnValue:
    """Keeps the bot from connecting and from the lists."""
    with sources().store.write() as conn:
        bot = bots.retire(conn, my_bot(conn, name).name)
    return _back(bot, "retired")


@page.post("/my/bots/<bot:name>/bring-back")
@signed_in
def bring_back(name: str) -> ResponseReturnValue:
    """Ends the retirement."""
    with sources().store.write() as conn:
        bot = bots.bring_back(conn, my_bot(conn, name).name)
    return _back(bot, "back")


def with_token(bot: Bot, token: str, *, fresh: bool = False) -> Response:
    """The page with the token, which nobody keeps: not we, not the browser."""
    response = make_response(shown(bot, secret=token, fresh=fresh))
    response.headers["Cache-Control"] = "no-store"
    return response


def shown(bot: Bot, **more: Any) -> str:
    """The page about a bot that is the account's."""
    with sources().read() as conn:
        versions = bots.versions(conn, bot.id)
        trials = latest(conn, the_account().id, bot.id, TRIALS)
    return render_template(
        "mybot/page.html",
        versions=versions,
        trials=trials,
        games=list(GAMES),
        gateway=gateway_url(sources().settings, request.host_url),
        done=request.args.get("done", ""),
        **_connected(bot),
        **more,
    )


def _connected(bot: Bot) -> dict[str, object]:
    part = live_part(f"bot-{bot.name}")
    found = sources().live([bot.player])
    return {
        "part": part,
        "bot": bot,
        "live": found,
        "connection": connection(found, bot.player),
    }


def _back(bot: Bot, done: str) -> ResponseReturnValue:
    return redirect(url_for("mybot.show", name=bot.name, done=done), 303)
