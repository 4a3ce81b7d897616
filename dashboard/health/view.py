"""For load balancers, supervisors and people in a hurry."""

from __future__ import annotations

import time
from typing import Any

import structlog
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from arena.errors import Unavailable
from arena.store import bots
from arena.store.tables import tournaments
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.health.facts import Health, health
from dashboard.health.words import problems
from dashboard.sources import sources

log = structlog.get_logger(__name__)

page = Blueprint("health", __name__)

HEALTH = Shape("Health", Health, more={"problems": list[str]})


@page.get("/api/health")
@answers(HEALTH)
def as_json() -> dict[str, Any]:
    """How the arena is: who lives, what waits, how fast it goes, and what is wrong."""
    now = time.time()
    with sources().read() as conn:
        registered = bots.all_bots(conn)
    live = sources().live([bot.player for bot in registered])
    vitals = sources().vitals()
    with sources().read() as conn:
        found = health(conn, vitals, live, len(registered), now)
    return HEALTH.tell(found, problems=problems(found, now, runs=sources().runs))


@page.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 when the database can be read, else 503. Redis is told of, but pages do without it."""
    live = sources().live(())
    state = {"redis": "ok" if live.known else "unreachable", "gateway": live.gateway}
    try:
        with sources().read() as conn:
            conn.execute(select(tournaments.c.id).limit(1))
    except (Unavailable, DBAPIError) as error:
        # Why is for the log: this answer is open to everybody.
        log.warning("database cannot be read", error=str(error))
        return jsonify(status="unavailable", database="cannot be read", **state), 503
    return jsonify(status="ok", database="ok", **state)
