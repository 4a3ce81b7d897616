"""The banner on every page while a part of the arena is unavailable."""

from flask import Blueprint, Flask, g, render_template, request

from dashboard.events import topics
from dashboard.events.topics import LivePart
from dashboard.sources import sources

page = Blueprint("outage", __name__)

TOPIC = "outage"
SILENT = (
    "Live data is unavailable, so connections and matches in progress are unknown. Results below "
    "are as last stored."
)
UNWRITABLE = "New results cannot be stored at the moment. What you see is as last stored."
ASK_NOBODY = ("health", "events", "static", "plain_static")  # endpoints that show no banner


def register(app: Flask) -> None:
    """Add the banner to every page. It is checked before the view takes a database connection."""

    @app.before_request
    def look() -> None:
        asks = (request.endpoint or "").partition(".")[0]
        if request.method in ("GET", "HEAD") and asks not in ASK_NOBODY:
            g.outage = outage()

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        return {"outage": g.get("outage")}


def outage() -> dict[str, object]:
    """Return the banner's text, "" without an outage, and its live fragment. An arena without Redis
    is not running, which does not count."""
    here = sources()
    live, stored = here.live(()), here.probe.look()
    mark = topics.digest(topics.TopicState((), ()), live)
    sentences = []
    if here.reader.runs and not live.known:
        sentences.append(SILENT)
    if stored not in (None, "ok"):
        sentences.append(UNWRITABLE)
    return {"sentence": " ".join(sentences), "part": LivePart(TOPIC, mark)}


@page.get("/status/outage")
def live() -> str:
    return render_template("outage/banner.html")
