"""Reads all pages of a list."""

from __future__ import annotations

from collections.abc import Iterator

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control

PAGE = 1000


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
    request = pb.ListMatchesRequest(tournament=tournament or 0, limit=PAGE, archived=True)
    while True:
        page = control.list_matches(request)
        yield from page.matches
        if not page.next:
            return
        request.after = page.next
