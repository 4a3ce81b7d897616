"""The list of runs, and the data of its charts."""

from flask import Blueprint, Response, jsonify
from sqlalchemy import Connection

from arena.store.matches.matches import stored_among
from arena.store.registry import runs
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.runs import Run
from dashboard.account.rights import signed_in
from dashboard.bots.manage.own import my_bot
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources
from dashboard.urls import LARGEST_RUN, requested_flag, requested_number

page = Blueprint("runs", __name__)

LISTED = 50
DRAWN = 200


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
            "bots/runs/index",
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
    """The data of the charts."""
    with sources().read() as conn:
        return jsonify(runs=figures(conn, my_bot(conn, name)))


def figures(conn: Connection, bot: RegisteredBot) -> list[dict[str, float | None]]:
    """Return CPU time and memory of the latest runs, oldest first."""
    return [_figure(run) for run in reversed(runs.of_bot(conn, bot.id, DRAWN))]


def _figure(run: Run) -> dict[str, float | None]:
    memory = round(run.memory_kb / 1024, 1) if run.memory_kb else None
    return {"run": run.id, "cpu_ms": round(1000 * run.cpu_s, 1), "memory_mb": memory}
