"""Finds the best sandbox of this machine by trying each kind."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.base.errors import ArenaError, Unavailable
from arena.hosting.sandbox.kinds import Bubblewrap, Confined
from arena.hosting.sandbox.sandbox import ProcessSpec, Sandbox, start

FIRST_USER, USERS = 61_000, 4_000  # unused user ids, one for each sandbox that root starts
TRY_S = 20.0
CAP_SYS_ADMIN = 21

PACKAGE = Path(__file__).parents[2]


def kinds(number: int = 0) -> Sequence[Sandbox]:
    """Return the kinds of sandbox that may work here, the best one first. `number` selects the user
    if root starts it."""
    if os.geteuid():
        return (Bubblewrap(), Confined())
    user = FIRST_USER + number
    return tuple(_roots(user))


def numbered(sandbox: Sandbox, number: int) -> Sandbox:
    """Return the same kind of sandbox for another user, if root starts it. Numbers repeat after
    `USERS`."""
    if isinstance(sandbox, Bubblewrap | Confined) and sandbox.user is not None:
        return replace(sandbox, user=FIRST_USER + number % USERS)
    return sandbox


def _roots(user: int) -> Iterator[Sandbox]:
    if _may_mount():
        yield Bubblewrap(user, privileged=True)
    yield Bubblewrap(user)
    yield Confined(user)


def _may_mount() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> CAP_SYS_ADMIN & 1)


def find_sandbox(number: int = 0, data: Path | None = None) -> Sandbox:
    """Return the best kind that works here, for bots with files in `data`. Raises Unavailable with
    the error of each kind."""
    lacks = []
    for sandbox in kinds(number):
        try:
            check(sandbox)
            if data is not None:
                sandbox.command(ProcessSpec(main="", arguments={}, folder=data))
        except (ArenaError, OSError) as error:
            lacks.append(f"{sandbox.name}: {error}")
        else:
            return sandbox
    raise Unavailable(
        "This machine cannot host bots, because no sandbox works. Bubblewrap needs user namespaces;"
        " Landlock must be enabled in the kernel (5.13 or later). " + " ".join(dict.fromkeys(lacks))
    )


def check(sandbox: Sandbox) -> None:
    """Run a test program in a sandbox. Raises Unavailable, OSError."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        spec = ProcessSpec(
            main="arena.hosting.sandbox.trial",
            arguments={},
            folder=Path(folder),
            readable=(PACKAGE,),
            path=(PACKAGE.parent,),
        )
        pipe = subprocess.PIPE
        process = start(sandbox, spec, stdout=pipe, stderr=pipe)
        try:
            said, complaint = process.communicate(timeout=TRY_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Unavailable(f"it did not start within {TRY_S:g} s.") from None
    if process.returncode or said != b"confined\n":
        words = complaint.decode(errors="replace").strip().splitlines() or ["it wrote no output"]
        raise Unavailable(words[-1])
