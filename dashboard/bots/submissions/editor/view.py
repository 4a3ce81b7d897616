"""The editor: a text area, enhanced by scripts."""

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base.errors import ArenaError, InvalidRequest, LimitReached
from arena.hosting.submission.files import size_text
from arena.hosting.submission.unpack import is_archive
from arena.kit.new.languages import LANGUAGES
from arena.store.registry import submissions
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions import Submission
from dashboard.account.guard import limited, uploads
from dashboard.account.rights import signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.bots.submissions.taking import check_label, left_today, limits, my_submission, take
from dashboard.sdk.view import first_files
from dashboard.sources import sources
from dashboard.system import errors
from dashboard.urls import requested_number

page = Blueprint("editor", __name__)

LONGEST = 128 * 1024  # bytes; longer programs are uploaded as files
LOOKED_AT = 10  # submissions searched for a single file


@page.get("/my/bots/<bot:name>/submissions/-/editor")
@signed_in
def show(name: str) -> str:
    """The page; `?submission=7` opens that submission."""
    wanted = requested_number("submission", None)
    with sources().read() as conn:
        bot = my_bot(conn, name)
        number, text = _text(conn, bot, wanted)
    return _page(bot, text, number)


@page.post("/my/bots/<bot:name>/submissions/-/editor")
@signed_in
@limited("60 per hour")
@uploads
def submit(name: str) -> ResponseReturnValue:
    with sources().read() as conn:
        bot = my_bot(conn, name)
    # Browsers send CRLF line ends.
    text = request.form.get("program", "").replace("\r\n", "\n")
    label = request.form.get("label", "").strip()
    wrong = "label"
    try:
        check_label(label)
        wrong = "program"
        source = _checked(text)
        wrong = ""
        made = take(bot.name, source, label)
    except ArenaError as error:
        page = _page(bot, text, 0, label, errors.sentence_of(error), wrong)
        return page, errors.status_of(error)
    then = "try" if "try" in request.form else None
    return redirect(url_for("submission.show", name=bot.name, number=made.id, then=then), 303)


def _checked(text: str) -> bytes:
    """Return the bytes to submit. Raises InvalidRequest, LimitReached."""
    if not text.strip():
        raise InvalidRequest("The program is empty.")
    source = f"{text.rstrip()}\n".encode()
    if len(source) > LONGEST:
        raise LimitReached(
            f"The program is longer than the editor's limit of {size_text(LONGEST)}. Upload it as "
            "a file."
        )
    return source


def _text(conn: Connection, bot: RegisteredBot, wanted: int | None) -> tuple[int, str]:
    """Return the initial text, and the number of its submission or 0. Raises NotFound, or
    InvalidRequest if the wanted submission does not fit the editor."""
    if wanted is None:
        python = LANGUAGES["python"]
        return newest(conn, bot) or (0, first_files(python)[python.main])
    text = program(conn, my_submission(conn, bot, wanted))
    if text is None:
        raise InvalidRequest(
            f"Submission {wanted} is not a single file that fits the editor, or is no longer "
            "stored. See its page."
        )
    return wanted, text


def _page(
    bot: RegisteredBot, text: str, number: int, label: str = "", problem: str = "", wrong: str = ""
) -> str:
    with sources().read() as conn:
        left = left_today(conn, bot)
    return render_template(
        "bots/submissions/editor/page.html",
        bot=bot,
        text=text,
        number=number,
        label=label,
        problem=problem,
        wrong=wrong,
        limits=limits(),
        left=left,
        longest=LONGEST,
    )


def program(conn: Connection, item: Submission) -> str | None:
    """Return the text of a submission, None if it does not fit the editor or is not stored."""
    if item.size > LONGEST or not submissions.has_source(conn, item.id):
        return None
    source = submissions.source(conn, item.id)
    try:
        return None if is_archive(source) else source.decode()
    except UnicodeDecodeError:
        return None


def newest(conn: Connection, bot: RegisteredBot) -> tuple[int, str] | None:
    for item in submissions.of_bot(conn, bot.id, LOOKED_AT):
        text = program(conn, item)
        if text is not None:
            return item.id, text
    return None
