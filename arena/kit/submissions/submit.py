"""`arena bot submit`: pack a bot, upload it and follow its progress."""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.base.text import plural
from arena.hosting.submission.files import size_text
from arena.hosting.submission.pack import Packed, pack
from arena.kit.submissions import arena_client
from arena.kit.submissions.following import follow

REFUSED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Upload a bot for the arena to host.\n\n"
        "The arena builds and tests it. If accepted, it becomes a new version of the bot. A\n"
        "folder needs a bot.toml. Hidden files and files in .botignore are not uploaded."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot submit mybot/"
    parser.add_argument("path", metavar="DIR|FILE.py|FILE.zip", type=Path, help="bot to upload")
    parser.add_argument(
        "--version",
        dest="label",
        default="",
        metavar="LABEL",
        help="name of the new version (default: from bot.toml, else the next number)",
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="upload only, and print the number of the submission"
    )
    arena_client.add_bot(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Upload the bot. Returns 1 if it is refused. Raises ArenaError."""
    packed = pack(args.path)
    with arena_client.open_submissions(args) as client:
        print(f"{args.path}: {_contents(packed)}")
        made = client.submit(packed.content, args.bot, args.label)
        if args.no_wait:
            print(made.id)
            return 0
        return 0 if follow(client, made).state == "accepted" else REFUSED


def _contents(packed: Packed) -> str:
    """Return the number and size of the files, and a few names."""
    names = [file.name for file in packed.files[:5]]
    more = ", ..." if len(packed.files) > len(names) else ""
    count = plural(len(packed.files), "file")
    sizes = f"{size_text(packed.total_bytes)}, {size_text(len(packed.content))} to upload"
    return f"{count} ({', '.join(names)}{more}), {sizes}"
