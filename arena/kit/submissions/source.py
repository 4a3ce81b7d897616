"""`arena bot source`: download a submission."""

import argparse
from pathlib import Path

from arena.base.errors import AlreadyExists, InvalidRequest
from arena.hosting.submission.files import size_text
from arena.hosting.submission.unpack import is_archive
from arena.kit.submissions import arena_client


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Download an upload: a Python file or a zip archive."
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot source 7 --output old.zip"
    arena_client.add_number(parser)
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="name of the new file (default: submission-ID.zip, or .py)",
    )
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the file. Raises ArenaError, AlreadyExists."""
    with arena_client.open_submissions(args) as client:
        source = client.source(args.number)
    ending = "zip" if is_archive(source) else "py"
    output = args.output or Path(f"submission-{args.number}.{ending}")
    try:
        with output.open("xb") as file:
            file.write(source)
    except FileExistsError:
        raise AlreadyExists(f"{output} already exists. Choose another file.") from None
    except OSError as error:
        raise InvalidRequest(f"{output} cannot be written: {error.strerror}.") from None
    print(f"{output}: {size_text(len(source))}")
    return 0
