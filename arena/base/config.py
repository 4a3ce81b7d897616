"""Settings of every process, read from `ARENA_*` environment variables.

The texts below the fields also form the tables in docs/configuration.md.
"""

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from arena.base.addresses import networks

MOST_SLICE_S = 3600


def _check_networks(text: str) -> str:
    try:
        networks(text)
    except ValueError as error:
        raise PydanticCustomError(
            "networks",
            "{why}. List addresses and networks, separated by commas",
            {"why": str(error)},
        ) from None
    return text


Networks = Annotated[str, AfterValidator(_check_networks)]
AnyCase = BeforeValidator(str.lower)


class Settings(BaseSettings):
    """The settings of one process; a field is its variable's name without `ARENA_`, lower-case."""

    model_config = SettingsConfigDict(
        env_prefix="ARENA_", env_ignore_empty=True, frozen=True, str_strip_whitespace=True
    )

    # Data and addresses
    data: Path = Path(".arena")
    """Folder for the embedded database and the logs"""
    database_url: str = Field("", repr=False)
    """sqlite:///FILE or postgresql://...; if empty, arena.db in the data folder"""
    archive: Path | None = None
    """Folder of the archives, the same for all processes; if empty, archive in the data folder"""
    redis_url: str = Field("redis://127.0.0.1:6379/0", repr=False)
    """Redis server that all processes share"""
    host: str = "127.0.0.1"
    """Address on which gateway, dashboard and metrics listen"""
    port: int = Field(7420, ge=0, le=65535)
    """Port of the gateway; 0 for any free port"""
    gateway_url: str = ""
    """Gateway address that the dashboard shows to authors (HOST:PORT or grpcs://HOST:PORT); if
    empty, the gateway's host and port"""
    dashboard_port: int = Field(7421, ge=0, le=65535)
    """Port of the dashboard; 0 for any free port"""
    dashboard_threads: int = Field(16, ge=1)
    """Requests that one dashboard handles at once, besides event streams; each may need a database
    connection"""
    proxies: int = Field(0, ge=0)
    """Reverse proxies in front of the dashboard whose X-Forwarded headers are trusted"""
    metrics_port: int = Field(0, ge=0, le=65530)
    """First of six ports for Prometheus metrics: gateway, worker, prompt worker, beat, dashboard,
    review worker; 0 for none"""
    liveness_file: Path | None = None
    """File that a process touches every second while it works, for `arena probe`; each process
    needs a different file"""
    share_port: bool = False
    """Let several gateways on this machine listen on the same port"""

    # Access
    admin_token: str = Field("", repr=False)
    """Token for the Control service; if empty, the service is disabled"""
    play: Literal["open", "accounts"] = "open"
    """Access to games in the browser: open for all visitors, accounts for signed-in users"""
    secret_key: str = Field("", repr=False)
    """Key that signs the dashboard's cookies; if empty, one is generated and stored in the data
    folder"""
    secret_key_old: str = Field("", repr=False)
    """Previous secret key, still accepted while keys are rotated"""
    sign_up: Literal["open", "closed"] = "open"
    """Creation of accounts: open for all visitors, closed for invitations and `arena account add`
    only"""
    people_per_address: int = Field(32, ge=1, le=10_000)
    """People who may share one IP address (a school, an office): limits per address are this many
    times the limits per person"""
    exempt_addresses: Networks = "127.0.0.0/8,::1"
    """Addresses and networks, separated by commas, without a gateway's limits per address: this
    machine, and proxies in front of the gateway"""

    # TLS
    tls_cert: Path | None = None
    """Certificate chain (PEM); enables TLS on the gateway"""
    tls_key: Path | None = None
    """Private key (PEM) of the certificate"""
    tls_ca: Path | None = None
    """Root certificates (PEM) that bots and the command line trust for grpcs:// instead of the
    public ones"""

    # Sign-in with a provider
    github_id: str = ""
    """Client ID of a GitHub OAuth app for sign-in"""
    github_secret: str = Field("", repr=False)
    """Client secret of the GitHub OAuth app"""
    oidc_issuer: str = Field("", pattern=r"^(https?://[^\s?#]+)?$")
    """Issuer URL of an OpenID provider for sign-in, such as https://accounts.example.org"""
    oidc_id: str = ""
    """Client ID at the OpenID provider"""
    oidc_secret: str = Field("", repr=False)
    """Client secret at the OpenID provider"""
    oidc_name: str = "OpenID"
    """Name of the OpenID provider on the sign-in page"""

    # Public address and e-mail
    public_url: str = Field("", pattern=r"^(https?://[^\s?#]+)?$")
    """Public address of the dashboard, such as https://arena.example.org, for links in feeds and
    e-mails and for sign-in with a provider"""
    smtp_url: str = Field("", repr=False, pattern=r"^((smtp|smtps|smtp\+plain)://.+)?$")
    """Mail server of the dashboard: smtp://USER:PASSWORD@HOST:587 (STARTTLS), smtps://HOST:465
    (TLS) or smtp+plain://HOST:25 (not encrypted); if empty, no e-mail is sent"""
    mail_from: str = ""
    """Sender of e-mails, such as arena@example.org"""

    # Webhooks
    webhooks_per_account: int = Field(5, ge=0, le=100)
    """Webhooks that one account may register; 0 disables webhooks"""
    webhook_networks: Networks = ""
    """Private addresses and networks, separated by commas, that webhooks may reach, such as
    10.20.0.0/16; all other private addresses are refused"""

    # Bots
    grace_s: float = Field(10.0, gt=0)
    """Seconds in which a disconnected bot may reconnect without a fault"""
    withdraw_after: int = Field(20, ge=0)
    """Consecutive matches that a disconnected bot forfeits before it is withdrawn from a
    tournament; 0 for never"""
    bench_after: int = Field(20, ge=0)
    """Consecutive rated matches that a bot forfeits before it is benched, that is, kept out of new
    tournaments; 0 for never"""
    house_bots: str = "all"
    """House bots that `arena house` and `arena up` connect: all (the six rule-based bots), none, or
    names separated by commas, which may include `student` and `master`"""

    # Limits of clients
    max_message: int = Field(4 * 1024 * 1024, ge=65536)
    """Largest message of a client, in bytes"""
    max_connections: int = Field(4096, ge=1)
    """TCP connections that one gateway accepts"""
    max_streams: int = Field(2048, ge=1)
    """Concurrent calls on one gateway; each connected bot is one"""
    connections_per_person: int = Field(32, ge=1)
    """TCP connections of one person to one gateway"""
    calls_per_minute: int = Field(600, ge=1)
    """Calls per minute and person to one gateway, streams included"""
    abandoned_calls_per_minute: int = Field(60, ge=1)
    """Calls per minute and person that the client cancels within a second"""
    failed_logins_per_minute: int = Field(10, ge=1)
    """Calls per minute and person with a wrong token"""
    reconnects_per_minute: int = Field(60, ge=1)
    """Streams per minute that a bot may open on one gateway"""
    spare_choices_per_minute: int = Field(6000, ge=1)
    """Choices per minute that a bot may send beyond its decisions"""
    refusals_per_minute: int = Field(30, ge=1)
    """Early retries per minute after a refusal by one of these limits, before a bot or address is
    banned"""
    ban_s: float = Field(60.0, gt=0)
    """Seconds for which a gateway refuses a banned address or token"""
    bots_per_account: int = Field(100, ge=0)
    """Bots that one account may register on the dashboard"""
    max_unread: int = Field(4 * 1024 * 1024, ge=65536)
    """Unread notices that a gateway buffers for one bot, in bytes; more are dropped"""

    # Uploads
    submission_mb: int = Field(8, ge=1, le=64)
    """Largest upload, in megabytes"""
    submissions_per_day: int = Field(20, ge=0)
    """Uploads of one bot within 24 hours"""
    submissions_kept: int = Field(50, ge=1)
    """Accepted uploads that are kept for one bot, besides versions that may still play in a
    tournament"""
    submission_memory_mb: int = Field(512, ge=32)
    """Largest `memory_mb` of a hosted bot, in megabytes"""

    # Hosted bots
    host_processes: int = Field(256, ge=2)
    """Processes of all hosted bots on one host"""
    host_memory_mb: int = Field(0, ge=0)
    """Memory of all hosted bots on one host, in megabytes; 0 for three quarters of the memory of
    the machine or container"""
    host_matches: int = Field(32, ge=1)
    """Most matches that a worker process plays at once with one hosted bot; fewer where a host has
    many bots"""
    host_builds: int = Field(0, ge=0)
    """Most uploads that a host builds at once; 0 for one per core, but at least 2 and at most 4"""
    host_packages: str = ""
    """Installed packages that hosted bots may import, separated by commas, such as numpy"""
    host_tree_mb: int = Field(128, ge=1, le=512)
    """Largest build of a hosted bot, in megabytes: its files, installed packages and byte code"""
    host_index: str = Field("", pattern=r"^(https?://[^\s@]+)?$")
    """Package index for the lockfiles of uploads, such as https://pypi.org/simple; if empty,
    lockfiles are refused"""
    host_start_s: float = Field(10.0, gt=0)
    """Seconds of CPU time in which a hosted bot must be ready"""
    host_wait_s: float = Field(10.0, gt=0)
    """Seconds for which a hosted bot may keep a match waiting without computing"""
    host_output_kb: int = Field(256, ge=1, le=1024)
    """Output of one process of a hosted bot, in kilobytes; at most 1024"""
    runs_kept: int = Field(200, ge=1)
    """Process runs that are kept of a hosted bot: this many that ended early, this many with
    output, this many others"""
    runs_output_kb: int = Field(2048, ge=1)
    """Output that is kept of a hosted bot's runs, in thousands of characters: this much of runs
    that ended early, this much of others"""

    # Reviews
    reviews_kept: int = Field(10_000, ge=1)
    """Newest reviews that are kept; about 6 kB each"""

    # Workers
    workers: int = Field(os.cpu_count() or 1, ge=1)
    """Processes of one worker; by default one per core"""
    window: int = Field(256, ge=1)
    """Matches that one worker process keeps in flight"""
    slice_s: float = Field(60.0, gt=0, le=MOST_SLICE_S)
    """Seconds after which a task suspends its matches so that other work can run; at most 3600"""

    # Logs and traces
    log_level: Annotated[Literal["debug", "info", "warning", "error"], AnyCase] = "info"
    """debug, info, warning or error"""
    log_format: Annotated[Literal["console", "json"], AnyCase] = "console"
    """console or json"""
    trace_share: float = Field(0.0, ge=0, le=1)
    """Share of decisions and results that are traced with OpenTelemetry (the extra `trace`); 0 for
    none"""

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
