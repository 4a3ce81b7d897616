"""The user's own bots: their list, a new one, and the page of each. Organisers can remove
descriptions and hide notes of other bots."""

from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.bots import HOUSE
from arena.service.live.reader import Live
from arena.store.matches import bot_notes
from arena.store.registry import accounts, audit_log, bot_lists, bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.names import looks, printable
from arena.store.registry.profiles import BotProfile
from arena.store.tournaments import bench, bot_actions
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, organiser, signed_in, the_account
from dashboard.bots.index.connection import connection
from dashboard.bots.index.view import BotRow
from dashboard.bots.manage.own import TRIAL_MOVES_S, latest_tests, my_bot
from dashboard.events.topics import live_part, page_or_part
from dashboard.sdk.view import gateway_url, install_line
from dashboard.sources import sources

page = Blueprint("mybot", __name__)
mine, description = Blueprint("mine", __name__), Blueprint("describe", __name__)

TRIALS = 5  # test matches listed
TOKENS = ("made", "token")  # actions that create a token


@mine.get("/my/bots", endpoint="show")
@mine.get("/my/bots/-/live", endpoint="live")
@signed_in
def list_bots() -> str:
    part = live_part("bots")
    with sources().read() as conn:
        own = bots.owned_by(conn, the_account().id)
        counts = bot_lists.match_counts(conn, {bot.id for bot in own})
    now = sources().live([bot.player for bot in own])
    lines = [BotRow(bot, connection(now, bot.player), counts.get(bot.id, 0)) for bot in own]
    return page_or_part("bots/mine", part=part, lines=lines, live=now)


@mine.get("/my/bots/-/new")
@signed_in
def new(name: str = "", problem: str = "") -> str:
    return render_template("bots/mine/new.html", name=name, problem=problem)


@mine.post("/my/bots/-/new")
@signed_in
@limited("30 per hour")
def create() -> ResponseReturnValue:
    """Create the bot. The next page shows its token once."""
    name = request.form.get("name", "").strip()
    try:
        bot = _create(name)
    except (InvalidRequest, AlreadyExists) as error:
        return new(name, str(error)), 400
    return led_to(bot, "made")


def _create(name: str) -> RegisteredBot:
    if looks(name) in map(looks, HOUSE):
        raise AlreadyExists(
            f'"{printable(name)}" is, or looks like, the name of a house bot. Choose another name.'
        )
    account = the_account()
    with sources().store.write() as conn:
        accounts.get(conn, account.id, lock=True)  # so that parallel requests respect the limit
        most = sources().settings.bots_per_account
        if len(bots.owned_by(conn, account.id)) >= most:
            raise InvalidRequest(
                f"An account can have at most {most} bots. Create a new version of a bot instead."
            )
        try:
            bot, token = bots.register(conn, name, owner=account.id)
        except AlreadyExists:
            raise AlreadyExists(f'A bot named "{name}" already exists. Choose another.') from None
        session.keep_token(conn, bot.id, token)
        audit_log.note(conn, acting(), "registered", f"bot {bot.name}")
    return bot


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


@description.post("/my/bots/<bot:name>/description", endpoint="save")
@signed_in
@limited("30 per hour")
def save_description(name: str) -> ResponseReturnValue:
    asked = (request.form.get(each, "") for each in ("description", "link", "language"))
    said = BotProfile(*asked)
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        wrong = "description"
        try:
            BotProfile(said.description).checked()
            wrong = "link"
            profiles.describe(conn, bot.id, said)
        except InvalidRequest as error:
            problem = str(error)
        else:
            return led_to(bot, "described")
    return bot_page(bot, said=said, wrong_description={wrong: problem}), 400


@description.post("/bots/<bot:name>/description/remove", endpoint="remove")
@organiser
def remove_description(name: str) -> ResponseReturnValue:
    """Remove the description permanently; the audit log keeps it."""
    with sources().store.write() as conn:
        bot = bots.public(conn, name)
        said = profiles.of_bot(conn, bot.id)
        profiles.describe(conn, bot.id, BotProfile())
        words = f"{said.description} {said.link}".strip()
        audit_log.note(conn, acting(), "removed the description", f"bot {bot.name}", words)
    return redirect(url_for("bot.show", name=bot.name), 303)


@description.post("/bots/<bot:name>/notes/hide")
@organiser
def hide_notes(name: str) -> ResponseReturnValue:
    """Show the bot's notes only to its author, who can publish them again."""
    with sources().store.write() as conn:
        bot = bots.public(conn, name)
        bot_notes.set_public(conn, bot.id, public=False)
        audit_log.note(conn, acting(), "hid the notes", f"bot {bot.name}")
    return redirect(url_for("bot.show", name=bot.name), 303)


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
    return redirect(url_for("mybot.show", name=bot.name, done=done), 303)
