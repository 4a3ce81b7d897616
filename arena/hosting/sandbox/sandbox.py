"""What a sandbox is: a way to start our own Python with nothing around it.

    Sandbox ─ command(spec) ─► Command ─ start ─► a process that has entered, and runs spec.main

The kinds differ in what the kernel of this machine offers; what runs inside does not know which
it is in. In every kind `arena.hosting.sandbox.enter` runs first: it gives up what is left to give
up (files, user, limits, system calls) and only then imports `spec.main`.
"""

from __future__ import annotations

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
# A program that becomes another user, and then this one. `Popen` could do that, but only by a fork
# of the whole process, which gRPC's threads do not survive.
BECOME = """
import os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
os.execve(sys.argv[2], sys.argv[2:], dict(os.environ))
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """What every process in a sandbox may use. The kernel keeps them, whatever the process does."""

    memory_mb: int = 256  # of address space beyond what an idle Python with its libraries has
    files: int = 64  # open at once


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """What is to run in a sandbox."""

    main: str  # a module of ours that has `main(arguments)`
    arguments: Mapping[str, Any]  # for it; JSON
    folder: Path  # where it is
    readable: tuple[Path, ...] = ()  # what it may read besides Python, and `folder`
    path: tuple[Path, ...] = ()  # where it finds modules
    limits: Limits = Limits()
    descriptors: tuple[int, ...] = ()  # of this process, which it gets by the same number


@dataclass(frozen=True, slots=True)
class Entry:
    """What `arena.hosting.sandbox.enter` has to do, as it depends on the kind of sandbox."""

    user: int | None = None  # become this user and group
    landlock: tuple[str, ...] | None = None  # may read this and nothing else
    own_session: bool = False  # begin one

    def of(self, spec: ProcessSpec) -> dict[str, Any]:
        """All that `enter` is told."""
        return {
            **asdict(self),
            "limits": asdict(spec.limits),
            "main": spec.main,
            "arguments": dict(spec.arguments),
        }


@dataclass(frozen=True, slots=True)
class Command:
    """How a sandbox is started."""

    arguments: Sequence[str]
    entry: Entry
    environment: Mapping[str, str]
    folder: str | None = None
    user: int | None = None  # to be before anything is executed


class Sandbox(Protocol):
    """A kind of sandbox."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def command(self, spec: ProcessSpec) -> Command:
        """How this spec is started. Raises Unavailable if this machine cannot have it."""


def start(sandbox: Sandbox, spec: ProcessSpec, **streams: Any) -> subprocess.Popen[bytes]:
    """Starts it; `streams` are stdout and stderr as of Popen. The sandbox ends with the thread that
    called this. Raises Unavailable, OSError."""
    command = sandbox.command(spec)
    arguments = list(command.arguments)
    if command.user is not None:
        arguments = [*python.plain("-c", BECOME), str(command.user), *arguments]
    told, tell = os.pipe()  # not on the command line, which everybody can read
    try:
        # By a thread, since a pipe holds 64 kB and authors may say more.
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
    """The variables that a sandbox begins with. None is an author's: LD_PRELOAD or PYTHONHOME would
    run a program of theirs before anything was given up."""
    return {
        "LANG": "C.UTF-8",
        "HOME": "/",
        "PYTHONHASHSEED": "0",  # so that sets have the same order in each match
        "OPENBLAS_NUM_THREADS": "1",  # it would start threads, and end the process without
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(str(path) for path in spec.path),
    }
