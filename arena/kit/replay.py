"""`arena replay`: show recorded matches in the browser, served on loopback only."""

import argparse
import importlib
import webbrowser
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

from arena.base.extras import missing

EPILOG = """\
examples:
  arena play mybot.py sharp five --out played.jsonl
  arena replay played.jsonl
  arena replay play-faults.jsonl --match 1 --no-browser
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show recorded matches in the browser, move by move.\n\n"
        "Serves the pages at 127.0.0.1 until Ctrl-C. Needs the extra `server`, but no arena."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="match records, from `arena play --out` or an export",
    )
    parser.add_argument(
        "--match", metavar="N", help="match to start with, by its number in the file or its id"
    )
    parser.add_argument("--port", type=_port, default=0, metavar="P", help="port [any free one]")
    parser.add_argument(
        "--no-browser",
        action="store_true",
        help="only print the address, without opening a browser",
    )


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C. Raises ArenaError."""
    alone = _dashboard()
    records = alone.RecordFile(args.file)
    place = f"matches/{quote(records.named(args.match))}/replay" if args.match else ""

    def ready(address: str) -> None:
        print(f"Replays at {address}{place} (Ctrl-C ends it)", flush=True)
        if not args.no_browser:
            webbrowser.open(f"{address}{place}")

    try:
        alone.serve(records, args.port, ready)
    except KeyboardInterrupt:
        print()
    return 0


def _dashboard() -> ModuleType:
    """Return the dashboard's module that serves replays. Raises MissingExtra."""
    try:
        return importlib.import_module("dashboard.replay_alone")
    except ModuleNotFoundError as error:
        raise missing("`arena replay`", error) from None
