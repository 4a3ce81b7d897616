"""`arena play --sandbox`: play a bot under the conditions of a bot host."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from arena.base.errors import InvalidRequest, Unavailable
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.hosting.sandbox import Limits, Sandbox, find_sandbox
from arena.hosting.submission import manifest
from arena.hosting.submission.checks import FILE
from arena.hosting.submission.manifest import Manifest
from arena.kit.play.job import Job
from arena.kit.players import Player

MOVE_MS = 2000


async def sandboxed(player: Player, job: Job) -> SandboxedBot:
    """Return the bot, ready in its sandbox. Its output goes to stderr when a process ends.

    Raises InvalidRequest if it does not start, or if this machine has no sandbox."""
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
    said = _manifest(file.parent)
    program = replace(
        program,
        packages=tuple(said.dependencies),
        environment=said.environment,
        name=player.name,
    )
    return program, Allowance(limits=Limits(memory_mb=said.memory_mb))


def _manifest(folder: Path) -> Manifest:
    """Return the manifest of this folder, or the default one."""
    file = folder / FILE
    return manifest.parse(file.read_bytes()) if file.is_file() else Manifest(entry="bot.py")
