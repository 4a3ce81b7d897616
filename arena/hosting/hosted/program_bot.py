"""Runs a hosted program on its author's machine, without a sandbox, as for `arena play`."""

import os
import subprocess
import weakref
from collections import deque
from contextlib import suppress
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.games.rules.view import View
from arena.hosting.hosted.json_lines import (
    Notice,
    answer_of,
    decision_line,
    hello_of,
    notice_line,
    parsed,
)
from arena.hosting.submission import manifest
from arena.hosting.submission.manifest import FILE
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.answer import Index
from arena.sdk.bot import Bot
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded

TIME_MS = 2000  # for a decision, as the program reads it
END_S = 1.0  # that a program has to exit after either side has hung up


class ProgramBot(Bot):
    """Plays by the command in bot.toml. One process plays all matches."""

    #: The folder of the program, with its bot.toml.
    folder: Path

    _process: subprocess.Popen[bytes] | None = None
    _hello = pb.Hello()

    def prepare(self) -> None:
        """Start the program. Raises InvalidRequest for an invalid first line."""
        self._running()

    def choose(self, view: View) -> str | int:
        """Return the program's answer. Raises InvalidRequest."""
        process = self._running()
        self._send(process, decision_line(view, TIME_MS))
        choice = answer_of(parsed(self._line(process)), deque((0,)))
        if choice.WhichOneof("answer") == "error":
            raise InvalidRequest(choice.error)
        return choice.action if choice.HasField("action") else Index(choice.index)

    def on_match_started(self, started: MatchStarted) -> None:
        self._tell(started)

    def on_round_ended(self, ended: RoundEnded) -> None:
        self._tell(ended)

    def on_match_ended(self, ended: MatchEnded) -> None:
        self._tell(ended)

    def on_fault(self, fault: Fault) -> None:
        """Print the fault and pass it on."""
        super().on_fault(fault)
        self._tell(fault)

    def _tell(self, notice: Notice) -> None:
        process = self._running()
        if self._hello.notices:
            self._send(process, notice_line(notice))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = _started(self.folder)
            weakref.finalize(self, _end, self._process)
            self._hello = hello_of(parsed(self._line(self._process)))
        return self._process

    def _send(self, process: subprocess.Popen[bytes], line: bytes) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            raise _ended(process) from None

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        while line := process.stdout.readline():
            if line.strip():
                return line
        raise _ended(process)


def _started(folder: Path) -> subprocess.Popen[bytes]:
    try:
        said = manifest.parse((folder / FILE).read_bytes())
        first, *arguments = said.command
        program = str(folder / first) if "/" in first else first
        return subprocess.Popen(  # noqa: S603
            [program, *arguments],
            cwd=folder,
            env={**os.environ, **said.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    except OSError as error:
        raise InvalidRequest(f"The program cannot be started: {error}.") from None


def _ended(process: subprocess.Popen[bytes]) -> InvalidRequest:
    """Return the error of a program that has closed stdin or stdout, once it has ended."""
    try:
        status = process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return InvalidRequest(
            "The program closed stdin or stdout and kept running. Keep both open until stdin ends."
        )
    return InvalidRequest(f"The program ended with status {status}. Its error is on stderr.")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Hang up, and wait for the program to exit."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
