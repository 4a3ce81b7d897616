"""One submission."""

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from arena.base.errors import ArenaError
from arena.hosting.submission.unpack import is_archive
from arena.store.registry import audit_log, submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import OVER, Submission
from dashboard.account.guard import limited
from dashboard.account.rights import acting, signed_in
from dashboard.bots.index.connection import connection
from dashboard.bots.manage.own import my_bot
from dashboard.bots.submissions.editor.view import program
from dashboard.bots.submissions.taking import limits, my_playing_bot, my_submission
from dashboard.events.topics import LivePart, live_part, page_or_part
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("submission", __name__)


@page.get("/my/bots/<bot:name>/submissions/<number:number>", endpoint="show")
@page.get("/my/bots/<bot:name>/submissions/<number:number>/live", endpoint="live")
@signed_in
def show(name: str, number: int) -> str:
    return _page(name, number)


@page.get("/my/bots/<bot:name>/submissions/<number:number>/source")
@signed_in
def source(name: str, number: int) -> Response:
    """The upload as a download, which a browser neither shows nor runs."""
    with sources().read() as conn:
        bot = my_bot(conn, name)
        content = submissions.source(conn, my_submission(conn, bot, number).id)
    file = f"{bot.name}-{number}.{'zip' if is_archive(content) else 'py'}"
    response = Response(content, mimetype="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


@page.post("/my/bots/<bot:name>/submissions/<number:number>/rollback")
@signed_in
@limited("60 per hour")
def roll_back(name: str, number: int) -> ResponseReturnValue:
    """Create a new version from an accepted submission, and redirect to it."""
    try:
        with sources().store.write() as conn:
            bot = my_playing_bot(conn, name)
            earlier = my_submission(conn, bot, number)
            made = submissions.rollback(conn, bot, earlier.id, None, limits())
            audit_log.note(
                conn, acting(), "rolled back", f"bot {bot.name}", f"submission {made.id}"
            )
    except ArenaError as error:
        # Raises NotFound for other users' bots.
        return _page(name, number, errors.sentence_of(error)), errors.status_of(error)
    to = url_for("submission.show", name=bot.name, number=made.id, done="again")
    return redirect(to, 303)


def _page(name: str, number: int, problem: str = "") -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
        item = my_submission(conn, bot, number)
    part = _part(bot, item)
    with sources().read() as conn:
        bot = my_bot(conn, name)
        item = my_submission(conn, bot, number)
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


def _part(bot: RegisteredBot, item: Submission) -> LivePart | None:
    """Return what the page follows: the state, or the connection of the current version."""
    if item.state not in OVER:
        return live_part(f"submissions-{bot.name}")
    return live_part(f"bot-{bot.name}") if item.player == bot.player else None
