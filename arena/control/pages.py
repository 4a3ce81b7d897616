"""Lists that come in pages, as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from arena.control.port import Control
from arena.protocol.v1 import control_pb2 as pb

PAGE = 1000


def every_bot(control: Control) -> pb.Bots:
    """All bots, by name."""
    whole = control.list_bots(pb.ListBotsRequest())
    while whole.next:
        page = control.list_bots(pb.ListBotsRequest(after=whole.next))
        whole.bots.extend(page.bots)
        whole.next = page.next
    return whole


def every_tournament(control: Control) -> pb.Tournaments:
    """All tournaments, newest first, without standings."""
    whole = control.list_tournaments(pb.ListTournamentsRequest())
    while whole.next:
        page = control.list_tournaments(pb.ListTournamentsRequest(after=whole.next))
        whole.tournaments.extend(page.tournaments)
        whole.next = page.next
    return whole


def all_matches(control: Control, tournament: int | None) -> Iterator[pb.Match]:
    """All matches, or a tournament's, newest first; a page in memory at a time."""
    request = pb.ListMatchesRequest(tournament=tournament or 0, limit=PAGE)
    while True:
        page = control.list_matches(request)
        yield from page.matches
        if not page.next:
            return
        request.after = page.next
