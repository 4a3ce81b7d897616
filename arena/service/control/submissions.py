"""The Submissions API without its transport."""

from collections.abc import Iterator
from typing import TypeAlias

from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import NotFound
from arena.protocol.v1 import submissions_pb2 as pb
from arena.service.control.messages import filled
from arena.service.control.port import checked_limit
from arena.store.engine import Connections
from arena.store.registry import audit_log, bots, runs, submissions
from arena.store.registry.audit_log import Actor
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.runs import Run, RunKind
from arena.store.registry.submissions import Submission, SubmissionLimits

# A bot, on behalf of its author, has access to itself; an administrator has access to all bots.
Caller: TypeAlias = RegisteredBot | Actor

PART = 256 * 1024  # bytes of an upload in one message


class SubmissionService:
    """One method per RPC of submissions.proto. Thread-safe."""

    def __init__(self, store: Connections, limits: SubmissionLimits) -> None:
        self.limits = limits
        self._store = store

    def check(self, caller: Caller, first: pb.SubmitPart) -> None:
        """Checks the first part of an upload before the rest is read. Raises NotFound,
        InvalidRequest, AlreadyExists, NotNow, LimitReached."""
        with self._store.read() as conn:
            bot = _bot(conn, caller, first.bot)
            submissions.check(conn, bot, first.label, instant.now(), self.limits)

    def submit(self, caller: Caller, first: pb.SubmitPart, content: bytes) -> pb.Submission:
        """Stores an upload for a host to build. Raises as `check` does."""
        with self._store.write() as conn:
            bot = _bot(conn, caller, first.bot)
            made = submissions.submit(conn, bot, content, first.label, None, self.limits)
            _note(conn, caller, "submitted", made)
        return _message(made)

    def get_submission(self, caller: Caller, request: pb.SubmissionId) -> pb.Submission:
        """A submission with its log. Raises NotFound."""
        with self._store.read() as conn:
            return _message(_get(conn, caller, request.id))

    def list_submissions(
        self, caller: Caller, request: pb.ListSubmissionsRequest
    ) -> pb.SubmissionList:
        """A page of a bot's submissions, newest first. Raises NotFound, and InvalidRequest if the
        page is too long."""
        limit = checked_limit(request.limit, submissions.LISTED)
        with self._store.read() as conn:
            bot = _bot(conn, caller, request.bot)
            page = submissions.of_bot(conn, bot.id, limit + 1, request.before)
        shown = page[:limit]
        following = shown[-1].id if len(page) > limit else 0
        listed = map(_message, shown)
        return pb.SubmissionList(submissions=listed, next=following)

    def source(self, caller: Caller, request: pb.SubmissionId) -> bytes:
        """The uploaded bytes. Raises NotFound."""
        with self._store.read() as conn:
            return submissions.source(conn, _get(conn, caller, request.id).id)

    def rollback(self, caller: Caller, request: pb.SubmissionId) -> pb.Submission:
        """Makes an accepted submission the current version again. Raises NotFound, NotNow,
        LimitReached."""
        with self._store.write() as conn:
            earlier = _get(conn, caller, request.id)
            bot = bots.get(conn, earlier.bot)
            made = submissions.rollback(conn, bot, earlier.id, None, self.limits)
            _note(conn, caller, "rolled back", made)
        return _message(made)

    def list_runs(self, caller: Caller, request: pb.ListRunsRequest) -> pb.RunList:
        """A page of a bot's process runs, newest first. Raises NotFound, and InvalidRequest if the
        page is too long."""
        with self._store.read() as conn:
            bot = _bot(conn, caller, request.bot)
            limit = checked_limit(request.limit, runs.LISTED)
            page = runs.of_bot(conn, bot.id, limit + 1, request.before, ended=request.ended)
        shown = page[:limit]
        following = shown[-1].id if len(page) > limit else 0
        return pb.RunList(runs=map(_run, shown), next=following)

    def get_run(self, caller: Caller, request: pb.RunId) -> pb.Run:
        """A run with its output. Raises NotFound."""
        with self._store.read() as conn:
            found = runs.get(conn, request.id)
        if not isinstance(caller, Actor) and found.bot != caller.name:
            raise runs.not_found(request.id)
        return _run(found)


def parts(source: bytes) -> Iterator[pb.SourcePart]:
    """Splits an upload into messages that every client accepts."""
    for start in range(0, len(source), PART):
        yield pb.SourcePart(content=source[start : start + PART])


def _bot(conn: Connection, caller: Caller, name: str) -> RegisteredBot:
    """The named bot, or the caller. Bots of others are reported as not found."""
    if isinstance(caller, Actor):
        if not name:
            raise NotFound("No bot is named. With the admin token, name one.")
        return bots.get(conn, name)
    if name and name.lower() != caller.name.lower():
        raise NotFound(
            f'This token belongs to {caller.name}, not to "{bots.printable(name)}". Name '
            f"{caller.name}, or no bot."
        )
    return bots.get(conn, caller.name)


def _get(conn: Connection, caller: Caller, number: int) -> Submission:
    found = submissions.get(conn, number)
    if not isinstance(caller, Actor) and found.bot != caller.name:
        raise submissions.not_found(number)
    return found


def _note(conn: Connection, caller: Caller, action: str, made: Submission) -> None:
    """Logs an administrator's action. Those of authors are recorded by their submissions."""
    actor = caller if isinstance(caller, Actor) else None
    audit_log.note(conn, actor, action, f"bot {made.bot}", f"submission {made.id}")


def _message(item: Submission) -> pb.Submission:
    return filled(pb.Submission, item, sha256=item.sha256.hex(), files_of=item.files_of or 0)


def _run(run: Run) -> pb.Run:
    written = [pb.Written(**part._asdict()) for part in run.parts]
    return filled(pb.Run, run, ended=run.kind is RunKind.ENDED, written=written)
