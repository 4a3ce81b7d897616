"""For load balancers, supervisors and people in a hurry."""

from __future__ import annotations

import structlog
from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from arena.errors import Unavailable
from arena.store.tables import tournaments
from dashboard.sources import sources

log = structlog.get_logger(__name__)

page = Blueprint("health", __name__)


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
