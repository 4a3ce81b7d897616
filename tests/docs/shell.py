"""A shell for typing the lines of a page."""

import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests import nursery

LONGEST_S = 120.0


@dataclass(frozen=True)
class Done:
    """The result of a command."""

    status: int
    out: str
    err: str


class Shell:
    """A bash that keeps exported variables. `typed` is the commands' standard input."""

    def __init__(self, folder: Path, env: dict[str, str], typed: str) -> None:
        self.folder, self.env = folder, env
        self._nursed: list[subprocess.Popen[str]] = []
        self._stdin = folder / "typed.txt"
        self._stdin.write_text(typed)
        self._read, write = os.pipe()
        self._lasting: dict[int, Path] = {}
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder, env=env, stdin=subprocess.PIPE, text=True,
            pass_fds=(write,), start_new_session=True,
        )  # fmt: skip
        self._told = write

    def run(self, line: str) -> Done:
        """Runs a line and waits for it. Raises TimeoutError."""
        out, err = self.folder / "out.txt", self.folder / "err.txt"
        status = self._send(f"{{ {line}\n}} <{self._stdin} >{out} 2>{err}", "$?")
        return Done(status, out.read_text(), err.read_text())

    def start(self, line: str) -> None:
        """Starts a line in the background."""
        command = re.sub(r"\s+#.*|\s*&\s*$", "", re.sub(r"\s+#.*$", "", line))
        log = self.folder / f"lasting-{len(self._lasting)}.log"
        self._lasting[self._send(f"{command} </dev/null >{log} 2>&1 &", "$!")] = log

    def start_arena(self, words: Sequence[str], exported: Mapping[str, str]) -> None:
        """Starts `arena WORDS` in the background, as a fork, which saves its imports."""
        log = self.folder / f"lasting-{len(self._lasting)}.log"
        env = {**self.env, **exported}
        with log.open("w") as output:
            program = nursery.start("arena.cli", *words, env=env, cwd=self.folder, output=output)
        self._nursed.append(program)
        self._lasting[program.pid] = log

    def ended(self) -> list[str]:
        """The logs of background programs that have ended."""
        return [
            log.read_text()
            for pid, log in self._lasting.items()
            if self._send(f"kill -0 {pid} 2>/dev/null", "$?")
        ]

    def logs(self) -> str:
        """The output of the background programs."""
        return "\n".join(log.read_text() for log in self._lasting.values())

    def close(self) -> None:
        """Ends the shell and its children."""
        for program in self._nursed:
            program.terminate()
            program.wait(LONGEST_S)
        with suppress(ProcessLookupError):
            os.killpg(self._bash.pid, signal.SIGTERM)
        if self._bash.stdin:
            with suppress(BrokenPipeError):
                self._bash.stdin.close()
        # The pipe closes when the last child has ended.
        os.close(self._told)
        while select.select([self._read], [], [], LONGEST_S)[0] and os.read(self._read, 4096):
            pass
        with suppress(ProcessLookupError):
            os.killpg(self._bash.pid, signal.SIGKILL)
        self._bash.wait()
        os.close(self._read)

    def _send(self, command: str, told: str) -> int:
        assert self._bash.stdin is not None
        self._bash.stdin.write(f"{command}\necho {told} >&{self._told}\n")
        self._bash.stdin.flush()
        if not select.select([self._read], [], [], LONGEST_S)[0]:
            raise TimeoutError(f"{command} has not ended after {LONGEST_S:.0f} s")
        return int(os.read(self._read, 64))


@contextmanager
def shell(folder: Path, env: dict[str, str], typed: str = "") -> Iterator[Shell]:
    """A shell in a folder; ends its children on exit."""
    opened = Shell(folder, env, typed)
    try:
        yield opened
    finally:
        opened.close()


def lines(text: str) -> Iterator[str]:
    """The lines to type: without empty lines and comments, with continued lines joined."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()
