"""The command `arena`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NoReturn

from arena import __version__, compiled
from arena.errors import ArenaError, InvalidRequest
from arena.kit.commands import COMMANDS, command_of, run

FAILED = 2
INTERRUPTED = 130
SERVER = 'pip install "lama-arena[server]"'
ONCE = 'pipx run "lama-arena[server]" demo'


def main() -> NoReturn:
    """Runs the command line: the server's, where it is installed, and otherwise the kit's."""
    if find_spec("arena.cli") is not None and find_spec("click") is not None:
        importlib.import_module("arena.cli").main()
    leave(lambda: _run(sys.argv[1:]))


def leave(command: Callable[[], int]) -> NoReturn:
    """Ends the process with a command's status; what goes wrong is one sentence on stderr and
    exit status 2."""
    try:
        sys.exit(command())
    except ArenaError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough. Nothing may be flushed to it.
        sys.stderr.close()
        sys.exit(0)


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(overview())
        return 0
    if words[0] == "--version":
        print(f"lama-arena {__version__}, {compiled.description()}")
        return 0
    name = command_of(words)
    if name is None:
        raise InvalidRequest(
            f"There is no command `arena {words[0]}` here; `arena --help` lists those of the"
            f" author's kit. The others come with the server: {SERVER}"
            + (f", or to have a look: {ONCE}" if words[0] == "demo" else "")
        )
    return run(name, words[len(name.split()) :])


def overview() -> str:
    """What `arena --help` says where there is no server."""
    lines = [f"  {name:<15}  {entry.line}" for name, entry in COMMANDS.items()]
    return "\n".join(
        (
            "Usage: arena COMMAND [ARGS]...",
            "",
            "  The author's kit of lama-arena: write bots, try them, connect them.",
            "",
            "Commands:",
            *lines,
            "",
            f"An arena of your own, with pages and ratings, comes with: {SERVER}",
        )
    )
