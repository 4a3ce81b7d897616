"""What every page says above its content while a part of the arena is away."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Flask, g, render_template, request

from dashboard.events import topics
from dashboard.events.part import LivePart
from dashboard.sources import sources

page = Blueprint("outage", __name__)

TOPIC = "outage"
SILENT = (
    "Live data is unavailable: nobody can tell which bots are connected or what is being played. "
    "Results below are as last stored."
)
UNWRITABLE = "New results cannot be stored at the moment. What you see is as last stored."
ASK_NOBODY = ("health", "events", "static", "plain_static")  # their own business, or no page


@dataclass(frozen=True)
class Outage:
    """The sentence, "" as a rule, as a live part of the frame."""

    sentence: str
    part: LivePart


def register(app: Flask) -> None:
    """Has every page say so. Before the view, for that may hold a connection to the database."""

    @app.before_request
    def look() -> None:
        asks = (request.endpoint or "").partition(".")[0]
        if request.method in ("GET", "HEAD") and asks not in ASK_NOBODY:
            g.outage = outage()

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        return {"outage": g.get("outage")}


def outage() -> Outage:
    """What is away now. An arena that was never started is not an outage: only what has a Redis
    can miss it."""
    here = sources()
    live, stored = here.live(()), here.probe.look()
    mark = topics.digest(topics.Facts((), ()), live)
    return Outage(
        _sentence(silent=here.reader.runs and not live.known, stored=stored), LivePart(TOPIC, mark)
    )


def _sentence(*, silent: bool, stored: str | None) -> str:
    sentences = [SILENT] if silent else []
    return " ".join([*sentences, *([UNWRITABLE] if stored not in (None, "ok") else [])])


@page.get("/status/outage")
def live() -> str:
    """The part of the frame that says so."""
    return render_template("outage/banner.html")
