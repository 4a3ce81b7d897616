"""The blocking client of arena.v1.Submissions, and the arguments of its commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial

import grpc

from arena.kit.connect import add_address, gateway
from arena.protocol import services
from arena.protocol.v1 import submissions_pb2 as pb
from arena.sdk.address import tls_ca
from arena.sdk.blocking import BlockingClient
from arena.sdk.token import token_of

LARGEST_SUBMISSION, LARGEST_RUN = (1 << 32) - 1, (1 << 63) - 1
USUAL, MOST = 20, 1000  # listed
TRANSFER_S = 180.0
PART = 48 * 1024  # bytes of an upload per message, within every gateway's limit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the token and the address of the arena."""
    parser.add_argument("--token", help="token of the bot (default: ARENA_TOKEN)")
    add_address(parser)


def add_bot(parser: argparse.ArgumentParser) -> None:
    """Add --bot, which only works with the admin token."""
    parser.add_argument(
        "--bot", metavar="NAME", default="", help="name of the bot, if you use the admin token"
    )


def add_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit",
        type=int,
        choices=range(1, MOST + 1),
        metavar="N",
        default=USUAL,
        help=f"maximum number of entries, 1 to {MOST} (default: {USUAL})",
    )


def add_number(parser: argparse.ArgumentParser) -> None:
    number = partial(_number, "submission", LARGEST_SUBMISSION)
    parser.add_argument(
        "number", metavar="ID", type=number, help="number from `arena bot submissions`"
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    number = partial(_number, "run", LARGEST_RUN)
    parser.add_argument("number", metavar="RUN", type=number, help="number from `arena bot runs`")


def _number(kind: str, largest: int, text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:20]) <= largest:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not the number of a {kind}")
    return int(text)


def note(line: str) -> None:
    """Print a line on stderr."""
    print(line, file=sys.stderr, flush=True)


def open_submissions(args: argparse.Namespace) -> SubmissionsClient:
    """Connect with these arguments. Raises InvalidRequest without a token or an arena."""
    token = token_of(args.token)
    return SubmissionsClient(gateway(args.url, args.data), token, tls_ca())


class SubmissionsClient(BlockingClient):
    """The service at one gateway."""

    service = services.SUBMISSIONS

    def submit(self, content: bytes, bot: str = "", label: str = "") -> pb.Submission:
        """Upload a packed bot."""
        call: grpc.StreamUnaryMultiCallable[pb.SubmitPart, pb.Submission] = (
            self._channel.stream_unary(
                f"/{services.SUBMISSIONS}/Submit",
                pb.SubmitPart.SerializeToString,
                pb.Submission.FromString,
            )
        )
        parts = _parts(content, bot, label)
        with self._arena_errors(TRANSFER_S):
            return call(parts, metadata=self._metadata, timeout=TRANSFER_S)

    def get(self, number: int) -> pb.Submission:
        """Return a submission with its log."""
        return self._ask("GetSubmission", pb.SubmissionId(id=number), pb.Submission)

    def page(self, bot: str, limit: int) -> pb.SubmissionList:
        """Return the newest submissions of a bot."""
        request = pb.ListSubmissionsRequest(bot=bot, limit=limit)
        return self._ask("ListSubmissions", request, pb.SubmissionList)

    def runs(self, bot: str, limit: int, *, ended: bool = False) -> pb.RunList:
        """Return the newest runs of a bot, without their output."""
        request = pb.ListRunsRequest(bot=bot, limit=limit, ended=ended)
        return self._ask("ListRuns", request, pb.RunList)

    def run(self, number: int) -> pb.Run:
        """Return a run with its output."""
        return self._ask("GetRun", pb.RunId(id=number), pb.Run)

    def rollback(self, number: int) -> pb.Submission:
        """Make an accepted submission the newest version again."""
        return self._ask("Rollback", pb.SubmissionId(id=number), pb.Submission)

    def source(self, number: int) -> bytes:
        """Download a submission."""
        call: grpc.UnaryStreamMultiCallable[pb.SubmissionId, pb.SourcePart] = (
            self._channel.unary_stream(
                f"/{services.SUBMISSIONS}/GetSource",
                pb.SubmissionId.SerializeToString,
                pb.SourcePart.FromString,
            )
        )
        request = pb.SubmissionId(id=number)
        with self._arena_errors(TRANSFER_S):
            found = call(request, metadata=self._metadata, timeout=TRANSFER_S)
            return b"".join(part.content for part in found)


def _parts(content: bytes, bot: str, label: str) -> Iterator[pb.SubmitPart]:
    yield pb.SubmitPart(bot=bot, label=label, content=content[:PART])
    for start in range(PART, len(content), PART):
        yield pb.SubmitPart(content=content[start : start + PART])
