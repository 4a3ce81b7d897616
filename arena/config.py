"""Settings of every process, read from `ARENA_*` environment variables.

The table in docs/configuration.md is made from the descriptions here; a test compares them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MOST_SLICE_S = 3600


class Settings(BaseSettings):
    """One process's settings; fields are the variables' names without `ARENA_`, in lower case."""

    model_config = SettingsConfigDict(env_prefix="ARENA_", env_ignore_empty=True, frozen=True)

    # Where things are
    data: Path = Field(Path(".arena"), description="Folder of the embedded database and the logs")
    database_url: str = Field(
        "",
        repr=False,
        description="sqlite:///FILE or postgresql://...; empty: arena.db in the data folder",
    )
    redis_url: str = Field(
        "redis://127.0.0.1:6379/0",
        repr=False,
        description="Redis that gateways, workers and dashboard share",
    )
    host: str = Field("127.0.0.1", description="Address the gateway and the dashboard listen on")
    port: int = Field(7420, ge=0, le=65535, description="Port of the gateway; 0: any free one")
    gateway_url: str = Field(
        "",
        description="Where bots connect to, as the dashboard tells their authors (HOST:PORT, "
        "grpcs://HOST:PORT); empty: the host and port of the gateway",
    )
    dashboard_port: int = Field(
        7421, ge=0, le=65535, description="Port of the dashboard; 0: any free one"
    )
    dashboard_threads: int = Field(
        16,
        ge=1,
        description="Requests one dashboard answers at the same time, beside its event streams; "
        "each may need a database connection",
    )
    proxies: int = Field(
        0,
        ge=0,
        description="Reverse proxies before the dashboard whose X-Forwarded headers are believed",
    )
    metrics_port: int = Field(
        0, ge=0, le=65535, description="Port of the gateway's Prometheus metrics; 0: none"
    )
    share_port: bool = Field(
        False, description="Several gateways on this machine listen on the same port"
    )

    # Who may do what
    admin_token: str = Field(
        "", repr=False, description="Token of the Control service; empty: the service is closed"
    )
    play: Literal["open", "accounts"] = Field(
        "open",
        description="Who may sit down at a table in the browser. open: anybody; accounts: who is "
        "signed in",
    )
    secret_key: str = Field(
        "",
        repr=False,
        description="Signs session cookies of the dashboard; empty: one is made and kept in the "
        "data folder",
    )
    sign_up: Literal["open", "closed"] = Field(
        "open", description="open: anybody may make an account; closed: only `arena account add`"
    )
    people_per_address: int = Field(
        32,
        ge=1,
        le=10_000,
        description="People who may sit behind one address (a school, an office): what is limited "
        "by address is so many times what one person may do",
    )
    tls_cert: Path | None = Field(None, description="Certificate chain (PEM): the gateway uses TLS")
    tls_key: Path | None = Field(None, description="Private key (PEM) of the certificate")
    tls_ca: Path | None = Field(
        None,
        description="Root certificates (PEM) that bots and the command line trust, instead of the "
        "public ones, where they connect to grpcs://",
    )

    # How bots are treated
    grace_s: float = Field(
        10.0, gt=0, description="Seconds a disconnected bot has to come back before it is at fault"
    )

    # What strangers may take up
    max_message: int = Field(
        4 * 1024 * 1024, ge=65536, description="Largest message a bot may send, bytes"
    )
    max_connections: int = Field(
        4096, ge=1, description="Connections (TCP) that one gateway accepts"
    )
    max_streams: int = Field(
        2048, ge=1, description="Calls at once on one gateway; a bot that is connected is one"
    )
    bots_per_account: int = Field(
        100, ge=0, description="Bots that one account may have on the dashboard"
    )
    max_unread: int = Field(
        4 * 1024 * 1024,
        ge=65536,
        description="Notices that wait at a gateway for one bot to read them, bytes; more are "
        "dropped",
    )

    # How work is cut
    workers: int = Field(
        os.cpu_count() or 1, ge=1, description="Processes of one worker; default: one per core"
    )
    window: int = Field(
        256, ge=1, description="Matches that one worker process keeps in flight together"
    )
    slice_s: float = Field(
        60.0,
        gt=0,
        le=MOST_SLICE_S,
        description="Seconds after which a task puts its matches aside for other work, an hour at "
        "most",
    )

    # What is said
    log_level: str = Field("info", description="debug, info, warning or error")
    log_format: str = Field("console", description="console or json")

    @property
    def database(self) -> str:
        """The database's URL, the embedded one where none is set."""
        return self.database_url or f"sqlite:///{self.data.resolve() / 'arena.db'}"
