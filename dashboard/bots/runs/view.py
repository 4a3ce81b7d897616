"""The runs of a hosted bot: the list, the data of its charts, and each run with its output."""

from flask import Blueprint, Response, jsonify, render_template
from sqlalchemy import Connection

from arena.base.errors import NotFound, Unavailable
from arena.store.matches import matches
from arena.store.matches.matches import StoredMatch, stored_among
from arena.store.registry import runs
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.runs import OutputPart, Run
from dashboard.account.rights import signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources
from dashboard.urls import LARGEST_RUN, requested_flag, requested_number

page, run_page = Blueprint("runs", __name__), Blueprint("run", __name__)

LISTED = 50
DRAWN = 200
SHOWN = 64_000  # characters of a run's output on its page; the download has all
MOST_MATCHES = 20  # matches of a shared process that link to replays


@page.get("/my/bots/<bot:name>/runs", endpoint="show")
@page.get("/my/bots/<bot:name>/runs/-/live", endpoint="live")
@signed_in
def show(name: str) -> str:
    """The page; `?ended=true` lists only runs that ended early."""
    ended = requested_flag("ended")
    before = requested_number("before", 0, largest=LARGEST_RUN) or 0
    with sources().read() as conn:
        bot = my_bot(conn, name)
    part = live_part(f"runs-{bot.name}")
    with sources().read() as conn:
        found = runs.of_bot(conn, bot.id, LISTED + 1, before, ended=ended)
        shown = found[:LISTED]
        return page_or_part(
            "bots/runs",
            part=part,
            bot=bot,
            ended=ended,
            before=before,
            shown=shown,
            played=stored_among(conn, {run.match for run in shown if run.match}),
            older=shown[-1].id if len(found) > LISTED else 0,
            kept=sources().settings.runs_kept,
            figures=lambda: figures(conn, bot),
        )


@page.get("/my/bots/<bot:name>/runs/-/figures")
@signed_in
def as_json(name: str) -> Response:
    with sources().read() as conn:
        return jsonify(runs=figures(conn, my_bot(conn, name)))


def figures(conn: Connection, bot: RegisteredBot) -> list[dict[str, float | None]]:
    """Return CPU time and memory of the latest runs, oldest first."""
    return [_figure(run) for run in reversed(runs.of_bot(conn, bot.id, DRAWN))]


def _figure(run: Run) -> dict[str, float | None]:
    memory = round(run.memory_kb / 1024, 1) if run.memory_kb else None
    return {"run": run.id, "cpu_ms": round(1000 * run.cpu_s, 1), "memory_mb": memory}


@run_page.get("/my/bots/<bot:name>/runs/<run:number>", endpoint="show")
@signed_in
def show_run(name: str, number: int) -> str:
    with sources().read() as conn:
        bot = my_bot(conn, name)
        run = my_run(conn, bot, number)
        played = {run.match, *(part.match for part in run.parts)} - {""}
        found = {match: _open(conn, match) for match in sorted(played)[:MOST_MATCHES]}
        replays = {match: _seat(stored, run) for match, stored in found.items() if stored}
    context = {"bot": bot, "run": run, "parts": _cut(run), "replays": replays, "most": SHOWN}
    return render_template("bots/runs/run.html", **context)


@run_page.get("/my/bots/<bot:name>/runs/<run:number>/output")
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


def _cut(run: Run) -> list[OutputPart]:
    parts, left = [], SHOWN
    for part in run.parts:
        if left <= 0:
            break
        parts.append(part._replace(text=part.text[:left]))
        left -= len(part.text)
    return parts


def _open(conn: Connection, match: str) -> StoredMatch | None:
    try:
        stored = matches.get_match(conn, match)
    except (NotFound, Unavailable):
        return None
    return None if stored.locked else stored


def _seat(stored: StoredMatch, run: Run) -> int | None:
    who = [(seat.bot, seat.version) for seat in stored.seats]
    return who.index((run.bot, run.version)) if (run.bot, run.version) in who else None
