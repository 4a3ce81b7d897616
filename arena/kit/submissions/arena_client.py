"""The arena.v1.Submissions service as functions, and the arguments that say where and who."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import grpc

from arena.kit.connect import DEFAULT_FOLDER, gateway
from arena.protocol import services
from arena.protocol.v1 import submissions_pb2 as pb
from arena.sdk.address import tls_ca
from arena.sdk.blocking import BlockingClient
from arena.sdk.token import token_of

LARGEST_SUBMISSION, LARGEST_RUN = (1 << 32) - 1, (1 << 63) - 1
USUAL, MOST = 20, 1000  # listed
TRANSFER_S = 180.0
PART = 48 * 1024  # bytes of an upload in one message, which every gateway takes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the arena is, and who asks."""
    parser.add_argument("--token", help="the bot's token (default: ARENA_TOKEN)")
    parser.add_argument("--url", help="the arena's gateway, HOST:PORT (default: ARENA_URL)")
    parser.add_argument(
        "--data",
        type=Path,
        help=f"folder of an arena on this machine (default: ARENA_DATA or {DEFAULT_FOLDER})",
    )


def add_bot(parser: argparse.ArgumentParser) -> None:
    """Which bot; only an administrator has more than one."""
    parser.add_argument(
        "--bot", metavar="NAME", default="", help="which bot, with the administrator's token"
    )


def add_limit(parser: argparse.ArgumentParser) -> None:
    """How many are listed."""
    parser.add_argument(
        "--limit",
        type=int,
        choices=range(1, MOST + 1),
        metavar="N",
        default=USUAL,
        help=f"at most so many, 1 to {MOST} (default: {USUAL})",
    )


def add_number(parser: argparse.ArgumentParser) -> None:
    """Which submission."""
    number = partial(_number, "submission", LARGEST_SUBMISSION)
    parser.add_argument("number", metavar="ID", type=number, help="see `arena bot submissions`")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    number = partial(_number, "run", LARGEST_RUN)
    parser.add_argument("number", metavar="RUN", type=number, help="see `arena bot runs`")


def _number(kind: str, largest: int, text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:20]) <= largest:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not the number of a {kind}")
    return int(text)


def open_submissions(args: argparse.Namespace) -> SubmissionsClient:
    """The arena of these arguments. Raises InvalidRequest without a token or an arena."""
    token = token_of(args.token)
    return SubmissionsClient(gateway(args.url, args.data), token, tls_ca())


class SubmissionsClient(BlockingClient):
    """The service at one gateway."""

    service = services.SUBMISSIONS

    def submit(self, content: bytes, bot: str = "", label: str = "") -> pb.Submission:
        """Uploads."""
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
        """One submission with its log."""
        return self._ask("GetSubmission", pb.SubmissionId(id=number), pb.Submission)

    def page(self, bot: str, limit: int) -> pb.SubmissionList:
        """The newest submissions of a bot."""
        request = pb.ListSubmissionsRequest(bot=bot, limit=limit)
        return self._ask("ListSubmissions", request, pb.SubmissionList)

    def runs(self, bot: str, limit: int, *, ended: bool = False) -> pb.RunList:
        """The newest runs of a bot, without what they wrote."""
        request = pb.ListRunsRequest(bot=bot, limit=limit, ended=ended)
        return self._ask("ListRuns", request, pb.RunList)

    def run(self, number: int) -> pb.Run:
        """One run with what it wrote."""
        return self._ask("GetRun", pb.RunId(id=number), pb.Run)

    def rollback(self, number: int) -> pb.Submission:
        """Makes an accepted one the newest version once more."""
        return self._ask("Rollback", pb.SubmissionId(id=number), pb.Submission)

    def source(self, number: int) -> bytes:
        """What was uploaded."""
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
