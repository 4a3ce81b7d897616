"""`arena bot connect`: run a bot written with the SDK until Ctrl-C."""

import argparse
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.sdk import load_bot
from arena.sdk.address import in_folder, usual_address
from arena.sdk.token import token_of

DEFAULT_FOLDER = ".arena"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Connect a bot written with arena.sdk until Ctrl-C."
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot connect mybot.py:MyBot"
    parser.add_argument(
        "program",
        metavar="FILE:CLASS",
        help="Python file and class, or MODULE:CLASS; CLASS is optional if the file has one bot",
    )
    parser.add_argument("--token", help="token of the bot (default: ARENA_TOKEN)")
    parser.add_argument(
        "--version",
        dest="of_bot",
        metavar="VERSION",
        help="version of the bot that this program plays; several versions can be connected at"
        " the same time (default: ARENA_BOT_VERSION, else the newest)",
    )
    add_address(parser)


def add_address(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="gateway of the arena, HOST:PORT (default: ARENA_URL)")
    parser.add_argument(
        "--data",
        type=Path,
        help=f"folder of a local arena (default: ARENA_DATA or {DEFAULT_FOLDER})",
    )


def run(args: argparse.Namespace) -> int:
    """Play until interrupted. Raises InvalidRequest without a token, an arena or a bot."""
    token = token_of(args.token)
    url = gateway(args.url, args.data)
    load_bot(args.program)().run(url=url, token=token, version=args.of_bot)
    return 0


def gateway(url: str | None, data: Path | None) -> str:
    """Return the gateway: the given URL, the arena in the folder `data`, or the usual one. Raises
    InvalidRequest if no arena runs in `data`."""
    if url or data is None:
        return url or usual_address()
    found = in_folder(data)
    if found is None:
        raise InvalidRequest(
            f"No arena is running in the folder {data}. Start it, or pass --url with the address of"
            " a gateway."
        )
    return found
