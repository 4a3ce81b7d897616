"""`arena bot output`: print the output of a process run, by decision."""

import argparse

from arena.kit.submissions import arena_client
from arena.kit.submissions.arena_client import note
from arena.protocol.v1 import submissions_pb2 as pb

AT = {
    "start": "before it was ready",
    "decision": "in decision {number}{match}{others}",
    "unanswered": "in decision {number}{match}, without an answer",
    "late": "after its time limit",
    "end": "after its last answer",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print the output of a hosted bot's process run.\n\n"
        "The text goes to stdout, and its context to stderr. Decisions are numbered as in the\n"
        "replay of the match."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot output 12"
    arena_client.add_run(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the output. Raises ArenaError."""
    with arena_client.open_submissions(args) as client:
        found = client.run(args.number)
    note(_head(found))
    for written in found.written:
        note(f"--- {when(written, found)}")
        print(written.text.removesuffix("\n"), flush=True)
    if found.ending:
        note(found.ending)
    return 0


def when(written: pb.Written, of: pb.Run) -> str:
    """Return in words when a text was written."""
    match = f" of {written.match}" if written.match != of.match else ""
    others = f" and {written.others} more" if written.others else ""
    return AT[written.when].format(number=written.decision, match=match, others=others)


def _head(found: pb.Run) -> str:
    of = f"match {found.match}" if found.match else "the matches of a tournament"
    wall = f", {found.wall_s:.3f} s of wall time" if found.HasField("wall_s") else ""
    used = f"{found.cpu_s:.3f} s of CPU time{wall}"
    return f"Run {found.id}: {found.bot} {found.version}, {of}, {used}."
