"""Encodes the decisions and notices of a match for its players."""

from arena.games.match import Fault
from arena.protocol import codec
from arena.protocol.decisions import encode_decision
from workers.schedule.active import ActiveMatch
from workers.schedule.routes import Routes


def send_decision(active: ActiveMatch, routes: Routes) -> None:
    """Sends the open decision to its player, packed if the player reads that."""
    match, outbound = active.match, active.batch.outbound
    if routes.reads_packed(active.player) and (packed := match.packed()):
        row, moves = packed
        outbound.add_packed(active.player, active.ticket, row, moves, match.game, active.left_ms)
        return
    assert match.decision is not None
    decision = encode_decision(match.decision, active.ticket, active.left_ms)
    outbound.add_decision(active.player, active.ticket, decision, active.left_ms)


def notify_started(active: ActiveMatch, routes: Routes) -> None:
    """Notifies the players that the match starts."""
    for seat, player in enumerate(active.players):
        if routes.wants_notices(player):
            notice = codec.encode_started(active.match, seat)
            active.batch.outbound.add_notice([player], "started", notice)


def notify_fault(active: ActiveMatch, fault: Fault, routes: Routes) -> None:
    """Notifies the player at fault, if connected, whether or not it wants other notices."""
    player = active.players[fault.seat]
    if routes.gateway(player):
        notice = codec.encode_fault(active.match.setup.id, fault)
        active.batch.outbound.add_notice([player], "faults", notice)


def notify_progress(active: ActiveMatch, routes: Routes) -> None:
    """Notifies the players of rounds that ended since the last call, and of the match's end."""
    match = active.match
    ended = len(match.game.rounds) - (not match.game.finished)
    if ended == active.rounds_notified and not match.game.finished:
        return
    first, active.rounds_notified = active.rounds_notified + 1, ended
    wanting = [player for player in active.players if routes.wants_notices(player)]
    if not wanting:
        return
    outbound = active.batch.outbound
    for number in range(first, ended + 1):
        outbound.add_notice(wanting, "rounds", codec.encode_round(match, number))
    if match.finished:
        outbound.add_notice(wanting, "ended", codec.encode_ended(match))
