"""The Submissions service over gRPC. Uploads are read only up to their limit."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio

from arena.base.errors import InvalidRequest, LimitReached
from arena.protocol import services
from arena.protocol.v1 import submissions_pb2 as pb
from arena.service.control.submissions import Caller, SubmissionService, parts
from arena.service.gateway.auth import SUBMITTER
from arena.service.gateway.calls import A, Call, Context, Q, StreamLimit, unary
from arena.service.gateway.limits import (
    MOST_TRANSFERS,
    MOST_TRANSFERS_OF_AN_AUTHOR,
    TRANSFER_WITHIN_S,
)
from arena.store.registry.audit_log import Actor

FULL = "Too many uploads and downloads are in progress. Try again in a moment."
LATE = "The {} did not end within {:.0f} s."


class SubmissionsServicer:
    """The servicer around `service`."""

    def __init__(self, service: SubmissionService) -> None:
        self._service = service
        self._transfers = 0
        self._of_authors = StreamLimit(MOST_TRANSFERS_OF_AN_AUTHOR)

    def handler(self) -> grpc.GenericRpcHandler:
        service = self._service
        calls: dict[str, Call[Any, Any]] = {
            "GetSubmission": Call(pb.SubmissionId, _called(service.get_submission)),
            "ListSubmissions": Call(pb.ListSubmissionsRequest, _called(service.list_submissions)),
            "Rollback": Call(pb.SubmissionId, _called(service.rollback)),
            "ListRuns": Call(pb.ListRunsRequest, _called(service.list_runs)),
            "GetRun": Call(pb.RunId, _called(service.get_run)),
        }
        handlers = {name: unary(call) for name, call in calls.items()}
        # The stubs only know servicers that return an iterator.
        submit: Any = self.submit
        get_source: Any = self.get_source
        handlers["Submit"] = grpc.stream_unary_rpc_method_handler(submit, pb.SubmitPart.FromString)
        handlers["GetSource"] = grpc.unary_stream_rpc_method_handler(
            get_source, pb.SubmissionId.FromString
        )
        return grpc.method_handlers_generic_handler(services.SUBMISSIONS, handlers)

    async def submit(self, _: object, context: Context) -> bytes:
        """Serve an upload, from its first part to the end of the stream."""
        caller = SUBMITTER.get()
        with self._transfer(caller, context):
            reader = _Upload(context, self._service.limits.check_size)
            first = await reader.next()
            if first is None:
                raise InvalidRequest("The upload has no part.")
            await asyncio.to_thread(self._service.check, caller, first)
            await reader.rest()
            content = bytes(reader.content)
            made = await asyncio.to_thread(self._service.submit, caller, first, content)
            return made.SerializeToString()

    async def get_source(self, request: pb.SubmissionId, context: Context) -> None:
        """Stream an upload back."""
        caller = SUBMITTER.get()
        with self._transfer(caller, context):
            try:
                async with asyncio.timeout(TRANSFER_WITHIN_S):
                    source = self._service.source
                    for part in parts(await asyncio.to_thread(source, caller, request)):
                        await context.write(part.SerializeToString())
            except TimeoutError:
                raise InvalidRequest(LATE.format("download", TRANSFER_WITHIN_S)) from None

    @contextmanager
    def _transfer(self, caller: Caller, context: Context) -> Iterator[None]:
        """Count a transfer, which may have a whole upload in memory. Raises LimitReached. The
        stream of an author counts longer, until the client has read its end."""
        author = caller.who if isinstance(caller, Actor) else caller.owner or caller.name
        if self._transfers >= MOST_TRANSFERS or not self._of_authors.admit(author, context):
            raise LimitReached(FULL)
        self._transfers += 1
        try:
            yield
        finally:
            self._transfers -= 1


class _Upload:
    """Reads an upload until it ends, is too large or takes too long."""

    def __init__(self, context: Context, check_size: Callable[[int], None]) -> None:
        self.content = bytearray()
        self._context = context
        self._check_size = check_size
        self._until = asyncio.get_running_loop().time() + TRANSFER_WITHIN_S

    async def rest(self) -> None:
        """Read to the end. Raises LimitReached, InvalidRequest."""
        while await self.next() is not None:
            pass

    async def next(self) -> pb.SubmitPart | None:
        """Return the next part, or None at the end. Raises LimitReached, InvalidRequest."""
        # Not wait_for: a read that is cancelled by a timeout would look like the end of the stream.
        reading = asyncio.ensure_future(self._context.read())
        left_s = self._until - asyncio.get_running_loop().time()
        done, _ = await asyncio.wait({reading}, timeout=max(0.0, left_s))
        if not done:
            reading.cancel()
            raise InvalidRequest(LATE.format("upload", TRANSFER_WITHIN_S))
        received: Any = reading.result()
        if received is grpc.aio.EOF:
            return None
        part: pb.SubmitPart = received
        self._check_size(len(self.content) + len(part.content))
        self.content += part.content
        return part


def _called(method: Callable[[Caller, Q], A]) -> Callable[[Q], A]:
    """Return the method as a function of the request alone, with the caller from the context."""
    return lambda request: method(SUBMITTER.get(), request)
