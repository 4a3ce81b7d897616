"""Settings of every process, read from `ARENA_*` environment variables.

The descriptions here also form the table in docs/configuration.md; a test compares them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MOST_SLICE_S = 3600


class Settings(BaseSettings):
    """The settings of one process; a field is its variable's name without `ARENA_`, lower-case."""

    model_config = SettingsConfigDict(
        env_prefix="ARENA_", env_ignore_empty=True, frozen=True, str_strip_whitespace=True
    )

    # Where things are
    data: Path = Field(Path(".arena"), description="Folder for the embedded database and the logs")
    database_url: str = Field(
        "",
        repr=False,
        description="sqlite:///FILE or postgresql://...; if empty, arena.db in the data folder",
    )
    archive: Path | None = Field(
        None,
        description="Folder of the archives, files with the matches of older months, the same for "
        "all processes; if empty, archive in the data folder",
    )
    redis_url: str = Field(
        "redis://127.0.0.1:6379/0",
        repr=False,
        description="Redis server that gateways, workers and dashboard share",
    )
    host: str = Field("127.0.0.1", description="Address the gateway and the dashboard listen on")
    port: int = Field(7420, ge=0, le=65535, description="Gateway port; 0 for any free one")
    gateway_url: str = Field(
        "",
        description="Address the dashboard tells authors to connect their bots to (HOST:PORT or "
        "grpcs://HOST:PORT); if empty, the gateway's host and port",
    )
    dashboard_port: int = Field(
        7421, ge=0, le=65535, description="Dashboard port; 0 for any free one"
    )
    dashboard_threads: int = Field(
        16,
        ge=1,
        description="Requests one dashboard handles concurrently, besides its event streams; "
        "each may need a database connection",
    )
    proxies: int = Field(
        0,
        ge=0,
        description="Reverse proxies in front of the dashboard whose X-Forwarded headers are "
        "trusted",
    )
    metrics_port: int = Field(
        0,
        ge=0,
        le=65530,
        description="Port for the gateway's Prometheus metrics, and the first of six: worker, "
        "prompt worker, beat, dashboard and review worker follow; 0 for none",
    )
    liveness_file: Path | None = Field(
        None,
        description="File that a process touches every second while it works, for `arena probe`; "
        "each process needs one of its own, and `arena up` makes none",
    )
    share_port: bool = Field(
        False, description="Lets several gateways on this machine listen on the same port"
    )

    # Who may do what
    admin_token: str = Field(
        "",
        repr=False,
        description="Token for the Control service; if empty, the service is disabled",
    )
    play: Literal["open", "accounts"] = Field(
        "open",
        description="Who may play in the browser: open for anybody, accounts for signed-in users",
    )
    secret_key: str = Field(
        "",
        repr=False,
        description="Key that signs the dashboard's session cookies; if empty, one is generated "
        "and stored in the data folder",
    )
    secret_key_old: str = Field(
        "",
        repr=False,
        description="The secret key before this one, which is still accepted; see Rotating secrets",
    )
    sign_up: Literal["open", "closed"] = Field(
        "open",
        description="Who may create accounts: open for anybody, closed for `arena account add` "
        "only",
    )
    people_per_address: int = Field(
        32,
        ge=1,
        le=10_000,
        description="People who may share one IP address (a school, an office): limits per address "
        "are this many times the limits per person",
    )
    trace_share: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Share of decisions and results that are traced with OpenTelemetry, which "
        "takes OpenTelemetry, the extra `trace`; 0 for none",
    )
    exempt_addresses: str = Field(
        "127.0.0.0/8,::1",
        description="Addresses and networks, separated by commas, that no limit per address of a "
        "gateway applies to: this machine, and proxies in front of the gateway",
    )
    tls_cert: Path | None = Field(
        None, description="Certificate chain (PEM); with it the gateway uses TLS"
    )
    tls_key: Path | None = Field(None, description="Private key (PEM) of the certificate")
    tls_ca: Path | None = Field(
        None,
        description="Root certificates (PEM) that bots and the command line trust instead of the "
        "public ones when they connect to grpcs://",
    )

    # Signing in elsewhere
    github_id: str = Field(
        "", description="Client ID of an OAuth app of GitHub, with which people may sign in"
    )
    github_secret: str = Field("", repr=False, description="Client secret of that app")
    oidc_issuer: str = Field(
        "",
        pattern=r"^(https?://[^\s?#]+)?$",
        description="Issuer of an OpenID provider with which people may sign in, such as "
        "https://accounts.example.org",
    )
    oidc_id: str = Field("", description="Client ID at that provider")
    oidc_secret: str = Field("", repr=False, description="Client secret at that provider")
    oidc_name: str = Field(
        "OpenID", description="What the button for signing in with that provider calls it"
    )

    # E-mail
    public_url: str = Field(
        "",
        pattern=r"^(https?://[^\s?#]+)?$",
        description="Address at which people reach the dashboard, such as "
        "https://arena.example.org: whole addresses on pages, in feeds and in e-mails begin with "
        "it, and sign-ins elsewhere lead back there",
    )
    smtp_url: str = Field(
        "",
        repr=False,
        pattern=r"^((smtp|smtps|smtp\+plain)://.+)?$",
        description="Mail server that the dashboard sends e-mail through: "
        "smtp://USER:PASSWORD@HOST:587 (STARTTLS), smtps://HOST:465 (TLS) or smtp+plain://HOST:25 "
        "(not encrypted); if empty, nothing is sent",
    )
    mail_from: str = Field(
        "",
        description="Sender of the e-mails, such as arena@example.org",
    )

    # Webhooks
    webhooks_per_account: int = Field(
        5,
        ge=0,
        le=100,
        description="Webhooks that one account may register; 0 for none: nothing is sent then",
    )
    webhook_networks: str = Field(
        "",
        description="Private addresses and networks, separated by commas, that webhooks may reach "
        "on any port, such as 10.20.0.0/16; all others that are not public are refused",
    )

    # How bots are treated
    grace_s: float = Field(
        10.0, gt=0, description="Seconds a disconnected bot has to reconnect before it is at fault"
    )
    withdraw_after: int = Field(
        20,
        ge=0,
        description="Matches in a row that a bot which is not connected forfeits in a tournament, "
        "after the start grace, before it is withdrawn; 0 for any number",
    )
    bench_after: int = Field(
        20,
        ge=0,
        description="Rated matches in a row that a bot may forfeit before it is benched, that is, "
        "kept out of new tournaments until its owner lets it come back; 0 for any number",
    )

    house_bots: str = Field(
        "all",
        description="House bots that `arena house` and `arena up` have play: all (those that are "
        "hand-written), none, or names separated by commas, `student` and `master` among them",
    )

    # Limits on what clients may use
    max_message: int = Field(
        4 * 1024 * 1024, ge=65536, description="Largest message a bot may send, in bytes"
    )
    max_connections: int = Field(4096, ge=1, description="TCP connections that one gateway accepts")
    max_streams: int = Field(
        2048, ge=1, description="Concurrent calls on one gateway; each connected bot is one"
    )
    connections_per_person: int = Field(
        32,
        ge=1,
        description="TCP connections to one gateway that one person may have; an address that many "
        "times ARENA_PEOPLE_PER_ADDRESS",
    )
    calls_per_minute: int = Field(
        600, ge=1, description="Calls per minute and person to one gateway, streams included"
    )
    abandoned_calls_per_minute: int = Field(
        60, ge=1, description="Calls per minute and person that the client cancels within a second"
    )
    failed_logins_per_minute: int = Field(
        10, ge=1, description="Calls per minute and person with a wrong token"
    )
    reconnects_per_minute: int = Field(
        60, ge=1, description="Streams that a bot may open per minute on one gateway"
    )
    spare_choices_per_minute: int = Field(
        6000,
        ge=1,
        description="Choices that a bot may send per minute beyond the decisions it was sent",
    )
    refusals_per_minute: int = Field(
        30,
        ge=1,
        description="Times per minute that a bot or person may come back, refused by one of these "
        "limits, before it was told to; who does so more often is banned",
    )
    ban_s: float = Field(
        60.0, gt=0, description="Seconds for which a gateway refuses a banned address or token"
    )
    bots_per_account: int = Field(
        100, ge=0, description="Bots that one account may register on the dashboard"
    )
    max_unread: int = Field(
        4 * 1024 * 1024,
        ge=65536,
        description="Unread notices that a gateway buffers for one bot, in bytes; more are dropped",
    )

    # What authors may submit to have a bot hosted
    submission_mb: int = Field(
        8, ge=1, le=64, description="Largest upload of a hosted bot, in megabytes"
    )
    submissions_per_day: int = Field(
        20, ge=0, description="Uploads of one bot that are taken within 24 hours"
    )
    submissions_kept: int = Field(
        50,
        ge=1,
        description="Accepted uploads of one bot that are stored, newest first; versions that may "
        "still play in a tournament stay beyond that",
    )
    submission_memory_mb: int = Field(
        512, ge=32, description="Most memory that a hosted bot may ask for, in megabytes"
    )

    # What a host gives the bots that it plays
    host_processes: int = Field(
        256, ge=2, description="Processes of hosted bots that a host has at once, over all bots"
    )
    host_memory_mb: int = Field(
        0,
        ge=0,
        description="Megabytes that all hosted bots of a host may use together; 0 for three "
        "quarters of the machine's",
    )
    host_matches: int = Field(
        32,
        ge=1,
        description="Matches that each worker process has under way with a hosted bot at once, at "
        "most; fewer where a host has many bots",
    )
    host_builds: int = Field(
        0,
        ge=0,
        description="Submissions that a host builds and tries at once, at most; 0 for one per "
        "core, but at least 2 and at most 4",
    )
    host_packages: str = Field(
        "",
        description="Installed packages that hosted bots may import, separated by commas, such as "
        "numpy",
    )
    host_tree_mb: int = Field(
        128,
        ge=1,
        le=512,
        description="Largest tree of a hosted bot, in megabytes: its files, with installed "
        "packages and byte code",
    )
    host_index: str = Field(
        "",
        pattern=r"^(https?://[^\s@]+)?$",
        description="Package index from which builds of hosted bots fetch what a lock names, "
        "such as https://pypi.org/simple; if empty, locks are refused",
    )
    host_start_s: float = Field(
        10.0, gt=0, description="Seconds of CPU time that a hosted bot has until it is ready"
    )
    host_wait_s: float = Field(
        10.0,
        gt=0,
        description="Seconds for which a hosted bot may keep a match waiting without computing",
    )
    host_output_kb: int = Field(
        256,
        ge=1,
        le=1024,
        description="Kilobytes that a process of a hosted bot may write; at most 1024",
    )
    runs_kept: int = Field(
        200,
        ge=1,
        description="Runs of a hosted bot's processes that are kept for its author, newest first: "
        "so many that were ended, so many that wrote something, so many others",
    )
    runs_output_kb: int = Field(
        2048,
        ge=1,
        description="Thousands of characters that are kept of what a hosted bot's runs wrote, in "
        "those that were ended, and as much in others",
    )

    reviews_kept: int = Field(
        10_000,
        ge=1,
        description="Reviews of matches that are kept, the newest; some 6 kB each",
    )

    # How work is divided
    workers: int = Field(
        os.cpu_count() or 1, ge=1, description="Processes of one worker; by default one per core"
    )
    window: int = Field(256, ge=1, description="Matches that one worker process keeps in flight")
    slice_s: float = Field(
        60.0,
        gt=0,
        le=MOST_SLICE_S,
        description="Seconds after which a task suspends its matches to let other work run; at "
        "most 3600",
    )

    # Logging
    log_level: str = Field("info", description="debug, info, warning or error")
    log_format: str = Field("console", description="console or json")

    @property
    def in_flight(self) -> int:
        """Matches that one worker keeps in flight, all its processes together."""
        return self.workers * self.window

    @property
    def archive_folder(self) -> Path:
        """The folder of the archives: the configured one, or that in the data folder."""
        return (self.archive or self.data / "archive").resolve()

    @property
    def database(self) -> str:
        """The database URL: the configured one, or the embedded SQLite file."""
        return self.database_url or f"sqlite:///{self.data.resolve() / 'arena.db'}"
