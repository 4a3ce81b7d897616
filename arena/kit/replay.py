"""`arena replay`: recorded matches in the browser, served to this machine only."""

from __future__ import annotations

import argparse
import importlib
import webbrowser
from pathlib import Path
from types import ModuleType

from arena.base.extras import missing

EPILOG = """\
examples:
  arena play mybot.py sharp five --out played.jsonl
  arena replay played.jsonl
  arena replay play-faults.jsonl --match 1 --no-browser
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show the matches of a file in the browser, card by card, as the dashboard does.\n"
        "Served at 127.0.0.1 until Ctrl-C; needs no arena, but the packages of the server."
    )
    parser.epilog = EPILOG
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="records as `arena play --out` and exports have them",
    )
    parser.add_argument(
        "--match", metavar="N", help="begin with this match: its number in the file, or its id"
    )
    parser.add_argument("--port", type=_port, default=0, metavar="P", help="[any free port]")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serves until Ctrl-C. Raises ArenaError."""
    alone = _dashboard()
    records = alone.RecordFile(args.file)
    place = f"matches/{records.named(args.match)}/replay" if args.match else ""

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
    """The dashboard's part that serves replays alone. Raises MissingExtra without the server."""
    try:
        return importlib.import_module("dashboard.replay_alone")
    except ModuleNotFoundError as error:
        raise missing("`arena replay`", error) from None
