"""`arena bot submissions`: list the uploads of a bot."""

import argparse
import time

from arena.hosting.submission.files import size_text
from arena.kit.output import table
from arena.kit.submissions import arena_client
from arena.protocol.v1 import submissions_pb2 as pb

HEADS = ("number", "state", "version", "uploaded", "size", "reason")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "List the uploads of a bot with their states, newest first."
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot submissions"
    arena_client.add_limit(parser)
    arena_client.add_bot(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    with arena_client.open_submissions(args) as client:
        found = client.page(args.bot, args.limit).submissions
    if not found:
        print("There are no uploads yet. Submit one with `arena bot submit DIR`.")
        return 0
    for line in table(HEADS, map(_cells, found), left=len(HEADS)):
        print(line)
    return 0


def _cells(item: pb.Submission) -> tuple[str, ...]:
    uploaded = time.strftime("%Y-%m-%d %H:%M", time.localtime(item.created))
    again = f"rollback to {item.files_of}" if item.files_of else ""
    version, size = item.version or item.label, size_text(item.size)
    return str(item.id), item.state, version, uploaded, size, item.reason or again
