"""The list of the user's own bots, and creating one."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.bots import HOUSE
from arena.store.registry import accounts, audit_log, bot_lists, bots
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.names import looks, printable
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, signed_in, the_account
from dashboard.bots.index.connection import connection
from dashboard.bots.index.view import BotRow
from dashboard.bots.manage.view import led_to
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources

page = Blueprint("mine", __name__)


@page.get("/my/bots", endpoint="show")
@page.get("/my/bots/-/live", endpoint="live")
@signed_in
def show() -> str:
    part = live_part("bots")
    with sources().read() as conn:
        mine = bots.owned_by(conn, the_account().id)
        counts = bot_lists.match_counts(conn, {bot.id for bot in mine})
    now = sources().live([bot.player for bot in mine])
    lines = [BotRow(bot, connection(now, bot.player), counts.get(bot.id, 0)) for bot in mine]
    return page_or_part("bots/mine", part=part, lines=lines, live=now)


@page.get("/my/bots/-/new")
@signed_in
def new() -> str:
    return _form()


@page.post("/my/bots/-/new")
@signed_in
@limited("30 per hour")
def create() -> ResponseReturnValue:
    """Create the bot. The next page shows its token once."""
    name = request.form.get("name", "").strip()
    try:
        bot = _create(name)
    except (InvalidRequest, AlreadyExists) as error:
        return _form(name, str(error)), 400
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


def _form(name: str = "", problem: str = "") -> str:
    return render_template("bots/mine/new.html", name=name, problem=problem)
