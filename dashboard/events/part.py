"""Live fragments, for views and templates."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask

from dashboard.events import topics
from dashboard.events.broadcaster import Broadcaster
from dashboard.sources import Sources, sources


@dataclass(frozen=True)
class LivePart:
    """A live fragment's topic and mark."""

    topic: str
    mark: str


def live_part(topic: str) -> LivePart:
    """Return the current fragment of a topic. Call it before reading the fragment's data."""
    return LivePart(topic, topics.mark(sources(), topic))


def register(app: Flask) -> None:
    """Add a broadcaster to the application."""
    extension = app.extensions["arena"]
    assert isinstance(extension, Sources)
    app.extensions["events"] = Broadcaster(lambda wanted: topics.marks(extension, wanted))


def broadcaster(app: Flask) -> Broadcaster:
    """Return the broadcaster of an application."""
    extension = app.extensions["events"]
    assert isinstance(extension, Broadcaster)
    return extension
