"""Reports for authors: how the processes of a hosted bot ran and ended, with the error in their
output, and without the host's folders."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from arena.base import website
from arena.base.text import how_ended
from arena.hosting.hosted.fork_server import Ended
from arena.hosting.hosted.json_lines import PAGE
from arena.hosting.hosted.output import LogPart
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import PACKAGE, Program
from arena.hosting.hosted.split import Purpose
from arena.hosting.sandbox import python

LONGEST_LINE: Final = 300
LOOKED_AT: Final = 20_000  # characters at either end, since other bots of the host wait meanwhile
HOST: Final = "<host>/"  # replaces the folders of Python, its packages and the arena

# Endings that are not the bot's doing.
NO_ROOM = "It was stopped to make room for another match."
IDLE = "It was stopped because it was idle."
LET_GO = "The host released the bot. Its matches continue on another host."
# Of the bot's doing.
STAYED = "It did not exit after its match, and was ended."
HOUSEKEEPING = frozenset((NO_ROOM, IDLE, LET_GO))

_NOISE = ("Node.js v", "(Use `node ")
_TRACEBACK = "Traceback (most recent call last):"
# The start of an error line in various runtimes. Some continue on the next line.
_ERROR = re.compile(r"(?i)(uncaught |\S+: |)(\w*\.)*\w*(error|exception|panic|fatal)\b.*\S")
_ON_TWO_LINES = re.compile(r"thread '.*' (\(\d+\) )?panicked at |terminate called ")
# A position in a file of the upload: mybot.py, line 3; mybot.mjs:3:7.
_PYTHON_PLACE = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)
_PLACE = re.compile(r"(?:^|[\s(])(?P<file>[\w.+=@,-][\w.+=@,/-]*\.\w+):(?P<line>\d+)", re.MULTILINE)

_NO_PACKAGE = re.compile(r"^ModuleNotFoundError: ", re.MULTILINE)
_CONNECTS = re.compile(r"(?i)\b(connect|dial|socket|network|getaddrinfo|urlopen|http\w*)\b")
_REFUSED = re.compile(r"(?i)\b(EPERM|operation not permitted|EAI_AGAIN|ENOTFOUND)\b")


def without_folders(program: Program, text: str) -> str:
    """Return the text with paths relative to the upload, and without other folders of the host."""
    if "/" not in text:
        return text
    for folder, instead in _folders(program):
        if folder not in text:
            continue
        start = rf"(?:file://)?(?<![\w.-]){re.escape(folder)}"
        text = re.sub(rf"{start}/", instead, text)
        text = re.sub(rf"{start}(?![\w.-])", instead.rstrip("/") or ".", text)
    return text


def _folders(program: Program) -> Iterable[tuple[str, str]]:
    ours = (PACKAGE.parent, *python.standard_library(), *program.places())
    found = {str(place): HOST for place in ours}
    found[str(program.folder)] = ""
    if program.executable:
        found[str(program.executable.parent)] = ""
    found.pop("/", None)
    return sorted(found.items(), key=lambda each: -len(each[0]))


def telling(text: str) -> str:
    """Return the line with the error, and its position in the upload; "" if there is no output.

    In Python this is the last exception, in other languages the first line that looks like an
    error, or else the last line. Only the start and the end of a long text are searched.
    """
    text = _ends(text)
    lines = [
        line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith(_NOISE)
    ]
    if not lines:
        return ""
    if _TRACEBACK in lines:
        return _with_place(_exception(lines), _last_place(text))
    errors = (n for n, line in enumerate(lines) if _ERROR.match(line) or _ON_TWO_LINES.match(line))
    found = next(errors, len(lines) - 1)
    line = lines[found]
    if _ON_TWO_LINES.match(line):
        line = " ".join([line, *(each.strip() for each in lines[found + 1 : found + 2])])
    return _with_place(line, _first_place(text) if found < len(lines) - 1 else "")


def _ends(text: str) -> str:
    if len(text) <= 2 * LOOKED_AT:
        return text
    return f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"


def _exception(lines: list[str]) -> str:
    start = len(lines) - 1 - lines[::-1].index(_TRACEBACK)
    return next((line for line in lines[start + 1 :] if not line.startswith(" ")), lines[-1])


def _with_place(line: str, place: str) -> str:
    line = line.strip()[:LONGEST_LINE]
    return f"{line} ({place})" if place and place not in line else line


def _last_place(text: str) -> str:
    places = _PYTHON_PLACE.finditer(text)
    found = [each for each in places if not each["file"].startswith(("/", "<"))]
    return f"{found[-1]['file']}, line {found[-1]['line']}" if found else ""


def _first_place(text: str) -> str:
    found = _PLACE.search(text)
    return f"{found['file']}:{found['line']}" if found else ""


def _wants_network(line: str) -> bool:
    return "ARENA_TOKEN" in line or bool(_CONNECTS.search(line) and _REFUSED.search(line))


def hint(program: Program, text: str) -> str:
    """Return advice if the process lacked a package or tried to use the network, else ""."""
    text = _ends(text)
    if not program.command and _NO_PACKAGE.search(text):
        return f"How to add packages: {website.docs('submitting#packages')}"
    if not any(_wants_network(line) for line in text.splitlines()):
        return ""
    if program.command:
        return (
            "Hosted programs have no network. Use stdin and stdout to talk to the host:"
            f" {website.docs(PAGE)}"
        )
    return (
        "Hosted bots have no network. The host creates and calls the class, so do not call run():"
        f" {website.docs('submitting')}"
    )


@dataclass(frozen=True, slots=True)
class Report:
    """How a process ran and ended."""

    purpose: Purpose | None  # None: it never got a match
    began: float  # Unix seconds
    cpu_s: float
    wall_s: float  # for which it held decisions
    memory_kb: int
    ending: str  # the reason; "" if it exited normally after its match
    output: str
    parts: tuple[LogPart, ...] = ()  # of the output, by decision

    def without_folders(self, program: Program) -> Report:
        """Return the report with the host's folders removed from the output."""
        parts = [replace(part, text=without_folders(program, part.text)) for part in self.parts]
        return replace(self, output="".join(part.text for part in parts), parts=tuple(parts))


def sentence(process: Process, ended: Ended, program: Program) -> str:
    """Return how a process ended, its error, and a hint if there is one."""
    if ended.reason:
        return f"The process could not be started: {ended.reason}."
    if process.killed_because and (process.ready or process.killed_because in HOUSEKEEPING):
        return process.killed_because
    what = (
        process.killed_because
        or f"The process {how_ended(os.waitstatus_to_exitcode(ended.status))}."
    )
    if process.output.flooded:
        return f"{what} It wrote more than {process.output.most:,} bytes of output, the limit."
    written = without_folders(program, process.output.text)
    error, advice = telling(written), hint(program, written)
    return " ".join(filter(None, (what, error and f"It wrote: {error}", advice)))


def is_ours(process: Process, ended: Ended) -> bool:
    """Return whether the arena is to blame for the end, or the missing start, of a process."""
    if process.killed_because:
        return False
    killed = os.WIFSIGNALED(ended.status) and os.WTERMSIG(ended.status) == signal.SIGKILL
    return bool(ended.reason) or killed
