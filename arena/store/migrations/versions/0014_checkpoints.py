"""Checkpoints of batches: JSON becomes an arena.internal.Checkpoint.

Who reads the one cannot read the other, so processes of older releases have to stop.
"""

from __future__ import annotations

import base64
import json

import sqlalchemy as sa
from alembic import op

from arena.protocol.internal.checkpoint_pb2 import Checkpoint, SuspendedMatch

revision = "0014"
down_revision = "0013"

BATCHES = sa.table(
    "batches",
    sa.column("tournament", sa.Integer),
    sa.column("number", sa.Integer),
    sa.column("parked", sa.LargeBinary),
)


def upgrade() -> None:
    """Converts them. The matches of one that cannot be read are played from their start."""
    conn = op.get_bind()
    suspended = sa.select(BATCHES).where(BATCHES.c.parked.is_not(None))
    for row in conn.execute(suspended).all():
        this = (BATCHES.c.tournament == row.tournament, BATCHES.c.number == row.number)
        conn.execute(sa.update(BATCHES).where(*this).values(parked=converted(row.parked)))


def converted(blob: bytes) -> bytes | None:
    """A checkpoint of releases until now, encoded anew; None if it is damaged."""
    try:
        stored = json.loads(blob)
        matches = [
            SuspendedMatch(
                position=match["position"],
                ruleset=match["ruleset"],
                ticket=match["ticket"],
                asked=match.get("asked", match["started"]),  # the oldest have no such time
                started=match["started"],
                log=base64.b64decode(match["log"]),
                reasons={int(number): reason for number, reason in match["reasons"].items()},
            )
            for match in stored["matches"]
        ]
        return Checkpoint(reply_to=stored["reply_to"], matches=matches).SerializeToString()
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
