"""`arena bot rollback`: make an earlier submission the newest version."""

import argparse

from arena.kit.submissions import arena_client
from arena.kit.submissions.submit import sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Roll back to an earlier accepted submission.\n\n"
        "It becomes the bot's newest version at once, without a new build. It gets a new version\n"
        "name and a new rating: version 2 becomes 2-again."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot rollback 7"
    arena_client.add_number(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Roll back. Raises ArenaError."""
    with arena_client.open_submissions(args) as client:
        print(sentence(client.rollback(args.number)))
    return 0
