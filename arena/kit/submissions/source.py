"""`arena bot source`: what was uploaded, back into a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.hosting.submission.files import size_text
from arena.hosting.submission.unpack import is_archive
from arena.kit.submissions import arena_client


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which submission, into which file."""
    parser.description = "Fetch what was uploaded, as it was: a Python file or a zip."
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot source 7 --output old.zip"
    arena_client.add_number(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="a new file (default: submission-ID.zip, or .py)",
    )
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Writes it. Raises ArenaError, AlreadyExists for a file that is there."""
    with arena_client.open_submissions(args) as client:
        source = client.source(args.number)
    ending = "zip" if is_archive(source) else "py"
    output = args.output or Path(f"submission-{args.number}.{ending}")
    try:
        with output.open("xb") as file:
            file.write(source)
    except FileExistsError:
        raise AlreadyExists(f"{output} is there already: name another file.") from None
    except OSError as error:
        raise InvalidRequest(f"{output} cannot be written: {error.strerror}.") from None
    print(f"{output}: {size_text(len(source))}")
    return 0
