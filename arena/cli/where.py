"""Find the arena of a command.

The order is --url URL, --data DIR, ARENA_URL, and the folder ARENA_DATA (.arena). With a folder,
commands use its database directly, whether the arena runs or not. With a URL, they use gRPC and
ARENA_ADMIN_TOKEN. Without that token, the URL may be the gateway of the arena in the folder.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from arena.base import folder, website
from arena.base.config import Settings
from arena.base.errors import InvalidRequest, NotFound
from arena.cli.screen import F
from arena.sdk.address import address
from arena.sdk.token import checked
from arena.service.bootstrap import control_service, load_settings, opened
from arena.service.control.port import Control

if TYPE_CHECKING:
    from arena.store import Store

LOOPBACK = ("localhost", "[::1]", "0.0.0.0")  # noqa: S104


@dataclass(frozen=True)
class Where:
    """The location of the arena, as given on the command line."""

    data: Path | None = None
    url: str | None = None


def folder_option(about: str) -> Callable[[F], F]:
    """Return the option --data with its help."""
    return click.option("--data", type=click.Path(file_okay=False, path_type=Path), help=about)


data_option = folder_option("Folder of the embedded database.  [default: ARENA_DATA or .arena]")


def arena_options(command: F) -> F:
    """Add the options --data and --url to a command, passed as the argument `where`."""

    @folder_option("Folder of a local arena.  [default: ARENA_DATA or .arena]")
    @click.option(
        "--url",
        help="Gateway of a remote arena, HOST:PORT; needs ARENA_ADMIN_TOKEN.  [default: ARENA_URL]",
    )
    @functools.wraps(command)
    def with_where(*args: Any, data: Path | None, url: str | None, **kwargs: Any) -> Any:
        return command(*args, where=Where(data, url), **kwargs)

    return with_where  # type: ignore[return-value]


@contextmanager
def open_control(where: Where, *, begin_store: bool = False) -> Iterator[Control]:
    """Yield the arena's control service. `begin_store` creates a missing database. Raises NotFound
    if there is no arena in the folder, InvalidRequest for contradictory options."""
    if where.url and where.data:
        raise InvalidRequest("Give either --data or --url, not both.")
    url = where.url or (None if where.data else os.environ.get("ARENA_URL"))
    settings = load_settings(data=where.data)
    if url and (settings.admin_token or not _runs_here(url, settings.data)):
        with _remote(url, settings) as control:
            yield control
    else:
        with _local(where.data, begin_store) as control:
            yield control


@contextmanager
def _remote(url: str, settings: Settings) -> Iterator[Control]:
    from arena.cli.remote import RemoteControl

    if not settings.admin_token:
        raise InvalidRequest(
            f"This command needs the admin token of the arena at {url}. Set ARENA_ADMIN_TOKEN. For "
            "an arena on this machine, use --data instead of --url, or unset ARENA_URL. Authors "
            f"find bots, matches and ratings on the arena's website{_site(url)}."
        )
    token = checked(settings.admin_token, "ARENA_ADMIN_TOKEN")
    with RemoteControl(url, token, settings.tls_ca) as control:
        yield cast("Control", control)


def _site(url: str) -> str:
    """Return ", " and the website of this gateway's arena, or "" if unknown."""
    site, local = website.address(), _place(url).startswith("127.0.0.1:")
    return f", {site}" if local or site != website.DEFAULT else ""


def _runs_here(url: str, data: Path) -> bool:
    """Whether this is the gateway of the arena running in the folder."""
    running = folder.await_running(data)
    return running is not None and _place(running.gateway) == _place(url)


def _place(url: str) -> str:
    """Return HOST:PORT of a gateway, with 127.0.0.1 for any local address."""
    host, _, port = address(url).place.rpartition(":")
    return f"{'127.0.0.1' if host in LOOPBACK else host}:{port}"


@contextmanager
def open_local_store(
    data: Path | None, *, begin: bool = False, of_any_version: bool = False
) -> Iterator[Store]:
    """Yield the database of a local arena. `begin` creates a missing one. Raises NotFound if the
    folder has no arena, and SchemaMismatch unless `of_any_version`."""
    settings, _ = settings_of(data)
    with explain_missing(settings):
        store = opened(settings, begin=begin, of_any_version=of_any_version)
    with store:
        yield store


@contextmanager
def _local(data: Path | None, begin_store: bool) -> Iterator[Control]:
    settings, uses_redis = settings_of(data)
    redis_url = settings.redis_url if uses_redis else None
    with ExitStack() as stack:
        with explain_missing(settings):
            service = control_service(settings, redis_url=redis_url, begin=begin_store)
            control = stack.enter_context(service)
        yield control


def settings_of(data: Path | None) -> tuple[Settings, bool]:
    """Return the settings of the arena in a folder, and whether its Redis is known."""
    settings = load_settings(data=data)
    running = folder.await_running(settings.data)
    if running:
        settings = settings.model_copy(
            update={"database_url": running.database_url, "redis_url": running.redis_url}
        )
    return settings, running is not None or "redis_url" in settings.model_fields_set


@contextmanager
def explain_missing(settings: Settings) -> Iterator[None]:
    """Add to NotFound how to start an arena."""
    try:
        yield
    except NotFound:
        if settings.database_url:
            raise
        raise NotFound(
            f"There is no arena in the folder {settings.data}. "
            f"Start one with `arena up{folder.option(settings.data)}`, "
            "or choose another folder with --data."
        ) from None
