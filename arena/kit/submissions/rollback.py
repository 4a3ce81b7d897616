"""`arena bot rollback`: an accepted submission becomes the newest version once more."""

from __future__ import annotations

import argparse

from arena.kit.submissions import arena_client
from arena.kit.submissions.following import sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which submission."""
    parser.description = (
        "Make an accepted submission the bot's newest version once more, at once, without\n"
        "building it again. It is a version of its own, with ratings of its own: of version 2 it\n"
        "is 2-again."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot rollback 7"
    arena_client.add_number(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Does so. Raises ArenaError."""
    with arena_client.open_submissions(args) as client:
        print(sentence(client.rollback(args.number)))
    return 0
