"""The arena for the pages' commands, and values for their placeholders."""

import io
import json
import os
import re
import shlex
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any
from unittest.mock import patch

from arena import cli
from arena.base import folder
from arena.bots import HOUSE
from tests.docs.blocks import ROOT, Block, blocks
from tests.docs.shell import Done, Shell, lines, shell

README = ROOT / "README.md"
PASSWORD = "correct horse battery\n"
# Commands that run until they are stopped.
LASTING = re.compile(
    r"\barena (up(?! --detach)|gateway|worker|beat|dashboard|house|host|bot connect)\b"
    r"|\bpython mybot\.py"
)
# Commands that would run the tests recursively, or change the machine.
ENDLESS = re.compile(r"(make|git|sudo)\b")
# Commands that `shlex` splits like a shell.
PLAIN = re.compile(r"""arena [^$&|<>;`\\*]*""")
EXPORT = re.compile(r"export (\w+)=([^\s$&|<>;`'\"\\*]*)\s*(?:#.*)?")
WITHIN_S = 120.0  # on a busy machine


@dataclass
class Reader:
    """A reader who types the lines of a page.

    `instead` maps the page's placeholders to values, `dashboard` is the dashboard's URL once it
    runs, and `data` is the arena's folder. If `quick`, plain `arena` commands run in this process
    once there is a dashboard, which saves their start-up time.
    """

    shell: Shell
    data: Path
    instead: dict[str, str]
    dashboard: str = ""
    quick: bool = False
    exported: dict[str, str] = field(default_factory=dict)

    def type(self, block: Block) -> str:
        """Types a block line by line and returns the standard output.

        Raises AssertionError for the first line that fails, or if a background program has ended.
        """
        printed = ""
        for line in lines(block.text):
            for placeholder, value in self.instead.items():
                line = line.replace(placeholder, value)
            done = self._line(line)
            failed = done.status != 0 or "Error:" in done.err
            assert not failed, f"{block}: {line}\n{done.out}{done.err}{self.shell.logs()}"
            printed += done.out
        assert not self.shell.ended(), f"{block}: a program has ended: {self.shell.ended()}"
        return printed

    def _line(self, line: str) -> Done:
        if line.startswith("curl "):
            return get(shlex.split(line)[-1])
        assert not ENDLESS.match(line), f"{line}: mark the block as not run, with a reason"
        if exported := EXPORT.fullmatch(line):
            self.exported[exported[1]] = exported[2]
        elif line.startswith("export "):
            self.quick = False  # only the shell knows its value
        if not LASTING.search(line):
            plain = self.quick and self.dashboard and PLAIN.fullmatch(line)
            done = arena_at(self.data, line, **self.exported) if plain else self.shell.run(line)
            self._find_dashboard()
            return done
        connected = health(self.dashboard)["connected"] if self.dashboard else 0
        if PLAIN.fullmatch(line):
            self.shell.start_arena(shlex.split(line, comments=True)[1:], self.exported)
        else:
            self.shell.start(line)
        if "python mybot.py" in line:
            self.wait(lambda: health(self.dashboard)["connected"] > connected)
        return Done(0, "", "")

    def wait(self, condition: Callable[[], bool]) -> None:
        """Waits for a condition; refused connections count as false.

        Raises AssertionError if it takes too long, or if a background program has ended.
        """
        deadline = time.monotonic() + WITHIN_S
        pause_s = 0.05
        while True:
            with suppress(OSError):
                if condition():
                    return
            assert not self.shell.ended(), self.shell.logs()
            assert time.monotonic() < deadline, self.shell.logs()
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.5)  # pages are slow to render

    def _find_dashboard(self) -> None:
        running = folder.find_running(self.data)
        if running and not self.dashboard:
            self.dashboard = running.dashboard
            assert health(self.dashboard)["connected"] == len(HOUSE)


@dataclass
class World:
    """A running arena after all steps of the README."""

    folder: Path
    reader: Reader
    printed: str  # by the README's commands

    def _token(self) -> str:
        """Creates another bot and returns its token from the page My bots."""
        name = f"reader-{token_hex(4)}"
        return arena_at(self.reader.data, f"arena bot add {name}").out.strip()

    @contextmanager
    def another_reader(self) -> Iterator[Reader]:
        """A reader with a new shell, for another page."""
        running = folder.find_running(self.reader.data)
        assert running is not None
        tournament = json.loads(get(f"{running.dashboard}/api/tournaments/1").out)
        instead = {
            "http://127.0.0.1:7421": running.dashboard,
            "127.0.0.1:7420": running.gateway,
            "5e1f…": tournament["commitment"],
            "bot add mybot": "bot add mybot2",  # the README has added mybot
            "HOST:7420": running.gateway,
            "lama_...": self._token(),
            "--matches 20": "--matches 4",
        }
        with shell(self.folder, environment(), PASSWORD) as opened:
            yield Reader(opened, self.reader.data, instead, running.dashboard, quick=True)


@contextmanager
def readme_followed(where: Path) -> Iterator[World]:
    """An arena started by the README's commands, with their results."""
    (where / ".venv").symlink_to(sys.prefix)
    with shell(where, environment(), PASSWORD) as opened:
        instead = {"--seats 4 --matches 4": "--seats 2 --matches 2"}  # still all bots
        reader, printed = Reader(opened, where / ".arena", instead, quick=True), ""
        try:
            for block in blocks(README):
                if block.language == "python":
                    (where / "mybot.py").write_text(block.text)
                elif block.language == "sh" and block.runs:
                    printed += reader.type(block)
            yield World(where, reader, printed)
        finally:
            down = opened.run("arena down")
        assert down.status == 0, down.err


def environment(**more: str) -> dict[str, str]:
    """The environment of a reader who has activated the virtual environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return {**kept, "PATH": path, **more}


def arena_at(data: Path, line: str, **exported: str) -> Done:
    """Runs `arena ...` in this process, in the parent of an arena's folder `.arena`."""
    argv = shlex.split(line, comments=True)
    out, err = io.StringIO(), io.StringIO()
    variables = environment(**exported)
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, variables, clear=True))
        stack.enter_context(patch.object(sys, "argv", argv))
        stack.enter_context(patch.object(sys, "stdin", io.StringIO(PASSWORD)))
        stack.enter_context(chdir(data.parent))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            cli.main()
        except SystemExit as end:
            return Done(int(end.code or 0), out.getvalue(), err.getvalue())


def get(url: str) -> Done:
    """Fetches a URL like curl. Raises HTTPError."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        text = answer.read().decode()
    if "json" in answer.headers["Content-Type"]:
        json.loads(text)
    return Done(0, text, "")


def health(dashboard: str) -> dict[str, Any]:
    """An arena's status."""
    told: dict[str, Any] = json.loads(get(f"{dashboard}/api/health").out)
    return told
