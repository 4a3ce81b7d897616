"""The process of the bot that is checked."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from arena.errors import InvalidRequest

LAST_LINES = 12
STOP_S = 5.0


def command_of(program: str) -> list[str]:
    """What starts a bot: FILE.py, FILE.py:CLASS or MODULE:CLASS by the SDK, otherwise a command."""
    words = shlex.split(program)
    if not words:
        raise InvalidRequest("Name a bot: a file, or the command that starts it.")
    file = words[0].rpartition(":")[0] or words[0]
    if len(words) == 1 and (file.endswith(".py") or ":" in words[0]):
        if file.endswith(".py") and not Path(file).is_file():
            raise InvalidRequest(f"There is no file {file}.")
        return [sys.executable, "-P", "-m", "arena.kit", "bot", "connect", words[0]]
    return words


class Program:
    """A bot's process; an asynchronous context manager that ends it."""

    def __init__(self, command: Sequence[str], url: str, token: str) -> None:
        self._command = command
        self._env = {**os.environ, "ARENA_URL": url, "ARENA_TOKEN": token}
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the program
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it, again if it has ended. Raises InvalidRequest if it cannot be started."""
        await self.stop()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, env=self._env, stdout=self._log, stderr=self._log
            )
        except OSError as error:
            raise InvalidRequest(
                f"{self._command[0]} cannot be started: {error.strerror}."
            ) from None

    async def ended(self, within_s: float) -> bool:
        """Whether it ends by itself within this time."""
        assert self._process is not None
        try:
            await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """Ends it, if it has not ended."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        if not await self.ended(STOP_S):
            process.kill()
            await process.wait()

    def said(self) -> str:
        """The last lines that it printed."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-LAST_LINES:])

    async def __aenter__(self) -> Self:
        """Starts it. Raises InvalidRequest if it cannot be started."""
        try:
            await self.start()
        except InvalidRequest:
            self._log.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Ends it."""
        await self.stop()
        self._log.close()
