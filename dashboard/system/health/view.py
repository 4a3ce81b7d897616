"""For load balancers, supervisors and people in a hurry."""

from __future__ import annotations

import time
from typing import Any

import structlog
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from arena.errors import SchemaMismatch, Unavailable
from arena.health.facts import Health
from arena.live.queues import PLAY
from arena.live.vitals import Vitals
from arena.store.tables import tournaments as rows
from dashboard.api.answer import answers
from dashboard.api.shape import Shape
from dashboard.sources import sources
from dashboard.system.health.state import current_state

log = structlog.get_logger(__name__)

page = Blueprint("health", __name__)

HEALTH = Shape("Health", Health, more={"problems": list[str]})


@page.get("/api/health")
@answers(HEALTH)
def as_json() -> dict[str, Any]:
    """How the arena is: who lives, what waits, how fast it goes, and what is wrong."""
    arena = current_state(time.time())
    return HEALTH.tell(arena.health, problems=list(arena.problems))


@page.get("/livez")
def livez() -> ResponseReturnValue:
    """200 while this process answers requests. It asks nobody: a new process would do no better
    without its database."""
    return jsonify(status="ok")


@page.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 when this dashboard can do its work, which needs a database that it can read and write;
    else 503. Redis and workers are reported, but another dashboard would do no better without."""
    live, vitals = sources().live(()), sources().vitals()
    workers = "hang" if vitals and vitals.hanging else "ok"
    redis = "ok" if live.known else "unreachable"
    state = {"redis": redis, "gateway": live.gateway, "workers": workers if vitals else "unknown"}
    if wrong := _wrong_with_database():
        return jsonify(status="unavailable", database=wrong, **state), 503
    status = "degraded" if workers == "hang" else "ok"
    return jsonify(status=status, database="ok", **state)


@page.get("/readyz")
def readyz() -> ResponseReturnValue:
    """200 when the arena can be used: the database can be read and written, Redis answers, and
    workers take work; else 503, and `missing` names what is not there."""
    database = _wrong_with_database()
    missing = {"database": database} if database else {}
    missing |= _wrong_beyond(sources().vitals())
    status, code = ("unavailable", 503) if missing else ("ok", 200)
    return jsonify(status=status, missing=missing), code


def _wrong_beyond(vitals: Vitals | None) -> dict[str, str]:
    """The same of Redis and workers. A sweep that was done a moment ago shows that tasks get
    done, and a worker that hangs takes none."""
    if vitals is None:
        return {"redis": "does not answer", "workers": "cannot be seen without Redis"}
    if not vitals.workers[PLAY]:
        return {"workers": "none is alive"}
    if vitals.hanging >= vitals.workers[PLAY]:
        return {"workers": "hang"}
    if not vitals.sweeping:
        return {"workers": "no task was done for a while; perhaps beat is missing"}
    return {}


def _wrong_with_database() -> str:
    try:
        with sources().read() as conn:
            conn.execute(select(rows.c.id).limit(1))
    except SchemaMismatch as error:
        log.warning("database is of another release", error=str(error))
        return "is of another release"
    except (Unavailable, DBAPIError) as error:
        # Why is for the log: this answer is open to everybody.
        log.warning("database cannot be read", error=str(error))
        return "cannot be read"
    verdict = sources().probe.look()
    return "" if verdict in (None, "ok") else f"cannot be written ({verdict})"
