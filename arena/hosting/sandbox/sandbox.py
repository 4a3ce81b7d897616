"""A sandbox: a way to start our own Python in isolation.

    Sandbox ─ command(spec) ─► Command ─ start ─► a process that has entered, and runs spec.main

The kinds differ in the kernel features that they use. In each, `arena.hosting.sandbox.enter` runs
first. It drops the remaining privileges (files, user, limits, system calls), and then imports
`spec.main`.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from arena.hosting.sandbox import python

MB = 1024 * 1024
# Becomes another user, then runs the program. `Popen` would fork for that, which gRPC's threads do
# not survive.
BECOME = """
import os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
os.execve(sys.argv[2], sys.argv[2:], dict(os.environ))
"""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of each process in a sandbox, enforced by the kernel."""

    memory_mb: int = 256  # of address space, on top of an idle Python with its libraries
    files: int = 64  # open at once


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A program for a sandbox."""

    main: str  # a module of ours that has `main(arguments)`
    arguments: Mapping[str, Any]  # of `main`; JSON
    folder: Path  # its working directory
    readable: tuple[Path, ...] = ()  # in addition to Python and `folder`
    path: tuple[Path, ...] = ()  # of modules
    limits: SandboxLimits = SandboxLimits()
    descriptors: tuple[int, ...] = ()  # of this process; it inherits them with the same numbers


@dataclass(frozen=True, slots=True)
class EnterInstructions:
    """Instructions for `arena.hosting.sandbox.enter` that depend on the kind of sandbox."""

    user: int | None = None  # user and group to become
    landlock: tuple[str, ...] | None = None  # readable paths
    own_session: bool = False  # start a session

    def of(self, spec: ProcessSpec) -> dict[str, Any]:
        """Return the complete instructions for `enter`."""
        return {
            **asdict(self),
            "limits": asdict(spec.limits),
            "main": spec.main,
            "arguments": dict(spec.arguments),
        }


@dataclass(frozen=True, slots=True)
class Command:
    """The command that starts a sandbox."""

    arguments: Sequence[str]
    entry: EnterInstructions
    environment: Mapping[str, str]
    folder: str | None = None
    user: int | None = None  # to become before anything is executed


class Sandbox(Protocol):
    """A kind of sandbox."""

    @property
    def name(self) -> str:
        """The name in messages."""

    def command(self, spec: ProcessSpec) -> Command:
        """Return the command for this spec. Raises Unavailable if this machine does not support
        it."""


def start(sandbox: Sandbox, spec: ProcessSpec, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a sandbox; `streams` are stdout and stderr for Popen. It ends with the thread that
    called this. Raises Unavailable, OSError."""
    command = sandbox.command(spec)
    arguments = list(command.arguments)
    if command.user is not None:
        arguments = [*python.plain("-c", BECOME), str(command.user), *arguments]
    told, tell = os.pipe()  # not on the command line, which is world-readable
    try:
        # In a thread, since arguments of authors may exceed the 64 kB of a pipe.
        words = json.dumps(command.entry.of(spec)).encode()
        Thread(target=_write, args=(tell, words), daemon=True).start()
        return subprocess.Popen(  # noqa: S603
            arguments,
            env=dict(command.environment),
            cwd=command.folder,
            pass_fds=spec.descriptors,
            stdin=told,
            **streams,
        )
    finally:
        os.close(told)


def _write(pipe: int, words: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as told:  # the sandbox may have ended
        told.write(words)


def environment(spec: ProcessSpec) -> dict[str, str]:
    """Return the initial environment of a sandbox. It has no variables of authors: LD_PRELOAD or
    PYTHONHOME could run their code before privileges are dropped."""
    return {
        "LANG": "C.UTF-8",
        "HOME": "/",
        "PYTHONHASHSEED": "0",  # so that sets have the same order in each match
        "OPENBLAS_NUM_THREADS": "1",  # it would start threads, and exit if it cannot
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(str(path) for path in spec.path),
    }
