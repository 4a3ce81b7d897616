"""Putting the parts together from the settings: the one place where they are wired."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from arena.base.config import Settings
from arena.base.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from arena.service.control.service import ControlService
    from arena.store import Store
    from arena.store.registry.audit_log import Actor


def load_settings(**values: Any) -> Settings:
    """The settings of this process: what is given (and not None), else ARENA_* variables.

    Raises InvalidRequest naming the variable that cannot be used.
    """
    try:
        return Settings(**{name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        raise InvalidRequest(_explain(error)) from None


def _explain(error: ValidationError) -> str:
    sentences = [
        f"ARENA_{'_'.join(map(str, problem['loc'])).upper()} is {problem['input']!r}: "
        f"{problem['msg'][0].lower()}{problem['msg'][1:]}."
        for problem in error.errors()
    ]
    return " ".join(sentences)


def environment(settings: Settings) -> dict[str, str]:
    """The ARENA_* variables that give another process these settings; empty ones count as unset."""
    fields = settings.model_dump(mode="json")
    return {f"ARENA_{name.upper()}": "" if v is None else str(v) for name, v in fields.items()}


def operator() -> Actor:
    """Who runs this command, for the audit log: the user of the machine, or who became root."""
    from arena.store.registry.audit_log import Actor

    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # as in a container
        name = f"user {os.getuid()}"
    return Actor(os.environ.get("SUDO_USER") or name, "command line")


def opened(settings: Settings, *, begin: bool = False, of_any_version: bool = False) -> Store:
    """The store of the arena in the settings' database.

    With `begin`, a folder of one's own that has no database gets one; a database that is named by
    its URL is made with `arena db upgrade`. Raises Unavailable, NotFound, and SchemaMismatch if it
    is not `of_any_version`.
    """
    from arena.store import open_store, opening, upgrade_store

    # A database without tables may be one that another process is still making.
    if not settings.database_url and opening.version(settings.database) is None:
        if not begin:
            raise NotFound(f"There is no arena in the folder {settings.data}.")
        return upgrade_store(settings.database, archive=settings.archive_folder)
    return open_store(
        settings.database, archive=settings.archive_folder, of_any_version=of_any_version
    )


@contextmanager
def control_service(
    settings: Settings, *, redis_url: str | None, begin: bool = False
) -> Iterator[ControlService]:
    """The control of the arena in the settings' database.

    `redis_url` is None for an arena that does not run; see `opened` for `begin`. Raises
    Unavailable when the database cannot be used, NotFound when it does not exist.
    """
    # Imported here: half a second that settings and `--help` need not wait for.
    from arena.service.control.service import ControlService

    store = opened(settings, begin=begin)
    service = ControlService(
        store, redis_url, settings.in_flight, settings.bench_after, actor=operator
    )
    try:
        yield service
    finally:
        service.close()
        store.dispose()
