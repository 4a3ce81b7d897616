"""Which jail this machine has: tried, not guessed."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.base.errors import ArenaError, Unavailable
from arena.hosting.sandbox.bubblewrap import Bubblewrap
from arena.hosting.sandbox.confined import Confined
from arena.hosting.sandbox.jail import Inmate, Jail, start

FIRST_USER, USERS = 61_000, 4_000  # that nobody else has: each jail of root's may have its own
TRY_S = 20.0
CAP_SYS_ADMIN = 21

PACKAGE = Path(__file__).parents[2]


def kinds(number: int = 0) -> Sequence[Jail]:
    """The kinds of jail that may work here, the best one first; `number` tells root's jails
    apart."""
    if os.geteuid():
        return (Bubblewrap(), Confined())
    user = FIRST_USER + number
    return tuple(_roots(user))


def numbered(jail: Jail, number: int) -> Jail:
    """The same kind of jail for another user, if it is root that starts it: no two jails are one
    user's, as long as there are not more than four thousand."""
    if isinstance(jail, Bubblewrap | Confined) and jail.user is not None:
        return replace(jail, user=FIRST_USER + number % USERS)
    return jail


def _roots(user: int) -> Iterator[Jail]:
    if _may_mount():
        yield Bubblewrap(user, privileged=True)
    yield Bubblewrap(user)
    yield Confined(user)


def _may_mount() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> CAP_SYS_ADMIN & 1)


def find_jail(number: int = 0, data: Path | None = None) -> Jail:
    """The best kind that works here, for bots whose files are in `data`. Raises Unavailable, saying
    what each one lacks."""
    lacks = []
    for jail in kinds(number):
        try:
            check(jail)
            if data is not None:
                jail.command(Inmate(main="", arguments={}, folder=data))
        except (ArenaError, OSError) as error:
            lacks.append(f"{jail.name}: {error}")
        else:
            return jail
    raise Unavailable(
        "This machine has no jail for strangers' bots, so it hosts none. Bubblewrap needs user"
        " namespaces, Landlock a kernel from 5.13 on that has it switched on. "
        + " ".join(dict.fromkeys(lacks))
    )


def check(jail: Jail) -> None:
    """Tries a jail: has a program come up in it. Raises Unavailable, OSError."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        inmate = Inmate(
            main="arena.hosting.sandbox.trial",
            arguments={},
            folder=Path(folder),
            readable=(PACKAGE,),
            path=(PACKAGE.parent,),
        )
        pipe = subprocess.PIPE
        process = start(jail, inmate, stdout=pipe, stderr=pipe)
        try:
            said, complaint = process.communicate(timeout=TRY_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Unavailable(f"nothing came up within {TRY_S:g} s.") from None
    if process.returncode or said != b"confined\n":
        words = complaint.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise Unavailable(words[-1])
