"""For load balancers, supervisors and people in a hurry."""

from __future__ import annotations

from flask import Blueprint, jsonify
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from arena.errors import Unavailable
from arena.store.tables import tournaments
from dashboard.sources import sources

page = Blueprint("health", __name__)


@page.get("/healthz")
def healthz() -> ResponseReturnValue:
    """200 when the database can be read, else 503. Redis is told of, but pages do without it."""
    live = sources().live(())
    state = {"redis": "ok" if live.known else "unreachable", "gateway": live.gateway}
    try:
        with sources().read() as conn:
            conn.execute(select(tournaments.c.id).limit(1))
    except Unavailable as error:
        return jsonify(status="unavailable", database=str(error), **state), 503
    return jsonify(status="ok", database="ok", **state)
