"""A live part of a page, as its view makes it and its template shows it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask

from dashboard.events import topics
from dashboard.events.broadcaster import Broadcaster
from dashboard.sources import Sources, sources


@dataclass(frozen=True)
class LivePart:
    """What a part is about, and the mark of what it shows."""

    topic: str
    mark: str


def live_part(topic: str) -> LivePart:
    """The part about this topic as it is now: to be made before what it shows is read."""
    return LivePart(topic, topics.mark(sources(), topic))


def register(app: Flask) -> None:
    """Gives the application its broadcaster."""
    extension = app.extensions["arena"]
    assert isinstance(extension, Sources)
    app.extensions["events"] = Broadcaster(lambda wanted: topics.marks(extension, wanted))


def broadcaster(app: Flask) -> Broadcaster:
    """The broadcaster of an application."""
    extension = app.extensions["events"]
    assert isinstance(extension, Broadcaster)
    return extension
