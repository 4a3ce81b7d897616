"""`/events`: what changes, as server-sent events."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, current_app, request

from dashboard.account.client import address
from dashboard.account.session import current_account
from dashboard.events.broadcaster import STREAMS, Listener, NoRoom, NoRoomForClient
from dashboard.events.part import broadcaster
from dashboard.events.topics import check
from dashboard.sources import sources

page = Blueprint("events", __name__)

# A browser that went away is noticed when it is written to, so that must not be seldom.
HEARTBEAT_S = 5.0
RETRY_MS = 3000
FULL_S = 30

# Streams of one person: browsers keep a few (see live.js), and what they have left closes late.
OF_ACCOUNT = 12
OF_PERSON = 2  # so many times those who may sit behind one address
OF_ADDRESS = STREAMS * 3 // 4  # whatever the setting: one address leaves room for others

FULL = "Too many pages are listening at once; this one asks by itself.\n"
FULL_FOR_CLIENT = "Too many of your pages are listening at once; this one asks by itself.\n"

STREAM = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # a proxy must not wait for more
}


@page.get("/events")
def stream() -> Response:
    """`?topic=...`: first how each topic stands, then each change, "event: mark" with "TOPIC MARK".

    429 when too many of the client's listen already, 503 when too many do: the page then asks by
    itself from time to time.
    """
    wanted = check(request.args.getlist("topic"))
    if request.method == "HEAD":
        return Response(headers=STREAM)
    try:
        listener = broadcaster(current_app).listen(wanted, clients())
    except NoRoomForClient:
        return _refused(429, FULL_FOR_CLIENT)
    except NoRoom:
        return _refused(503, FULL)
    response = Response(_lines(listener), headers=STREAM)
    # Also where the stream was never read, as when the browser has gone by then.
    response.call_on_close(listener.close)
    return response


def clients() -> dict[str, int]:
    """Whom the present stream is counted for, and how many they may have in this process."""
    account, people = current_account(), sources().settings.people_per_address
    counted = {f"address {address()}": min(OF_PERSON * people, OF_ADDRESS)}
    return counted | ({f"account {account.id}": OF_ACCOUNT} if account else {})


def _refused(status: int, sentence: str) -> Response:
    return Response(sentence, status, {"Retry-After": str(FULL_S)}, mimetype="text/plain")


def _lines(listener: Listener) -> Iterator[str]:
    yield f"retry: {RETRY_MS}\n\n"
    while (news := listener.wait(HEARTBEAT_S)) is not None:
        if news:
            yield "".join(f"event: mark\ndata: {topic} {mark}\n\n" for topic, mark in news.items())
        else:
            yield ": still here\n\n"
