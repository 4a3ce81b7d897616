"""The status page, like `arena status`, and health checks for load balancers and monitoring."""

from collections.abc import Collection
from typing import Any

import structlog
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import Unavailable
from arena.service.health import sentences
from arena.service.health.facts import Health
from arena.service.health.state import READY, ArenaState, arena_state
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.events.topics import LivePart, live_part, page_or_part
from dashboard.sources import sources

log = structlog.get_logger(__name__)
page, health = Blueprint("status", __name__), Blueprint("health", __name__)

TOPIC = "home"
HEALTH = Shape("Health", Health, more={"problems": list[str]})


@page.get("/status", endpoint="show")
@page.get("/status/live", endpoint="live")
def show() -> str:
    arena = current_state()
    away = arena.health.database == "away"
    return page_or_part(
        "status",
        # Without a mark, the page fetches the fragment again as soon as there is one.
        part=LivePart(TOPIC, "") if away else live_part(TOPIC),
        problems=problems(arena),
        numbers=sentences.numbers(arena.health, instant.now()),
        inner_numbers=sentences.inner_numbers(arena.health) if is_organiser(arena) else (),
        hints=sentences.hints(arena.health),
    )


@health.get("/api/health")
@answers(HEALTH)
def as_json() -> dict[str, Any]:
    """The health of the arena: live processes, queues, speed and problems. Always 200."""
    arena = current_state()
    return HEALTH.tell(arena.health, problems=problems(arena))


@health.get("/livez")
def livez() -> ResponseReturnValue:
    """200 while this process answers requests. Restarting would not fix anything else."""
    return jsonify(status="ok")


@health.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 while this dashboard can read and write the database, else 503. Other problems are
    reported, but affect all dashboards."""
    return _answer(needed=("database",))


@health.get("/readyz")
def readyz() -> ResponseReturnValue:
    """200 while the database is writable, Redis answers, and workers do scheduled tasks; else 503
    with the problems in `missing`."""
    return _answer(needed=READY)


def _answer(needed: Collection[str]) -> ResponseReturnValue:
    """Return public sentences, and log those for operators."""
    wrong = [each for each in current_state().wrong if each.about in READY]
    missing = {each.about.lower(): each.public or each.sentence for each in wrong}
    lacks = [each for each in wrong if each.about in needed]
    for each in lacks:
        log.warning("not ready", about=each.about, problem=each.sentence)
    status = "unavailable" if lacks else "degraded" if wrong else "ok"
    return jsonify(status=status, missing=missing), 503 if lacks else 200


def current_state(*, bounded: bool = True) -> ArenaState:
    """Return the current state. Call it without holding a database connection."""
    here, now = sources(), instant.now()
    probe = here.probe.look
    return arena_state(here.store, here.reader, probe, now, here.settings, bounded=bounded)


def problems(arena: ArenaState) -> list[str]:
    """Return sentences about all problems. Only organisers see hosts, users and processes."""
    return sentences.problems(arena.wrong, public=not is_organiser(arena))


def is_organiser(arena: ArenaState) -> bool:
    if arena.health.database == "away":  # the account cannot be loaded
        return False
    try:
        return sources().actor() is not None
    except Unavailable:
        return False
