"""The first thing that runs in a sandbox: gives up all that is not needed there, then begins.

What was given up cannot be had back, by this process and by all that it starts.
"""

from __future__ import annotations

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
    """Enters as standard input says, and runs what that names. Nothing is left to be read there."""
    told = json.load(sys.stdin)
    allowed = seccomp.Filter(seccomp.FORK_SERVER)
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
    """Is this user and group from now on, without other groups. Raises OSError."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def dies_with_parent() -> None:
    """Has the kernel kill this process when its parent ends, and keeps others of the same user
    from looking into it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def keep_pair() -> None:
    """Makes a pair of sockets, which `socket.socketpair` returns from now on. asyncio needs one to
    wake itself; a bot may make none, since the inode number of a new one counts all that are made
    on the machine."""
    one, other = socket.socketpair()
    make = socket.socketpair

    def kept(*kind: int, **named: int) -> tuple[socket.socket, socket.socket]:
        if kind or named:
            return make(*kind, **named)  # which the filter refuses
        return one.dup(), other.dup()

    vars(socket)["socketpair"] = kept


def limit(files: int) -> None:
    """The kernel's limits for this process and those that it starts."""
    _limit(resource.RLIMIT_NOFILE, files)
    for nothing in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_MEMLOCK):
        _limit(nothing, 0)
    _limit(resource.RLIMIT_MSGQUEUE, 0)


def limit_processes(most: int = 0) -> None:
    """No more of them from here on, or none beyond so many of the same user, threads included."""
    _limit(resource.RLIMIT_NPROC, most)


def limit_memory(size: int) -> None:
    """So many bytes of address space, in all."""
    _limit(resource.RLIMIT_AS, size)


def limit_writable_memory(size: int) -> None:
    """So many bytes that are private and can be written, in all; address space beyond that may be
    reserved, as the runtimes of some languages do on a large scale."""
    _limit(resource.RLIMIT_DATA, size)


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))
