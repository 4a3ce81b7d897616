"""The base class of all parts of the control service."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

from arena.store.engine import Connections
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor


class StoreService:
    """Holds the store, and a function that returns the caller for the audit log."""

    def __init__(self, store: Connections, actor: Callable[[], Actor | None]) -> None:
        self._store = store
        self._actor = actor

    def _note(self, conn: Connection, action: str, subject: str, details: str = "") -> None:
        audit_log.note(conn, self._actor(), action, subject, details)
