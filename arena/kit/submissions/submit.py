"""`arena bot submit`: pack a bot, upload it and follow its progress."""

import argparse
import time
from pathlib import Path

from arena.base.errors import Unavailable
from arena.base.text import plural
from arena.hosting.submission.files import size_text
from arena.hosting.submission.pack import Packed, pack
from arena.kit.submissions import arena_client
from arena.kit.submissions.arena_client import SubmissionsClient, note
from arena.protocol.v1 import submissions_pb2 as pb

REFUSED = 1
POLL_S = 1.0
PATIENCE_S = 60.0  # without an answer from the arena
NO_HOST_S = 10.0  # before the note that no bot host has taken it

STATES = {
    "waiting": "is waiting for a bot host",
    "building": "is being built",
    "validating": "is being tested",
    "refused": "was refused",
    "withdrawn": "was replaced by a newer upload",
}
OVER = ("accepted", "refused", "withdrawn")


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
    names = [file.name for file in packed.files[:5]]
    more = ", ..." if len(packed.files) > len(names) else ""
    count = plural(len(packed.files), "file")
    sizes = f"{size_text(packed.total_bytes)}, {size_text(len(packed.content))} to upload"
    return f"{count} ({', '.join(names)}{more}), {sizes}"


def follow(client: SubmissionsClient, item: pb.Submission) -> pb.Submission:
    """Print changes of state and log, and return the submission when it is over. Raises Unavailable
    if the arena does not answer for a minute."""
    report = ChangePrinter()
    report.print_changes(item)
    began = heard = time.monotonic()
    reminded = False
    while item.state not in OVER:
        time.sleep(POLL_S)
        now = time.monotonic()
        try:
            item, heard = client.get(item.id), now
        except Unavailable:
            if now - heard > PATIENCE_S:
                raise
            continue
        report.print_changes(item)
        if item.state == "waiting" and now - began > NO_HOST_S and not reminded:
            reminded = True
            note("No bot host has taken it yet. It stays in the queue if you press Ctrl-C.")
    return item


class ChangePrinter:
    """Prints changes of a submission: the log to stdout, all else to stderr."""

    def __init__(self) -> None:
        self._state = self._log = ""

    def print_changes(self, item: pb.Submission) -> None:
        """Print the changes since the last call."""
        if item.log != self._log:
            # The beginning of a long log is cut off; then all of it is printed.
            known = len(self._log) if item.log.startswith(self._log) else 0
            print(item.log[known:], end="", flush=True)
            self._log = item.log
        if item.state != self._state:
            self._state = item.state
            note(sentence(item))


def sentence(item: pb.Submission) -> str:
    """Return the state of a submission in words."""
    if item.state == "accepted":
        return f"Submission {item.id} was accepted. {item.bot} is now version {item.version}."
    state = f"Submission {item.id} of {item.bot} {STATES.get(item.state, item.state)}."
    return f"{state} {item.reason}" if item.reason else state
