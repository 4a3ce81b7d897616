"""The upload form, and the list of submissions."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import ArenaError
from arena.store.registry import submissions
from arena.store.registry.bots import RegisteredBot
from dashboard.account.guard import limited, uploads
from dashboard.account.rights import signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.bots.submissions.taking import left_today, limits, take_file
from dashboard.events.topics import live_part
from dashboard.sources import sources
from dashboard.system import errors
from dashboard.urls import requested_number

page = Blueprint("submissions", __name__)

LISTED = 50


@page.get("/my/bots/<bot:name>/submissions")
@signed_in
def show(name: str) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return _page(bot)


@page.get("/my/bots/<bot:name>/submissions/-/live")
@signed_in
def live(name: str) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return render_template("bots/submissions/index/live.html", **_listed(bot))


@page.post("/my/bots/<bot:name>/submissions")
@signed_in
@limited("60 per hour")
@uploads
def upload(name: str) -> ResponseReturnValue:
    """Submit a file, and redirect to the submission."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
    label = request.form.get("label", "").strip()
    try:
        made = take_file(name, request.files.get("file"), label)
    except ArenaError as error:
        return _page(bot, label=label, problem=errors.sentence_of(error)), errors.status_of(error)
    return redirect(url_for("submission.show", name=bot.name, number=made.id), 303)


def _page(bot: RegisteredBot, label: str = "", problem: str = "") -> str:
    with sources().read() as conn:
        left = left_today(conn, bot)
    return render_template(
        "bots/submissions/index/page.html",
        **_listed(bot),
        limits=limits(),
        left=left,
        label=label,
        problem=problem,
    )


def _listed(bot: RegisteredBot) -> dict[str, object]:
    """Return the context of the live fragment: a page of submissions, newest first."""
    part, before = live_part(f"submissions-{bot.name}"), requested_number("before", 0) or 0
    with sources().read() as conn:
        found = submissions.of_bot(conn, bot.id, LISTED + 1, before)
    shown = found[:LISTED]
    older = shown[-1].id if len(found) > LISTED else 0
    return {"part": part, "bot": bot, "shown": shown, "before": before, "older": older}
