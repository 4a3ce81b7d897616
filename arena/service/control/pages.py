"""Pages of lists: their length, and how to read all of them."""

from __future__ import annotations

from collections.abc import Iterator

from arena.base.errors import InvalidRequest
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control

MOST = 1000  # entries in a page


def checked_limit(requested: int, usual: int) -> int:
    """The length of a page; 0 requests the `usual` one. Raises InvalidRequest if it is too long."""
    if requested > MOST:
        raise InvalidRequest(
            f"limit is {requested}; it must be from 1 to {MOST}, or 0 for the default ({usual})."
        )
    return requested or usual


def every_bot(control: Control) -> pb.Bots:
    """All bots, by name."""
    listed = control.list_bots(pb.ListBotsRequest())
    while listed.next:
        page = control.list_bots(pb.ListBotsRequest(after=listed.next))
        listed.bots.extend(page.bots)
        listed.next = page.next
    return listed


def every_tournament(control: Control) -> pb.Tournaments:
    """All tournaments, newest first, without standings."""
    listed = control.list_tournaments(pb.ListTournamentsRequest())
    while listed.next:
        page = control.list_tournaments(pb.ListTournamentsRequest(after=listed.next))
        listed.tournaments.extend(page.tournaments)
        listed.next = page.next
    return listed


def all_matches(control: Control, tournament: int | None) -> Iterator[pb.Match]:
    """All matches, or a tournament's, newest first, with archived ones. Holds one page in
    memory."""
    request = pb.ListMatchesRequest(tournament=tournament or 0, limit=MOST, archived=True)
    while True:
        page = control.list_matches(request)
        yield from page.matches
        if not page.next:
            return
        request.after = page.next
