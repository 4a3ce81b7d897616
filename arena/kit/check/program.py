"""A bot's program, started as a process with the address of a gateway."""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

from arena.base.errors import InvalidRequest
from arena.kit.players import command_words, is_command
from arena.kit.reaper import Reaper, end_group, signal_group

LAST_LINES, MOST_SAID = 12, 10_000  # lines; bytes
STOP_S = 5.0
OWN_GROUP = 0 if os.name == "posix" else None


def command_of(program: str) -> list[str]:
    """Return the command for a bot: the SDK for FILE.py, FILE.py:CLASS or MODULE:CLASS. Raises
    InvalidRequest if there is no such file or command."""
    if is_command(program):
        return command_words(program)
    file = program.rpartition(":")[0] or program
    if file.endswith(".py") and not Path(file).is_file():
        raise InvalidRequest(f"There is no file {file}.")
    return [sys.executable, "-P", "-m", "arena.kit", "bot", "connect", program]


class Program:
    """A bot's process, as an asynchronous context manager that ends it. It leads a process group,
    so that its children end with it. All end with this process."""

    def __init__(
        self, command: Sequence[str], url: str, token: str, more: Mapping[str, str] | None = None
    ) -> None:
        """`more` adds environment variables."""
        self._command = command
        self._env = {**os.environ, **(more or {}), "ARENA_URL": url, "ARENA_TOKEN": token}
        self._log: IO[bytes] = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - closed with the program
        self._process: asyncio.subprocess.Process | None = None
        self._begins = 0  # where this process's output starts in the log
        self._reaper = Reaper()
        self._stack = ExitStack()

    @property
    def status(self) -> int | None:
        """The return code; None while the process runs."""
        return self._process.returncode if self._process else None

    async def start(self) -> None:
        """Start or restart the process. Raises InvalidRequest if that fails."""
        await self.stop()
        self._begins = self._log.seek(0, os.SEEK_END)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=self._env,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                process_group=OWN_GROUP,
            )
        except OSError as error:
            raise InvalidRequest(
                f"{self._command[0]} cannot be started: {error.strerror}."
            ) from None
        self._reaper.watch(self._process.pid)

    async def ended(self, within_s: float | None = None) -> bool:
        """Whether the process ends within this time."""
        assert self._process is not None
        try:
            await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """End the process and its children."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            signal_group(process.pid, signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                signal_group(process.pid, signal.SIGKILL)
                await process.wait()
        end_group(process.pid)
        self._reaper.forget(process.pid)

    def said(self) -> str:
        """Return the last lines of output since the start."""
        end = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(self._begins, end - MOST_SAID))
        lines = self._log.read(MOST_SAID).decode(errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-LAST_LINES:])

    async def __aenter__(self) -> Self:
        """Start the process. Raises InvalidRequest."""
        with ExitStack() as stack:
            stack.enter_context(self._log)
            stack.enter_context(self._reaper)
            await self.start()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        with self._stack:
            await self.stop()
