"""`arena bot runs`: list the process runs of a hosted bot."""

import argparse
import time

from arena.hosting.submission.files import size_text
from arena.kit.output import table
from arena.kit.submissions import arena_client
from arena.protocol.v1 import submissions_pb2 as pb

HEADS = ("run", "version", "match", "began", "CPU", "wall", "memory", "wrote", "ended")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List the process runs of a hosted bot, newest first.\n\n"
        "Shows CPU time, wall time with a pending decision, memory, size of the output, and the\n"
        "reason if the run was ended. If there are many runs, only a sample is kept."
    )
    parser.epilog = "Example:\n  ARENA_TOKEN=lama_... arena bot runs --ended"
    parser.add_argument("--ended", action="store_true", help="only runs that the bot host ended")
    arena_client.add_limit(parser)
    arena_client.add_bot(parser)
    arena_client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    with arena_client.open_submissions(args) as client:
        found = client.runs(args.bot, args.limit, ended=args.ended).runs
    if not found:
        print("No run was ended." if args.ended else "There are no runs yet.")
        return 0
    for line in table(HEADS, map(_cells, found), left=len(HEADS)):
        print(line)
    return 0


def _cells(item: pb.Run) -> tuple[str, ...]:
    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(item.began))
    memory = size_text(1024 * item.memory_kb) if item.memory_kb else ""
    wrote = size_text(item.size) if item.size else ""
    match, used = item.match or "a tournament", f"{item.cpu_s:.3f} s"
    wall = f"{item.wall_s:.3f} s" if item.HasField("wall_s") else ""
    return str(item.id), item.version, match, began, used, wall, memory, wrote, item.ending
