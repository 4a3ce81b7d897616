"""Saving an author's description of a bot, and removing it or hiding notes as an organiser."""

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import InvalidRequest
from arena.store.matches import bot_notes
from arena.store.registry import audit_log, bots, profiles
from arena.store.registry.profiles import BotProfile
from dashboard.account.guard import limited
from dashboard.account.rights import acting, organiser, signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.bots.manage.view import bot_page, led_to
from dashboard.sources import sources

page = Blueprint("describe", __name__)


@page.post("/my/bots/<bot:name>/description")
@signed_in
@limited("30 per hour")
def save(name: str) -> ResponseReturnValue:
    asked = (request.form.get(each, "") for each in ("description", "link", "language"))
    said = BotProfile(*asked)
    with sources().store.write() as conn:
        bot = my_bot(conn, name)
        try:
            profiles.describe(conn, bot.id, said)
        except InvalidRequest as error:
            problem = str(error)
        else:
            return led_to(bot, "described")
    return bot_page(bot, said=said, wrong_description=problem), 400


@page.post("/bots/<bot:name>/description/remove")
@organiser
def remove(name: str) -> ResponseReturnValue:
    """Remove the description permanently; the audit log keeps it."""
    with sources().store.write() as conn:
        bot = bots.public(conn, name)
        said = profiles.of_bot(conn, bot.id)
        profiles.describe(conn, bot.id, BotProfile())
        words = f"{said.description} {said.link}".strip()
        audit_log.note(conn, acting(), "removed the description", f"bot {bot.name}", words)
    return redirect(url_for("bot.show", name=bot.name), 303)


@page.post("/bots/<bot:name>/notes/hide")
@organiser
def hide_notes(name: str) -> ResponseReturnValue:
    """Show the bot's notes only to its author, who can publish them again."""
    with sources().store.write() as conn:
        bot = bots.public(conn, name)
        bot_notes.set_public(conn, bot.id, public=False)
        audit_log.note(conn, acting(), "hid the notes", f"bot {bot.name}")
    return redirect(url_for("bot.show", name=bot.name), 303)
