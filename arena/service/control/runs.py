"""Process runs of hosted bots as messages for their authors."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.protocol.v1 import submissions_pb2 as pb
from arena.service.control.conversion import filled
from arena.service.control.limits import checked_limit
from arena.store.registry import runs
from arena.store.registry.bots import RegisteredBot
from arena.store.registry.runs import Kind, Run


def listed(conn: Connection, bot: RegisteredBot, request: pb.ListRunsRequest) -> pb.RunList:
    """A page of a bot's runs, newest first. Raises InvalidRequest if the page is too long."""
    limit = checked_limit(request.limit, runs.LISTED)
    page = runs.of_bot(conn, bot.id, limit + 1, request.before, ended=request.ended)
    shown = page[:limit]
    following = shown[-1].id if len(page) > limit else 0
    return pb.RunList(runs=map(message, shown), next=following)


def message(run: Run) -> pb.Run:
    """The message of a run."""
    written = [pb.Written(**part._asdict()) for part in run.parts]
    return filled(pb.Run, run, ended=run.kind is Kind.ENDED, written=written)
