"""Starts a bot's sandbox and the processes in it."""

import asyncio
import logging
from collections.abc import Callable

from arena.base.errors import ArenaError
from arena.hosting.hosted.fork_server import Began, Ended, ForkServer
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import without_folders
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol.v1 import play_pb2 as pb

log = logging.getLogger(__name__)

TRIES = 3  # to start a sandbox, in a row
NO_START = "The sandbox does not start."


class Launcher:
    """Owns the sandbox of one bot."""

    def __init__(
        self,
        sandbox: Sandbox,
        program: Program,
        allowance: Allowance,
        *,
        said: Callable[[Process, pb.BotMessage], None],
        hung_up: Callable[[Process, str], None],
        told: Callable[[Began | Ended], None],
        lost: Callable[[str], None],
        broken: Callable[[str], None],
    ) -> None:
        """Each `Process` calls `said` and `hung_up`. `told` gets the start and the end of
        processes. `lost` is called when the sandbox has ended, and `broken` when it failed `TRIES`
        times in a row, each with the reason."""
        self._sandbox, self._program, self._allowance = sandbox, program, allowance
        self._said, self._hung_up = said, hung_up
        self._told, self._lost, self._broken = told, lost, broken
        self._server: ForkServer | None = None
        self._failures = 0  # in a row

    @property
    def running(self) -> bool:
        return self._server is not None

    def launch(self, number: int) -> Process:
        """Return a process that starts soon."""
        process = Process(
            number,
            self._allowance.most_output,
            self._said,
            self._hung_up,
            is_program=bool(self._program.command),
        )
        try:
            if self._server is None:
                self._server = self._start_server()
            self._server.order(number, process.theirs)
        except (ArenaError, OSError) as error:
            failed = Ended(number, 0, 0.0, 0, str(error))
            asyncio.get_running_loop().call_soon(self._told, failed)
        finally:
            process.handed_over()
        return process

    def _start_server(self) -> ForkServer:
        return ForkServer(
            self._sandbox,
            self._program.spec(),
            self._allowance.limits,
            self._told,
            self._gone,
            self._allowance.group,
        )

    def _gone(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return  # it was stopped here
        words = without_folders(self._program, server.last_words())
        log.warning("the sandbox of %s ended: %s", self._program.name, words[-500:])
        self._lost(words.splitlines()[-1] if words else NO_START)

    def failed(self, reason: str) -> bool:
        """Count a failure to start. Return whether the sandbox is given up."""
        self._failures += 1
        if self._failures < TRIES:
            return False
        self._broken(reason)
        return True

    def succeeded(self) -> None:
        """Reset the count of failures: a process has started."""
        self._failures = 0

    def stop(self) -> None:
        """End the sandbox and all processes in it."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
