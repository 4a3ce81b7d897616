"""Programs that come with the arena, stored as accepted submissions."""

from __future__ import annotations

import hashlib
import secrets

from sqlalchemy import Connection, delete, insert, select, update

from arena.base import instant
from arena.hosting.submission.manifest import Manifest
from arena.store.registry import bots as registry
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.submissions.uploads import KEY_BYTES
from arena.store.tables import submission_files, submissions


def supply(
    conn: Connection,
    bot: RegisteredBot,
    source: bytes,
    tree: bytes,
    manifest: Manifest,
    hello: bytes,
    now: float | None = None,
) -> None:
    """Makes hosts play this version of a bot with a program of the arena, without building or
    validating it. The version and its key stay the same."""
    program = {
        "size": len(source),
        "sha256": hashlib.sha256(source).digest(),
        "manifest": manifest.to_json(),
        "hello": hello,
    }
    supplied = submissions.c.player == bot.player
    number = conn.scalar(select(submissions.c.id).where(supplied))
    if number is None:
        row = {"bot": bot.id, "player": bot.player, "account": bot.owner, "attempts": 0}
        texts = {"state": "accepted", "label": bot.version, "host": "", "reason": "", "log": ""}
        made = insert(submissions).values(
            **{**row, **texts, **program},
            created=instant.now() if now is None else now,
            key=secrets.token_bytes(KEY_BYTES),
        )
        number = conn.scalar(made.returning(submissions.c.id))
    else:
        conn.execute(update(submissions).where(supplied).values(**program))
        conn.execute(delete(submission_files).where(submission_files.c.submission == number))
    conn.execute(insert(submission_files).values(submission=number, source=source, tree=tree))
    registry.set_hosted(conn, bot.player, hosted=True)
