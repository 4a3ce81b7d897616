"""The page of one of the user's own bots."""

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.service.live.reader import Live
from arena.store.matches import bot_notes
from arena.store.registry import bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import bench, bot_actions
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, signed_in, the_account
from dashboard.bots.index.connection import connection
from dashboard.bots.manage.own import TRIAL_MOVES_S, latest_tests, my_bot
from dashboard.events.topics import live_part
from dashboard.sdk.view import gateway_url, install_line
from dashboard.sources import sources

page = Blueprint("mybot", __name__)

TRIALS = 5  # test matches listed
TOKENS = ("made", "token")  # actions that create a token


@page.get("/my/bots/<bot:name>")
@signed_in
def show(name: str) -> Response:
    """The page. A new token is shown once."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    # A HEAD request would use up the token without showing it.
    token = session.take_token(bot.id) if request.method == "GET" else ""
    response = make_response(bot_page(bot, secret=token))
    if token or request.args.get("done") in TOKENS:
        response.headers["Cache-Control"] = "no-store"
    return response


@page.get("/my/bots/<bot:name>/live")
@signed_in
def live(name: str) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return render_template("bots/manage/live.html", **_connected(bot))


@page.post("/my/bots/<bot:name>/token")
@signed_in
@limited("30 per hour")
def rotate(name: str) -> ResponseReturnValue:
    """Create a new token, which the next page shows once. The old one stops working."""
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        session.keep_token(conn, bot.id, bot_actions.new_token(conn, acting(), bot.name))
    return led_to(bot, "token")


@page.post("/my/bots/<bot:name>/version")
@signed_in
@limited("60 per hour")
def new_version(name: str) -> ResponseReturnValue:
    """Create a new version, as which the bot plays after it reconnects."""
    wanted = request.form.get("version", "").strip()
    try:
        with sources().store.write() as conn:
            bot = my_bot(conn, name)
            made = bot_actions.new_version(conn, acting(), bot.name, wanted)
    except (InvalidRequest, AlreadyExists) as error:
        return bot_page(bot, wrong_version=(wanted, str(error))), 400
    return led_to(made, "version")


@page.post("/my/bots/<bot:name>/retire")
@signed_in
def retire(name: str) -> ResponseReturnValue:
    """Retire the bot: it can no longer connect and is hidden from lists."""
    with sources().store.write() as conn:
        bot = bot_actions.retire(conn, acting(), my_bot(conn, name).name)
    return led_to(bot, "retired")


@page.post("/my/bots/<bot:name>/bring-back")
@signed_in
def bring_back(name: str) -> ResponseReturnValue:
    with sources().store.write() as conn:
        bot = bot_actions.bring_back(conn, acting(), my_bot(conn, name).name)
    return led_to(bot, "back")


@page.post("/my/bots/<bot:name>/come-back")
@signed_in
def come_back(name: str) -> ResponseReturnValue:
    """Clear the bench, so that the bot can enter new tournaments again."""
    with sources().store.write() as conn:
        bot = bot_actions.clear_bench(conn, acting(), my_bot(conn, name).name)
    return led_to(bot, "unbenched")


@page.post("/my/bots/<bot:name>/notes")
@signed_in
def share_notes(name: str) -> ResponseReturnValue:
    """Show the bot's notes in replays to everyone, or only to its author."""
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        bot_notes.set_public(conn, bot.id, public=request.form.get("public") == "yes")
    return led_to(bot, "notes")


@page.post("/my/bots/<bot:name>/notes/delete")
@signed_in
def delete_notes(name: str) -> ResponseReturnValue:
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        bot_notes.delete_all(conn, bot.id)
    return led_to(bot, "notes-deleted")


def bot_page(bot: RegisteredBot, **more: Any) -> str:
    with sources().read() as conn:
        versions = bots.versions(conn, bot.id)
        more.setdefault("said", profiles.of_bot(conn, bot.id))
        trials = latest_tests(conn, the_account().id, bot.id, TRIALS)
        notes_public = bot_notes.are_public(conn, bot.id)
        out = bench.benched(conn, [bot.player], sources().settings.bench_after).get(bot.player)
    live = sources().live(each.player for each in versions)
    return render_template(
        "bots/manage/page.html",
        ever_hosted=any(each.hosted for each in versions),
        versions=[(each, connection(live, each.player)) for each in versions],
        trials=trials,
        trial_moves=list(TRIAL_MOVES_S.items()),
        bench=out,
        notes_public=notes_public,
        gateway=gateway_url(sources().settings),
        install=install_line(),
        done=request.args.get("done", ""),
        languages=list(profiles.LANGUAGES),
        longest_description=profiles.LONGEST,
        **_connected(bot, live),
        **more,
    )


def _connected(bot: RegisteredBot, live: Live | None = None) -> dict[str, object]:
    """Return the context of the live fragment; `live` avoids a second read from Redis."""
    part = live_part(f"bot-{bot.name}")
    status = live or sources().live([bot.player])
    return {"part": part, "bot": bot, "live": status, "connection": connection(status, bot.player)}


def led_to(bot: RegisteredBot, done: str) -> ResponseReturnValue:
    """Redirect to the bot's page, with a notice about the action."""
    return redirect(url_for("mybot.show", name=bot.name, done=done), 303)
