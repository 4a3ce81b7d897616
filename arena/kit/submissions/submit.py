"""`arena bot submit`: packs a bot, uploads it, and follows what becomes of it."""

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
    """What to upload, as which version, and where."""
    parser.description = (
        "Upload a bot, so that the arena's hosts play it. It is built and tried first; only when\n"
        "it is accepted it becomes a new version of the bot. A folder needs a bot.toml; what\n"
        "has a name with a dot in front, or is named in .botignore, stays here."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot submit mybot/"
    parser.add_argument("path", metavar="DIR|FILE.py|FILE.zip", type=Path, help="the bot")
    parser.add_argument(
        "--version",
        dest="label",
        default="",
        metavar="LABEL",
        help="what the new version is called (default: as bot.toml says, else the next number)",
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="end as soon as it is uploaded, and print its number"
    )
    arena_client.add_bot(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Uploads it; exit status 1 if it is refused. Raises ArenaError."""
    packed = pack(args.path)
    with arena_client.open_submissions(args) as client:
        print(f"{args.path}: {_contents(packed)}")
        made = client.submit(packed.content, args.bot, args.label)
        if args.no_wait:
            print(made.id)
            return 0
        return 0 if follow(client, made).state == "accepted" else REFUSED


def _contents(packed: Packed) -> str:
    """How much is uploaded, and the names of a few files."""
    names = [file.name for file in packed.files[:5]]
    more = ", ..." if len(packed.files) > len(names) else ""
    count = plural(len(packed.files), "file")
    sizes = f"{size_text(packed.total_bytes)}, {size_text(len(packed.content))} to upload"
    return f"{count} ({', '.join(names)}{more}), {sizes}"
