"""What an author is told of a submission until it is accepted or refused."""

from __future__ import annotations

import sys
import time

from arena.base.errors import Unavailable
from arena.kit.submissions.arena_client import SubmissionsClient
from arena.protocol.v1 import submissions_pb2 as pb

POLL_S = 1.0
PATIENCE_S = 60.0  # with an arena that is away
NOBODY_S = 10.0  # until it is said that no host takes it

STATES = {
    "waiting": "waits for a host",
    "building": "is being built",
    "validating": "is being tried",
    "refused": "was refused",
    "withdrawn": "was withdrawn: there is a newer upload",
}
OVER = ("accepted", "refused", "withdrawn")


def follow(client: SubmissionsClient, item: pb.Submission) -> pb.Submission:
    """Tells state and log as they change, and returns the submission when it is over.

    An arena that is away for less than a minute is waited for; raises Unavailable after that.
    """
    story = Story()
    story.tell(item)
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
        story.tell(item)
        if item.state == "waiting" and now - began > NOBODY_S and not reminded:
            reminded = True
            _say("No host has taken it so far. It stays there if you stop waiting (Ctrl-C).")
    return item


class Story:
    """What was told already of a submission: the log goes to stdout, all else to stderr."""

    def __init__(self) -> None:
        self._state = self._log = ""

    def tell(self, item: pb.Submission) -> None:
        """Prints what is new."""
        if item.log != self._log:
            # Of a log that became too long the beginning is gone: then all of it is new.
            known = len(self._log) if item.log.startswith(self._log) else 0
            sys.stdout.write(item.log[known:])
            sys.stdout.flush()
            self._log = item.log
        if item.state != self._state:
            self._state = item.state
            _say(sentence(item))


def sentence(item: pb.Submission) -> str:
    """How it stands with a submission."""
    if item.state == "accepted":
        return f"Submission {item.id} is accepted: {item.bot} is version {item.version} now."
    told = f"Submission {item.id} of {item.bot} {STATES.get(item.state, item.state)}."
    return f"{told} {item.reason}" if item.reason else told


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
