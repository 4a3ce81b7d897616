"""Run a Python program in a fork of this process, which saves its imports.

A fork has the memory of its parent, but only one of its threads. It must not use a SQLite database
that its parent has open (https://www.sqlite.org/howtocorrupt.html, 2.6). So the parent may have
neither other threads nor databases (`can_fork`). Otherwise, programs start as usual.

The parent imports what its programs have in common before it forks (`preload`). None of that starts
a thread, opens a file or a connection, or looks at ARENA_* variables, so that each fork is as good
as a fresh process; gRPC starts its threads with the first channel or server. Left out is what does:
the Celery and Flask applications, and Prometheus' library, which looks where to count when it is
imported.
"""

import atexit
import gc
import importlib
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from setproctitle import setproctitle

from arena.operations.supervise.parent_death import ask_to_end_with_parent
from arena.operations.supervise.signals import STOPPING

THREADS, FILES = Path("/proc/self/task"), Path("/proc/self/fd")
OF_SQLITE = (".db", "-wal", "-journal")  # suffixes of open database files
FIRST_DESCRIPTOR = 3  # after stdin, stdout and stderr

PRELOADED = (
    "arena.store",
    "arena.service.control.service",
    "arena.bots",
    "arena.sdk.client",
    "grpc.aio",
    "grpc_reflection.v1alpha.reflection",
    "redis.asyncio",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "kombu.transport.redis",
    "flask_limiter",
    "flask_login",
    "flask_wtf",
    "markdown_it",
    "waitress",
)
# The subset for house bots.
OF_BOTS = ("arena.bots", "arena.sdk.client", "grpc.aio")


def preload(modules: tuple[str, ...] = PRELOADED) -> None:
    """Import the modules and freeze objects, so that the garbage collector keeps them shared."""
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()


def can_fork(*, database: bool = True) -> bool:
    """Whether this process may fork a program; `database` says whether that program opens one.
    Never on macOS, whose libraries do not bear it."""
    if sys.platform != "linux" or len(os.listdir(THREADS)) > 1:
        return False
    return not (database and _has_database())


def _has_database() -> bool:
    for descriptor in FILES.iterdir():
        with suppress(OSError):  # the one that lists them is closed already
            if os.readlink(descriptor).removesuffix(" (deleted)").endswith(OF_SQLITE):
                return True
    return False


class Forked:
    """A forked process, with the interface of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or minus the signal; None while it runs."""
        return self._status(os.WNOHANG)

    def wait(self) -> int:
        """Wait for the end and return the same."""
        status = self._status(0)
        assert status is not None
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal if the process runs."""
        # Its id is not reused before it has been waited for.
        if self.poll() is None:
            os.kill(self.pid, number)

    def _status(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def fork(command: tuple[str, ...], env: Mapping[str, str], log: int) -> Forked:
    """Run `command` (Python with "-m" and a module) in a new session that ends with this process.
    `log` is the file descriptor for its output. Requires `can_fork`."""
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    # Block signals until the fork has removed its parent's handlers.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        pid = os.fork()
        if pid == 0:
            _run(command, env, log, parent)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return Forked(pid)


def _run(command: tuple[str, ...], env: Mapping[str, str], log: int, parent: int) -> NoReturn:
    status = 1
    try:
        _forget_parent(log)
        ask_to_end_with_parent()
        if os.getppid() != parent:  # the parent has died
            os._exit(1)
        os.environ.update(env)
        setproctitle(" ".join(command))
        sys.argv = list(command[command.index("-m") + 1 :])
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ended:
        status = _status_of(ended)
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BaseException:  # never continue as the parent
        traceback.print_exc()
    finally:
        _end(status)


def _forget_parent(log: int) -> None:
    """Remove the parent's signal handlers, files and exit functions."""
    os.setsid()  # so that Ctrl-C in the terminal reaches only the supervisor
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    atexit._clear()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, copy in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, copy)
    # Keep the numbers in use, because objects of the parent may still close them.
    for descriptor in map(int, os.listdir(FILES)):
        if descriptor >= FIRST_DESCRIPTOR and descriptor != nothing:
            os.dup2(nothing, descriptor, inheritable=False)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def _status_of(ended: SystemExit) -> int:
    """Return the exit status, as Python does at the end of a program."""
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    sys.stderr.write(f"{ended.code}\n")
    return 1


def _end(status: int) -> NoReturn:
    """End like Python: join threads, then run `atexit` functions."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)
