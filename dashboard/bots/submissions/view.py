"""The upload form, the list of submissions, and each submission with its state, log and source."""

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import ArenaError, InvalidRequest
from arena.hosting.submission.unpack import is_archive
from arena.store.registry import audit_log, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import OVER, Submission
from dashboard.account.guard import limited, uploads
from dashboard.account.rights import acting, signed_in
from dashboard.bots.index.connection import connection
from dashboard.bots.manage.own import my_bot
from dashboard.bots.submissions import taking
from dashboard.bots.submissions.editor.view import program
from dashboard.events.topics import LivePart, live_part, page_or_part
from dashboard.sources import sources
from dashboard.system import errors
from dashboard.urls import requested_number

page = Blueprint("submissions", __name__)
submission = Blueprint("submission", __name__)

LISTED = 50


@page.get("/my/bots/<bot:name>/submissions", endpoint="show")
@page.get("/my/bots/<bot:name>/submissions/-/live", endpoint="live")
@signed_in
def show(name: str) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    return _page(bot)


@page.post("/my/bots/<bot:name>/submissions")
@signed_in
@limited("60 per hour")
@uploads
def upload(name: str) -> ResponseReturnValue:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    label = request.form.get("label", "").strip()
    wrong = "label"
    try:
        taking.check_label(label)
        wrong = "file"
        made = taking.take_file(name, request.files.get("file"), label)
    except ArenaError as error:
        wrong = wrong if isinstance(error, InvalidRequest) else ""
        return _page(bot, label, errors.sentence_of(error), wrong), errors.status_of(error)
    return redirect(url_for("submission.show", name=bot.name, number=made.id), 303)


def _page(bot: RegisteredBot, label: str = "", problem: str = "", wrong: str = "") -> str:
    part, before = live_part(f"submissions-{bot.name}"), requested_number("before", 0) or 0
    with sources().read() as conn:
        left = taking.left_today(conn, bot)
        found = submissions.of_bot(conn, bot.id, LISTED + 1, before)
    shown = found[:LISTED]
    return page_or_part(
        "bots/submissions",
        part=part,
        bot=bot,
        shown=shown,
        before=before,
        older=shown[-1].id if len(found) > LISTED else 0,
        limits=taking.limits(),
        left=left,
        label=label,
        problem=problem,
        wrong=wrong,
    )


@submission.get("/my/bots/<bot:name>/submissions/<number:number>", endpoint="show")
@submission.get("/my/bots/<bot:name>/submissions/<number:number>/live", endpoint="live")
@signed_in
def show_submission(name: str, number: int, problem: str = "") -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
        item = taking.my_submission(conn, bot, number)
    part = _followed(bot, item)
    with sources().read() as conn:
        bot = my_bot(conn, name)
        item = taking.my_submission(conn, bot, number)
        kept = submissions.has_source(conn, number)
        single = program(conn, item) is not None
    live = sources().live([bot.player])
    return page_or_part(
        "bots/submissions/detail",
        part=part,
        bot=bot,
        item=item,
        over=item.state in OVER,
        kept=kept,
        single=single,
        live=live,
        connection=connection(live, bot.player),
        done=request.args.get("done", ""),
        then=request.args.get("then", ""),
        problem=problem,
    )


@submission.get("/my/bots/<bot:name>/submissions/<number:number>/source")
@signed_in
def source(name: str, number: int) -> Response:
    """The upload as a download, which a browser neither shows nor runs."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
        content = submissions.source(conn, taking.my_submission(conn, bot, number).id)
    file = f"{bot.name}-{number}.{'zip' if is_archive(content) else 'py'}"
    response = Response(content, mimetype="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


@submission.post("/my/bots/<bot:name>/submissions/<number:number>/rollback")
@signed_in
@limited("60 per hour")
def roll_back(name: str, number: int) -> ResponseReturnValue:
    try:
        with sources().store.write() as conn:
            bot = taking.my_playing_bot(conn, name)
            earlier = taking.my_submission(conn, bot, number)
            made = submissions.rollback(conn, bot, earlier.id, None, taking.limits())
            audit_log.note(
                conn, acting(), "rolled back", f"bot {bot.name}", f"submission {made.id}"
            )
    except ArenaError as error:
        # Raises NotFound for other users' bots.
        return show_submission(name, number, errors.sentence_of(error)), errors.status_of(error)
    to = url_for("submission.show", name=bot.name, number=made.id, done="again")
    return redirect(to, 303)


def _followed(bot: RegisteredBot, item: Submission) -> LivePart | None:
    """Return what the page follows: the state, or the connection of the current version."""
    if item.state not in OVER:
        return live_part(f"submissions-{bot.name}")
    return live_part(f"bot-{bot.name}") if item.player == bot.player else None
