"""`arena play --sandbox`: build and play a bot under the conditions of a bot host."""

import asyncio
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.base.errors import InvalidRequest, Unavailable
from arena.hosting.hosted.building.build import Build, BuildLimits
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox, SandboxLimits
from arena.hosting.submission import artifact, manifest
from arena.hosting.submission.files import BUILT, File
from arena.hosting.submission.lock import ALSO, NAME, lock_of
from arena.hosting.submission.manifest import FILE, Manifest
from arena.hosting.submission.pack import pack
from arena.hosting.submission.packages import WHEELS
from arena.kit.play.job import Job
from arena.kit.players import Player

MOVE_MS = 2000
INDEX = "ARENA_HOST_INDEX"


async def sandboxed(player: Player, job: Job) -> SandboxedBot:
    """Return the bot, ready in its sandbox. Its output goes to stderr when a process ends. Raises
    InvalidRequest if it does not start, or if this machine has no sandbox."""
    if player.program:
        raise InvalidRequest(
            f"--sandbox only runs Python files, and {player.source} is a command. Remove"
            " --sandbox, or upload the program with `arena bot submit`."
        )
    if not player.source.rpartition(":")[0].endswith(".py") and not player.source.endswith(".py"):
        raise InvalidRequest(
            f"--sandbox only runs Python files, and {player.source} is a module. Name its file:"
            " FILE.py or FILE.py:CLASS."
        )
    program, allowance = _program(player)
    program = replace(program, folder=job.built.get(program.folder, program.folder))
    bot = SandboxedBot(_sandbox(), program, allowance, job.move_ms or MOVE_MS)
    bot.tell = sys.stderr.write
    try:
        await bot.prepare()
    except Fault as error:
        bot.close()
        raise InvalidRequest(f"{player.name} does not start in the sandbox. {error}") from None
    bot.is_prepared = True
    return bot


@cache
def _sandbox() -> Sandbox:
    try:
        return find_sandbox()
    except Unavailable as error:
        raise InvalidRequest(
            "--sandbox does not work on this machine. Install bubblewrap (Debian: apt install"
            f" bubblewrap), or leave out --sandbox. {error}"
        ) from None


def _program(player: Player) -> tuple[Program, Allowance]:
    place, colon, kind = player.source.partition(":")
    file = Path(place).resolve()
    program = Program(file.parent, entry=f"{file.name}{colon}{kind}", key=bytes(32))
    told = file.parent / FILE
    # A folder without a bot.toml has the defaults.
    said = manifest.parse(told.read_bytes()) if told.is_file() else Manifest(entry="bot.py")
    program = replace(
        program, packages=tuple(said.dependencies), environment=said.environment, name=player.name
    )
    return program, Allowance(limits=SandboxLimits(memory_mb=said.memory_mb))


@contextmanager
def with_packages(job: Job) -> Iterator[Job]:
    """Yield the job with the build artifacts, which exist until the context ends. Raises
    InvalidRequest if a bot cannot be built, Unavailable."""
    folders = sorted({player.home for player in job.players if player.home})
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        made = {
            folder: _built(folder, Path(place, str(number)))
            for number, folder in enumerate(folders)
            if any((folder / WHEELS).glob("*.whl")) or _lock_of(folder)
        }
        yield replace(job, built=made)


def _lock_of(folder: Path) -> Path | None:
    there = [folder / name for name in (NAME, ALSO) if (folder / name).is_file()]
    lock = lock_of([File(file.name, file.read_bytes()) for file in there])
    return folder / lock.name if lock else None


def _built(folder: Path, into: Path) -> Path:
    index = os.environ.get(INDEX, "")
    if (lock := _lock_of(folder)) is not None and not index:
        raise InvalidRequest(
            f"{lock} needs packages from an index, and {INDEX} is not set. Set it to the arena's "
            "index, such as https://pypi.org/simple."
        )
    sandbox = find_sandbox()

    async def built() -> bytes:
        build = Build(sandbox, BuildLimits(BUILT, index))
        return (await build.finish(await build.unpack(pack(folder).content)))[0]

    stream = asyncio.run(built())
    into.mkdir()
    into.chmod(0o755)  # regardless of the umask, because sandboxes may use other users
    artifact.extract(io.BytesIO(stream), into)
    return into
