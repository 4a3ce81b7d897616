"""The command `arena`."""

from __future__ import annotations

# Slow imports are in functions, so that Ctrl-C ends the command without a traceback.
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FAILED = 2
ERROR = "Error: "
INTERRUPTED = 130


def main() -> NoReturn:
    """Run the server's command line if it is installed, else the author's kit."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from arena.base import extras

    if extras.has_server():
        import importlib

        importlib.import_module("arena.cli").main()
    leave(lambda: _run(sys.argv[1:]))


def leave(command: Callable[[], int]) -> NoReturn:
    """Run a command and exit with its status. An error is one line on stderr and status 2. A
    broken pipe, as with `head`, is not an error."""
    from arena.base import gc_tuning
    from arena.kit import output

    gc_tuning.begin()
    output.tolerate()
    try:
        status = _status(command)
    except BrokenPipeError:
        output.discard_unread()
        status = 0
    sys.exit(status)


def _status(command: Callable[[], int]) -> int:
    """Run a command and print its error. Raises BrokenPipeError."""
    from arena.base.errors import ArenaError
    from arena.kit import output

    try:
        return _interruptible(command)
    except ArenaError as error:
        print(f"{ERROR}{error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        output.flush()


def _end(*_: object) -> NoReturn:
    """End the process on Ctrl-C while it imports modules or exits."""
    os._exit(INTERRUPTED)


def _interruptible(command: Callable[[], int]) -> int:
    """Run a command, in which Ctrl-C raises KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is not _end:
        return _complete(command)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return _complete(command)
    finally:
        signal.signal(signal.SIGINT, _end)


def _complete(command: Callable[[], int]) -> int:
    from arena.base import extras

    try:
        return command()
    except ModuleNotFoundError as error:
        raise extras.missing(f"`arena {' '.join(sys.argv[1:2])}`", error) from error


def _run(words: Sequence[str]) -> int:
    from arena import __version__
    from arena.base import compiled
    from arena.kit.commands import command_of, run

    if not words or words[0] in ("-h", "--help"):
        print(overview())
        return 0
    if words[0] == "--version":
        print(f"lama-arena {__version__}, {compiled.description()}")
        return 0
    name = command_of(words)
    if name is None:
        return _group(words)
    return run(name, words[len(name.split()) :])


def _group(words: Sequence[str]) -> int:
    """List the commands of a group such as `bot`. Raises MissingExtra, InvalidRequest."""
    from arena.base import extras
    from arena.base.errors import InvalidRequest
    from arena.kit.commands import SERVER

    first, listed = words[0], _listed(f"{words[0]} ")
    if listed and words[1:] in ([], ["-h"], ["--help"]):
        print("\n".join((f"Usage: arena {first} COMMAND [ARGS]...", "", "Commands:", *listed)))
        return 0
    if first in SERVER:
        raise extras.MissingExtra(f"`arena {' '.join(words[: 2 if listed else 1])}`", "server")
    raise InvalidRequest(
        f"There is no command `arena {first}`. Run `arena --help` for all commands."
    )


def overview() -> str:
    """Return the text of `arena --help` without the server."""
    from arena.base import website

    return "\n".join(
        (
            "Usage: arena COMMAND [ARGS]...",
            "",
            "  Write, test and connect bots for lama-arena.",
            "",
            "Commands:",
            *_listed(),
            "",
            f"Documentation: {website.docs()}",
            "To run an arena, or to organise tournaments, install the extra `server`:",
            f"  {website.install('server')}",
        )
    )


def _listed(prefix: str = "") -> list[str]:
    from arena.kit.commands import COMMANDS

    return [
        f"  {name:<15}  {entry.line}" for name, entry in COMMANDS.items() if name.startswith(prefix)
    ]
