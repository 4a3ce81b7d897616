"""Finding the arena that a command is about.

--url URL, else --data DIR, else ARENA_URL, else the folder ARENA_DATA (.arena). An arena found by
its folder is read directly from its database, whether it runs or not; one found by its URL is
asked over gRPC with ARENA_ADMIN_TOKEN.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena import folder
from arena.bootstrap import control_service, load_settings, opened
from arena.config import Settings
from arena.control.port import Control
from arena.errors import InvalidRequest, NotFound

if TYPE_CHECKING:
    from arena.store import Store

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Where:
    """What the user said about where the arena is."""

    data: Path | None = None
    url: str | None = None


def arena_options(command: F) -> F:
    """Gives a command the options --data and --url, and with them the argument `where`."""

    @click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the arena, on this machine.  [default: ARENA_DATA or .arena]",
    )
    @click.option(
        "--url",
        help="Gateway of the arena, HOST:PORT, asked with ARENA_ADMIN_TOKEN.  [default: ARENA_URL]",
    )
    @functools.wraps(command)
    def with_where(*args: Any, data: Path | None, url: str | None, **kwargs: Any) -> Any:
        return command(*args, where=Where(data, url), **kwargs)

    return with_where  # type: ignore[return-value]


@contextmanager
def open_control(where: Where, *, begin_store: bool = False) -> Iterator[Control]:
    """The arena's control. With `begin_store`, a folder without a database gets one.

    Raises NotFound when there is no arena in the folder, InvalidRequest for a contradiction.
    """
    if where.url and where.data:
        raise InvalidRequest("Give either --data or --url; an arena is found by one of them.")
    url = where.url or (None if where.data else os.environ.get("ARENA_URL"))
    if url:
        with _remote(url) as control:
            yield control
    else:
        with _local(where.data, begin_store) as control:
            yield control


@contextmanager
def _remote(url: str) -> Iterator[Control]:
    from arena.cli.remote import RemoteControl

    settings = load_settings()
    if not settings.admin_token:
        raise InvalidRequest(
            f"The arena at {url} wants to know who asks: set ARENA_ADMIN_TOKEN, "
            "or name a folder on this machine with --data."
        )
    with RemoteControl(url, settings.admin_token, settings.tls_ca) as control:
        yield control


@contextmanager
def open_local_store(where: Where, *, begin: bool = False) -> Iterator[Store]:
    """The database of an arena on this machine, for what is not asked of a gateway.

    With `begin`, a folder without a database gets one. Raises NotFound when there is no arena
    in the folder, InvalidRequest for an address.
    """
    if where.url:
        raise InvalidRequest("This works on the arena's database: run it there, with --data.")
    settings, _ = settings_of(where.data)
    with _explain_missing(settings):
        store = opened(settings, begin=begin)
    try:
        yield store
    finally:
        store.dispose()


@contextmanager
def _local(data: Path | None, begin_store: bool) -> Iterator[Control]:
    settings, uses_redis = settings_of(data)
    redis_url = settings.redis_url if uses_redis else None
    with ExitStack() as stack:
        with _explain_missing(settings):
            service = control_service(settings, redis_url=redis_url, begin=begin_store)
            control = stack.enter_context(service)
        yield control


def settings_of(data: Path | None) -> tuple[Settings, bool]:
    """The settings of the arena in a folder, and whether there is a Redis to speak of."""
    settings = load_settings(data=data)
    running = folder.find_running(settings.data)
    if running:
        settings = settings.model_copy(
            update={"database_url": running.database_url, "redis_url": running.redis_url}
        )
    return settings, running is not None or "redis_url" in settings.model_fields_set


@contextmanager
def _explain_missing(settings: Settings) -> Iterator[None]:
    """Says how to begin an arena where there is none."""
    try:
        yield
    except NotFound:
        if settings.database_url:
            raise
        raise NotFound(
            f"There is no arena in the folder {settings.data}: begin one with `arena up`, "
            "or name another folder with --data."
        ) from None
