"""One run."""

from flask import Blueprint, Response, render_template
from sqlalchemy import Connection

from arena.base.errors import NotFound, Unavailable
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch
from arena.store.registry import runs
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.runs import OutputPart, Run
from dashboard.account.rights import signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.sources import sources

page = Blueprint("run", __name__)

SHOWN = 64_000  # characters on the page; the download has all
MOST_MATCHES = 20  # matches of a shared process that link to replays


@page.get("/my/bots/<bot:name>/runs/<run:number>")
@signed_in
def show(name: str, number: int) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
        run = my_run(conn, bot, number)
        replays = _replays(conn, run)
    return render_template(
        "bots/runs/detail/page.html",
        bot=bot,
        run=run,
        parts=shown(run),
        replays=replays,
        most=SHOWN,
    )


@page.get("/my/bots/<bot:name>/runs/<run:number>/output")
@signed_in
def output(name: str, number: int) -> Response:
    with sources().read() as conn:
        run = my_run(conn, my_bot(conn, name), number)
    text = "".join(part.text for part in run.parts)
    response = Response(text, content_type="text/plain; charset=utf-8")
    file = f"{run.bot}-run-{run.id}.txt"
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def my_run(conn: Connection, bot: RegisteredBot, number: int) -> Run:
    """Return a run of this bot. Raises NotFound, including for runs of other bots."""
    missing = NotFound(f"{bot.name} has no run {number}, or it is no longer stored.")
    try:
        found = runs.get(conn, number)
    except NotFound:
        raise missing from None
    if found.bot != bot.name:
        raise missing
    return found


def shown(run: Run) -> list[OutputPart]:
    parts, left = [], SHOWN
    for part in run.parts:
        if left <= 0:
            break
        parts.append(part._replace(text=part.text[:left]))
        left -= len(part.text)
    return parts


def _replays(conn: Connection, run: Run) -> dict[str, int | None]:
    """Return its matches that are not locked, each with the bot's seat."""
    played = {run.match, *(part.match for part in run.parts)} - {""}
    found = {match: _open(conn, match) for match in sorted(played)[:MOST_MATCHES]}
    return {match: _seat(stored, run) for match, stored in found.items() if stored}


def _open(conn: Connection, match: str) -> StoredMatch | None:
    try:
        stored = matches.get_match(conn, match)
    except (NotFound, Unavailable):
        return None
    return None if stored.locked else stored


def _seat(stored: StoredMatch, run: Run) -> int | None:
    who = [(seat.bot, seat.version) for seat in stored.seats]
    return who.index((run.bot, run.version)) if (run.bot, run.version) in who else None
