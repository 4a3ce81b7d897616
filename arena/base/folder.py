"""The data folder of an arena on one machine.

DATA/arena.db    the embedded database
DATA/logs/       one log per process
DATA/lock        held while any process of the arena is alive; names its process and state
DATA/arena.json  how to reach the running arena; readable only by its owner
DATA/secret_key  signs session cookies; generated once
"""

import fcntl
import json
import os
import secrets
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from arena.base.errors import Unavailable

DEFAULT = Path(".arena")
START_S = 30.0  # how long commands wait for a starting arena
POLL_S = 0.05
PROBED_S = 0.5  # longer than `holder` may take the lock for
STARTING, RUNNING, STOPPING = "starting", "running", "stopping"
KEY_FILE = "secret_key"


@dataclass(frozen=True)
class Holder:
    """The process that started the arena of a folder, and the arena's state."""

    pid: int
    state: str


@dataclass(frozen=True)
class Running:
    """Addresses and secrets to connect to a running arena."""

    pid: int
    gateway: str
    dashboard: str
    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    admin_token: str = field(repr=False)


def usual() -> Path:
    """The data folder that commands use by default: ARENA_DATA, or `DEFAULT`."""
    return Path(os.environ.get("ARENA_DATA") or DEFAULT)


def option(data: Path) -> str:
    """The `--data` option for this folder; "" for the default one."""
    return "" if data == DEFAULT else f" --data {shlex.quote(str(data))}"


def logs(data: Path) -> Path:
    """The folder of the processes' logs."""
    return data / "logs"


@contextmanager
def lock(data: Path) -> Iterator[int]:
    """Locks the folder for one arena. Yields the lock's file descriptor. Raises Unavailable if
    another arena holds the lock, or if the folder is not writable."""
    with _open_lock(data) as file:
        if not _locked_within(file, PROBED_S):
            raise Unavailable(
                f"An arena is already running in {data}{_by_whom(data)}. "
                f"Stop it with `arena down{option(data)}`, or choose another folder with --data."
            )
        (data / "arena.json").unlink(missing_ok=True)  # left by an arena that was killed
        _note(data, STARTING)
        yield file.fileno()


def refusal(folder: Path, size: int) -> OSError | None:
    """Writes a temporary file of `size` bytes to a folder. Returns the error if that fails."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(size))
            file.flush()
    except OSError as error:
        return error
    return None


def announce(data: Path, running: Running) -> None:
    """Writes DATA/arena.json atomically. Only its owner may read it, because it holds secrets."""
    path, new = data / "arena.json", data / "arena.json.new"
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(running), file, indent=1)
    new.replace(path)
    _note(data, RUNNING)


def retract(data: Path) -> None:
    """Removes what `announce` wrote, unless the folder is gone."""
    (data / "arena.json").unlink(missing_ok=True)
    with suppress(FileNotFoundError):
        _note(data, STOPPING)


def find_running(data: Path) -> Running | None:
    """The arena running in this folder, if any. Without the lock, arena.json is ignored as a
    leftover of a killed arena."""
    path = data / "arena.json"
    return _read(path) if path.exists() and holder(data) else None


def await_running(data: Path, within_s: float = START_S) -> Running | None:
    """The arena running in this folder, if any. Waits for a starting one, with a message on stderr.
    Raises Unavailable if it does not start in time."""
    deadline = None
    while True:
        held = holder(data)  # before `find_running`, because a starting arena announces itself
        running = find_running(data)
        if running or held is None or held.state != STARTING:
            return running
        if deadline is None:
            sys.stderr.write(f"The arena in {data} is starting. Waiting up to {within_s:g} s.\n")
            deadline = time.monotonic() + within_s
        if time.monotonic() > deadline:
            raise Unavailable(
                f"The arena in {data} (process {held.pid}) has not started within {within_s:g} s. "
                f"Read its logs in {logs(data)}, or try again."
            )
        time.sleep(POLL_S)


def holder(data: Path) -> Holder | None:
    """The process whose arena runs, starts or stops in this folder, if any. Raises Unavailable if
    the folder is not readable."""
    try:
        with (data / "lock").open() as file:
            return None if _try_lock(file, shared=True) else _read_holder(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unavailable(
            f"The data folder {data} cannot be read ({error.strerror}). "
            "Choose another one with --data or ARENA_DATA."
        ) from error


def _read(path: Path) -> Running | None:
    try:
        return Running(**json.loads(path.read_text()))
    except FileNotFoundError:
        return None  # it stopped just now
    except (ValueError, TypeError, OSError) as error:
        raise Unavailable(f"{path} cannot be read ({error}). Restart the arena.") from error


def _open_lock(data: Path) -> TextIO:
    try:
        data.mkdir(parents=True, exist_ok=True)
        return (data / "lock").open("a")
    except OSError as error:
        raise Unavailable(
            f"The data folder {data} cannot be used ({error.strerror}). "
            "Choose a writable one with --data."
        ) from error


def _locked_within(file: TextIO, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not _try_lock(file):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _try_lock(file: TextIO, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note(data: Path, state: str) -> None:
    """Writes to the lock file. A single write of fixed length is never read in part."""
    descriptor = os.open(data / "lock", os.O_WRONLY | os.O_CREAT, 0o666)
    try:
        os.pwrite(descriptor, f"{os.getpid():10} {state:8}\n".encode(), 0)
    finally:
        os.close(descriptor)


def _read_holder(file: TextIO) -> Holder:
    """Reads what `_note` wrote. An empty file counts as a running arena."""
    pid, _, state = file.read().strip().partition(" ")
    return Holder(int(pid), state) if pid.isdigit() else Holder(0, RUNNING)


def _by_whom(data: Path) -> str:
    held = holder(data)
    return f" (process {held.pid})" if held and held.pid else ""


def kept_key(data: Path) -> str:
    """The key that signs session cookies, kept in this data folder. The first call generates it,
    readable only by its owner. Raises Unavailable if the folder cannot be used."""
    path = data / KEY_FILE
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make_key(path)
        key = path.read_text().strip()
    except OSError as error:
        raise Unavailable(
            f"The key for session cookies cannot be kept in {path} ({error.strerror}). Choose "
            "another data folder, or set ARENA_SECRET_KEY."
        ) from error
    if not key:
        raise Unavailable(f"The key file {path} is empty. Delete it to generate a new key.")
    return key


def _make_key(path: Path) -> None:
    # Written to a draft and linked, so that concurrent processes get the same complete key.
    draft = path.with_name(f"{KEY_FILE}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was faster
    finally:
        draft.unlink()
