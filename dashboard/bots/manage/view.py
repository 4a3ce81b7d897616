"""One of one's own bots."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.games.rules import GAMES
from arena.service.live.reader import Live
from arena.store.registry import audit_log, bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import bench, sign_up
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, signed_in, the_account
from dashboard.bots.index.connection import connection
from dashboard.bots.manage.own import my_bot
from dashboard.bots.manage.queries import latest
from dashboard.events.part import live_part
from dashboard.sdk.place import gateway_url, install_line
from dashboard.sources import sources

page = Blueprint("mybot", __name__)

TRIALS = 5  # test matches listed
TOKENS = ("made", "token")  # what was done, where a token came of it


@page.get("/my/bots/<bot:name>")
@signed_in
def show(name: str) -> Response:
    """The page; with a token that was just made, this once."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    # Whoever asks for the headers alone is not shown a token.
    token = session.take_token(bot.id) if request.method == "GET" else ""
    response = make_response(bot_page(bot, secret=token))
    if token or request.args.get("done") in TOKENS:
        response.headers["Cache-Control"] = "no-store"
    return response


@page.get("/my/bots/<bot:name>/live")
@signed_in
def live(name: str) -> str:
    """The part of the page that turns green."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return render_template("bots/manage/live.html", **_connected(bot))


@page.post("/my/bots/<bot:name>/token")
@signed_in
@limited("30 per hour")
def rotate(name: str) -> ResponseReturnValue:
    """A new token, which the page that follows shows, once; the old one is void."""
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        session.keep_token(conn, bot.id, bots.rotate_token(conn, bot.name))
        audit_log.note(conn, acting(), "gave a new token", f"bot {bot.name}")
    return led_to(bot, "token")


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
            audit_log.note(conn, acting(), "gave a new version", f"bot {bot.name}", made.version)
    except (InvalidRequest, AlreadyExists) as error:
        return bot_page(bot, wrong_version=(wanted, str(error))), 400
    return led_to(made, "version")


@page.post("/my/bots/<bot:name>/retire")
@signed_in
def retire(name: str) -> ResponseReturnValue:
    """Keeps the bot from connecting and from the lists."""
    with sources().store.write() as conn:
        bot = bots.retire(conn, my_bot(conn, name).name)
        sign_up.withdraw_everywhere(conn, [bot.id])
        audit_log.note(conn, acting(), "retired", f"bot {bot.name}")
    return led_to(bot, "retired")


@page.post("/my/bots/<bot:name>/bring-back")
@signed_in
def bring_back(name: str) -> ResponseReturnValue:
    """Ends the retirement."""
    with sources().store.write() as conn:
        bot = bots.reinstate(conn, my_bot(conn, name).name)
        audit_log.note(conn, acting(), "brought back", f"bot {bot.name}")
    return led_to(bot, "back")


@page.post("/my/bots/<bot:name>/come-back")
@signed_in
def come_back(name: str) -> ResponseReturnValue:
    """Lets a benched bot play in new tournaments again."""
    with sources().store.write() as conn:
        bot = bench.clear(conn, my_bot(conn, name).name)
    return led_to(bot, "unbenched")


def bot_page(bot: RegisteredBot, **more: Any) -> str:
    """The page about a bot that is the account's."""
    with sources().read() as conn:
        versions = bots.versions(conn, bot.id)
        more.setdefault("said", profiles.of_bot(conn, bot.id))
        trials = latest(conn, the_account().id, bot.id, TRIALS)
        out = bench.benched(conn, [bot.player], sources().settings.bench_after).get(bot.player)
    live = sources().live(each.player for each in versions)
    return render_template(
        "bots/manage/page.html",
        ever_hosted=any(each.hosted for each in versions),
        versions=[(each, connection(live, each.player)) for each in versions],
        trials=trials,
        bench=out,
        games=list(GAMES),
        gateway=gateway_url(sources().settings),
        install=install_line(),
        done=request.args.get("done", ""),
        languages=list(profiles.LANGUAGES),
        longest_description=profiles.LONGEST,
        **_connected(bot, live),
        **more,
    )


def _connected(bot: RegisteredBot, live: Live | None = None) -> dict[str, object]:
    """What the live part shows; `live` is what Redis knows, if it was asked already."""
    part = live_part(f"bot-{bot.name}")
    status = live or sources().live([bot.player])
    return {
        "part": part,
        "bot": bot,
        "live": status,
        "connection": connection(status, bot.player),
    }


def led_to(bot: RegisteredBot, done: str) -> ResponseReturnValue:
    """To the page about the bot, which says what was done: reloading it sends no form again."""
    return redirect(url_for("mybot.show", name=bot.name, done=done), 303)
