"""Progress of a submission until it is accepted or refused."""

from __future__ import annotations

import sys
import time

from arena.base.errors import Unavailable
from arena.kit.submissions.arena_client import SubmissionsClient
from arena.protocol.v1 import submissions_pb2 as pb

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


def follow(client: SubmissionsClient, item: pb.Submission) -> pb.Submission:
    """Print changes of state and log, and return the submission when it is over.

    Raises Unavailable if the arena does not answer for a minute.
    """
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
            _say("No bot host has taken it yet. It stays in the queue if you press Ctrl-C.")
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
            sys.stdout.write(item.log[known:])
            sys.stdout.flush()
            self._log = item.log
        if item.state != self._state:
            self._state = item.state
            _say(sentence(item))


def sentence(item: pb.Submission) -> str:
    """Return the state of a submission in words."""
    if item.state == "accepted":
        return f"Submission {item.id} was accepted. {item.bot} is now version {item.version}."
    state = f"Submission {item.id} of {item.bot} {STATES.get(item.state, item.state)}."
    return f"{state} {item.reason}" if item.reason else state


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
