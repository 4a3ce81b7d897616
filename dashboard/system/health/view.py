"""For load balancers, supervisors and monitors."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import structlog
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from arena.service.health.facts import Health
from arena.service.health.state import READY
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.system.health.state import current_state, problems

log = structlog.get_logger(__name__)

page = Blueprint("health", __name__)

HEALTH = Shape("Health", Health, more={"problems": list[str]})


@page.get("/api/health")
@answers(HEALTH)
def as_json() -> dict[str, Any]:
    """How the arena is: who lives, what waits, how fast it goes, and what is wrong. It answers 200
    also without the database."""
    arena = current_state()
    return HEALTH.tell(arena.health, problems=problems(arena))


@page.get("/livez")
def livez() -> ResponseReturnValue:
    """200 while this process answers requests. It asks nobody: a new process would do no better
    without its database."""
    return jsonify(status="ok")


@page.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 while this dashboard can do its work, which needs a database that it can read and write;
    else 503. What else the arena misses is reported: another dashboard would do no better."""
    return _answer(needed=("database",))


@page.get("/readyz")
def readyz() -> ResponseReturnValue:
    """200 while the arena can be used: the database can be read and written, Redis answers, and
    workers do what beat sends; else 503, and `missing` says what is not there."""
    return _answer(needed=READY)


def _answer(needed: Collection[str]) -> ResponseReturnValue:
    """The sentences are public; the log has those for operators."""
    wrong = [each for each in current_state().wrong if each.about in READY]
    missing = {each.about.lower(): each.public or each.sentence for each in wrong}
    lacks = [each for each in wrong if each.about in needed]
    for each in lacks:
        log.warning("not ready", about=each.about, problem=each.sentence)
    status = "unavailable" if lacks else "degraded" if wrong else "ok"
    return jsonify(status=status, missing=missing), 503 if lacks else 200
