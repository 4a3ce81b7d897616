"""Builds the services of a process from its settings."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from arena.base.config import Settings
from arena.base.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from arena.service.control.service import ControlService
    from arena.store import Store
    from arena.store.registry.audit_log import Actor


def load_settings(**values: Any) -> Settings:
    """The settings of this process: the given values that are not None, then ARENA_* variables.
    Raises InvalidRequest with the name of an invalid variable."""
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
    """The ARENA_* variables that give another process these settings. "" means unset."""
    fields = settings.model_dump(mode="json")
    return {f"ARENA_{name.upper()}": "" if v is None else str(v) for name, v in fields.items()}


def operator() -> Actor:
    """The user who runs this command, for the audit log; with sudo, the original user."""
    from arena.store.registry.audit_log import Actor

    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # in a container
        name = f"user {os.getuid()}"
    return Actor(os.environ.get("SUDO_USER") or name, "command line")


def opened(settings: Settings, *, begin: bool = False, of_any_version: bool = False) -> Store:
    """Opens the database of the settings.

    With `begin`, creates a missing embedded database. One with a URL is created by
    `arena db upgrade`. Raises Unavailable, NotFound, and SchemaMismatch unless `of_any_version`.
    """
    from arena.store import open_store, opening, upgrade_store

    # At a URL, a database without tables may be one that another process is just creating.
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
    """The control service for the database of the settings.

    `redis_url` is None if the arena is not running; see `opened` for `begin`. Raises Unavailable
    if the database cannot be used, NotFound if it does not exist.
    """
    # Imported here because it is slow, and settings and `--help` do not need it.
    from arena.service.control.service import ControlService

    limits = settings.in_flight, settings.bench_after
    with (
        opened(settings, begin=begin) as store,
        closing(ControlService(store, redis_url, *limits, actor=operator)) as service,
    ):
        yield service
