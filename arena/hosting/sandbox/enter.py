"""The first code that runs in a sandbox: drops privileges for good, then runs the program."""

import ctypes
import importlib
import json
import os
import resource
import signal
import socket
import sys

from arena.hosting.sandbox import landlock, seccomp

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4


def enter() -> None:
    """Read the order from standard input, drop privileges, and run the module that it names."""
    told = json.load(sys.stdin)
    allowed = seccomp.SeccompFilter(seccomp.FORK_SERVER)
    if told["own_session"]:
        os.setsid()
    if told["user"] is not None:
        become(told["user"])
    dies_with_parent()
    if told["landlock"] is not None:
        landlock.restrict(told["landlock"])
    limit(told["limits"]["files"])
    allowed.install()
    importlib.import_module(told["main"]).main(told["arguments"])


def become(user: int) -> None:
    """Become this user and group, without other groups. Raises OSError."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def dies_with_parent() -> None:
    """Let the kernel kill this process when its parent ends, and hide its memory from other
    processes of the same user."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def keep_pair() -> None:
    """Create a pair of sockets for `socket.socketpair` to return from now on. asyncio needs one.
    The filter forbids new ones, since their inode numbers count all sockets of the machine."""
    one, other = socket.socketpair()
    make = socket.socketpair

    def kept(*kind: int, **named: int) -> tuple[socket.socket, socket.socket]:
        if kind or named:
            return make(*kind, **named)  # refused by the filter
        return one.dup(), other.dup()

    vars(socket)["socketpair"] = kept


def limit(files: int) -> None:
    """Set the limits of this process and its children."""
    _limit(resource.RLIMIT_NOFILE, files)
    for nothing in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_MEMLOCK):
        _limit(nothing, 0)
    _limit(resource.RLIMIT_MSGQUEUE, 0)


def limit_processes(most: int = 0) -> None:
    """Limit the processes and threads of the user."""
    _limit(resource.RLIMIT_NPROC, most)


def limit_memory(size: int) -> None:
    """Limit the address space, in bytes."""
    _limit(resource.RLIMIT_AS, size)


def limit_writable_memory(size: int) -> None:
    """Limit private writable memory, in bytes. Runtimes of some languages reserve much more address
    space than they use."""
    _limit(resource.RLIMIT_DATA, size)


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))
