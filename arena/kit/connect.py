"""`arena bot connect`: a bot written with the SDK plays until Ctrl-C."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.sdk import load_bot
from arena.sdk.address import in_folder
from arena.sdk.token import token_of

DEFAULT_FOLDER = ".arena"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A program, and where it is to play."""
    parser.description = (
        "Connect a bot and let it play until Ctrl-C. The bot is written with arena.sdk."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot connect mybot.py:MyBot"
    parser.add_argument(
        "program",
        metavar="FILE:CLASS",
        help="a Python file and the class in it, or MODULE:CLASS; of one bot, CLASS is optional",
    )
    parser.add_argument("--token", help="the bot's token (default: ARENA_TOKEN)")
    parser.add_argument(
        "--version",
        dest="of_bot",
        metavar="VERSION",
        help="which of the bot's versions this program is, so that several play side by side"
        " (default: ARENA_BOT_VERSION, else the newest)",
    )
    parser.add_argument("--url", help="the arena's gateway, HOST:PORT (default: ARENA_URL)")
    parser.add_argument(
        "--data",
        type=Path,
        help=f"folder of an arena on this machine (default: ARENA_DATA or {DEFAULT_FOLDER})",
    )


def run(args: argparse.Namespace) -> int:
    """Plays until interrupted. Raises InvalidRequest without a token, an arena or a bot."""
    token = token_of(args.token)
    url = gateway(args.url, args.data)
    load_bot(args.program)().run(url=url, token=token, version=args.of_bot)
    return 0


def gateway(url: str | None, data: Path | None) -> str:
    """Where bots connect: as said, as ARENA_URL says, or at the arena that runs in the folder.

    Raises InvalidRequest when none runs there.
    """
    url = url or (None if data else os.environ.get("ARENA_URL"))
    if url:
        return url
    found = in_folder(data)
    if found is None:
        data = data or Path(os.environ.get("ARENA_DATA") or DEFAULT_FOLDER)
        raise InvalidRequest(
            f"No arena is running in the folder {data}. "
            "Set ARENA_URL to the address of the arena's gateway, or pass --url."
        )
    return found
